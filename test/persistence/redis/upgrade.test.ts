// @module-tag extended
// @module-tag needs/redis
import { expect, test } from 'vitest';
import { type RedisServer, startRedis } from './redis-server.js';
import { create, get, startReplica } from './replica.js';

const key = 'petstore-sim:{test}:log';
type Entries = [id: string, fields: [string, string, string, string]][];

/** Makes the log one that another version has written. @param change what each entry was, too */
async function rewrite(redis: RedisServer, change: (text: string) => string): Promise<void> {
  const entries = (await redis.call('XRANGE', key, '-', '+')) as Entries;
  await redis.call('DEL', key);
  for (const [id, [w, writer, e, text]] of entries) {
    // Without the position of the earlier entry, which has changed.
    const { after: _, ...entry } = JSON.parse(change(text.replace(/"version":"[^"]*"/g, '"version":"0.0.9"')));
    await redis.call('XADD', key, id, w, writer, e, JSON.stringify(entry));
  }
}

/** A log with three pets by a replica that has gone. */
async function writeLog(redis: RedisServer): Promise<void> {
  const replica = await startReplica(redis);
  for (const name of ['one', 'two', 'three']) await create(replica, { name });
  await replica.close();
}

test.concurrent('a log of another version continues if its responses are equal', async (context) => {
  const redis = await startRedis(context);
  await writeLog(redis);
  await rewrite(redis, (text) => text);
  const replica = await startReplica(redis);
  expect(replica.notices).toEqual([]);
  expect((await get(replica, '/pets/43')).status).toBe(200);
});

test.concurrent('entries of another version with different responses are set aside and reported', async (context) => {
  const redis = await startRedis(context);
  await writeLog(redis);
  const hashes: string[] = [];
  await rewrite(redis, (text) => {
    hashes.push(...Array.from(text.matchAll(/"answered":\[\[\d+,"(\w+)"/g), ([, hash = '']) => hash));
    return hashes.length === 2 ? text.replace(hashes[1] as string, 'other') : text;
  });
  const replica = await startReplica(redis);
  expect(replica.notices).toEqual([
    expect.stringMatching(
      /^Entry 4 and all after it, \d+ in all, were set aside as petstore-sim:\{test\}:aside:4, because petstore-sim \S+ responds to entry 4 differently than 0\.0\.9, which wrote it\.$/,
    ),
  ]);
  expect((await get(replica, '/pets/41')).status).toBe(200);
  expect((await get(replica, '/pets/42')).status).toBe(404);
  expect(Number(await redis.call('XLEN', 'petstore-sim:{test}:aside:4'))).toBeGreaterThan(2);
  await replica.close();
  const again = await startReplica(redis);
  expect(again.notices).toEqual([]);
  expect((await get(again, '/pets/41')).status).toBe(200);
});
