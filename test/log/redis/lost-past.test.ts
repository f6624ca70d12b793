import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startRedis } from './redis-server.js';
import { create, get, startReplica, type TestReplica } from './replica.js';

const entriesKey = 'petstore-sim:{test}:log';
const statusOf = async (answer: Promise<Response>) => (await answer).status;
const isServing = async (replica: TestReplica) => expect((await get(replica, '/pets/1', 'pro-key')).status).toBe(200);
const healthOf = async (replica: TestReplica) => (await replica.control.getHealth()).log;
const patient = { timeout: 15_000, interval: 100 };

test('requests wait for a store that is paused for a moment, and get a 503 that says so when it takes longer', async () => {
  const redis = await startRedis();
  const [one, two] = [await startReplica(redis.address()), await startReplica(redis.address())];
  await redis.signal('SIGSTOP');
  const short = create(one, { name: 'short' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await redis.signal('SIGCONT');
  expect((await short).status).toBe(201);

  await redis.signal('SIGSTOP');
  const long = await create(one, { name: 'long' });
  expect([long.status, long.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await long.json()).toMatchObject({ code: 'service_unavailable' });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(await healthOf(one)).toMatchObject({ stale: true });
  expect((await one.control.countRequests()).count).toBe(1);
  await redis.signal('SIGCONT');
  await vi.waitFor(() => isServing(one), patient);
  await vi.waitFor(() => isServing(two), patient);
  expect(await healthOf(two)).toMatchObject({ stale: false });
  // It came after its deadline: nobody did it.
  const { pets } = await two.control.exportState();
  expect((pets as { name: string }[]).filter(({ name }) => name === 'long')).toEqual([]);
  const verdict = await two.control.getVerdict();
  expect(verdict).toMatchObject({ outcome: 'inconclusive', reason: expect.stringContaining('The store was away') });
  expect(await one.control.getVerdict()).toEqual(verdict);
});

test('a store that is killed and restarted with its data loses nothing', async () => {
  const redis = await startRedis();
  const [one, two] = [await startReplica(redis.address()), await startReplica(redis.address())];
  const ids: number[] = [];
  for (let n = 0; n < 10; n++) ids.push(((await (await create(one, { key: 'pro-key' })).json()) as { id: number }).id);
  await redis.signal('SIGKILL');
  expect(await statusOf(create(two, { key: 'pro-key' }))).toBe(503);
  await redis.start();
  for (const replica of [one, two]) {
    await vi.waitFor(() => isServing(replica), patient);
    for (const id of ids) expect((await get(replica, `/pets/${id}`, 'pro-key')).status).toBe(200);
    expect(replica.said).toEqual([]);
  }
});

test('a store that has lost the last second is believed, and every replica says so', async () => {
  const redis = await startRedis();
  const [one, two] = [await startReplica(redis.address()), await startReplica(redis.address())];
  await create(one, { name: 'kept' });
  const copy = join(redis.folder, '..', `${redis.port}-copy`);
  cpSync(join(redis.folder, 'appendonlydir'), copy, { recursive: true });
  const lost = (await (await create(one, { name: 'lost' })).json()) as { id: number };
  await redis.signal('SIGKILL');
  rmSync(join(redis.folder, 'appendonlydir'), { recursive: true });
  cpSync(copy, join(redis.folder, 'appendonlydir'), { recursive: true });
  rmSync(copy, { recursive: true });
  await redis.start();
  for (const replica of [one, two]) {
    await vi.waitFor(() => isServing(replica), patient);
    expect((await get(replica, `/pets/${lost.id}`)).status).toBe(404);
    expect(replica.said[0]).toMatch(/^What was applied is not what the store has: .*The log is read again\.$/);
  }
  expect(((await (await create(two)).json()) as { id: number }).id).toBe(lost.id);
});

test('a store that comes back empty ends the replicas, and none goes on from what it remembers', async () => {
  const redis = await startRedis(['--appendonly', 'no']);
  const one = await startReplica(redis.address());
  await create(one);
  await redis.restart();
  await vi.waitFor(() => expect(one.ended).toHaveLength(1), patient);
  expect(one.ended[0]).toMatch(/^Failed to read the log again: expected the log test .* got none/);
  expect(await statusOf(create(one))).toBe(503);
  expect(await redis.call('EXISTS', entriesKey)).toBe(0);
});

test('a stream that is cut away under a replica is not skipped', async () => {
  const redis = await startRedis();
  const one = await startReplica(redis.address());
  await create(one);
  await redis.call('XTRIM', entriesKey, 'MAXLEN', 0);
  await vi.waitFor(() => expect(one.ended).toHaveLength(1), patient);
  expect(one.ended[0]).toContain('expected a snapshot from which the log of default goes on');
});
