// @module-tag needs/redis
import { once } from 'node:events';
import { beforeAll, expect, test, vi } from 'vitest';
import { patience } from '../support/patience.js';
import { isProof, seed, tries } from '../support/prove.js';
import { createRandom } from '../support/random.js';
import { callAll, statuses } from './calls.js';
import { expectHonest, expectKept, type Load, startLoad } from './load.js';
import { type Replica, startReplica, startReplicas } from './replicas.js';
import { type Store, startStore } from './store.js';

let store: Store;
beforeAll(async () => {
  store = await startStore();
});

const hostOf = ({ origin }: Replica) => new URL(origin).host;
const activeHost = (name: string) => store.ask('HGET', `petstore-sim:{${name}}:meta`, 'owner');
const untilStored = (load: Load, more: number) => {
  const count = load.stored.size + more;
  return vi.waitFor(() => {
    if (load.stored.size < count)
      throw new Error(`expected ${count} stored, got ${JSON.stringify(statuses(load.answers))}`);
  }, patience);
};

/** Index of the active server. */
async function active(name: string, replicas: readonly Replica[]): Promise<number> {
  const host = await activeHost(name);
  return replicas.findIndex((replica) => hostOf(replica) === host);
}

/** Waits until another server is active. */
const untilOther = (name: string, than: Replica) =>
  vi.waitUntil(async () => (await activeHost(name)) !== hostOf(than), patience);

const petCount = async ({ control }: Replica) => ((await control.exportState()).pets as unknown[]).length;

test('a killed active server loses no response, in every round, and counts no request twice', {
  timeout: 3_600_000,
}, async () => {
  const replicas = await startReplicas(isProof ? 4 : 3, store.url('killed'));
  const [first] = replicas as [Replica];
  await first.control.createSandbox({ name: 'limit' });
  // The minute of the limit must not end during the test.
  await first.control.sandbox('limit').changeClock({ freeze: true });
  const load = startLoad(replicas, 'killed', 2);
  const random = createRandom(seed);
  const answers: ReturnType<typeof callAll>[] = [];
  for (let round = 0; round < tries(3, 40); round++) {
    await untilStored(load, 10 + random.below(20));
    const origins = replicas.map(({ origin }) => origin);
    answers.push(callAll(origins, 30, '/s/limit/v1/pets?limit=1'));
    const index = await active('killed', replicas);
    const victim = replicas[index] as Replica;
    victim.child.kill('SIGKILL');
    await once(victim.child, 'close');
    await untilOther('killed', victim);
    await untilStored(load, 10);
    replicas[index] = await startReplica(store.url('killed'), ['--port', new URL(victim.origin).port]);
  }
  await load.stop();
  const origins = replicas.map(({ origin }) => origin);
  answers.push(callAll(origins, 90, '/s/limit/v1/pets?limit=1'));
  const seen = (await Promise.all(answers)).flat();
  for (const replica of replicas) await expectKept(replica, [load]);
  expectHonest(load);
  const control = (replicas[0] as Replica).control.sandbox('limit');
  expect((await control.countRequests({ status: 200 })).count).toBe(60);
  // A kill also ends responses to counted requests, under load those to nearly all of them.
  const { 200: allowed = 0, 429: limited = 0 } = statuses(seen);
  expect(allowed).toBeLessThanOrEqual(60);
  expect(limited).toBeLessThanOrEqual(seen.length - 60);
});

test('a paused active server is replaced, and stands by when it runs again', async () => {
  const replicas = await startReplicas(3, store.url('paused'));
  const load = startLoad(replicas, 'paused', 2);
  await untilStored(load, 20);
  const paused = replicas[await active('paused', replicas)] as Replica;
  paused.pause();
  await untilOther('paused', paused);
  const others = replicas.filter((replica) => replica !== paused);
  const during = startLoad(others, 'during', 1);
  await untilStored(during, 20);
  paused.resume();
  // Through the former active server.
  const after = startLoad([paused], 'after', 1);
  await untilStored(after, 10);
  const loads = [load, during, after];
  await Promise.all(loads.map((each) => each.stop()));
  for (const replica of replicas) await expectKept(replica, loads);
  for (const each of loads) expectHonest(each);
  expect(new Set(await Promise.all(replicas.map(petCount))).size).toBe(1);
  expect(paused.errors()).toContain('Another server is active now');
});

test('a stopped active server ends its responses, and another one continues', async () => {
  const replicas = await startReplicas(2, store.url('stopped'));
  const load = startLoad(replicas, 'stopped', 1);
  await untilStored(load, 20);
  const stopped = replicas[await active('stopped', replicas)] as Replica;
  expect(await stopped.stop()).toBe(0);
  await untilOther('stopped', stopped);
  await untilStored(load, 10);
  await load.stop();
  const others = replicas.filter((replica) => replica !== stopped);
  for (const replica of others) await expectKept(replica, [load]);
  expect(load.answers.every(({ status }) => status === 201 || status === undefined)).toBe(true);
});

test('a server that starts again on the address of a killed one continues at once', async () => {
  const own = store.url('again');
  const first = await startReplica(own);
  expect((await first.control.countRequests()).count).toBe(0);
  await callAll([first.origin], 5, '/v1/pets?limit=1');
  first.child.kill('SIGKILL');
  await once(first.child, 'close');
  const second = await startReplica(own, ['--port', new URL(first.origin).port]);
  expect(second.errors()).toContain('active server of');
  expect((await second.control.countRequests()).count).toBe(5);
});
