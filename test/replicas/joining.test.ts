// @module-tag extended
// @module-tag needs/redis
import { beforeAll, expect, test, vi } from 'vitest';
import { patience } from '../support/patience.js';
import { isProof } from '../support/prove.js';
import { call } from './calls.js';
import { expectHonest, expectKept, type Load, startLoad } from './load.js';
import { type Replica, sameOnAll, startReplica, startReplicas } from './replicas.js';
import { type Store, startStore } from './store.js';

let store: Store;
let one: Replica;
let two: Replica;
beforeAll(async () => {
  store = await startStore();
  [one, two] = (await startReplicas(2, store.url())) as [Replica, Replica];
});

/** Waits until a number of further pets is stored. */
async function more({ stored }: Load, count: number): Promise<void> {
  const { size } = stored;
  await vi.waitUntil(() => stored.size >= size + count, patience);
}

const petsOf = async ({ control }: Replica) => (await control.exportState()).pets as { id: number; name: string }[];

/** Its state, and what it knows of requests. */
const stateOf = async ({ control }: Replica) => {
  const { pets, keys } = (await control.exportState()) as { pets: unknown; keys: unknown };
  return { pets, keys, counted: await control.countRequests() };
};

test('a replica that joins under load has all earlier pets from its first response on', async () => {
  const load = startLoad([one, two], 'joined');
  await more(load, 100);
  const known = [...load.stored];
  const three = await startReplica(store.url());
  expect((await three.health()).httpStatus).toBe(200);
  const pets = await petsOf(three);
  const names = new Set(pets.map(({ name }) => name));
  expect(known.filter((name) => !names.has(name))).toEqual([]);
  expect((await call(`${three.origin}/v1/pets/${pets.at(-1)?.id}`)).status).toBe(200);
  const later = startLoad([three], 'joined-later');
  await more(later, 30);
  await Promise.all([load.stop(), later.stop()]);
  for (const replica of [one, two, three]) await expectKept(replica, [load, later]);
  for (const each of [load, later]) expectHonest(each);
  await sameOnAll([one, two, three], stateOf);
});

test('a stopped replica catches up before it responds again', async () => {
  const own = startLoad([two], 'stopped-own');
  await more(own, 10);
  two.pause();
  const load = startLoad([one], 'stopped-other');
  await more(load, 100);
  await load.stop();
  // Long enough for the others to take it for gone.
  if (isProof) await new Promise((resolve) => setTimeout(resolve, 30_000));
  two.resume();
  const names = new Set((await petsOf(two)).map(({ name }) => name));
  expect([...load.stored].filter((name) => !names.has(name))).toEqual([]);
  await more(own, 10);
  await own.stop();
  for (const replica of [one, two]) await expectKept(replica, [load, own]);
  for (const each of [load, own]) expectHonest(each);
  await sameOnAll([one, two], stateOf);
});

test('a replica that receives SIGTERM completes its requests, and the others continue', async () => {
  const three = await startReplica(store.url());
  const { replica: name } = (await three.health()).log;
  const load = startLoad([three], 'asked');
  await more(load, 20);
  expect(await three.stop()).toBe(0);
  await load.stop();
  await expectKept(one, [load]);
  // The replica has answered every request that it received.
  const taken = (await petsOf(one)).map(({ name }) => name).filter((name) => name.startsWith('asked'));
  expect(taken.filter((name) => !load.stored.has(name))).toEqual([]);
  const { log } = await one.health();
  expect(log.replicas).not.toContain(name);
  const after = startLoad([one], 'after-it');
  await more(after, 5);
  await after.stop();
});
