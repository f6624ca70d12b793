// @module-tag needs/redis
import { once } from 'node:events';
import { beforeAll, expect, test, vi } from 'vitest';
import { patience } from '../support/patience.js';
import { seed, tries } from '../support/prove.js';
import { createRandom } from '../support/random.js';
import { type Called, call, callAll, statuses } from './calls.js';
import { type Replica, sameOnAll, startReplica, startReplicas } from './replicas.js';
import { type Store, startStore } from './store.js';
import { startWire } from './wire.js';

let store: Store;
let replicas: Replica[];
let origins: string[];
beforeAll(async () => {
  store = await startStore();
  replicas = await startReplicas(4, store.url());
  origins = replicas.map(({ origin }) => origin);
});

const rex = (name = 'Rex') => ({ name, categoryId: 1 });

/** Creates a sandbox through one replica, with functions that read it on all. */
async function sandbox(name: string, scenario: object = {}) {
  const [one] = replicas as [Replica];
  await one.control.createSandbox({ name, scenario });
  return {
    urls: origins.map((origin) => `${origin}/s/${name}/v1`),
    /** Reads something until it is the same on all replicas. */
    same: <T>(read: (control: ReturnType<Replica['control']['sandbox']>) => Promise<T>) =>
      sameOnAll(replicas, ({ control }) => read(control.sandbox(name))),
  };
}

test('400 parallel creates on four replicas give 400 ids, and each pet is readable on another replica at once', async () => {
  const { urls, same } = await sandbox('creates');
  const seen = await Promise.all(
    Array.from({ length: 400 }, async (_, index) => {
      const at = (offset: number) => urls[(index + offset) % urls.length] as string;
      const made = await call(`${at(0)}/pets`, { key: 'business-key', body: rex(`pet-${index}`) });
      const { id } = JSON.parse(made.body) as { id: number };
      const read = await call(`${at(1)}/pets/${id}`, { key: 'enterprise-key' });
      const { name } = JSON.parse(read.body) as { name: string };
      return { statuses: [made.status, read.status], id, isOwn: name === `pet-${index}` };
    }),
  );
  for (const each of seen) expect(each).toMatchObject({ statuses: [201, 200], isOwn: true });
  expect(new Set(seen.map(({ id }) => id)).size).toBe(400);
  expect(await same(async (control) => (await control.exportState()).pets)).toHaveLength(440);
});

test('journal and verdict are equal on all replicas', async () => {
  const { urls, same } = await sandbox('journal', { keys: { 'free-key': { usage: { minute: 58 } } } });
  for (let n = 0; n < 6; n++) await call(`${urls[n % 4]}/pets?limit=${n + 1}`);
  await call(`${urls[3]}/pets`, { key: 'pro-key', body: rex() });
  const { entries } = await same((control) => control.queryJournal({ limit: 100 }));
  expect(entries.map(({ status }) => status)).toEqual([200, 200, 429, 429, 429, 429, 201]);
  expect(await same((control) => control.getVerdict())).toMatchObject({ counts: { requests: 7, refused: 4 } });
  // With the reasons of each answer.
  expect(await same(async (control) => (await control.exportRun()).entries)).toHaveLength(7);
});

test('the events of one replica include the requests of all', async () => {
  const { urls } = await sandbox('events');
  const leave = new AbortController();
  const streams = await Promise.all(
    origins.map((origin) => fetch(`${origin}/__sim/sandboxes/events/events`, { signal: leave.signal })),
  );
  await callAll(urls, 20, '/pets?limit=1');
  const read = async ({ body }: Response) => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true });
      const ids = [...text.matchAll(/^data: \{"id":(\d+)/gm)].map(([, id]) => Number(id));
      if (ids.length >= 20) return ids;
    }
    throw new Error(`expected 20 events, got ${text}`);
  };
  const seen = await Promise.all(streams.map(read));
  leave.abort();
  for (const ids of seen) expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
});

