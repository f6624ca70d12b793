// @module-tag extended
// @module-tag needs/redis
// @module-tag needs/haproxy
// @module-tag needs/nginx
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test, vi } from 'vitest';
import { root } from '../support/markdown.js';
import { patience } from '../support/patience.js';
import { startBalancer } from './balancers.js';
import { callAll, statuses } from './calls.js';
import { expectHonest, expectKept, startLoad } from './load.js';
import { type Replica, sameOnAll, startReplicas } from './replicas.js';
import { type Store, startStore } from './store.js';

const run = promisify(execFile);
const configurations = ['haproxy.cfg', 'nginx.conf'];

let store: Store;
let replicas: Replica[];
beforeAll(async () => {
  store = await startStore();
  replicas = await startReplicas(2, store.url());
});
const first = () => (replicas[0] as Replica).control;

test.each(configurations)('with %s of the documentation each request counts once', async (name) => {
  const origin = await startBalancer(name, replicas);
  const url = `${origin}/s/${name}/v1/pets`;
  expect(statuses(await callAll([url], 400, '?limit=1'))).toEqual({ 200: 60, 429: 340 });
  const pet = (n: number) => ({ key: 'business-key', body: { name: `Rex ${n}`, categoryId: 1 } });
  const made = await callAll([url], 100, '', pet);
  expect(new Set(made.map(({ body }) => (JSON.parse(body) as { id: number }).id)).size).toBe(100);
  expect((await sameOnAll(replicas, ({ control }) => control.sandbox(name).countRequests())).count).toBe(500);
});

test.each(configurations)(
  'with %s a killed active replica loses no response, and another one continues',
  async (name) => {
    const [victim, standby] = (await startReplicas(2, store.url(`killed-${name}`))) as [Replica, Replica];
    const origin = await startBalancer(name, [victim, standby]);
    const load = startLoad([{ origin }], `killed behind ${name}`, 4);
    await vi.waitUntil(() => load.stored.size > 50, patience);
    victim.child.kill('SIGKILL');
    await once(victim.child, 'close');
    const { size } = load.stored;
    await vi.waitUntil(() => load.stored.size > size + 100, patience);
    await load.stop();
    await expectKept(standby, [load]);
    // Responses of the replicas, without those of the balancer for a missing replica.
    expectHonest({ ...load, answers: load.answers.filter(({ status }) => status !== 502) });
  },
);

const programs = join(root, 'test/clients/programs');
const wall = { windows: { minute: '3s' }, keys: { 'free-key': { usage: { minute: 60 } } } };

test.each([
  ['Python', '/usr/bin/python3', ['-B', `${programs}/python/run.py`, 'urllib3', 'setRight']],
  ['Node', process.execPath, [`${programs}/node/run.mjs`, 'fetch', 'setRight']],
] as const)('the verdict on a client in %s that waits behind HAProxy has no findings', async (language, file, args) => {
  const origin = await startBalancer('haproxy.cfg', replicas);
  const name = `right-${language}`;
  await first().createSandbox({ name, scenario: wall });
  const env = {
    ...process.env,
    PETSTORE_BASE_URL: `${origin}/s/${name}/v1`,
    PETSTORE_API_KEY: 'free-key',
    PETSTORE_OPERATION: 'createPet',
    PETSTORE_CALLS: '10',
    PETSTORE_PARALLEL: '1',
  };
  await run(file, [...args], { env });
  const verdict = await sameOnAll(replicas, ({ control }) => control.sandbox(name).getVerdict());
  expect(verdict).toMatchObject({ outcome: 'pass', findings: [] });
  expect(verdict.counts.refused).toBeGreaterThanOrEqual(1);
  const { pets } = (await first().sandbox(name).exportState()) as { pets: { name: string }[] };
  expect(pets.filter(({ name }) => name.startsWith('Newcomer'))).toHaveLength(10);
});

const python = (url: string) => `
import requests, time
for _ in range(4):
    requests.get("${url}", headers={"Authorization": "Bearer free-key"})
    time.sleep(0.4)
`;
const node = (url: string) => `
for (let n = 0; n < 4; n++) {
  await fetch('${url}', { headers: { authorization: 'Bearer free-key' } });
  await new Promise((resolve) => setTimeout(resolve, 400));
}
`;

test.each([
  ['Python', '/usr/bin/python3', ['-c'], python],
  ['Node', process.execPath, ['--input-type=module', '-e'], node],
] as const)(
  'the verdict on a client in %s that retries too early behind HAProxy names it',
  async (language, file, args, code) => {
    const origin = await startBalancer('haproxy.cfg', replicas);
    const name = `wrong-${language}`;
    await first().createSandbox({ name, scenario: { keys: wall.keys } });
    await run(file, [...args, code(`${origin}/s/${name}/v1/pets`)]);
    const verdict = await sameOnAll(replicas, ({ control }) => control.sandbox(name).getVerdict());
    expect(verdict.findings.map(({ code }) => code)).toContain('early-retry');
  },
);
