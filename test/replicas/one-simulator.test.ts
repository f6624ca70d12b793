import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { seed, tries } from '../support/prove.js';
import { createRandom } from '../support/random.js';
import { type Called, call, callAll, statuses } from './calls.js';
import { patience, type Replica, sameOnAll, startReplica, startReplicas } from './replicas.js';
import { startStore } from './store.js';

const originsOf = (replicas: readonly Replica[]) => replicas.map(({ origin }) => origin);
const rex = (name = 'Rex') => ({ name, categoryId: 1 });

test('four replicas serve exactly the limit of 2,000 parallel requests, however often, and never more when one is killed', {
  timeout: 3_600_000,
}, async () => {
  const runs = tries(2, 100);
  const random = createRandom(seed);
  const store = await startStore();
  const replicas = await startReplicas(4, store.url());
  for (let run = 1; run <= runs; run++) {
    const what = `run ${run} of seed ${seed}`;
    const control = (replicas[0] as Replica).control;
    await control.createSandbox({ name: `run-${run}` });
    const victim = run % 2 === 0 ? 1 + random.below(3) : undefined;
    const answers = callAll(originsOf(replicas), 2_000, `/s/run-${run}/v1/pets?limit=1`);
    if (victim !== undefined) {
      const { child } = replicas[victim] as Replica;
      // In the middle: some are answered, most are not.
      const atLeast = random.below(60);
      const count = async () => (await control.sandbox(`run-${run}`).countRequests()).count;
      await vi.waitUntil(async () => (await count()) >= atLeast, patience);
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    const { 200: served = 0, 429: refused = 0, none = 0, ...others } = statuses(await answers);
    expect(others, what).toEqual({});
    if (victim === undefined) {
      expect([served, refused, none], what).toEqual([60, 1_940, 0]);
    } else {
      expect(none, `${what}: unanswered`).toBeLessThanOrEqual(500);
      expect(served, what).toBeLessThanOrEqual(60);
      replicas[victim] = await startReplica(store.url());
    }
    // What was served and could not be answered is counted, and nothing twice.
    const counted = await sameOnAll(replicas, async ({ control }) => {
      const box = control.sandbox(`run-${run}`);
      return [
        (await box.countRequests({ status: 200 })).count,
        (await box.getKey({ key: 'free-key' })).minute.remaining,
        (await box.countRequests()).count >= served + refused,
      ];
    });
    expect(counted, what).toEqual([60, 0, true]);
    await control.removeSandbox({ sandbox: `run-${run}` });
  }
});

test('400 parallel creates on four replicas give 400 ids, and each pet is there at once on another replica', async () => {
  const store = await startStore();
  const replicas = await startReplicas(4, store.url());
  const origins = originsOf(replicas);
  const seen = await Promise.all(
    Array.from({ length: 400 }, async (_, index) => {
      const at = (offset: number) => origins[(index + offset) % origins.length] as string;
      const made = await call(`${at(0)}/v1/pets`, { key: 'business-key', body: rex(`pet-${index}`) });
      const { id } = JSON.parse(made.body) as { id: number };
      const read = await call(`${at(1)}/v1/pets/${id}`, { key: 'enterprise-key' });
      return {
        made: made.status,
        id,
        read: read.status,
        name: (JSON.parse(read.body) as { name: string }).name,
        index,
      };
    }),
  );
  for (const { made, read, name, index } of seen) expect([made, read, name]).toEqual([201, 200, `pet-${index}`]);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(400);
  await sameOnAll(replicas, async ({ control }) =>
    (await control.exportState()).pets.map(({ id, name }) => [id, name]),
  );
});

test('journal and verdict are the same on each replica, whoever was asked', async () => {
  const store = await startStore();
  const replicas = await startReplicas(2, store.url(), ['--set', 'keys.free-key.usage.minute=58']);
  const origins = originsOf(replicas);
  for (let n = 0; n < 6; n++) await call(`${origins[n % 2]}/v1/pets?limit=${n + 1}`);
  await call(`${origins[0]}/v1/pets`, { key: 'pro-key', body: rex() });
  const [journal, verdict] = await sameOnAll(replicas, async ({ control }) => [
    await control.queryJournal({ limit: 100 }),
    await control.getVerdict(),
  ]);
  expect((journal as { entries: { status: number }[] }).entries.map(({ status }) => status)).toEqual([
    ...[200, 200, 429, 429, 429, 429],
    201,
  ]);
  expect(verdict).toMatchObject({ counts: { requests: 7, refused: 4 } });
  const exported = await sameOnAll(replicas, ({ control }) => control.exportState());
  expect(exported.pets).toHaveLength(41);
});

test('the events of one replica show the requests of all', async () => {
  const store = await startStore();
  const replicas = await startReplicas(2, store.url());
  const origins = originsOf(replicas);
  const leave = new AbortController();
  const events = replicas.map(async ({ origin }) => {
    const response = await fetch(`${origin}/__sim/events`, { signal: leave.signal });
    let text = '';
    // So that the first request comes after the stream has begun.
    return {
      response,
      read: async () => {
        const decoder = new TextDecoder();
        for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
          text += decoder.decode(bytes, { stream: true });
          const ids = [...text.matchAll(/^data: \{"id":(\d+)/gm)].map(([, id]) => Number(id));
          if (ids.length >= 20) return ids;
        }
        throw new Error(`expected 20 events, got ${text}`);
      },
    };
  });
  const streams = await Promise.all(events);
  await callAll(origins, 20, '/v1/pets?limit=1');
  const seen = await Promise.all(streams.map(({ read }) => read()));
  for (const ids of seen) expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  leave.abort();
});

test('clock moves, scenarios and resets through one replica hold for everything that another is asked afterwards', async () => {
  const store = await startStore();
  const [one, two] = (await startReplicas(2, store.url())) as [Replica, Replica];
  const remaining = async () => {
    const response = await fetch(`${two.origin}/v1/pets?limit=1`, { headers: { authorization: 'Bearer free-key' } });
    return [response.status, Number(response.headers.get('x-ratelimit-remaining'))];
  };
  for (let n = 0; n < 30; n++) {
    await one.control.exhaustKey({ key: 'free-key', window: 'minute' });
    expect(await remaining()).toEqual([429, 0]);
    await one.control.changeClock({ advance: '61s' });
    expect(await remaining()).toEqual([200, 59]);
    await one.control.setKeyUsage({ key: 'free-key', minute: 10 });
    expect(await remaining()).toEqual([200, 49]);
    await one.control.loadScenario({ scenario: { name: `load-${n}`, keys: { 'free-key': { usage: { minute: n } } } } });
    expect(await remaining()).toEqual([200, 59 - n]);
    expect((await two.control.getScenario()).name).toBe(`load-${n}`);
    await call(`${two.origin}/v1/pets`, { key: 'pro-key', body: rex() });
    await one.control.reset();
    expect((await two.control.queryJournal()).entries).toEqual([]);
    expect((await two.control.exportState()).pets).toHaveLength(40);
  }
});

test('a delayed request goes on by the clock of all, and its replica answers it', async () => {
  const store = await startStore();
  const [one, two] = (await startReplicas(2, store.url())) as [Replica, Replica];
  await one.control.addFault({ when: { operation: 'createPet' }, then: { delay: '1h' } });
  const made = call(`${one.origin}/v1/pets`, { body: rex('late') }) as Promise<Called>;
  await vi.waitUntil(async () => (await two.control.listFaults())[0]?.applied === 1, patience);
  await two.control.changeClock({ advance: '1h' });
  expect((await made).status).toBe(201);
  const { id } = JSON.parse((await made).body) as { id: number };
  expect((await call(`${two.origin}/v1/pets/${id}`)).status).toBe(200);
});
