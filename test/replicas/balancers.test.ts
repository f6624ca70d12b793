import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { createControl } from '../../src/control.js';
import { root } from '../support/markdown.js';
import { startBalancer } from './balancers.js';
import { call, callAll, statuses } from './calls.js';
import { expectHonest, expectKept, startLoad } from './load.js';
import { patience, type Replica, sameOnAll, startReplicas } from './replicas.js';
import { startStore } from './store.js';

const run = promisify(execFile);
const configurations = ['haproxy.cfg', 'nginx.conf'];

test.each(configurations)('%s of the documentation shares requests out, and each counts once', async (name) => {
  const store = await startStore();
  const replicas = await startReplicas(2, store.url());
  const origin = await startBalancer(name, replicas);
  expect(statuses(await callAll([origin], 400, '/v1/pets?limit=1'))).toEqual({ 200: 60, 429: 340 });
  const made = await callAll([origin], 100, '/v1/pets', (n) => ({
    key: 'business-key',
    body: { name: `load-${n}`, categoryId: 1 },
  }));
  expect(new Set(made.map(({ body }) => (JSON.parse(body) as { id: number }).id)).size).toBe(100);
  expect(await sameOnAll(replicas, ({ control }) => control.countRequests())).toEqual({ count: 500, dropped: 0 });
});

test.each(configurations)(
  'with %s a replica that is killed costs its requests, and the other ones serve',
  async (name) => {
    const store = await startStore();
    const replicas = (await startReplicas(2, store.url())) as [Replica, Replica];
    const [one, two] = replicas;
    const origin = await startBalancer(name, replicas);
    const load = startLoad([{ origin }], 'load', 4);
    await vi.waitUntil(() => load.stored.size > 100, patience);
    two.child.kill('SIGKILL');
    await once(two.child, 'close');
    const { size } = load.stored;
    await vi.waitUntil(() => load.stored.size > size + 100, patience);
    await load.stop();
    await expectKept(one, [load]);
    // What the balancer itself says of a replica that is gone; everything else is ours.
    const ofReplicas = load.answers.filter(({ status }) => status !== 502);
    expectHonest({ ...load, answers: ofReplicas });
    expect(load.answers.length - ofReplicas.length).toBeLessThanOrEqual(20);
  },
);

test('two clients in two languages wait as they are told behind HAProxy, and are not accused', async () => {
  const store = await startStore();
  const args = [
    '--set',
    'windows.minute=3s',
    '--set',
    'keys.free-key.usage.minute=60',
    '--set',
    'keys.pro-key.usage.minute=300',
  ];
  const replicas = await startReplicas(2, store.url(), args);
  const origin = await startBalancer('haproxy.cfg', replicas);
  const programs = join(root, 'test/clients/programs');
  const env = (key: string) => ({
    env: {
      ...process.env,
      PETSTORE_BASE_URL: `${origin}/v1`,
      PETSTORE_API_KEY: key,
      PETSTORE_OPERATION: 'createPet',
      PETSTORE_CALLS: '10',
    },
  });
  await Promise.all([
    run('/usr/bin/python3', ['-B', `${programs}/python/run.py`, 'urllib3', 'setRight'], env('free-key')),
    run(process.execPath, [`${programs}/node/run.mjs`, 'fetch', 'setRight'], env('pro-key')),
  ]);
  const verdict = await sameOnAll(replicas, ({ control }) => control.getVerdict());
  expect(verdict).toMatchObject({ outcome: 'pass', findings: [] });
  expect(verdict.counts.refused).toBeGreaterThanOrEqual(2);
  const { pets } = await (replicas[0] as Replica).control.exportState();
  expect(pets.filter(({ name }) => name.startsWith('Newcomer'))).toHaveLength(20);
});

