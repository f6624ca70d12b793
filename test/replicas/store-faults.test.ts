// @module-tag extended
// @module-tag needs/redis
import { beforeAll, expect, test, vi } from 'vitest';
import { patience } from '../support/patience.js';
import { isProof, seed } from '../support/prove.js';
import { createRandom } from '../support/random.js';
import { callAll, statuses } from './calls.js';
import { expectHonest, expectKept, type Load, startLoad } from './load.js';
import { type Replica, sameOnAll, startReplicas } from './replicas.js';
import { type Store, startStore } from './store.js';
import { startWire, type Wire } from './wire.js';

let store: Store;
let wire: Wire;
let replicas: Replica[];
beforeAll(async () => {
  // With its default, a busy Redis writes an acknowledged entry up to two seconds later, and a kill would lose it.
  store = await startStore({ settings: ['--appendfsync', 'always'] });
  wire = await startWire(store.port);
  replicas = await startReplicas(2, wire.url());
});

const petsOf = async ({ control }: Replica) => (await control.exportState()).pets as { id: number; name: string }[];
const untilStored = (load: Load, count: number) => vi.waitUntil(() => load.stored.size >= count, patience);
const untilRefused = ({ answers }: Load) =>
  vi.waitUntil(() => answers.some(({ status }) => status === 503), { ...patience, timeout: 60_000 });

/** Waits until every replica stores again what it is sent from now on. */
async function untilServed(prefix: string): Promise<Load[]> {
  const loads = replicas.map((replica, at) => startLoad([replica], `${prefix}-after-${at}`, 1));
  for (const load of loads) await untilStored(load, 1);
  await Promise.all(loads.map((load) => load.stop()));
  return loads;
}

interface Trouble {
  what: string;
  /** Whether the store works but its replies are lost. */
  isDumb?: boolean;
  /** Begins it, and ends it when clients have noticed. */
  happens: (noticed: () => Promise<unknown>) => Promise<void>;
}

/** What happens to a store while its replicas are under load, and has to pass without a loss. */
const troubles: Trouble[] = [
  {
    what: 'stands still',
    async happens(noticed) {
      store.pause();
      if (isProof) await new Promise((resolve) => setTimeout(resolve, 5_000));
      await noticed();
      store.resume();
    },
  },
  {
    what: 'is killed and started again with its data',
    async happens(noticed) {
      await store.kill();
      await noticed();
      await store.start();
    },
  },
  {
    what: 'has no room',
    async happens(noticed) {
      await store.ask('CONFIG', 'SET', 'maxmemory', '1');
      await noticed();
      await store.ask('CONFIG', 'SET', 'maxmemory', '0');
    },
  },
  {
    what: 'is behind a network that swallows what it sends',
    isDumb: true,
    async happens(noticed) {
      wire.losesReplies = true;
      await noticed();
      wire.losesReplies = false;
    },
  },
  {
    what: 'cannot be reached',
    async happens(noticed) {
      wire.isDown = true;
      wire.cut();
      await noticed();
      wire.isDown = false;
    },
  },
];

test.each(troubles.map((trouble) => [trouble.what, trouble] as const))(
  'a store that %s causes only waits and correct rejections',
  async (what, { isDumb, happens }) => {
    const load = startLoad(replicas, what);
    await untilStored(load, 30);
    let during: Load | undefined;
    let refused: string[] = [];
    await happens(async () => {
      during = startLoad(replicas, `${what}-during`);
      await untilRefused(during);
      // Earlier state remains readable; only a full store confirms new reads.
      const { httpStatus, log } = await (replicas[0] as Replica).health();
      expect(httpStatus).toBe(200);
      if (what !== 'has no room') expect(log).toMatchObject({ stale: true });
      expect((await (replicas[0] as Replica).control.countRequests({ status: 201 })).count).toBeGreaterThanOrEqual(1);
      refused = [...during.refused];
    });
    const after = await untilServed(what);
    const loads = [load, during as Load, ...after];
    await Promise.all(loads.map((each) => each.stop()));
    for (const replica of replicas) await expectKept(replica, loads);
    for (const each of loads) expectHonest(each);
    const stored = new Set((await sameOnAll(replicas, petsOf)).map(({ name }) => name));
    // A rejected request may have been applied only if the store applied it without a received reply; the journal marks
    // it. After an outage, such a reply may arrive at the moment of the timeout.
    expect(refused).not.toEqual([]);
    if (!isDumb) expect(refused.filter((name) => stored.has(name))).toEqual([]);
    for (const { health, control } of replicas) {
      await vi.waitUntil(async () => (await health()).log.stale === false, patience);
      // A client that waits correctly is not blamed for an outage.
      expect((await control.getVerdict()).outcome).not.toBe('fail');
    }
  },
);

test('connections that are cut between append and reply lose no request and count none twice', async () => {
  const random = createRandom(seed);
  const cutsBefore = wire.cuts;
  wire.cutsAfter = (bytes) => bytes.includes('XADD') && random.chance(0.2);
  const load = startLoad(replicas, 'cut', 3);
  const urls = replicas.map(({ origin }) => origin);
  const limited = await callAll(urls, 400, '/v1/pets?limit=1');
  await vi.waitUntil(() => wire.cuts - cutsBefore >= (isProof ? 500 : 20), { ...patience, timeout: 600_000 });
  wire.cutsAfter = () => false;
  const after = await untilServed('cut');
  await load.stop();
  const { 200: served = 0, 429: refused = 0, 503: tooLate = 0 } = statuses(limited);
  expect(served + refused + tooLate).toBe(400);
  for (const replica of replicas) await expectKept(replica, [load, ...after]);
  expectHonest(load);
  const { counted, lost, remaining } = await sameOnAll(replicas, async ({ control }) => ({
    counted: (await control.countRequests({ status: 200, operation: 'listPets' })).count,
    lost: (await control.queryJournal({ status: 200, limit: 100 })).entries.filter((entry) => entry.lost).length,
    remaining: (await control.getKey({ key: 'free-key' })).minute.remaining ?? 0,
  }));
  expect(served + lost).toBe(counted);
  expect(counted + remaining).toBe(60);
});
