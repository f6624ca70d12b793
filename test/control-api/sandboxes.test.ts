// @module-tag slow
import { Agent, request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Scenario, Simulator } from '../../src/entries/index.js';
import { createSimulator } from '../../src/entries/index.js';
import type { ListenOptions } from '../../src/entries/node.js';
import type { ServedAnswer } from '../../src/http/served-answer.js';
import { type Sandbox, Sandboxes } from '../../src/sandboxes/sandboxes.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { patience } from '../support/patience.js';
import { sendTimes } from '../support/plain-call.js';
import { rawRequest, statusOf } from '../support/raw-request.js';
import { everythingOf, openStage, outcome, type Stage, send } from './both-controls.js';

let stage: Stage;
const open = async (options: ListenOptions = {}, scenario: Scenario = {}) => {
  stage = await openStage(scenario, options);
  return stage;
};
const sandboxUrl = (name: string) => stage.server.baseUrl.replace('/v1', `/s/${name}/v1`);
const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };
const list = (name: string, init: RequestInit = {}) => fetch(`${sandboxUrl(name)}/pets?limit=1`, { headers, ...init });
const create = (name: string, pet: object) =>
  fetch(`${sandboxUrl(name)}/pets`, { method: 'POST', headers, body: JSON.stringify(pet) });
