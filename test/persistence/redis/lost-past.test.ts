// @module-tag needs/redis

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { LogOpenError } from '../../../src/persistence/log.js';
import { patience } from '../../support/patience.js';
import { startProxy } from './cutting-proxy.js';
import { startRedis } from './redis-server.js';
import { create, get, startReplica, type TestReplica } from './replica.js';

const entriesKey = 'petstore-sim:{test}:log';
const statusOf = async (answer: Promise<Response>) => (await answer).status;
const isServing = async (replica: TestReplica) => expect((await get(replica, '/pets/1', 'pro-key')).status).toBe(200);
const healthOf = async (replica: TestReplica) => (await replica.control.getHealth()).log;
/** Without requests to the API, which an outage would count. */
const isBack = async (replica: TestReplica) => expect(await healthOf(replica)).toMatchObject({ stale: false });
test.concurrent('requests wait during a short pause of the store, and receive a 503 with the reason after a long one', async (context) => {
  const redis = await startRedis(context);
  const [one, two] = [await startReplica(redis), await startReplica(redis)];
  await redis.signal('SIGSTOP');
  const short = create(one, { name: 'short' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await redis.signal('SIGCONT');
  expect((await short).status).toBe(201);

  await redis.signal('SIGSTOP');
  const all = await Promise.all(['long', 'longer', 'longest'].map((name) => create(one, { name })));
  const [long] = all as [Response];
  expect(all.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect([long.status, long.headers.get('retry-after')]).toEqual([503, '1']);
  // According to the key, only the earlier request was counted.
  expect(long.headers.get('x-ratelimit-remaining')).toBe('59');
  expect(await long.json()).toMatchObject({ code: 'service_unavailable' });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(await healthOf(one)).toMatchObject({ stale: true });
  expect((await one.control.countRequests()).count).toBe(1);
  const away = { outcome: 'inconclusive', reason: expect.stringContaining('The store was unavailable') };
  expect(await Promise.all([one, two].map(({ control }) => control.getVerdict()))).toMatchObject([away, away]);
  await redis.signal('SIGCONT');
  await vi.waitFor(() => isBack(one), patience);
  await vi.waitFor(() => isBack(two), patience);
  await vi.waitFor(() => expect(one.saidOfStore).toHaveLength(2), patience);
  expect(one.saidOfStore).toEqual([
    expect.stringMatching(/^The store redis:\S+ is unreachable: requests wait 3 s for it, then receive a 503\.$/),
    expect.stringMatching(/^The store redis:\S+ is back after \d+\.\d s; 3 requests received a 503\.$/),
  ]);
  // The request was late and had no effect.
  const { pets } = await two.control.exportState();
  expect((pets as { name: string }[]).filter(({ name }) => name.startsWith('long'))).toEqual([]);
  const verdict = await two.control.getVerdict();
  expect(verdict).toMatchObject(away);
  expect(await one.control.getVerdict()).toEqual(verdict);
});

test.concurrent('a store that is killed and restarted with its data loses nothing', async (context) => {
  const redis = await startRedis(context);
  const [one, two] = [await startReplica(redis), await startReplica(redis)];
  const ids: number[] = [];
  for (let n = 0; n < 10; n++) ids.push(((await (await create(one, { key: 'pro-key' })).json()) as { id: number }).id);
  await redis.signal('SIGKILL');
  expect(await statusOf(create(two, { key: 'pro-key' }))).toBe(503);
  await redis.start();
  for (const replica of [one, two]) {
    await vi.waitFor(() => isServing(replica), patience);
    for (const id of ids) expect((await get(replica, `/pets/${id}`, 'pro-key')).status).toBe(200);
    expect(replica.said).toEqual([]);
  }
});

test.concurrent('replicas report the lost last second of a store, and continue from its state', async (context) => {
  const redis = await startRedis(context);
  const [one, two] = [await startReplica(redis), await startReplica(redis)];
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
    await vi.waitFor(() => isServing(replica), patience);
    expect((await get(replica, `/pets/${lost.id}`)).status).toBe(404);
    expect(replica.said[0]).toMatch(/^The store lost entries: .*The log is read again\.$/);
  }
  expect(((await (await create(two)).json()) as { id: number }).id).toBe(lost.id);
});

test.concurrent('an empty store ends the replicas, and none continues from its memory', async (context) => {
  const redis = await startRedis(context, ['--appendonly', 'no']);
  const one = await startReplica(redis);
  await create(one);
  await redis.restart();
  await vi.waitFor(() => expect(one.ended).toHaveLength(1), patience);
  expect(one.ended[0]).toMatch(/^Failed to read the log again: expected the log test .* got none/);
  expect(await statusOf(create(one))).toBe(503);
  expect(await redis.call('EXISTS', entriesKey)).toBe(0);
});

test.concurrent('a replica ends if entries are missing in the stream and no snapshot contains them', async (context) => {
  const redis = await startRedis(context);
  const proxy = await startProxy(redis);
  const [one, two] = [await startReplica(redis), await startReplica(redis, { proxy })];
  proxy.isFrozen = true;
  await create(one);
  await redis.call('XTRIM', entriesKey, 'MAXLEN', 0);
  expect(await statusOf(create(one))).toBe(503);
  proxy.thaw();
  await vi.waitFor(() => expect(two.ended).toHaveLength(1), patience);
  expect(two.ended[0]).toContain('expected the log of default to begin with its first entry or continue a snapshot');
  expect(await statusOf(create(two))).toBe(503);
  // The other replica had read all entries, and acknowledged nothing without them.
  expect(one.ended[0]).toContain('expected the log of default to begin with its first entry or continue a snapshot');
  expect(await statusOf(create(one))).toBe(503);
});

test.concurrent('a request that was applied after its 503 is marked in the journal', async (context) => {
  const redis = await startRedis(context);
  const proxy = await startProxy(redis);
  const [one, two] = [await startReplica(redis, { proxy }), await startReplica(redis)];
  proxy.isDeaf = true;
  const answer = await create(one, { name: 'lost' });
  expect([answer.status, (await answer.json()).message]).toEqual([
    503,
    expect.stringContaining('it is unknown whether'),
  ]);
  proxy.thaw();
  await vi.waitFor(async () => {
    const { entries } = await two.control.queryJournal();
    expect(entries).toMatchObject([{ operation: 'createPet', status: 201, lost: true }]);
  }, patience);
  await vi.waitFor(() => isBack(one), patience);
  // The journal contains the request; no replica knows that it was the only one.
  await vi.waitFor(async () => {
    const { outcome, reason } = await two.control.getVerdict();
    expect([outcome, reason]).toEqual([
      'inconclusive',
      expect.stringMatching(/^The store was unavailable between .*is incomplete/),
    ]);
  }, patience);
});

test.concurrent('a replica reads the log again if another replica had a different past', async (context) => {
  const redis = await startRedis(context);
  const one = await startReplica(redis);
  await create(one);
  const [[, [, , , text = '']] = ['', []]] = (await redis.call('XREVRANGE', entriesKey, '+', '-', 'COUNT', 1)) as [
    string,
    string[],
  ][];
  const { log, version, atMs } = JSON.parse(text);
  const entry = { log, version, atMs, after: [2, 12_345, '1-1'], commands: [] };
  await redis.call('XADD', entriesKey, '*', 'w', '1.1 other', 'e', JSON.stringify(entry));
  await vi.waitFor(() => expect(one.said).toHaveLength(2), patience);
  expect(one.said[0]).toContain('other had another entry 2 than this replica. The log is read again.');
  await vi.waitFor(() => isServing(one), patience);
  expect((await get(one, '/pets/41')).status).toBe(200);
  expect([one.said.length, one.ended]).toEqual([2, []]);
});

test.concurrent.for([
  ['its oldest entry', ['XTRIM', entriesKey, 'MAXLEN']],
  ['an entry in its middle', ['XDEL', entriesKey]],
] as const)(
  'no replica acknowledges a write to a stream from which another program took %s',
  async ([what, command], context) => {
    const redis = await startRedis(context);
    const replicas = [await startReplica(redis), await startReplica(redis)];
    for (const replica of replicas) expect(await statusOf(create(replica))).toBe(201);
    const entries = (await redis.call('XRANGE', entriesKey, '-', '+')) as [string, string[]][];
    const [id] = entries.at(-2) as [string, string[]];
    await redis.call(...(command as [string, string]), what === 'its oldest entry' ? entries.length - 1 : id);
    for (const replica of replicas) {
      const { status } = await create(replica, { name: 'after' });
      // A stream with its beginning is read again; a replica that has done so may serve.
      if (what === 'its oldest entry') expect(status).toBe(503);
      await vi.waitFor(() => expect(replica.said[0]).toMatch(/applied entries are missing or changed/), patience);
    }
    if (what !== 'its oldest entry') return;
    for (const { ended } of replicas) {
      await vi.waitFor(() => expect(ended[0]).toContain('the store has lost entries'), patience);
    }
  },
);

test.concurrent('a store that lost only the birth of a log keeps the log, and no replica starts on it', async (context) => {
  const redis = await startRedis(context);
  const one = await startReplica(redis);
  for (let n = 0; n < 5; n++) expect(await statusOf(create(one))).toBe(201);
  await redis.call('DEL', 'petstore-sim:{test}:birth');
  await vi.waitFor(() => expect(one.ended[0]).toContain('without its key petstore-sim:{test}:birth'), patience);
  expect(await statusOf(create(one))).toBe(503);
  await one.close();
  const entries = Number(await redis.call('XLEN', entriesKey));
  expect(entries).toBeGreaterThan(5);
  await expect(startReplica(redis)).rejects.toThrow(
    new LogOpenError(
      `expected the key petstore-sim:{test}:birth in addition to petstore-sim:{test}:log with ${entries} entries and 0 snapshots, got none: the store has lost it; restore the store, use another name, or delete the log with --data-reset`,
    ),
  );
  expect(await redis.call('XLEN', entriesKey)).toBe(entries);
  // A reset starts a new log after all replicas have ended.
  await vi.waitFor(
    async () => expect((await startReplica(redis, { reset: true })).position).toBeGreaterThan(0),
    patience,
  );
  expect(Number(await redis.call('XLEN', entriesKey))).toBeLessThan(entries);
});

test.concurrent.for([
  ['of another log', (text: string) => text.replace(/"id":"[^"]{8}/, '"id":"01234567'), 'got another'],
  ['that is no JSON', () => 'hello', 'got other text'],
] as const)('no replica starts with a birth %s', async ([, edit, found], context) => {
  const redis = await startRedis(context);
  const one = await startReplica(redis);
  expect(await statusOf(create(one))).toBe(201);
  await one.close();
  const birth = (await redis.call('GET', 'petstore-sim:{test}:birth')) as string;
  await redis.call('SET', 'petstore-sim:{test}:birth', edit(birth));
  const entries = await redis.call('XLEN', entriesKey);
  await expect(startReplica(redis)).rejects.toThrow(found);
  expect(await redis.call('XLEN', entriesKey)).toBe(entries);
});
