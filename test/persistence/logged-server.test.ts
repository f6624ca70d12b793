import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import type { Scenario } from '../../src/entries/index.js';
import { createSimulator } from '../../src/entries/index.js';
import { listen } from '../../src/entries/node.js';
import { generatePets } from '../../src/entries/seed.js';
import { judge } from '../../src/entries/verdict.js';
import { captureMachine } from '../../src/persistence/capture-machine.js';
import { captureSimulator } from '../../src/persistence/capture-simulator.js';
import type { Command, RequestCommand } from '../../src/persistence/command.js';
import { CommandQueues } from '../../src/persistence/command-queues.js';
import { readMachine } from '../../src/persistence/read-machine.js';
import { Sequencer } from '../../src/persistence/sequencer.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { controlOperations, sandboxOperations, servedPetstore } from '../../src/petstore/served-petstore.js';
import { headerOfPlainCall } from '../../src/requests/plain-call.js';
import type { SandboxesOptions } from '../../src/sandboxes/sandboxes.js';
import { jsonText } from '../../src/values/json.js';
import { everyRoute } from '../control-api/both-controls.js';
import { digestOf } from '../support/digest.js';
import { patience } from '../support/patience.js';
import { found, host, serveLogged } from './memory-log.js';

const { minute: perMinute } = documentedPlans.free;

type Server = Awaited<ReturnType<typeof serveLogged>>;
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const each of open.splice(0)) await each.close();
});
async function start(...args: Parameters<typeof serveLogged>): Promise<Server> {
  const server = await serveLogged(...args);
  open.push(server);
  return server;
}

const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };
const rex = '{"name":"Rex","categoryId":1}';
const create = (url: string, body = rex, key = 'free-key') =>
  fetch(`${url}/pets`, { method: 'POST', headers: { ...headers, authorization: `Bearer ${key}` }, body });
const list = (url: string, init: RequestInit = {}) => fetch(`${url}/pets?limit=1`, { headers, ...init });

/** State after a replay of the log in another process. */
async function replayed({ log }: Server, sandboxes?: SandboxesOptions) {
  const { machine, difference } = await readMachine(
    { snapshot: undefined, entries: found(log.entries) },
    { service: servedPetstore, generatePets, sandboxes },
  );
  return { machine, difference };
}

/** Checks that a replay of the log gives the server's state. */
async function expectSameState(server: Server, sandboxes?: SandboxesOptions): Promise<void> {
  await server.sequencer.close();
  const { machine, difference } = await replayed(server, sandboxes);
  expect(difference).toBeUndefined();
  expect([...captureMachine(machine as never)].map(jsonText)).toEqual(
    [...captureMachine(server.machine)].map(jsonText),
  );
}

