import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { setupServer } from 'msw/node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { handlers } from '../../src/in-process/msw.js';
import { judge } from '../../src/judge/judge.js';
import { Sandboxes } from '../../src/sandboxes/sandboxes.js';
import { clientOf } from '../support/depot.js';
import { createDepotSimulator } from '../support/depot-simulator.js';

const root = join(import.meta.dirname, '../..');
/** Parts of the engine that any service needs. */
const roots = [
  'test/support/depot-simulator.ts',
  'src/in-process/msw.ts',
  'src/judge/judge.ts',
  'src/judge/judge-recording.ts',
  'src/judge/report/junit.ts',
  'src/judge/report/terminal.ts',
  'src/judge/trace.ts',
  'src/own-routes/guarded.ts',
  'src/own-routes/serve-route.ts',
  'src/sandboxes/sandboxes.ts',
  'src/traffic-files/read-recording.ts',
];

describe('the engine without src/petstore', () => {
  test('type-checks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-engine-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
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
      entryPoints: [...roots],
      absWorkingDir: root,
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      outdir: 'out',
      external: ['msw'],
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
    expect(() => sim.check({ pets: [] } as object)).toThrow('pets: expected no such field');
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
