import { execFile } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { setupServer } from 'msw/node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ServerControl } from '../../src/control-api/control.js';
import { createControlOf } from '../../src/control-api/create-control.js';
import type { Update } from '../../src/control-api/update-stream.js';
import { handlers } from '../../src/in-process/msw.js';
import { judge } from '../../src/judge/judge.js';
import { judgeRecording } from '../../src/judge/judge-recording.js';
import { terminalReport } from '../../src/judge/report/terminal.js';
import { captureMachine } from '../../src/persistence/capture-machine.js';
import type { FoundEntry } from '../../src/persistence/log.js';
import { openFileLog } from '../../src/persistence/node/folder/file-log.js';
import { folderEngine } from '../../src/persistence/node/folder-engine.js';
import { replayLog } from '../../src/persistence/replay-log.js';
import { restoreMachine } from '../../src/persistence/start-machine.js';
import { createOperationTable } from '../../src/requests/operation-table.js';
import { Sandboxes } from '../../src/sandboxes/sandboxes.js';
import { memoryEngine, serveState } from '../../src/server/serve-state.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { clientOf, depot, parcelRows } from '../support/depot.js';
import { createDepotSimulator } from '../support/depot-simulator.js';
import { newFolder } from '../support/new-folder.js';
import { patience } from '../support/patience.js';
import { servedDepot } from '../support/served-depot.js';

const root = join(import.meta.dirname, '../..');
/** Parts of the engine that any service needs. */
const roots = [
  'test/support/served-depot.ts',
  'src/control-api/create-control.ts',
  'src/dashboard/main.tsx',
  'src/dashboard/panel.tsx',
  'src/dashboard/styles.d.ts',
  'src/in-process/msw.ts',
  'src/judge/judge.ts',
  'src/judge/judge-recording.ts',
  'src/judge/report/junit.ts',
  'src/judge/report/terminal.ts',
  'src/judge/trace.ts',
  'src/own-routes/node/handlers-file.ts',
  'src/persistence/node/data-engine.ts',
  'src/persistence/node/recording-engine.ts',
  'src/server/serve-state.ts',
  'src/own-routes/guarded.ts',
  'src/own-routes/serve-route.ts',
  'src/persistence/replay-log.ts',
  'src/sandboxes/sandboxes.ts',
  'src/traffic-files/read-recording.ts',
];

describe('the engine without src/petstore', () => {
  test('type-checks', { tags: 'extended' }, async () => {
    const folder = newFolder();
    const withoutPetstore = (path: string) => !path.startsWith(join(root, 'src/petstore'));
    cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true, filter: withoutPetstore });
    for (const name of ['test/support', 'package.json', 'tsconfig.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    writeFileSync(
      join(folder, 'engine.json'),
      JSON.stringify({ extends: './tsconfig.json', include: [], files: roots }),
    );
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const run = promisify(execFile)(process.execPath, [tsc, '--project', 'engine.json', '--listFilesOnly'], {
      cwd: folder,
    });
    expect((await run).stdout).toContain('request-pipeline.ts');
    const check = promisify(execFile)(process.execPath, [tsc, '--project', 'engine.json'], { cwd: folder });
    expect((await check.catch((error) => error)).stdout).toBe('');
  });

  test('loads nothing of src/petstore', async () => {
    const { metafile } = await build({
      entryPoints: roots.filter((file) => !file.endsWith('.d.ts')),
      absWorkingDir: root,
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      outdir: 'out',
      platform: 'node',
      packages: 'external',
      jsx: 'automatic',
      jsxImportSource: 'preact',
    });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs).toContain('src/simulator/request-pipeline.ts');
    expect(inputs.filter((file) => file.startsWith('src/petstore'))).toEqual([]);
  });
});

function depotAlone(scenario = {}) {
  const sim = createDepotSimulator({
    scenario: { clock: { mode: 'frozen', start: '2026-01-01T00:00:00Z' }, ...scenario },
  });
  return { sim, ...clientOf(sim) };
}