describe('server behind a log', () => {
  test('responds like a server without a log, and its log replays to the same state', async () => {
    const scenario: Scenario = {
      faults: [{ when: { operation: 'getPet' }, then: { drip: { bytes: 20, every: '1ms' } } }],
    };
    const server = await start(scenario);
    const plain = await listen(createSimulator({ scenario }), { port: 0 });
    open.push(plain);
    for (const url of [server.baseUrl, plain.baseUrl]) {
      const made = await create(url);
      expect([made.status, await made.json()]).toEqual([
        201,
        { id: 41, name: 'Rex', categoryId: 1, status: 'available' },
      ]);
      const got = await fetch(`${url}/pets/41`, { headers });
      expect([got.status, await got.text(), got.headers.get('x-ratelimit-remaining')]).toEqual([
        200,
        '{"id":41,"name":"Rex","categoryId":1,"status":"available"}',
        String(perMinute - 2),
      ]);
    }
    const box = server.baseUrl.replace('/v1', '/s/box/v1');
    expect((await create(box)).status).toBe(201);
    const control = createControl(server.controlUrl);
    await control.sandbox('box').changeClock({ advance: '61s' });
    expect((await control.listSandboxes())[0]).toMatchObject({ name: 'box', requests: 1 });
    await expectSameState(server);
  });

  test('accepts exactly the limit of parallel requests, with a unique id for each pet', async () => {
    const server = await start();
    const answers = await Promise.all(Array.from({ length: perMinute + 40 }, () => create(server.baseUrl)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(perMinute);
    const ids = await Promise.all(
      answers
        .filter(({ status }) => status === 201)
        .map(async (answer) => ((await answer.json()) as { id: number }).id),
    );
    expect(new Set(ids).size).toBe(perMinute);
    await expectSameState(server);
  });

  test('reads include the changes of all earlier requests, and are not logged', async () => {
    const server = await start();
    const control = createControl(server.controlUrl);
    for (let n = 1; n <= 20; n++) {
      await create(server.baseUrl, rex, 'business-key');
      expect((await control.countRequests()).count).toBe(n);
    }
    await server.sequencer.close();
    const { position } = server.log;
    await control.queryJournal();
    await control.exportState();
    await server.sequencer.close();
    expect(server.log.position).toBe(position);
  });

  test('reads with POST include the changes of all earlier requests, and are not logged', async () => {
    const server = await start();
    const control = createControl(server.controlUrl);
    await control.addFault({ name: 'down', then: { respond: { status: 503 } } });
    const { length } = server.log.entries;
    const wrong = { then: { respond: { status: 99 } } };
    expect(await control.checkFault({ fault: wrong as never })).toEqual({
      issues: [
        {
          path: 'then.respond.status',
          steps: ['then', 'respond', 'status'],
          message: 'expected a status from 200 to 599, got 99',
        },
      ],
    });
    expect(server.log.entries).toHaveLength(length);
    await control.replaceFault({ name: 'down', fault: { when: { nth: 2 }, then: { hang: true } } });
    expect(server.log.entries).toHaveLength(length + 1);
    expect(await control.listFaults()).toMatchObject([{ name: 'down', next: 'after 1 more request' }]);
    await expectSameState(server);
  });

  test('completes a delayed request by a tick if no request arrives', async () => {
    const server = await start({ faults: [{ then: { delay: '30ms' } }] });
    expect((await list(server.baseUrl)).status).toBe(200);
    expect(server.log.entries.flatMap(({ commands }) => commands)).toContainEqual({ kind: 'tick' });
    await expectSameState(server);
  });

  test('logs the disconnect of a delayed client, and stores nothing for it', async () => {
    const server = await start({ faults: [{ when: { operation: 'createPet' }, then: { delay: '1h' } }] });
    const leave = new AbortController();
    const left = fetch(`${server.baseUrl}/pets`, { method: 'POST', headers, body: rex, signal: leave.signal });
    await vi.waitUntil(() => server.machine.sim.journal.pending === 1, patience);
    leave.abort();
    await expect(left).rejects.toThrow();
    await vi.waitUntil(() => server.machine.sim.journal.pending === 0, patience);
    expect(server.machine.sim.journal.query()[0]?.status).toBe(0);
    expect(server.machine.sim.pets.size).toBe(40);
    await expectSameState(server);
  });

  test('responds 503 and changes nothing if the log cannot be written, and continues afterwards', async () => {
    const server = await start();
    await create(server.baseUrl);
    const before = digestOf(captureMachine(server.machine));
    const told = vi.spyOn(host, 'onError').mockImplementation(() => {});
    onTestFinished(() => told.mockRestore());
    server.log.refuses = true;
    const refused = await create(server.baseUrl);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ code: 'service_unavailable', status: 503 });
    const change = await fetch(`${server.controlUrl}/reset`, { method: 'POST', headers });
    expect([change.status, change.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await change.json()).toMatchObject({ code: 'service_unavailable', message: 'the disk is full' });
    await expect(createControl(server.controlUrl).reset()).rejects.toMatchObject({ status: 503, retryAfterSeconds: 1 });
    const newSandbox = await create(server.baseUrl.replace('/v1', '/s/new/v1'));
    expect([newSandbox.status, newSandbox.headers.get('retry-after')]).toEqual([503, '1']);
    expect(digestOf(captureMachine(server.machine))).toBe(before);
    expect((await fetch(`${server.controlUrl}/health`)).status).toBe(200);
    // Each time that it begins, and not for each request.
    expect(told.mock.calls).toEqual([[expect.objectContaining({ message: 'the disk is full' })]]);
    server.log.refuses = false;
    expect(await (await create(server.baseUrl)).json()).toMatchObject({ id: 42 });
    server.log.refuses = true;
    await create(server.baseUrl);
    expect(told).toHaveBeenCalledTimes(2);
  });

  test("does not log an invalid input, and logs a scenario's content instead of its name", async () => {
    const server = await start({}, { scenarios: { tiny: { name: 'tiny', pets: [] } } });
    const control = createControl(server.controlUrl);
    const { position } = server.log;
    await expect(control.banKey({ key: 'free-key', for: 'soon' })).rejects.toMatchObject({ status: 400 });
    await expect(control.loadScenario({ scenario: 'huge' })).rejects.toMatchObject({ status: 404 });
    expect(server.log.position).toBe(position);
    await control.loadScenario({ scenario: 'tiny', reseed: true });
    expect(server.log.entries.at(-1)?.commands).toMatchObject([
      { kind: 'control', operation: 'loadScenario', input: { scenario: { name: 'tiny' } } },
    ]);
    await expectSameState(server);
  });

  test('refuses an unknown operation with the message of a server without a log, and logs nothing', async () => {
    const server = await start();
    const logged = createControl(server.controlUrl);
    const plain = createControl(createSimulator());
    const rule = { when: { operation: 'listPet' }, then: { delay: 5 } } as const;
    const { when, then } = rule;
    const scenario = { faults: [rule] } as Scenario;
    const state = plain.exportState();
    const exported = { rule: { name: 'slow', when, then }, seen: 0, applied: 0, failed: [] };
    const wrong = {
      addFault: rule,
      replaceFault: { name: 'slow', fault: rule },
      loadScenario: { scenario },
      importState: { ...state, faults: { ...state.faults, rules: [exported] } },
    };
    for (const control of [logged, plain])
      await control.addFault({ name: 'slow', when: { operation: 'listPets' }, then: { delay: 5 } });
    const { position } = server.log;
    for (const [operation, input] of Object.entries(wrong)) {
      const refusals = [logged, plain].map((control) =>
        Promise.resolve()
          .then(() => control[operation as 'addFault'](input as never))
          .catch(({ status, message }) => ({ status, message })),
      );
      const [ofLogged, ofPlain] = await Promise.all(refusals);
      expect(ofLogged, operation).toEqual(ofPlain);
      expect(ofLogged).toMatchObject({ status: 400, message: expect.stringContaining('when.operation: expected') });
    }
    expect(server.log.position).toBe(position);
  });

  test('judges by the time of the flush, even if the log is slow', async () => {
    const server = await start({ keys: { 'free-key': { usage: { minute: 'all' } } } }, { holdRefusals: true });
    const refused = list(server.baseUrl);
    await vi.waitUntil(() => server.machine.sim.journal.pending === 1, patience);
    // The response is delayed, so no incomplete entry is visible.
    expect(server.machine.sim.journal.size).toBe(0);
    expect((await refused).status).toBe(429);
    await server.sequencer.close();
    const [entry] = server.machine.sim.journal.query();
    expect(entry?.heldMs).toBeGreaterThanOrEqual(19);
    expect(entry?.answeredAtMs).toBeGreaterThan((entry?.arrivedAtMs ?? 0) + 10);
    expect(judge(server.machine.sim).counts).toMatchObject({ requests: 1, refused: 1 });
    await expectSameState(server);
  });

  test('counts requests that arrived together with an answered one as arrived', async () => {
    const server = await start();
    let write = () => {};
    server.log.delay = new Promise<void>((resolve) => {
      write = resolve;
    });
    const answers = Array.from({ length: 3 }, () => list(server.baseUrl));
    await vi.waitUntil(() => server.sequencer.lastArrivedId(undefined) === 3, patience);
    write();
    await Promise.all(answers);
    await server.sequencer.close();
    expect(server.machine.sim.journal.query().map(({ lastArrivedId }) => lastArrivedId)).toEqual([3, 3, 3]);
    await expectSameState(server);
  });
});

describe('the sequencer', () => {
  const request = (sandbox: string | undefined, body: Uint8Array | undefined): RequestCommand => ({
    kind: 'request',
    sandbox,
    call: {
      method: body ? 'POST' : 'GET',
      path: '/pets',
      query: '',
      baseUrl: 'http://x/v1',
      headers: {},
      header: headerOfPlainCall,
      body,
    },
  });

  test('writes the commands of one turn as one entry, in rotation over the sandboxes', async () => {
    const { sequencer, log, machine } = await start();
    for (const sandbox of ['a', 'a', 'a', 'b', 'c', 'c']) sequencer.submit(request(sandbox, undefined));
    await sequencer.settled();
    const commands = log.entries.at(-1)?.commands as RequestCommand[];
    expect(commands.map(({ sandbox }) => sandbox)).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
    expect(machine.sandboxes.list()).toHaveLength(3);
  });

  test('collects the commands of two turns in one entry, only after an entry with several', async () => {
    const { sequencer, log } = await start();
    const sizesAfter = async (...turns: number[]) => {
      const before = log.position;
      for (const count of turns) {
        for (let n = 0; n < count; n++) sequencer.submit(request(undefined, undefined));
        await new Promise(setImmediate);
      }
      await sequencer.settled();
      return log.entries.slice(before).map(({ commands }) => commands.length);
    };
    expect(await sizesAfter(2, 3)).toEqual([2, 3]);
    expect(await sizesAfter(1, 1)).toEqual([2]);
    expect(await sizesAfter(1, 1)).toEqual([1, 1]);
  });

  test('writes no entry longer than 1 MiB, except with a single command', async () => {
    const { sequencer, log } = await start();
    const before = log.position;
    const worst = new Uint8Array(64 * 1024);
    for (let n = 0; n < 40; n++) sequencer.submit(request(n % 2 ? 'a' : undefined, worst));
    await sequencer.settled();
    const lengths = log.entries.slice(before).map((entry) => jsonText(entry).length);
    expect(Math.max(...lengths)).toBeLessThan(1024 * 1024);
    expect(lengths.length).toBeGreaterThan(10);
  });

  test('counts all requests of one entry as arrived before their responses', async () => {
    const { sequencer, machine } = await start();
    for (let n = 0; n < 3; n++) sequencer.submit(request(undefined, undefined));
    await sequencer.settled();
    expect(machine.sim.journal.query().map(({ lastArrivedId }) => lastArrivedId)).toEqual([3, 3, 3]);
  });

  test('adds no command to deliveries that would make the entry longer than a MiB', () => {
    const large = (sandbox: string) => ({ command: request(sandbox, new Uint8Array(400 * 1024)), done: undefined });
    const queues = new CommandQueues();
    for (const sandbox of ['a', 'b']) queues.add(sandbox, large(sandbox));
    expect(queues.take([large('c')])).toEqual([]);
    expect(queues.take([])).toHaveLength(1);
    expect(queues.take([])).toHaveLength(1);
  });

  test('needs no memory for the sandboxes of earlier requests', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { machine, log } = await start();
    log.refuses = true;
    const sequencer = new Sequencer(machine, log, { ...host, onError: () => {} });
    const usedAfter = async (requests: number) => {
      for (let n = 1; n <= requests; n++) {
        sequencer.submit(request(`${requests} ${n}`.padStart(64, '.'), undefined));
        if (n % 1_000 === 0) await sequencer.settled();
      }
      for (let round = 0; round < 3; round++) collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await usedAfter(10_000);
    expect((await usedAfter(100_000)) - before).toBeLessThan(5 * 1024 * 1024);
    await sequencer.close();
  });

  test("writes a snapshot on the log's request, from which the rest replays to the same state", async () => {
    const server = await start();
    await create(server.baseUrl);
    server.log.snapshotIsDue = true;
    await create(server.baseUrl);
    await create(server.baseUrl);
    await server.sequencer.close();
    const [snapshot] = server.log.snapshots;
    // What follows: the last create, and when it was answered where that took a moment.
    expect(snapshot?.position).toBeGreaterThan(1);
    expect(snapshot?.position).toBeLessThan(server.log.entries.length);
    async function* pieces() {
      yield* snapshot?.pieces ?? [];
    }
    const { machine } = await readMachine(
      {
        snapshot: { position: snapshot?.position ?? 0, version: '1.0.0', pieces: pieces() },
        entries: found(server.log.entries.slice(snapshot?.position)),
      },
      { service: servedPetstore, generatePets },
    );
    expect(digestOf(captureMachine(machine as never))).toBe(digestOf(captureMachine(server.machine)));
  });
});

describe('sandbox behind a log that drops idle sandboxes', () => {
  test.each(['events', 'updates'])(
    'is used while its stream of %s is read, with at most one keep-alive per minute, and idle afterwards',
    async (stream) => {
      const sandboxes = { idleMs: 600_000 };
      const server = await start({}, { sandboxes });
      const box = server.baseUrl.replace('/v1', '/s/box/v1');
      for (const url of [box, box.replace('box', 'idle')]) expect((await list(url)).status).toBe(200);
      vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
      const leave = new AbortController();
      const path = `${server.controlUrl}/sandboxes/box/${stream}`;
      expect((await fetch(path, { signal: leave.signal })).status).toBe(200);
      const names = () => server.machine.sandboxes.list().map(({ name }) => name);
      const touches = () =>
        server.log.entries.flatMap(({ commands }) =>
          (commands as Command[]).filter((each) => each.kind === 'touch' && !each.make),
        );
      for (let minute = 1; minute <= 25; minute++) {
        vi.advanceTimersByTime(60_000);
        await server.sequencer.settled();
      }
      expect(names()).toEqual(['box']);
      expect(touches().length).toBeLessThanOrEqual(25);
      // The state machine drops sandboxes only by the log.
      expect((await list(box)).headers.get('x-sim-sandbox')).toBeNull();
      leave.abort();
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0), patience);
      vi.advanceTimersByTime(600_000);
      expect(names()).toEqual([]);
      vi.useRealTimers();
      await expectSameState(server, sandboxes);
    },
  );

  test('is used by reads too, even if sandboxes are dropped within a minute', async () => {
    const server = await start({}, { sandboxes: { idleMs: 30_000 } });
    const box = server.baseUrl.replace('/v1', '/s/box/v1');
    expect((await list(box)).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'] });
    for (let n = 0; n < 4; n++) {
      vi.advanceTimersByTime(20_000);
      expect((await fetch(`${server.controlUrl}/sandboxes/box/journal/count`)).status).toBe(200);
      await server.sequencer.settled();
    }
    expect((await list(box)).headers.get('x-sim-sandbox')).toBeNull();
  });

  test('is recreated by a request, whose response and entry say so once', async () => {
    const sandboxes = { idleMs: 30_000 };
    const server = await start({}, { sandboxes });
    const box = server.baseUrl.replace('/v1', '/s/box/v1');
    await list(box);
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.advanceTimersByTime(60_000);
    await list(server.baseUrl.replace('/v1', '/s/other/v1'));
    const recreated = async () => (await list(box)).headers.get('x-sim-sandbox');
    expect([await recreated(), await recreated()]).toEqual(['recreated', null]);
    const { entries } = await createControl(`${server.controlUrl}/sandboxes/box`).queryJournal();
    expect(entries.map((entry) => entry.headers['X-Sim-Sandbox'])).toEqual(['recreated', undefined]);
    await expectSameState(server, sandboxes);
  });
});

