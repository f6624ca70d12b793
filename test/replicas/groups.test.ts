// @module-tag extended
// @module-tag needs/redis
// @module-tag needs/haproxy
// @module-tag needs/nginx
import { beforeAll, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { startBalancer } from './balancers.js';
import { call, callAll, statuses } from './calls.js';
import { type Replica, startReplicas } from './replicas.js';
import { startStore } from './store.js';

/** Two groups of two replicas, each with a separate log. */
let groups: Replica[][];
beforeAll(async () => {
  const store = await startStore();
  groups = await Promise.all(['group-0', 'group-1'].map((name) => startReplicas(2, store.url(name))));
});

const scenario = { name: 'own', pets: [], keys: { 'free-key': { usage: { minute: 58 } } } };
const namesIn = async ([one]: Replica[], prefix: string) =>
  (await (one as Replica).control.listSandboxes()).map(({ name }) => name).filter((name) => name.startsWith(prefix));

test.each(['groups.cfg', 'groups.conf'])(
  '%s of the documentation keeps each of 200 sandboxes in one of two groups',
  async (name) => {
    const origin = await startBalancer(name, groups.flat());
    const control = createControl(`${origin}/__sim`);
    const boxes = Array.from({ length: 200 }, (_, n) => `${name}-${n}`);
    const isMade = (at: number) => at < 20;
    const made = boxes.filter((_, at) => isMade(at)).map((box) => `${origin}/__sim/sandboxes?name=${box}`);
    expect(statuses(await Promise.all(made.map((url) => call(url, { body: { scenario } }))))).toEqual({ 201: 20 });
    const rounds = await Promise.all(
      boxes.map(async (box) => {
        const seen: (number | undefined)[] = [];
        // An encoded letter is the letter.
        for (const name of [box, box.replace('g', '%67'), box]) {
          seen.push((await call(`${origin}/s/${name}/v1/pets`, { body: { name: 'Rex', categoryId: 1 } })).status);
        }
        return [...seen, (await control.sandbox(box).countRequests()).count];
      }),
    );
    for (const [at, seen] of rounds.entries()) expect(seen, boxes[at]).toEqual([201, 201, isMade(at) ? 429 : 201, 3]);
    const names = await Promise.all(groups.map((group) => namesIn(group, name)));
    expect(names.flat().sort()).toEqual([...boxes].sort());
    for (const group of names) expect(group.length).toBeGreaterThan(60);

    // Requests without a sandbox always reach the same group.
    const before = await Promise.all(groups.map(([one]) => (one as Replica).control.countRequests()));
    expect(statuses(await callAll([origin], 20, '/v1/pets', () => ({ key: 'business-key' })))).toEqual({ 200: 20 });
    const after = await Promise.all(groups.map(([one]) => (one as Replica).control.countRequests()));
    expect(after.map(({ count }, at) => count - (before[at]?.count ?? 0))).toEqual([20, 0]);
    const nameless = await call(`${origin}/__sim/sandboxes`, { body: {} });
    expect([nameless.status, nameless.body]).toEqual([400, expect.stringContaining('?name=NAME')]);
  },
);

test('HAProxy reads the sandbox name from a body sent by the control of Node', async () => {
  const origin = await startBalancer('groups.cfg', groups.flat());
  const control = createControl(`${origin}/__sim`);
  for (let n = 0; n < 10; n++) {
    await control.createSandbox({ name: `made-${n}`, scenario });
    expect((await control.sandbox(`made-${n}`).getScenario()).name).toBe('own');
  }
  const names = await Promise.all(groups.map((group) => namesIn(group, 'made')));
  for (const group of names) expect(group.length).toBeGreaterThan(0);
});