const remaining = (response: Response) => Number(response.headers.get('x-ratelimit-remaining'));
const breathe = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a sandbox', () => {
  beforeEach(() => open());

  test('is created on first use, from the scenario of the server, and is independent', async () => {
    const { sim, there } = stage;
    expect(await there.listSandboxes()).toEqual([]);
    const created = await create('mine', { name: 'Bello', categoryId: 1 });
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({ id: 41 });
    expect(remaining(await list('mine'))).toBe(58);
    expect(remaining(await list('other'))).toBe(59);
    expect(remaining(await fetch(`${stage.server.baseUrl}/pets`, { headers }))).toBe(59);
    expect(sim.pets.size).toBe(40);
    const origin = stage.server.baseUrl.replace('/v1', '');
    const [mine, other] = await there.listSandboxes();
    expect(mine).toEqual({
      name: 'mine',
      scenario: 'default',
      baseUrl: `${origin}/s/mine/v1`,
      controlUrl: `${origin}/__sim/sandboxes/mine`,
      apiKey: 'free-key',
      requests: 2,
    });
    expect(other).toMatchObject({ name: 'other', requests: 1 });
  });

  test('is created with another scenario, by name or by content, and has its URL in links', async () => {
    const { there } = stage;
    const made = await there.createSandbox({ name: 'tiny', scenario: 'tiny' });
    const named = await there.createSandbox({ name: 'named', scenario: { client: { key: 'pro-key' } } });
    expect([made.apiKey, named.apiKey]).toEqual(['free-key', 'pro-key']);
    expect([made.scenario, named.scenario]).toEqual(['tiny', 'unnamed']);
    const { keys } = await there.sandbox('named').listKeys();
    expect(keys.map(({ key }) => key)).toEqual(Object.keys(stage.sim.scenario.keys ?? {}));
    expect(await (await fetch(`${made.baseUrl}/pets`, { headers })).json()).toHaveLength(2);
    const scenario = { name: 'paged', assumptions: { paging: 'cursor' as const } };
    const paged = await there.createSandbox({ name: 'paged', scenario });
    const page = await fetch(`${paged.baseUrl}/pets?limit=2`, { headers });
    expect(page.headers.get('link')).toBe(`<${paged.baseUrl}/pets?limit=2&cursor=after-2>; rel="next"`);
    expect(await there.getSandbox({ sandbox: 'paged' })).toMatchObject({ scenario: 'paged', requests: 1 });
    expect(await outcome(() => there.createSandbox({ name: 'paged' }))).toMatchObject({
      status: 409,
      code: 'conflict',
    });
    expect(await outcome(() => there.createSandbox({ name: 'x', scenario: 'tinny' }))).toMatchObject({
      status: 404,
      message: 'scenario: expected a scenario, got "tinny"; did you mean tiny?',
    });
    const bad = { name: 'x', scenario: { limits: 'on' } };
    expect(await outcome(() => there.createSandbox(bad as never))).toMatchObject({ status: 400 });
    expect(await there.listSandboxes()).toHaveLength(3);
  });

  test('has separate clock, faults, journal, keys, snapshots and ids, with the same control operations', async () => {
    const { sim, there } = stage;
    await there.createSandbox({ name: 'a' });
    await there.createSandbox({ name: 'b' });
    const [a, b] = [there.sandbox('a'), there.sandbox('b')];
    const before = [everythingOf(sim), await b.exportState()];
    await a.changeClock({ advance: '1h' });
    await a.addFault({ name: 'down', then: { respond: { status: 503 } } });
    await a.banKey({ key: 'pro-key', for: '1h' });
    await a.addKey({ key: 'only-in-a' });
    await a.saveSnapshot({ name: 'late' });
    expect((await list('a')).status).toBe(503);
    expect([everythingOf(sim), await b.exportState()]).toEqual(before);
    expect((await a.countRequests()).count).toBe(1);
    expect((await b.countRequests()).count).toBe(0);
    expect((await b.getClock()).now).toBe('2026-01-01T12:00:00.000Z');
    expect((await list('b')).headers.get('date')).toBe('Thu, 01 Jan 2026 12:00:00 GMT');
    expect(await b.listSnapshots()).toEqual([]);
    expect(await outcome(() => b.getKey({ key: 'only-in-a' }))).toMatchObject({ status: 404 });
    expect((await a.getVerdict()).counts.requests).toBe(1);
    await a.reset();
    expect((await list('a')).status).toBe(200);
  });

  test('is created with the current scenario of the server', async () => {
    const { there } = stage;
    await there.loadScenario({ scenario: 'tiny', reseed: true });
    expect(await (await fetch(`${sandboxUrl('late')}/pets`, { headers })).json()).toHaveLength(2);
    expect(await there.sandbox('late').getHealth()).toEqual({ status: 'ok', scenario: 'tiny' });
  });

  test('is removed with its pending requests, and recreated by the next request', async () => {
    const { there } = stage;
    const box = there.sandbox('box');
    await create('box', { name: 'Old', categoryId: 1 });
    await box.addFault({ when: { operation: 'listPets' }, then: { delay: '1h' } });
    const waiting = outcomeOf(list('box'));
    const polling = outcome(() => box.waitForRequests({ count: 9, timeout: '30s' }));
    await vi.waitUntil(() => stage.server.sandboxes.find('box')?.sim.journal.pending === 1, patience);
    await breathe(30);
    expect(await there.removeSandbox({ sandbox: 'box' })).toEqual({ removed: 'box' });
    expect(await waiting).toBe('TypeError');
    expect(await polling).toEqual({ result: { met: false, count: 1 } });
    expect(await outcome(() => box.getClock())).toMatchObject({ status: 404 });
    expect(await outcome(() => there.removeSandbox({ sandbox: 'box' }))).toMatchObject({ status: 404 });
    expect(await (await create('box', { name: 'New', categoryId: 1 })).json()).toMatchObject({ id: 41 });
  });

  const outcomeOf = (response: Promise<Response>) =>
    response.then(
      ({ status }) => status,
      (error: Error) => error.name,
    );

  test('applies wire faults like the server: a reset connection is reset', async () => {
    const { there } = stage;
    await there.createSandbox({ name: 'cut', scenario: { faults: [{ then: { reset: true } }] } });
    expect(await outcomeOf(list('cut'))).toBe('TypeError');
    expect((await there.sandbox('cut').queryJournal()).entries[0]).toMatchObject({
      fault: 'fault-1',
      unreadable: true,
    });
  });
});