test('two clients in two languages that come back too early are named behind HAProxy', async () => {
  const store = await startStore();
  const args = ['--set', 'keys.free-key.usage.minute=60', '--set', 'keys.pro-key.usage.minute=300'];
  const replicas = await startReplicas(2, store.url(), args);
  const origin = await startBalancer('haproxy.cfg', replicas);
  const python = `
import requests, time
for _ in range(4):
    requests.get("${origin}/v1/pets", headers={"Authorization": "Bearer free-key"})
    time.sleep(0.4)
`;
  const node = `
for (let n = 0; n < 4; n++) {
  await fetch('${origin}/v1/pets', { headers: { authorization: 'Bearer pro-key' } });
  await new Promise((resolve) => setTimeout(resolve, 400));
}
`;
  await Promise.all([
    run('/usr/bin/python3', ['-c', python]),
    run(process.execPath, ['--input-type=module', '-e', node]),
  ]);
  for (const key of ['free-key', 'pro-key']) {
    const verdict = await sameOnAll(replicas, ({ control }) => control.getVerdict({ key }));
    expect(verdict.findings.map(({ code }) => code)).toContain('early-retry');
  }
});

test.each(['groups.cfg', 'groups.conf'])(
  '%s of the documentation keeps 200 sandboxes each in one of two groups',
  async (name) => {
    const store = await startStore();
    const groups = await Promise.all([startReplicas(2, store.url('group-0')), startReplicas(2, store.url('group-1'))]);
    const origin = await startBalancer(name, groups.flat());
    const control = createControl(`${origin}/__sim`);
    const boxes = Array.from({ length: 200 }, (_, n) => `box-${n}`);
    // The first has the same in its path and in its body.
    const scenario = { name: 'own', pets: [], keys: { 'free-key': { usage: { minute: 58 } } } };
    await Promise.all(
      boxes.slice(0, 20).map(async (box) => {
        const path = `${origin}/__sim/sandboxes?name=${box}`;
        expect((await call(path, { body: { scenario } })).status).toBe(201);
      }),
    );
    const rounds = await Promise.all(
      boxes.map(async (box) => {
        const url = `${origin}/s/${box}/v1/pets`;
        const seen: (number | undefined)[] = [];
        for (let n = 0; n < 3; n++) seen.push((await call(url, { body: { name: 'Rex', categoryId: 1 } })).status);
        return [...seen, (await control.sandbox(box).countRequests()).count];
      }),
    );
    for (const [at, seen] of rounds.entries()) expect(seen, boxes[at]).toEqual([201, 201, at < 20 ? 429 : 201, 3]);
    const listed = await Promise.all(groups.map(([one]) => (one as Replica).control.listSandboxes()));
    const names = listed.map((list) => list.map((box) => box.name));
    expect(names.flat().sort()).toEqual([...boxes].sort());
    for (const group of names) expect(group.length).toBeGreaterThan(60);
    // Without a sandbox it is always the same group.
    const plain = await Promise.all(boxes.slice(0, 20).map(() => call(`${origin}/v1/pets`, { key: 'business-key' })));
    expect(statuses(plain)).toEqual({ 200: 20 });
    const counts = await Promise.all(groups.map(([one]) => (one as Replica).control.countRequests()));
    expect(counts.map(({ count }) => count)).toEqual([20, 0]);
    const nameless = await call(`${origin}/__sim/sandboxes`, { body: {} });
    expect([nameless.status, nameless.body]).toEqual([400, expect.stringContaining('?name=NAME')]);
  },
);

test('HAProxy finds the name of a sandbox in the body, as the control of Node sends it', async () => {
  const store = await startStore();
  const groups = await Promise.all([startReplicas(1, store.url('group-0')), startReplicas(1, store.url('group-1'))]);
  const [zero, one] = groups.flat() as [Replica, Replica];
  const origin = await startBalancer('groups.cfg', [zero, zero, one, one]);
  const control = createControl(`${origin}/__sim`);
  for (let n = 0; n < 10; n++) {
    const name = `made-${n}`;
    await control.createSandbox({ name, scenario: { name: 'own', pets: [] } });
    expect((await control.sandbox(name).getScenario()).name).toBe('own');
  }
  for (const { control } of [zero, one]) expect((await control.listSandboxes()).length).toBeGreaterThan(0);
});
