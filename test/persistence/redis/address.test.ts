import { expect, test } from 'vitest';
import { LogOpenError } from '../../../src/persistence/log.js';
import { connectionOptions, readRedisAddress } from '../../../src/persistence/node/redis/address.js';
import { connect } from '../../../src/persistence/node/redis/connection.js';
import { startRedis } from './redis-server.js';

test("reads the store and the log's name from an address", () => {
  expect(readRedisAddress('redis://store.example:7000/2?name=staging')).toEqual({
    host: 'store.example',
    port: 7000,
    db: 2,
    name: 'staging',
    isSecure: false,
    username: undefined,
    password: undefined,
    shown: 'redis://store.example:7000/2?name=staging',
  });
  expect(readRedisAddress('redis://[::1]')).toMatchObject({ host: '::1', port: 6379, db: 0, name: 'default' });
  const secure = readRedisAddress('rediss://me:p%40ss%3F@store.example?name=a');
  expect(connectionOptions(secure)).toEqual({
    host: 'store.example',
    port: 6379,
    db: 0,
    username: 'me',
    password: 'p@ss?',
    tls: { servername: 'store.example' },
  });
});

test.each([
  ['redis://', 'a host'],
  ['redis:me:secret@host', 'a host after "//"'],
  ['redis://me:secret@host/zero', 'the number of a database'],
  ['redis://me:secret@host/0?nome=x', 'got "nome"'],
  ['redis://me:secret@host/0?name=a&name=b', 'one name of 1 to 64'],
  ['redis://me:secret@host/0?name=../x', 'one name of 1 to 64'],
  ['redis://me:secret@host/0#1', 'no "#"'],
  ['redis://me:secret%@host/0', 'every "%" written %25'],
  ['redis://me:secret@host:port/0', 'the form of a URL'],
])('%s is refused with a sentence that shows no password', (text, expected) => {
  expect(() => readRedisAddress(text)).toThrow(expected);
  expect(() => readRedisAddress(text)).not.toThrow(/secret/);
});

test.concurrent('errors of a store do not contain the password of the address', {
  tags: 'needs/redis',
}, async (context) => {
  const redis = await startRedis(context, ['--requirepass', 'correct']);
  const wrong = readRedisAddress(`redis://:s3cret-word@127.0.0.1:${redis.port}/0?name=test`);
  const error = await connect(wrong).catch((caught) => caught);
  expect(error.message).toMatch(/^expected redis:\/\/127\.0\.0\.1:\d+\/0\?name=test to accept the user in the address/);
  expect(JSON.stringify([error, Object.getOwnPropertyDescriptors(error), error.stack])).not.toContain('s3cret-word');
  const away = await connect({ ...wrong, port: 1 }).catch((caught) => caught);
  expect(away.message).toMatch(/ is unreachable: connect ECONNREFUSED/);
  expect(JSON.stringify([away, Object.getOwnPropertyDescriptors(away), away.stack])).not.toContain('s3cret-word');
});

test.concurrent('a missing database is rejected and not replaced by another', {
  tags: 'needs/redis',
}, async (context) => {
  const redis = await startRedis(context, ['--databases', '4']);
  const addressOf = (db: number) => readRedisAddress(`redis://127.0.0.1:${redis.port}/${db}?name=test`);
  const error = await connect(addressOf(4)).catch((caught) => caught);
  expect(error).toBeInstanceOf(LogOpenError);
  expect(error.message).toMatch(/^expected the database 4 of redis:\S+ to exist, got none; use another$/);
  const last = await connect(addressOf(3));
  context.onTestFinished(() => last.end());
  await last.call('SET', 'where', 'three');
  expect(await redis.call('GET', 'where')).toBe(null);
});
