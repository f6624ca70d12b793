import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { randomNumbers } from '../control-api/random-calls.js';
import { startServer } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';
import { patience } from '../support/patience.js';
import { seed, tries } from '../support/prove.js';

const scenario = `
name: killed
plans: { big: { minute: 1000000, day: 10000000 } }
windows: { minute: 1d, day: 10d }
keys:
  writer: { plan: big }
  reader: { plan: big }
  waiter: { plan: big }
  banned: { plan: free }
faults:
  - { name: every-third, when: { operation: listPets, every: 3 }, then: { respond: { status: 500 } } }
  - { name: slow, when: { operation: getPet }, then: { delay: 100h } }
`;

/** Knowledge of the clients: for each pet name, whether its request was answered. */
interface Known {
  sent: Set<string>;
  answered: Set<string>;
  lists: { sent: number; answered: number };
  delayed: number;
}

const newKnown = (): Known => ({ sent: new Set(), answered: new Set(), lists: { sent: 0, answered: 0 }, delayed: 0 });

async function call(url: string, key: string, body?: string): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  try {
    const response = await fetch(url, { headers, ...(body !== undefined && { method: 'POST', body }) });
    await response.text();
    return response.status;
  } catch {
    // The server was killed first.
    return undefined;
  }
}

/** Clients that write and read until the server is gone. */
function load(baseUrl: string, prefix: string, known: Known): Promise<unknown> {
  const writer = async (worker: number) => {
    for (let n = 0; ; n++) {
      const name = `${prefix}-${worker}-${n}`;
      known.sent.add(name);
      const status = await call(`${baseUrl}/pets`, 'writer', JSON.stringify({ name, categoryId: 1 }));
      if (status === undefined) return;
      expect(status).toBe(201);
      known.answered.add(name);
    }
  };
  const reader = async () => {
    for (;;) {
      known.lists.sent++;
      if ((await call(`${baseUrl}/pets?limit=1`, 'reader')) === undefined) return;
      known.lists.answered++;
    }
  };
  return Promise.all([writer(1), writer(2), writer(3), reader(), reader()]);
}

/** Checks that a restarted server has all acknowledged pets, and no other pets than the requested ones. */
async function expectKept(control: ReturnType<typeof createControl>, known: Known, what: string): Promise<void> {
  const { pets } = await (control as never as { exportState(): Promise<{ pets: { name: string }[] }> }).exportState();
  const names = pets.map(({ name }) => name).filter((name) => name.startsWith('round'));
  expect(new Set(names).size, `${what}: stored twice`).toBe(names.length);
  const stored = new Set(names);
  expect(
    [...known.answered].filter((name) => !stored.has(name)),
    `${what}: answered and lost`,
  ).toEqual([]);
  expect(
    names.filter((name) => !known.sent.has(name)),
    `${what}: never sent`,
  ).toEqual([]);
}

test('a server that is killed under load loses no answered write, applies none twice, and always starts again', {
  timeout: 1_800_000,
}, async () => {
  const rounds = tries(3, 100);
  const random = randomNumbers(seed);
  const folder = newFolder();
  const file = join(folder, 'killed.yaml');
  writeFileSync(file, scenario);
  const args = ['--scenario', file, '--data', join(folder, 'data')];
  const [own, inBox] = [newKnown(), newKnown()];
  let bannedUntil: string | undefined;

  for (let round = 1; round <= rounds; round++) {
    const server = await startServer(args);
    const url = server.baseUrl;
    const boxUrl = url.replace('/v1', '/s/box/v1');
    const control = createControl(url.replace('/v1', '/__sim'));
    const what = `round ${round} of seed ${seed}`;
    expect(server.errors(), what).not.toMatch(/answered differently|set aside/);

    if (round > 1) {
      await expectKept(control, own, what);
      const sandboxes = await control.listSandboxes();
      // It exists from its first request on, which the server may not have received.
      const isMade = sandboxes.some(({ name }) => name === 'box');
      if (isMade) await expectKept(control.sandbox('box') as never, inBox, `${what}, sandbox`);
      else expect(inBox.answered.size, what).toBe(0);
      const writer = await control.getKey({ key: 'writer' });
      const used = writer.minute.limit - writer.minute.remaining;
      expect(used, what).toBeGreaterThanOrEqual(own.answered.size);
      expect(used, what).toBeLessThanOrEqual(own.sent.size);
      const [third, slow] = await control.listFaults();
      expect(third?.seen, what).toBeGreaterThanOrEqual(own.lists.answered);
      expect(third?.seen, what).toBeLessThanOrEqual(own.lists.sent);
      expect(third?.applied, what).toBe(Math.floor((third?.seen ?? 0) / 3));
      expect(slow?.applied, what).toBe(own.delayed);
      expect(await control.getKey({ key: 'banned' }), what).toMatchObject({ state: 'banned', bannedUntil });
      const beforeMs = Date.now();
      const clockMs = Date.parse((await control.getClock()).now) - (round - 1) * 60_000;
      expect(clockMs, what).toBeGreaterThan(beforeMs - 5_000);
      expect(clockMs, what).toBeLessThan(Date.now() + 5_000);
    } else {
      ({ bannedUntil } = await control.banKey({ key: 'banned', for: '3000d' }));
    }

    await control.changeClock({ advance: '1m' });
    own.delayed++;
    const delayed = call(`${url}/pets/1`, 'waiter');
    await vi.waitUntil(async () => (await control.listFaults())[1]?.applied === own.delayed, patience);
    const answeredBefore = own.answered.size;
    const loads = [load(url, `round${round}`, own), load(boxUrl, `round${round}`, inBox)];
    await vi.waitUntil(() => own.answered.size > answeredBefore, patience);
    await new Promise((resolve) => setTimeout(resolve, 20 + random() * 400));
    server.child.kill('SIGKILL');
    await once(server.child, 'close');
    await Promise.all([...loads, delayed]);
  }

  const last = await startServer(args);
  const control = createControl(last.baseUrl.replace('/v1', '/__sim'));
  await expectKept(control, own, 'at the end');
  expect(own.answered.size).toBeGreaterThanOrEqual(rounds);
  // Delayed requests of all rounds complete, although their clients have disconnected.
  expect((await control.countRequests({ operation: 'getPet' })).count).toBe(0);
  await control.changeClock({ advance: '300h' });
  expect((await control.countRequests({ operation: 'getPet' })).count).toBe(rounds);
  expect(await last.stop()).toBe(0);
});
