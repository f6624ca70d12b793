import { expect, test, vi } from 'vitest';
import { isProof, seed } from '../support/prove.js';
import { createRandom } from '../support/random.js';
import { callAll, statuses } from './calls.js';
import { expectHonest, expectKept, type Load, startLoad } from './load.js';
import { patience, type Replica, sameOnAll, startReplicas } from './replicas.js';
import { type Store, startStore } from './store.js';
import { startWire } from './wire.js';

/** Waits until each of the replicas has stored something that it was sent from now on. */
async function untilServed(replicas: readonly Replica[], prefix: string): Promise<Load> {
  const loads = replicas.map((replica, at) => startLoad([replica], `${prefix}-${at}`, 1));
  for (const load of loads) await vi.waitUntil(() => load.stored.size > 0, patience);
  await Promise.all(loads.map((load) => load.stop()));
  return {
    sent: new Set(loads.flatMap(({ sent }) => [...sent])),
    stored: new Set(loads.flatMap(({ stored }) => [...stored])),
    refused: new Set(loads.flatMap(({ refused }) => [...refused])),
    answers: loads.flatMap(({ answers }) => answers),
    stop: async () => {},
  };
}

const untilRefused = ({ answers }: Load) =>
  vi.waitUntil(() => answers.some(({ status }) => status === 503), { ...patience, timeout: 60_000 });

const petsOf = async ({ control }: Replica) => (await control.exportState()).pets;

/** What a replica says of itself: on standard error, and in its health. */
async function toldBy(replica: Replica): Promise<string> {
  const { log } = await replica.health().catch(() => ({ log: undefined }));
  return `${replica.errors()}\n${JSON.stringify(log?.notices ?? [])}`;
}

/** What the store may do to its replicas while they are under load, and what has to come of it without a loss. */
const harmless: [string, (store: Store, load: Load) => Promise<void>][] = [
  [
    'stands still',
    async (store, load) => {
      store.pause();
      if (isProof) await new Promise((resolve) => setTimeout(resolve, 5_000));
      await untilRefused(load);
      store.resume();
    },
  ],
  [
    'is killed and started again with its data',
    async (store, load) => {
      await store.kill();
      await untilRefused(load);
      await store.start();
    },
  ],
  [
    'has no room',
    async (store, load) => {
      await store.ask('CONFIG', 'SET', 'maxmemory', '1');
      await untilRefused(load);
      await store.ask('CONFIG', 'SET', 'maxmemory', '0');
    },
  ],
];

test.each(harmless)('a store that %s costs waits and honest refusals, and nothing else', async (_what, happens) => {
  const store = await startStore();
  const replicas = await startReplicas(2, store.url());
  const load = startLoad(replicas, 'load');
  await vi.waitUntil(() => load.stored.size > 50, patience);
  await happens(store, load);
  const after = await untilServed(replicas, 'load-after');
  await load.stop();
  for (const replica of replicas) await expectKept(replica, [load, after]);
  expectHonest(load);
  await sameOnAll(replicas, petsOf);
  for (const { control, health } of replicas) {
    expect((await health()).log?.stale ?? false).toBe(false);
    // Clients that wait as they are told are not to be accused of what the store did.
    expect((await control.getVerdict()).outcome).not.toBe('fail');
  }
});

test('while the store is away, health and journal of a replica say that they may be old', async () => {
  const store = await startStore();
  const [one] = (await startReplicas(1, store.url())) as [Replica];
  const load = startLoad([one], 'load', 1);
  await vi.waitUntil(() => load.stored.size > 5, patience);
  store.pause();
  await untilRefused(load);
  await load.stop();
  expect((await one.health()).log).toMatchObject({ stale: true });
  expect((await one.control.countRequests({ status: 201 })).count).toBeGreaterThan(5);
  store.resume();
  await vi.waitUntil(async () => (await one.health()).log?.stale === false, patience);
});

test('connections that are cut between append and reply lose nothing and count nothing twice', async () => {
  const random = createRandom(seed);
  const store = await startStore();
  const wire = await startWire(store.port);
  const replicas = await startReplicas(2, wire.url());
  wire.cutsAfter = () => random.chance(0.05);
  const load = startLoad(replicas, 'load', 3);
  await vi.waitUntil(() => wire.cuts >= (isProof ? 500 : 20), { ...patience, timeout: 600_000 });
  const origins = replicas.map(({ origin }) => origin);
  const { 200: served = 0, 429: refused = 0, ...others } = statuses(await callAll(origins, 400, '/v1/pets?limit=1'));
  wire.cutsAfter = () => false;
  const after = await untilServed(replicas, 'load-after');
  await load.stop();
  expect(Object.keys(others).filter((status) => status !== '503')).toEqual([]);
  expect(served).toBeLessThanOrEqual(60);
  for (const replica of replicas) await expectKept(replica, [load, after]);
  expectHonest(load);
  const [counted, remaining] = await sameOnAll(replicas, async ({ control }) => [
    (await control.countRequests({ status: 200 })).count,
    (await control.getKey({ key: 'free-key' })).minute.remaining,
  ]);
  expect(counted).toBeGreaterThanOrEqual(served);
  expect(counted + (remaining ?? 0)).toBe(60);
  if (refused > 0) expect(remaining).toBe(0);
});

test('a network that swallows what the store sends is found out, and replaced', async () => {
  const store = await startStore();
  const wire = await startWire(store.port);
  const replicas = await startReplicas(2, wire.url());
  const load = startLoad(replicas, 'load');
  await vi.waitUntil(() => load.stored.size > 20, patience);
  wire.losesReplies = true;
  await untilRefused(load);
  wire.losesReplies = false;
  const after = await untilServed(replicas, 'load-after');
  await load.stop();
  for (const replica of replicas) await expectKept(replica, [load, after]);
  expectHonest(load);
});

/** What the store may lose. */
const losses: [string, (store: Store, goOn: () => Promise<void>) => Promise<void>][] = [
  [
    'without its last second',
    async (store, goOn) => {
      const putBack = store.copyFiles();
      await goOn();
      await store.kill();
      putBack();
      await store.start();
    },
  ],
  [
    'empty',
    async (store, goOn) => {
      await goOn();
      await store.kill();
      store.deleteFiles();
      await store.start();
    },
  ],
];

test.each(losses)('no replica goes on from a past that the store has lost: started again %s', async (_what, loses) => {
  const store = await startStore();
  const replicas = await startReplicas(2, store.url());
  const before = startLoad(replicas, 'load');
  await vi.waitUntil(() => before.stored.size > 50, patience);
  await before.stop();
  const load = startLoad(replicas, 'load-lost');
  await loses(store, async () => {
    await vi.waitUntil(() => load.stored.size > 50, patience);
    await load.stop();
  });
  for (const replica of replicas) {
    await vi.waitUntil(
      async () => /not what the store has|lost|missing|not there|empty/.test(await toldBy(replica)),
      patience,
    );
  }
  const running = replicas.filter(({ child }) => child.exitCode === null);
  if (running.length > 0) await sameOnAll(running, petsOf);
  for (const replica of running) {
    const names = (await petsOf(replica)).map(({ name }) => name);
    expect(names.filter((name) => load.stored.has(name))).toEqual([]);
  }
});