describe('reads', () => {
  const scenario: Scenario = {
    keys: { 'free-key': { usage: { minute: 'all' } }, waiting: { plan: 'pro', usage: { day: 5 }, bannedFor: '10s' } },
    background: { 'free-key': 0.5 },
    faults: [{ name: 'slow', when: { operation: 'getPet' }, then: { delay: '1h' } }],
    assumptions: { acceptAnyKey: true },
  };
  const reads = [...Object.values(controlOperations), ...Object.values(sandboxOperations)].filter(
    ({ method }) => method === 'GET',
  );

  async function readAll(url: string): Promise<number> {
    const gets = everyRoute('box').filter(({ method }) => method === 'GET');
    for (const { path } of gets) {
      const leave = new AbortController();
      const query = path.endsWith('/wait') ? '?timeout=1ms' : '';
      const answer = await fetch(`${url.replace('/__sim', '')}${path}${query}`, { signal: leave.signal });
      if (answer.headers.get('content-type')?.includes('event-stream')) leave.abort();
      else await answer.text();
    }
    return gets.length;
  }

  test('do not change the log or the digest, for each GET of the control table', async () => {
    const server = await start(scenario);
    await create(server.baseUrl);
    await create(server.baseUrl.replace('/v1', '/s/box/v1'));
    await createControl(server.controlUrl).saveSnapshot({ name: 'free-key' });
    await server.sequencer.close();
    const before = [...captureMachine(server.machine)].map(jsonText);
    const { position } = server.log;
    expect(await readAll(server.controlUrl)).toBeGreaterThanOrEqual(reads.length);
    await server.sequencer.close();
    expect([...captureMachine(server.machine)].map(jsonText)).toEqual(before);
    expect(server.log.position).toBe(position);
  });

  test('do not change the digest or the order of sandboxes without a log, for each GET of the control table', async () => {
    const sim = createSimulator({ scenario });
    const server = await listen(sim, { port: 0 });
    open.push(server);
    await create(server.baseUrl);
    for (const name of ['box', 'other']) await create(server.baseUrl.replace('/v1', `/s/${name}/v1`));
    const digest = () => {
      const numberOf = () => 0;
      const { sandboxes, ...rest } = server.sandboxes.state();
      const boxes = sandboxes.map((each) => digestOf(captureSimulator(each.sim, numberOf, each)));
      return [digestOf(captureSimulator(sim, numberOf)), ...boxes, JSON.stringify(rest)];
    };
    const before = digest();
    await readAll(server.controlUrl);
    expect(digest()).toEqual(before);
  });
});
