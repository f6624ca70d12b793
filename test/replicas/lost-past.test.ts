// @module-tag extended
// @module-tag needs/redis
import { once } from 'node:events';
import { beforeAll, expect, test, vi } from 'vitest';
import { patience } from '../support/patience.js';
import { expectKept, type Load, startLoad } from './load.js';
import { type Replica, sameOnAll, startReplica, startReplicas } from './replicas.js';
import { type Store, startStore } from './store.js';

let store: Store;
let replicas: Replica[];
beforeAll(async () => {
  // With its default, a busy Redis writes an acknowledged entry up to two seconds later, so a copy could lack it.
  store = await startStore({ settings: ['--appendfsync', 'always'] });
  replicas = await startReplicas(2, store.url());
});

const petsOf = async ({ control }: Replica) => (await control.exportState()).pets as { id: number; name: string }[];
const untilStored = (load: Load, count: number) => vi.waitUntil(() => load.stored.size >= count, patience);

async function storeSome(prefix: string, on: readonly Replica[] = replicas): Promise<Load> {
  const load = startLoad(on, prefix);
  await untilStored(load, 20);
  await load.stop();
  return load;
}

/** Collects the messages of each replica from now on. */
function listen(): (() => string)[] {
  return replicas.map(({ errors }) => {
    const { length } = errors();
    return () => errors().slice(length);
  });
}

test('all replicas report the lost last second of a store, and none continues from it', async () => {
  const said = listen();
  const kept = await storeSome('kept');
  const putBack = store.copyFiles();
  const lost = await storeSome('lost');
  await store.kill();
  putBack();
  await store.start();
  for (const sentences of said) await vi.waitUntil(() => /The store lost entries/.test(sentences()), patience);
  // They serve again, from one past.
  const after = await Promise.all(replicas.map((replica, at) => storeSome(`after-${at}`, [replica])));
  const pets = await sameOnAll(replicas, petsOf);
  const names = new Set(pets.map(({ name }) => name));
  expect([...lost.stored].filter((name) => names.has(name))).toEqual([]);
  expect(new Set(pets.map(({ id }) => id)).size).toBe(pets.length);
  for (const replica of replicas) await expectKept(replica, [kept, ...after]);
});

test('a replica does not skip unread entries that were trimmed', async () => {
  const [one, two] = replicas as [Replica, Replica];
  const [, said = () => ''] = listen();
  two.pause();
  const load = await storeSome('unseen', [one]);
  // By an external command, because petstore-sim does not trim past a live replica.
  await store.ask('XTRIM', 'petstore-sim:{test}:log', 'MAXLEN', '3');
  let isOver = false;
  two.child.once('close', () => {
    isOver = true;
  });
  two.resume();
  const isBack = async () => (await two.health().catch(() => ({ httpStatus: 0 }))).httpStatus === 200;
  await vi.waitUntil(() => /The store lost entries/.test(said()), patience);
  await vi.waitUntil(async () => isOver || (await isBack()), patience);
  // The replica has all entries, or has ended.
  if (isOver) expect(said()).toMatch(/has lost entries/);
  else await expectKept(two, [load]);
});

test('replicas report an empty store and end, and a new replica creates a new log', async () => {
  const said = listen();
  // A process has ended before its standard error is read; its stream has ended with `close`.
  const ends = replicas.map(({ child }) => (child.exitCode === null ? once(child, 'close') : [child.exitCode]));
  await store.kill();
  store.deleteFiles();
  await store.start();
  for (const [at, end] of ends.entries()) {
    expect((await end)[0]).toBe(1);
    if (said[at]?.() !== '') expect(said[at]?.()).toMatch(/The store lost entries[\s\S]*Failed to read the log again/);
  }
  const next = await startReplica(store.url());
  expect((await next.control.exportState()).pets).toHaveLength(40);
});