describe('a simulator of another service alone', () => {
  test('authenticates, limits and bans, and has no Petstore', async () => {
    const { sim, ask, post } = depotAlone();
    expect((await ask('/depot/parcels/1', { headers: { authorization: '' } })).status).toBe(401);
    expect((await post('Oslo')).status).toBe(201);
    expect((await ask('/v1/pets')).status).toBe(404);
    expect('pets' in sim).toBe(false);
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask('/depot/parcels/1')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(59);
    for (let request = 0; request < 20; request++) {
      await sim.clock.advance('1s');
      await ask('/depot/parcels/1');
    }
    expect(sim.keys.get('free-key').state).toBe('banned');
  });

  test('applies fault rules, checks their operations, and journals each request', async () => {
    const { sim, ask, post } = depotAlone({ faults: [{ when: { operation: 'sendParcel' }, then: { empty: true } }] });
    expect(await (await post('Oslo')).text()).toBe('');
    sim.faults.add({ name: 'slow', when: { operation: 'trackParcel' }, then: { delay: '5s' } });
    const tracking = ask('/depot/parcels/1');
    await vi.waitFor(() => expect(sim.journal.pending).toBe(1));
    await sim.clock.advance('5s');
    expect(await (await tracking).json()).toEqual({ number: '1', to: 'Oslo' });
    const journal = sim.journal.query();
    expect(journal.map(({ operation, storedId }) => [operation, storedId])).toEqual([
      ['sendParcel', '1'],
      ['trackParcel', undefined],
    ]);
    const unknown = { when: { operation: 'listPets' }, then: { empty: true as const } };
    expect(() => sim.faults.add(unknown)).toThrow('"sendParcel", "trackParcel"');
    expect(() => sim.check({ pets: [] } as object)).toThrow('pets: expected a known field');
  });

  test('is judged with its own deprecated operation, before and after the removal', async () => {
    const { sim, ask, post } = depotAlone();
    const deprecated = () => judge(sim).findings.filter(({ code }) => code === 'deprecated-operation');
    await post('Oslo');
    expect(deprecated()).toEqual([]);
    await ask('/depot/parcels/1');
    expect(deprecated()).toEqual([
      {
        code: 'deprecated-operation',
        severity: 'info',
        at: '2026-01-01T00:00:00.000Z',
        requests: [2],
        measured: '1 request',
        allowed: 'none after 2 January 2026',
        text: 'GET /parcels/{number} was used once. It will be removed on 2 January 2026; use GET /parcels.',
      },
    ]);
    await sim.clock.advance('24h');
    await ask('/depot/parcels/1');
    expect(deprecated()).toMatchObject([
      { severity: 'warn', text: expect.stringContaining('twice. It was removed on 2 January 2026') },
    ]);
  });

  test('resets, restores snapshots, and serves sandboxes and msw', async () => {
    const { sim, ask, post } = depotAlone();
    await post('Oslo');
    const snapshot = sim.snapshot();
    sim.reset();
    expect((await ask('/depot/parcels/1')).status).toBe(404);
    sim.restore(snapshot);
    expect((await ask('/depot/parcels/1')).status).toBe(200);
    const sandbox = new Sandboxes(sim, () => 0).create('mine');
    expect(sandbox.base).toBe('/s/mine/depot');
    expect((await clientOf(sandbox.sim).ask('/depot/parcels/1')).status).toBe(404);
    const server = setupServer(...handlers(sim));
    server.listen({ onUnhandledRequest: 'error' });
    onTestFinished(() => server.close());
    expect((await clientOf({ fetch }).ask('/depot/parcels/1')).status).toBe(200);
  });
});

/** Functions of the depot's control API, in this process or over HTTP. */
// biome-ignore lint/suspicious/noExplicitAny: the declared functions are those of the Petstore
type DepotControl = Record<'listParcels' | Exclude<keyof ServerControl, 'sandbox'>, (input?: object) => any>;
const controlOf = (of: Parameters<typeof createControlOf>[1]) =>
  createControlOf(servedDepot, of) as unknown as DepotControl & { sandbox(name: string): DepotControl };

/** Client of a depot that is served over HTTP. */
const clientAt = (baseUrl: string) =>
  clientOf({ fetch: (url, init) => fetch(String(url).replace('http://depot.test/depot', baseUrl), init) });

