import { beforeAll, expect, test, vi } from 'vitest';
import { expectKept, type Load, startLoad } from './load.js';
import { patience, type Replica, sameOnAll, startReplicas } from './replicas.js';
import { type Store, startStore } from './store.js';

let store: Store;
let replicas: Replica[];
beforeAll(async () => {
  store = await startStore();
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

/** What each replica has said until now, so that only what is new is looked at. */
const said = () => replicas.map(({ errors }) => errors().length);

/** That each replica says that it does not go on from what it had. */
async function untilAllSay(before: readonly number[], sentence: RegExp): Promise<void> {
  for (const [at, { errors }] of replicas.entries()) {
    await vi.waitUntil(() => sentence.test(errors().slice(before[at])), patience);
  }
}

/** What the store loses while replicas have it. */
const losses: [string, (goOn: () => Promise<unknown>) => Promise<void>][] = [
  [
    'without its last second',
    async (goOn) => {
      const putBack = store.copyFiles();
      await goOn();
      await store.kill();
      putBack();
      await store.start();
    },
  ],
  [
    'empty',
    async (goOn) => {
      await goOn();
      await store.kill();
      store.deleteFiles();
      await store.start();
    },
  ],
];

test.each(losses)(
  'no replica goes on from what the store has lost when it is started again %s, and all say so',
  async (what, loses) => {
    const before = said();
    const kept = await storeSome(`kept ${what}`);
    let lost: Load | undefined;
    await loses(async () => {
      lost = await storeSome(`lost ${what}`);
    });
    await untilAllSay(before, /not what the store has/);
    // They serve again, from one past.
    const after = await Promise.all(replicas.map((replica, at) => storeSome(`after ${what} ${at}`, [replica])));
    const pets = await sameOnAll(replicas, petsOf);
    const names = new Set(pets.map(({ name }) => name));
    expect([...(lost as Load).stored].filter((name) => names.has(name))).toEqual([]);
    expect(new Set(pets.map(({ id }) => id)).size).toBe(pets.length);
    for (const replica of replicas) await expectKept(replica, what === 'empty' ? after : [kept, ...after]);
  },
);

test('a replica from under which the stream is cut away does not skip what it has not seen', async () => {
  const [one, two] = replicas as [Replica, Replica];
  const before = said();
  two.pause();
  const load = await storeSome('unseen', [one]);
  // By another hand: our own trimming stops at a replica that is there.
  const keys = (await store.ask('KEYS', '*:log')).split('\n');
  expect(keys).toHaveLength(1);
  await store.ask('XTRIM', keys[0] as string, 'MAXLEN', '3');
  two.resume();
  await vi.waitUntil(() => two.errors().length > (before[1] as number), patience);
  // It has all of it, or nothing at all.
  const isOver = () => two.child.exitCode !== null;
  await vi.waitUntil(
    async () => isOver() || (await two.health().catch(() => ({ httpStatus: 0 }))).httpStatus === 200,
    patience,
  );
  if (!isOver()) await expectKept(two, [load]);
  expect(two.errors().slice(before[1])).toMatch(/not what the store has|lost a part/);
});