test('a change of clock, keys, scenario or reset through one replica applies to later requests through any other', async () => {
  const [one, two] = replicas as [Replica, Replica];
  const seen = async () => {
    const response = await fetch(`${two.origin}/v1/pets?limit=1`, { headers: { authorization: 'Bearer free-key' } });
    return [response.status, Number(response.headers.get('x-ratelimit-remaining'))];
  };
  for (let n = 0; n < tries(5, 200); n++) {
    const usage = { minute: n % 60 };
    await one.control.exhaustKey({ key: 'free-key', window: 'minute' });
    expect(await seen()).toEqual([429, 0]);
    await one.control.changeClock({ advance: '61s' });
    expect(await seen()).toEqual([200, 59]);
    await one.control.setKeyUsage({ key: 'free-key', minute: 10 });
    expect(await seen()).toEqual([200, 49]);
    await one.control.loadScenario({ scenario: { name: `load-${n}`, keys: { 'free-key': { usage } } } });
    expect(await seen()).toEqual([200, 59 - usage.minute]);
    expect((await two.control.getScenario()).name).toBe(`load-${n}`);
    await call(`${two.origin}/v1/pets`, { key: 'pro-key', body: rex() });
    await one.control.reset();
    expect((await two.control.queryJournal()).entries).toEqual([]);
    expect((await two.control.exportState()).pets).toHaveLength(40);
  }
});

test('a replica with a late reply of the store returns no outdated state', async () => {
  const [one] = replicas as [Replica];
  const wire = await startWire(store.port);
  const late = await startReplica(wire.url());
  await late.control.createSandbox({ name: 'late' });
  wire.delayMs = 100;
  for (let n = 0; n < 5; n++) {
    await one.control.sandbox('late').addKey({ key: `added-${n}` });
    expect((await late.control.sandbox('late').getKey({ key: `added-${n}` })).plan).toBe('free');
  }
});

test('a delayed request completes by the shared clock, and its replica sends the response', async () => {
  const [one, two] = replicas as [Replica, Replica];
  const { urls } = await sandbox('delayed');
  const [control, other] = [one, two].map((replica) => replica.control.sandbox('delayed'));
  await control?.addFault({ when: { operation: 'createPet' }, then: { delay: '1h' } });
  const made: Promise<Called> = call(`${urls[0]}/pets`, { body: rex('late') });
  await vi.waitUntil(async () => (await other?.listFaults())?.[0]?.applied === 1, patience);
  await other?.changeClock({ advance: '1h' });
  expect((await made).status).toBe(201);
  const { id } = JSON.parse((await made).body) as { id: number };
  expect((await call(`${urls[1]}/pets/${id}`)).status).toBe(200);
});

// The last one, because it ends replicas of the file.
test('four replicas accept exactly the limit of 2,000 parallel requests, in every run, and never more if one is killed', {
  timeout: 3_600_000,
}, async () => {
  const runs = tries(2, 100);
  const random = createRandom(seed);
  for (let run = 1; run <= runs; run++) {
    const what = `run ${run} of seed ${seed}`;
    const { same } = await sandbox(`run-${run}`);
    const victim = run % 2 === 0 ? 1 + random.below(3) : undefined;
    const answers = callAll(
      replicas.map(({ origin }) => origin),
      2_000,
      `/s/run-${run}/v1/pets?limit=1`,
    );
    if (victim !== undefined) {
      const { child } = replicas[victim] as Replica;
      // In the middle: some are answered, and many are not.
      const [one] = replicas as [Replica];
      const isBegun = async () => (await one.control.sandbox(`run-${run}`).countRequests()).count > random.below(60);
      await vi.waitUntil(isBegun, { ...patience, interval: 1 });
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    const { 200: served = 0, 429: refused = 0, 503: tooLate = 0, none = 0, ...others } = statuses(await answers);
    expect(others, what).toEqual({});
    expect(served + refused + tooLate + none, what).toBe(2_000);
    expect(none, `${what}: unanswered`).toBeLessThanOrEqual(victim === undefined ? 0 : 500);
    if (victim !== undefined) replicas[victim] = await startReplica(store.url());
    // Requests that were applied without an answer count once.
    const counted = await same(async (control) => ({
      served: (await control.countRequests({ status: 200 })).count,
      refused: (await control.countRequests({ status: 429 })).count,
      remaining: (await control.getKey({ key: 'free-key' })).minute.remaining,
      // On a busy machine, some received a 503 without an effect.
      lost: (await control.queryJournal({ status: 200, limit: 100 })).entries.filter(({ lost }) => lost).length,
    }));
    expect(counted, what).toMatchObject({ served: 60, remaining: 0 });
    expect(counted.refused, what).toBeGreaterThanOrEqual(refused);
    expect(counted.refused, what).toBeLessThanOrEqual(2_000 - 60);
    if (victim === undefined) expect(served + counted.lost, what).toBe(60);
    else expect(served, what).toBeLessThanOrEqual(60);
    // All sandboxes share what the journals may hold.
    await (replicas as [Replica])[0].control.removeSandbox({ sandbox: `run-${run}` });
  }
});
