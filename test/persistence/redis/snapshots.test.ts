// @module-tag extended
// @module-tag needs/redis

import { expect, test, vi } from 'vitest';
import { captureSimulator } from '../../../src/persistence/capture-simulator.js';
import { compareIds } from '../../../src/persistence/node/redis/compare-ids.js';
import type { PetStore } from '../../../src/petstore/pet-store.js';
import { coreOf } from '../../../src/simulator/simulator.js';
import { digestOf } from '../../support/digest.js';
import { patience } from '../../support/patience.js';
import { startProxy } from './cutting-proxy.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { create, get, startReplica, type TestReplica } from './replica.js';

const key = 'petstore-sim:{test}:log';
const small = { minimumLogCharacters: 20_000, scenario: { limits: 'off' as const } };
const digest = ({ simulators: { sim } }: TestReplica) => digestOf(captureSimulator(sim, () => 0));
const snapshotOf = async ({ control }: TestReplica) => (await control.getHealth()).log?.snapshotPosition ?? 0;
const firstEntry = async (redis: RedisServer) => {
  const [[id, [, writer]] = ['', []]] = (await redis.call('XRANGE', key, '-', '+', 'COUNT', 1)) as [string, string[]][];
  return { id, writer };
};

/** Writes until there is a newer snapshot. */
async function writeToSnapshot(replica: TestReplica): Promise<void> {
  const before = await snapshotOf(replica);
  for (let n = 0; (await snapshotOf(replica)) === before; n++) {
    if (n > 2_000) throw new Error('expected a snapshot by now');
    await create(replica, { name: `pet ${n} `.padEnd(5_000, '.') });
  }
}

/** Everything is applied everywhere, and alike. */
async function expectSame(...replicas: TestReplica[]): Promise<void> {
  await vi.waitFor(async () => {
    for (const { simulators } of replicas) await simulators.settled();
    expect(new Set(replicas.map(digest)).size).toBe(1);
  }, patience);
}

test.concurrent('a joining replica reads the newest snapshot and later entries, and the log before the older snapshot is removed', async (context) => {
  const redis = await startRedis(context);
  const [one, two] = [await startReplica(redis, small), await startReplica(redis, small)];
  await writeToSnapshot(one);
  await writeToSnapshot(two);
  await writeToSnapshot(one);
  await vi.waitFor(async () => expect((await firstEntry(redis)).writer).not.toBe('1.1 begin'), patience);
  expect(Number(await redis.call('HLEN', 'petstore-sim:{test}:snapshots'))).toBe(2);
  const three = await startReplica(redis, small);
  await create(three);
  expect(three.notices).toEqual([]);
  await expectSame(one, two, three);
  for (const replica of [one, two, three]) expect([replica.said, replica.ended]).toEqual([[], []]);
});

test.concurrent('the log is not trimmed past a slow replica', async (context) => {
  const redis = await startRedis(context);
  const proxy = await startProxy(redis);
  const one = await startReplica(redis, small);
  const two = await startReplica(redis, { ...small, proxy });
  await writeToSnapshot(one);
  await expectSame(one, two);
  proxy.isFrozen = true;
  const [[at] = ['']] = (await redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)) as [string, string[]][];
  let checks = 0;
  for (let n = 0; n < 3; n++) {
    await writeToSnapshot(one);
    const { id } = await firstEntry(redis);
    // A machine that is too busy for this within ten seconds has let it go.
    if (one.replicas.length < 2) break;
    expect(compareIds(id, at)).toBeLessThanOrEqual(0);
    checks++;
  }
  expect(checks).toBeGreaterThan(1);
  proxy.thaw();
  await vi.waitFor(async () => expect((await create(two)).status).toBe(201), patience);
  await expectSame(one, two);
  expect([checks < 3 ? [] : two.said, two.ended]).toEqual([[], []]);
});

test.concurrent('a replica loads a snapshot if its next entries were trimmed, and continues', async (context) => {
  const redis = await startRedis(context);
  const proxy = await startProxy(redis);
  const one = await startReplica(redis, small);
  const two = await startReplica(redis, { ...small, proxy });
  proxy.isFrozen = true;
  for (let n = 0; n < 2; n++) await writeToSnapshot(one);
  const headers = (await redis.call('HVALS', 'petstore-sim:{test}:snapshots')) as string[];
  const [newest] = headers.map((text) => JSON.parse(text)).sort((a, b) => b.position - a.position);
  await redis.call('XTRIM', key, 'MINID', newest.id);
  proxy.thaw();
  await vi.waitFor(async () => expect((await create(two)).status).toBe(201), patience);
  expect(two.said[0]).toContain('The log is read again.');
  await expectSame(one, two);
  expect(two.ended).toEqual([]);
});

test.concurrent('a replica whose state differs from a snapshot reports it and ends', async (context) => {
  const redis = await startRedis(context);
  const [one, two] = [await startReplica(redis, small), await startReplica(redis, small)];
  await create(one);
  expect((await get(two, '/pets/41')).status).toBe(200);
  // As a bug would, behind the back of the log.
  const petstore = coreOf(two.simulators.sim).state.services[0] as { data: unknown };
  (petstore.data as PetStore).remove(41);
  await writeToSnapshot(one);
  await vi.waitFor(() => expect(two.ended).toHaveLength(1), patience);
  expect(two.ended[0]).toMatch(/^Failed to continue: expected the state after entry \d+ to have the snapshot.s digest/);
  expect(one.ended).toEqual([]);
});
