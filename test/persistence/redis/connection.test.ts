// @module-tag needs/redis
import { expect, test } from 'vitest';
import { readRedisAddress } from '../../../src/persistence/node/redis/address.js';
import { type Connection, connect } from '../../../src/persistence/node/redis/connection.js';
import { type RedisServer, startRedis } from './redis-server.js';

const connectTo = ({ port }: RedisServer) => connect(readRedisAddress(`redis://127.0.0.1:${port}/0?name=test`));
const ended = (connection: Connection) => new Promise<void>((resolve) => connection.onEnd(resolve));

test.concurrent('the silence of a stopped store starts at its pending reply, not at the end of the connection', async (context) => {
  const redis = await startRedis(context);
  const connection = await connectTo(redis);
  await redis.signal('SIGSTOP');
  const reply = expect(connection.call('PING')).rejects.toThrow(/ is unreachable: /);
  const askedMs = performance.now();
  await ended(connection);
  await reply;
  expect(connection.silentSinceMs).toBeLessThanOrEqual(askedMs);
});

test.concurrent('the silence of a store without pending replies starts at its end', async (context) => {
  const redis = await startRedis(context);
  const connection = await connectTo(redis);
  await connection.call('PING');
  const heardMs = connection.silentSinceMs;
  await redis.signal('SIGKILL');
  await ended(connection);
  expect(connection.silentSinceMs).toBeGreaterThan(heardMs);
});

test('a reply that arrives while the process is paused for longer than the limit of silence is read', async (context) => {
  const redis = await startRedis(context);
  const connection = await connectTo(redis);
  const reply = connection.call('PING');
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_300);
  expect(await reply).toBe('PONG');
  expect(await connection.call('PING')).toBe('PONG');
});
