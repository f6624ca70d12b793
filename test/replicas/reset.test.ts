// @module-tag needs/redis
import { beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../support/command-line.js';
import { call } from './calls.js';
import { startReplica } from './replicas.js';
import { type Store, startStore } from './store.js';

let store: Store;
beforeAll(async () => {
  store = await startStore();
});

test('a reset starts a new log only if no other replica uses the log', async () => {
  const first = await startReplica(store.url());
  const body = { name: 'kept', categoryId: 1 };
  expect((await call(`${first.origin}/v1/pets`, { key: 'enterprise-key', body })).status).toBe(201);
  const refused = await runCommandLine(['--port', '0', '--data', store.url(), '--data-reset']);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('before a reset, got ');
  expect(refused.err).toContain('stop it first, or if it was killed, try again in 5 seconds');
  expect((await call(`${first.origin}/v1/pets/41`, { key: 'enterprise-key' })).status).toBe(200);
  await first.stop();
  const second = await startReplica(store.url(), ['--data-reset']);
  expect((await call(`${second.origin}/v1/pets/41`, { key: 'enterprise-key' })).status).toBe(404);
});