describe('the name of a sandbox', () => {
  beforeEach(() => open());

  test.each(['a', 'A.b_c-9', '...', '-', 'x'.repeat(64), 'constructor', '__proto__', 'toString', 'sandboxes'])(
    'may be %s',
    async (name) => {
      expect((await list(name)).status).toBe(200);
      expect(await stage.there.getSandbox({ sandbox: name })).toMatchObject({ name });
      expect((await stage.there.sandbox(name).countRequests()).count).toBe(1);
    },
  );

  test.each(['', '.', '..', 'x'.repeat(65), 'a%20b', '%zz', 'ü', 'a:b', 'a,b', "a'b", '<b>', '%2e%2e'])(
    'may not be %j',
    async (name) => {
      const target = `/s/${name}/v1/pets`;
      const answer = await rawRequest(stage.server.port, `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      expect(statusOf(answer)).toBe(400);
      if (!answer.includes('\r\n\r\n{')) return;
      expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ code: 'invalid_request' });
      expect(stage.server.sandboxes.list()).toEqual([]);
    },
  );

  test.each(['/s', '/s/', '/s/a', '/s/a/', '/s/a/v2/pets', '/s/a/v1x', '/s/a/__sim/reset', '/s/a/s/b/v1/pets'])(
    'alone, or before a path outside the API, is rejected: %s',
    async (path) => {
      const url = stage.server.baseUrl.replace('/v1', path);
      const response = await fetch(url);
      expect(response.status).toBe(path === '/s/' ? 400 : 404);
      const body = await response.json();
      expect(Object.keys(body)).toEqual(['code', 'message', 'status']);
      if (path.startsWith('/s/a')) expect(body.message).toContain('the API is under /s/a/v1.');
      expect(stage.server.sandboxes.list()).toEqual([]);
      expect((await list('a')).status).toBe(200);
      expect(await (await fetch(url)).json()).toEqual(body);
      expect(stage.server.sandboxes.find('a')?.sim.pets.size).toBe(40);
    },
  );
});

describe('pages of other sites', () => {
  beforeEach(() => open());
  const get = (path: string, lines: string[]) =>
    rawRequest(
      stage.server.port,
      `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\nAuthorization: Bearer free-key\r\n\r\n`,
    );

  test.each([
    ['a foreign Host', ['Host: evil.test']],
    ['a foreign Origin', ['Host: localhost', 'Origin: http://evil.test']],
    ['the null Origin', ['Host: localhost', 'Origin: null']],
    ['an image', ['Host: localhost', 'Sec-Fetch-Site: cross-site']],
    ['an image of the same site', ['Host: localhost', 'Sec-Fetch-Site: same-site']],
  ])('make no sandbox with %s, so that none can use them up', async (_what, lines) => {
    expect(statusOf(await get('/s/a/v1/pets', lines))).toBe(403);
    expect(stage.server.sandboxes.list()).toEqual([]);
  });

  test('of this machine are accepted, with CORS and preflights as for the API', async () => {
    const origin = 'http://localhost:5173';
    const preflight = await fetch(`${sandboxUrl('page')}/pets`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    const response = await list('page', { headers: { ...headers, origin, 'sec-fetch-site': 'cross-site' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining');
    const foreign = await list('page', { headers: { ...headers, origin: 'http://evil.test' } });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('many sandboxes', () => {
  test('end at the limit with a clear 503, until one is removed', async () => {
    const { there } = await open({ sandboxes: { limit: 3 } });
    for (const name of ['a', 'b', 'c']) expect((await list(name)).status).toBe(200);
    const refused = await list('d', { headers: { ...headers, origin: 'http://localhost:5173' } });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(await refused.json()).toEqual({
      status: 503,
      code: 'service_unavailable',
      message:
        'The server has 3 sandboxes, which is the limit; remove one with DELETE /__sim/sandboxes/NAME, or wait until one has been unused for 600 s.',
    });
    expect(await outcome(() => there.createSandbox({ name: 'd' }))).toMatchObject({ status: 503 });
    expect((await list('a')).status).toBe(200);
    await there.removeSandbox({ sandbox: 'b' });
    expect((await list('d')).status).toBe(200);
  });

  test("are not dropped because the machine's time was set", async () => {
    const { there } = await open({ sandboxes: { idleMs: 60_000 } });
    await list('kept');
    const year = 365 * 24 * 60 * 60 * 1000;
    const now = Date.now();
    for (const setTo of [now + year, now - year]) {
      vi.spyOn(Date, 'now').mockReturnValue(setTo);
      expect((await there.listSandboxes()).map(({ name }) => name)).toEqual(['kept']);
    }
    vi.restoreAllMocks();
  });

  test('are used during a pending request or an open stream, and idle afterwards', async () => {
    await open();
    let nowMs = 0;
    const sandboxes = new Sandboxes(stage.sim, () => nowMs, { idleMs: 100 });
    const names = () => sandboxes.list().map(({ name }) => name);
    const [delayed, watched] = [sandboxes.create('delayed'), sandboxes.create('watched')];
    sandboxes.create('idle');
    delayed.sim.faults.add({ then: { delay: '1h' } });
    const waiting = send(delayed.sim);
    const stop = watched.sim.journal.listen(() => {});
    nowMs = 150;
    expect(names()).toEqual(['delayed', 'watched']);
    // The use of any counts those as used that are in use.
    sandboxes.use('none');
    nowMs = 249;
    delayed.sim.clock.advance('1h');
    expect((await waiting).status).toBe(200);
    stop();
    expect(names()).toEqual(['delayed', 'watched']);
    nowMs = 250;
    expect(names()).toEqual([]);
  });

  test('release their memory after removal, even if a reference remains', async () => {
    await open({}, { limits: 'off' });
    const sandboxes = new Sandboxes(stage.sim, () => 0);
    const body = new Uint8Array(60_000);
    /** 18 of the 64 MB that all journals share. */
    const fill = (sim: Simulator) => sendTimes(sim, 300, { path: '/nothing', body });
    const dropped = (of: Sandbox[]) => of.map(({ sim }) => sim.journal.dropped);
    const make = (...names: string[]) => names.map((name) => sandboxes.create(name));
    const removed = make('a', 'b', 'c');
    for (const { name, sim } of removed) {
      fill(sim);
      sandboxes.remove(name);
    }
    const kept = make('d', 'e', 'f');
    for (const { sim } of kept) fill(sim);
    expect([...dropped(removed), ...dropped(kept)]).toEqual([0, 0, 0, 0, 0, 0]);
    fill(stage.sim);
    expect(dropped(removed)).toEqual([0, 0, 0]);
    expect(Math.max(stage.sim.journal.dropped, ...dropped(kept))).toBeGreaterThan(0);
  });

  test('that were dropped are remembered by name, 10,000 at most', async () => {
    await open();
    let nowMs = 0;
    const sandboxes = new Sandboxes(stage.sim, () => nowMs, { idleMs: 100 });
    const dropped = Array.from({ length: 10_000 }, (_, n) => `dropped-${n}`);
    sandboxes.restore({ ...sandboxes.state(), dropped });
    sandboxes.create('latest');
    nowMs = 100;
    sandboxes.create('next');
    expect(sandboxes.state().dropped).toEqual([...dropped.slice(1), 'latest']);
  });

  test('with an idle time of 0 exist only while they are used', async () => {
    await open();
    const sandboxes = new Sandboxes(stage.sim, () => 0, { idleMs: 0 });
    const stop = sandboxes.create('watched').sim.journal.listen(() => {});
    expect(sandboxes.list()).toHaveLength(1);
    stop();
    expect(sandboxes.list()).toHaveLength(0);
  });

  describe('over HTTP', () => {
    // The monotonic time alone, which decides what is idle.
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['performance'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });
    const elevenMinutesLater = () => vi.advanceTimersByTime(660_000);

    test('are dropped after their idle time, independent of their clocks', async () => {
      const { there } = await open({ sandboxes: { limit: 2 } });
      await list('used');
      await list('idle');
      await there.sandbox('idle').changeClock({ advance: '1d' });
      for (let n = 0; n < 4; n++) {
        vi.advanceTimersByTime(200_000);
        await list('used');
      }
      expect((await there.listSandboxes()).map(({ name }) => name)).toEqual(['used']);
      expect((await list('third')).status).toBe(200);
    });

    test('outlive their idle time with an open event stream and with a delayed request', async () => {
      const { there } = await open();
      for (const name of ['streamed', 'delayed', 'idle']) await there.createSandbox({ name });
      await there.sandbox('delayed').addFault({ then: { delay: '1h' } });
      const events = there.sandbox('streamed').watchRequests();
      const first = events.next();
      const delayed = create('delayed', { name: 'Bello', categoryId: 1 });
      await vi.waitFor(() => expect(stage.server.sandboxes.find('delayed')?.sim.journal.pending).toBe(1), patience);
      await vi.waitFor(
        () => expect(coreOf(stage.server.sandboxes.find('streamed')?.sim as Simulator).state.journal.listeners).toBe(1),
        patience,
      );
      elevenMinutesLater();
      expect((await there.listSandboxes()).map(({ name }) => name).sort()).toEqual(['delayed', 'streamed']);
      await there.sandbox('delayed').changeClock({ advance: '1h' });
      expect((await delayed).status).toBe(201);
      await list('streamed');
      expect((await first).value).toMatchObject({ id: 1 });
      await events.return?.();
    });

    test('that were dropped and recreated report it once: in a header, the journal, the list and the log', async () => {
      const lines: ServedAnswer[] = [];
      const { there } = await open({ onAnswer: (_request, answer) => void lines.push(answer) });
      const before = await create('back', { name: 'Lost', categoryId: 1 });
      expect(before.headers.get('x-sim-sandbox')).toBeNull();
      elevenMinutesLater();
      expect(await there.listSandboxes()).toEqual([]);
      lines.length = 0;
      const again = await list('back');
      expect(again.status).toBe(200);
      expect(again.headers.get('x-sim-sandbox')).toBe('recreated');
      expect((await list('back')).headers.get('x-sim-sandbox')).toBeNull();
      const { entries } = await there.sandbox('back').queryJournal();
      expect(entries.map((entry) => entry.headers['X-Sim-Sandbox'])).toEqual(['recreated', undefined]);
      expect(await there.getSandbox({ sandbox: 'back' })).toMatchObject({ recreated: true, requests: 2 });
      expect(lines.find(({ by }) => by === 'api')?.headers).toMatchObject({ 'X-Sim-Sandbox': 'recreated' });
    });

    test('that were dropped before a restart are recreated after it', () => {
      let nowMs = 0;
      const sim = createSimulator();
      const before = new Sandboxes(sim, () => nowMs, { idleMs: 1_000 });
      before.create('back');
      nowMs = 1_000;
      before.use('other');
      const after = new Sandboxes(sim, () => nowMs);
      after.restore(before.state());
      const recreated = ['back', 'new'].map((name) => after.createForRequest(name).isRecreated);
      expect(recreated).toEqual([true, false]);
    });

    test('that control creates after they were dropped are new, not recreated', async () => {
      const { there } = await open();
      await list('again');
      elevenMinutesLater();
      expect(await there.createSandbox({ name: 'again' })).not.toHaveProperty('recreated');
      expect((await list('again')).headers.get('x-sim-sandbox')).toBeNull();
      await there.removeSandbox({ sandbox: 'again' });
      expect((await list('again')).headers.get('x-sim-sandbox')).toBeNull();
    });
  });

  test('need little memory: a thousand of a large simulator share its pets until they change', async () => {
    await open();
    const { sim } = stage;
    sim.load(
      { pets: Array.from({ length: 20_000 }, (_, n) => ({ id: n + 1, name: `Pet ${n}`, categoryId: 1 })) },
      { reseed: true },
    );
    const sandboxes = new Sandboxes(sim, () => 0);
    const startBytes = process.memoryUsage().heapUsed;
    for (let n = 0; n < 1_000; n++) sandboxes.create(`s${n}`);
    expect(process.memoryUsage().heapUsed - startBytes).toBeLessThan(100_000_000);
    const [first, second] = sandboxes.list() as [Sandbox, Sandbox];
    first.sim.pets.remove(1);
    expect([first.sim.pets.size, second.sim.pets.size, sim.pets.size]).toEqual([19_999, 20_000, 20_000]);
    expect(() => sandboxes.create('one more')).toThrow('1000 sandboxes');
  });

  test('are isolated under load: fifty with fifty workers count exactly', async () => {
    const { there } = await open({}, { keys: { 'free-key': { plan: 'free' } } });
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const call = (name: string, method: string, body?: string) =>
      new Promise<{ status: number; body: string }>((resolve, reject) => {
        const request = httpRequest(`${sandboxUrl(name)}/pets?limit=100`, { method, headers, agent }, (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        });
        request.on('error', reject).end(body);
      });
    const worker = async (number: number) => {
      const name = `worker-${number}`;
      const statuses: Record<number, number> = {};
      const ids: number[] = [];
      for (let n = 0; n < 70; n++) {
        const pet = `{"name":"${name}","categoryId":${number}}`;
        const answer = await (n % 2 === 0 ? call(name, 'POST', pet) : call(name, 'GET'));
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        if (answer.status === 201) ids.push(JSON.parse(answer.body).id);
        if (answer.status === 200) {
          const own = JSON.parse(answer.body).slice(40);
          expect(own.map((pet: { name: string }) => pet.name)).toEqual(ids.map(() => name));
        }
      }
      return { statuses, ids };
    };
    const results = await Promise.all(Array.from({ length: 50 }, (_, number) => worker(number)));
    agent.destroy();
    const ids = Array.from({ length: 30 }, (_, n) => 41 + n);
    for (const result of results) expect(result).toEqual({ statuses: { 200: 30, 201: 30, 429: 10 }, ids });
    const sandboxes = await there.listSandboxes();
    expect(sandboxes).toHaveLength(50);
    for (const sandbox of sandboxes) expect(sandbox.requests).toBe(70);
    expect(stage.sim.pets.size).toBe(40);
    expect(stage.sim.journal.size).toBe(0);
  });

  test('that are created, used and removed concurrently respond consistently', async () => {
    const { there } = await open();
    const statuses = new Set<number>();
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const name = `s${n % 4}`;
        if (n % 5 === 0) await outcome(() => there.removeSandbox({ sandbox: name }));
        const response = await create(name, { name: 'x', categoryId: 1 });
        statuses.add(response.status);
        expect((await response.json()).id).toBeGreaterThan(40);
      }),
    );
    expect([...statuses]).toEqual([201]);
  });
});

describe('a fork of a simulator', () => {
  beforeEach(() => open());

  test('has the initial state of its scenario, and shares no changes', async () => {
    const sim = createSimulator({
      scenario: { keys: { 'free-key': { usage: { minute: 10 } } }, clock: { mode: 'frozen' } },
    });
    await send(sim, { body: '{"name":"Bello","categoryId":1}' });
    sim.keys.ban('pro-key', '1h');
    sim.faults.add({ then: { reset: true } });
    const before = everythingOf(sim);
    const fork = sim.fork();
    expect(fork.pets.size).toBe(40);
    expect(fork.faults.list()).toEqual([]);
    expect(fork.keys.get('pro-key').state).toBe('active');
    expect(fork.keys.get('free-key').minute.remaining).toBe(50);
    expect(fork.journal.size).toBe(0);
    fork.pets.update(1, { name: 'Max' });
    fork.pets.remove(2);
    fork.clock.advance('1d');
    fork.keys.add('new');
    await send(fork);
    expect(everythingOf(sim)).toEqual(before);
    fork.reset();
    expect(fork.pets.get(1)?.name).toBe('Rex');
  });

  test('may have another scenario, and has the same named scenarios', () => {
    const sim = createSimulator({ scenarios: { tiny: { pets: [] } } });
    const fork = sim.fork({ scenario: { name: 'other' } });
    expect(fork.name).toBe('other');
    expect([...fork.scenarios.keys()]).toEqual(['default', 'tiny']);
    expect(() => sim.fork({ scenario: { limits: 'on' } as never })).toThrow('limits');
  });

  test('of a simulator with a loaded scenario and older pets has the pets of the scenario', () => {
    const sim = createSimulator();
    sim.load({ pets: [] });
    expect(sim.pets.size).toBe(40);
    expect(sim.fork().pets.size).toBe(0);
  });
});