describe('a server of another service alone', () => {
  async function serveDepot(scenario = {}) {
    const { sim } = depotAlone(scenario);
    const server = await serveState(
      memoryEngine(sim, async () => servedDepot),
      { port: 0 },
    );
    onTestFinished(() => server.close({ graceMs: 0 }));
    return { server, control: controlOf(server.baseUrl), ...clientAt(server.baseUrl) };
  }

  test('has the control operations of any service, and its own', async () => {
    const { server, control, ask, post } = await serveDepot();
    expect((await post('Oslo')).status).toBe(201);
    expect(await control.listParcels()).toEqual(['Oslo']);
    await expect(fetch(`${server.controlUrl}/pets`)).resolves.toMatchObject({ status: 404 });
    expect(await control.listAssumptions()).toEqual([]);
    await control.exhaustKey({ key: 'free-key' });
    expect((await ask('/depot/parcels/1')).status).toBe(429);
    await control.changeClock({ advance: '60s' });
    expect((await ask('/depot/parcels/1')).status).toBe(200);
    expect((await control.queryJournal()).entries).toMatchObject([
      { operation: 'sendParcel', status: 201 },
      { operation: 'trackParcel', status: 429 },
      { operation: 'trackParcel', status: 200 },
    ]);
    expect(await control.getVerdict()).toMatchObject({ outcome: 'pass' });
    const { answers } = await control.exportRun();
    expect(answers['/scenario']).toMatchObject({ name: 'default' });
  });

  test('takes the names and conditions of fault rules from the service', async () => {
    const { server, control, ask } = await serveDepot();
    await control.addFault({ name: 'lost', when: { operation: 'trackParcel' }, then: { respond: { status: 503 } } });
    expect((await ask('/depot/parcels/1')).status).toBe(503);
    expect(await control.listFaults()).toMatchObject([{ name: 'lost', applied: 1 }]);
    for (const when of [{ operation: 'listPets' }, { petId: 1 }])
      await expect(control.addFault({ when, then: { empty: true } })).rejects.toMatchObject({ status: 400 });
    const description = await (await fetch(`${server.controlUrl}/openapi.json`)).json();
    expect(JSON.stringify(description)).toContain('trackParcel');
    expect(JSON.stringify(description)).not.toMatch(/petId|nextId|Petstore/);
    expect(description.info.description).toContain('a depot of parcels. Its own API is under `/depot`');
  });

  test('exports, imports and saves its state, also in sandboxes', async () => {
    const { server, control, post } = await serveDepot();
    await post('Oslo');
    const state = await control.exportState();
    expect(state.services).toEqual({ depot: [{ 1: 'Oslo' }] });
    expect(state).not.toHaveProperty('pets');
    await control.saveSnapshot({ name: 'one' });
    await post('Rome');
    expect((await control.listSnapshots())[0]).toEqual({
      name: 'one',
      scenario: 'default',
      now: '2026-01-01T00:00:00.000Z',
    });
    await control.restoreSnapshot({ name: 'one' });
    expect(await control.listParcels()).toEqual(['Oslo']);
    await control.createSandbox({ name: 'mine' });
    await control.sandbox('mine').importState(state);
    const sandbox = clientAt(`${new URL(server.baseUrl).origin}/s/mine/depot`);
    expect(await (await sandbox.ask('/depot/parcels/1')).json()).toEqual({ number: '1', to: 'Oslo' });
    for (const services of [{ depot: ['Oslo'] }, { depot: [] }, { depot: 5 }, { petstore: [1] }]) {
      await expect(control.importState({ ...state, services }), JSON.stringify(services)).rejects.toMatchObject({
        status: 400,
        message: expect.stringMatching(/^services/),
      });
      expect(await control.listParcels()).toEqual(['Oslo']);
    }
  });

  test('serves the dashboard, whose stream shows each request', async () => {
    const { server, post, ask } = await serveDepot();
    const page = await fetch(`${server.controlUrl}/`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toContain('text/html');
    await post('Oslo');
    await ask('/depot/parcels/1');
    const [update] = await firstUpdate(server.controlUrl);
    expect(update).toMatchObject({ scenario: 'default', total: 2 });
    expect(update?.entries.map(({ operation, status }) => [operation, status])).toEqual([
      ['sendParcel', 201],
      ['trackParcel', 200],
    ]);
  });

  test('exports recordings that the judge of the service reads', async () => {
    const { control, post, ask } = await serveDepot();
    await post('Oslo');
    await ask('/depot/parcels/1');
    const har = new TextEncoder().encode(JSON.stringify(await control.exportHar()));
    const recorded = { basePath: '/depot', operations: createOperationTable(parcelRows) };
    const { exchanges } = await readRecording([{ name: 'depot.har', pieces: [har] }], recorded);
    expect(exchanges.map(({ operation, path }) => [operation, path])).toEqual([
      ['sendParcel', '/parcels'],
      ['trackParcel', '/parcels/1'],
    ]);
    const verdict = judgeRecording(exchanges, { deprecations: depot.deprecations, name: 'depot.har' });
    expect(verdict.findings.map(({ code }) => code)).toContain('deprecated-operation');
    expect(terminalReport(exchanges, verdict)).toContain('GET /parcels/{number} was used once.');
  });
});

/** The first updates of the stream that the dashboard reads. */
async function firstUpdate(controlUrl: string): Promise<Update[]> {
  const response = await fetch(`${controlUrl}/updates`);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (!text.includes('\n\n')) text += decoder.decode((await reader.read()).value, { stream: true });
  await reader.cancel();
  return [JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '')];
}

