// @module-tag needs/redis
import { expect, test, vi } from 'vitest';
import { createControl } from '../../../src/entries/control.js';
import { runCommandLine, startServer } from '../../support/command-line.js';
import { userPage } from '../../support/markdown.js';
import { patience } from '../../support/patience.js';
import { type RedisServer, startRedis } from './redis-server.js';

const key = (name: string) => `petstore-sim:{shop}:${name}`;
const addressOf = ({ port }: RedisServer, user = '') => `redis://${user}127.0.0.1:${port}/0?name=shop`;
const sentence = ({ port }: RedisServer, reply: string) =>
  new RegExp(`^petstore-sim: redis://127\\.0\\.0\\.1:${port}/0\\?name=shop refused: ${reply}.*$`, 'gm');

/** Creates a Redis user with all commands and keys, or changes its rights. */
const allow = (redis: RedisServer, ...changes: string[]) =>
  redis.call('ACL', 'SETUSER', 'team', 'on', '>secret', '&*', ...changes);

const starts: [reply: string, prepare: (redis: RedisServer) => Promise<unknown>, remedy: string][] = [
  ['NOPERM .*time', (redis) => allow(redis, '~*', '+@all', '-time'), 'allow its user this command'],
  ["ERR .* can't run this command", (redis) => allow(redis, '~*', '+@all', '-xadd'), 'allow its user this command'],
  ['NOPERM .*keys', (redis) => allow(redis, '~other:*', '+@all'), 'the keys petstore-sim:{shop}:*'],
  ['WRONGTYPE', (redis) => redis.call('SET', key('meta'), 'mine'), 'remove the keys petstore-sim:{shop}:*'],
  ['OOM', (redis) => redis.call('CONFIG', 'SET', 'maxmemory', '1'), 'raise its maxmemory'],
  ['READONLY', (redis) => redis.call('REPLICAOF', '127.0.0.1', '1'), 'use the address of the primary'],
];

test.for(starts)('a store that replies %s at the start is a sentence', async ([reply, prepare, remedy], context) => {
  const redis = await startRedis(context);
  await prepare(redis);
  const user = /^(?:NOPERM|ERR)/.test(reply) ? 'team:secret@' : '';
  const { code, out, err } = await runCommandLine(['serve', '--port', '0', '--data', addressOf(redis, user)]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err.match(sentence(redis, reply))).toHaveLength(1);
  expect(err).toContain(remedy);
  expect(err).not.toMatch(/^\s+at |secret|EXECABORT/m);
});

test('a user of the store needs no more than the commands of the page', async (context) => {
  const redis = await startRedis(context);
  const [, listed = ''] =
    /A user of Redis needs the keys (.*?)\.\n/s.exec(userPage('docs/many-replicas.md').text) ?? [];
  const commands = Array.from(listed.matchAll(/`([A-Z]+)`/g), ([, name]) => `+${name?.toLowerCase()}`);
  expect(commands.length).toBeGreaterThan(10);
  await allow(redis, '~petstore-sim:{shop}:*', '-@all', '+auth', '+client|setname', ...commands);
  const args = ['--data', addressOf(redis, 'team:secret@')];
  const first = await startServer(args);
  const response = await fetch(`${first.baseUrl}/pets?limit=1`, { headers: { authorization: 'Bearer free-key' } });
  expect(response.status).toBe(200);
  // Writes a snapshot, which the next server reads.
  expect(await first.stop()).toBe(0);
  const second = await startServer(args);
  const { log } = await createControl(second.baseUrl.replace('/v1', '/__sim')).getHealth();
  expect(log?.snapshotPosition).toBeGreaterThan(1);
  expect(await second.stop()).toBe(0);
  const third = await startServer([...args, '--data-reset']);
  expect(await third.stop()).toBe(0);
  expect(third.errors()).not.toContain('refused');
});

test('a store that refuses commands for a while is a sentence; writes receive a 503 until it accepts them', async (context) => {
  const redis = await startRedis(context);
  await allow(redis, '~*', '+@all');
  const { baseUrl, errors } = await startServer(['--data', addressOf(redis, 'team:secret@')]);
  const create = async () => {
    const headers = { authorization: 'Bearer pro-key', 'content-type': 'application/json' };
    const body = '{"name":"Rex","categoryId":1}';
    return (await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body })).status;
  };
  expect(await create()).toBe(201);
  await allow(redis, '-@all', '+auth', '+hello');
  expect(await create()).toBe(503);
  await vi.waitUntil(() => sentence(redis, 'NOPERM').test(errors()), patience);
  await allow(redis, '+@all');
  await vi.waitUntil(async () => (await create()) === 201, patience);
  expect(errors().match(sentence(redis, 'NOPERM'))).toHaveLength(1);
  expect(errors()).not.toMatch(/^\s+at |secret@/m);
});

test('a password that the store does not require is one warning', async (context) => {
  const redis = await startRedis(context);
  const { errors, stop } = await startServer(['--data', addressOf(redis, ':needless@')]);
  await stop();
  const warning =
    'The store does not require the password of its address: everybody who reaches it can change the state.\n';
  expect(errors().split(warning)).toHaveLength(2);
  expect(errors()).not.toMatch(/\[WARN\]|needless/);
});