describe('a log of another service alone', () => {
  const resolved = depotAlone().sim.check({ clock: { mode: 'frozen', start: '2026-01-01T00:00:00Z' } });

  async function serveFolder(folder: string) {
    const options = { service: servedDepot, folder, resolved, scenarioName: 'default' };
    const server = await serveState(folderEngine(options), { port: 0 });
    let isClosed = false;
    const close = async () => {
      if (!isClosed) await server.close({ graceMs: 0 });
      isClosed = true;
    };
    onTestFinished(close);
    return { server, control: controlOf(server.controlUrl), ...clientAt(server.baseUrl), close };
  }

  test('continues after a restart with data, limits, faults, clock, snapshots and sandboxes', async () => {
    const folder = newFolder();
    const first = await serveFolder(folder);
    await first.post('Oslo');
    await first.control.saveSnapshot({ name: 'one' });
    await first.post('Rome');
    await first.control.addFault({ name: 'slow', when: { operation: 'sendParcel' }, then: { delay: '5s' } });
    const waiting = first.post('Bern').catch(() => undefined);
    await vi.waitFor(() => expect(first.server.machine.sim.journal.pending).toBe(1), patience);
    await first.control.changeClock({ advance: '1s' });
    await first.control.createSandbox({ name: 'mine' });
    await first.close();
    await waiting;

    const second = await serveFolder(folder);
    expect(second.server.isResumed).toBe(true);
    expect(await second.control.listParcels()).toEqual(['Oslo', 'Rome']);
    expect(await second.control.getClock()).toMatchObject({ now: '2026-01-01T00:00:01.000Z' });
    expect((await second.ask('/depot/parcels/2')).headers.get('x-ratelimit-remaining')).toBe('56');
    await second.control.restoreSnapshot({ name: 'one' });
    expect(await second.control.listParcels()).toEqual(['Oslo']);
    expect(await second.control.listSandboxes()).toMatchObject([{ name: 'mine' }]);
    expect(await second.control.sandbox('mine').listParcels()).toEqual([]);
  });

  test('restores a snapshot of the log, and replays all entries to the same responses', async () => {
    const folder = newFolder();
    const { server, post, ask, control, close } = await serveFolder(folder);
    await post('Oslo');
    for (let request = 0; request < 61; request++) await ask('/depot/parcels/1');
    await control.changeClock({ advance: '60s' });
    await post('Rome');
    const journal = server.machine.sim.journal.query();
    await close();

    const opened = await openFileLog(folder, { version: '0.1.0', scenario: { name: 'default', hash: '' } });
    onTestFinished(() => opened.log.close());
    const entries: FoundEntry[] = [];
    for await (const entry of opened.entries) entries.push(entry);
    const replay = await replayLog({ entries }, { service: servedDepot, onWarning() {} });
    expect(replay.difference).toBeUndefined();
    expect(replay.machine?.sim.journal.query()).toEqual(journal);

    const pieces = JSON.parse(JSON.stringify([...captureMachine(server.machine)]));
    const restored = await restoreMachine(pieces, { service: servedDepot });
    expect(restored.sim.journal.query()).toEqual(journal);
    expect(controlOf(restored.sim).listParcels()).toEqual(['Oslo', 'Rome']);
    expect(restored.sim.keys.get('free-key')).toEqual(server.machine.sim.keys.get('free-key'));
  });
});
