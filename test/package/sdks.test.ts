// @module-tag extended
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClientRun, runClient } from '../../src/cli/client-run.js';
import { scenarioOf } from '../../src/cli/commands/client-flags.js';
import { inParallel } from '../../src/cli/in-parallel.js';
import { readRouteFlags } from '../../src/cli/route-flags.js';
import { earliestRetryMs } from '../../src/judge/promises.js';
import { runIn } from '../support/installed.js';

const root = join(import.meta.dirname, '../..');

/** Settings of the scenario in which an SDK makes one call. */
interface Case {
  set: string[];
  /** Call of the program. Default: `read`. */
  call?: 'write';
  /** Whether the program's waits of 20 s or more are skipped, together with the simulator's time. */
  skipsWaits?: boolean;
}

interface Sdk {
  service: string;
  /** Settings of the case `header`, in which the responses state the wait by the service's own header alone. */
  header?: string[];
  does: Record<string, string>;
  settings?: { options: object; case: string; does: string }[];
}

interface Statement {
  name: string;
  /** Expected waits between the requests of one call, its end, and the number of stored resources. */
  does: string;
  command: string[];
  scenario: string;
  set: string[];
}

let folder: string;

// The folder's lockfile names the measured versions. The package under test is that of this clone.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-sim-sdks-'));
  const filter = (path: string) => basename(path) !== 'node_modules';
  await cp(join(root, 'examples/sdks'), folder, { recursive: true, filter });
  await runIn(folder, 'npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']);
  await symlink(root, join(folder, 'node_modules/petstore-sim'));
  await symlink(join(root, 'node_modules/msw'), join(folder, 'node_modules/msw'));
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Lists the statements about all SDKs, those with the longest waits first. */
async function statements(): Promise<Statement[]> {
  const { cases, sdks }: { cases: Record<string, Case>; sdks: Record<string, Sdk> } = JSON.parse(
    await readFile(join(folder, 'statements.json'), 'utf8'),
  );
  const all = Object.entries(sdks).flatMap(([sdk, { service, header = [], does, settings = [] }]) =>
    [
      ...Object.entries(does).map((each) => [...each, {}] as const),
      ...settings.map((each) => [each.case, each.does, each.options] as const),
    ].map(([name, statement, options]): Statement => {
      const { set, call = 'read', skipsWaits = false } = cases[name] as Case;
      const node = ['node', ...(skipsWaits ? ['--import', './skip-waits.js'] : [])];
      return {
        name: [sdk, name, ...(Object.keys(options).length > 0 ? [JSON.stringify(options)] : [])].join(' '),
        does: statement,
        command: [...node, `${sdk}.js`, call, JSON.stringify(options)],
        scenario: join(folder, `${service}.yaml`),
        set: name === 'header' ? [...set, ...header] : set,
      };
    }),
  );
  const isSlow = ({ name, does }: Statement) => / (?:ban|hour)/.test(name) && !does.startsWith('error');
  return [...all.filter(isSlow), ...all.filter((each) => !isSlow(each))];
}

/** Waits between the requests of a run, in seconds. `asked` is the remaining time until the retry that a response allows. */
const waitsOf = ({ entries }: ClientRun) =>
  entries.slice(1).map((request, index) => {
    const before = entries[index] as (typeof entries)[number];
    const earliestMs = before.promisedAtMs ?? earliestRetryMs(before);
    return {
      seconds: (request.arrivedAtMs - before.finishedAtMs) / 1_000,
      asked: earliestMs === undefined ? undefined : (earliestMs - before.finishedAtMs) / 1_000,
    };
  });

const hasFailed = ({ end }: ClientRun) => end.exitCode !== 0;
const storedBy = ({ entries }: ClientRun) => new Set(entries.flatMap(({ storedId }) => storedId || [])).size;

/** Time by which a timer and its clock differ, in seconds. */
const tolerance = 0.05;
/** Time by which a busy machine may delay a request, in seconds. */
const delay = 3;

/** Whether a wait is as stated: `waits` until the response allows a retry, or seconds such as `1 s` and `0.3–0.5 s`. */
function isAsStated(text: string, { seconds, asked }: ReturnType<typeof waitsOf>[number]): boolean {
  if (text === 'waits') return asked !== undefined && seconds > asked - tolerance && seconds < asked + delay;
  const [, low = '', high = low] = /^([\d.]+)(?:–([\d.]+))? s$/.exec(text) ?? [];
  if (low === '') throw new Error(`expected a wait in a statement, got ${text}`);
  const isInRange = seconds > Number(low) - tolerance && seconds < Number(high) + delay;
  return isInRange && (asked === undefined || seconds < asked + tolerance);
}

/** Describes how a run differs from a statement, or the verdict from the run; `undefined` if both are right. */
function contradiction({ does }: Statement, run: ClientRun): string | undefined {
  const parts = does.split(', ');
  const stated = parts.filter((part) => !/^(?:error$|stored)/.test(part));
  const waits = waitsOf(run);
  const stored = { 'stored once': 1, 'stored twice': 2 }[parts.at(-1) ?? ''];
  const isTrue =
    waits.length === stated.length &&
    stated.every((text, index) => isAsStated(text, waits[index] as (typeof waits)[number])) &&
    hasFailed(run) === parts.includes('error') &&
    (stored === undefined || stored === storedBy(run)) &&
    isWrong(run) === (run.verdict.outcome === 'fail');
  if (isTrue) return undefined;
  const shown = waits.map(
    ({ seconds, asked }) => `${seconds.toFixed(2)} s${asked === undefined ? '' : ` (asked: ${asked.toFixed(2)} s)`}`,
  );
  const { outcome, reason } = run.verdict;
  const got = [...shown, ...(hasFailed(run) ? ['error'] : []), `${storedBy(run)} stored`].join(', ');
  return `expected ${does}, got ${got}\n${outcome}: ${reason}\n${run.output.trim().slice(-300)}`;
}

/** Whether a client stored a resource twice, or repeated a request before the `Retry-After` of its refusal. */
const isWrong = (run: ClientRun) =>
  storedBy(run) > 1 ||
  waitsOf(run).some(({ seconds, asked = 0 }, index) => {
    const { refusal, headers } = run.entries[index] as (typeof run.entries)[number];
    return refusal !== undefined && 'Retry-After' in headers && seconds < asked - tolerance;
  });

test('each SDK does what docs/sdks.md states, and the verdict on it is right', { timeout: 600_000 }, async () => {
  const routes = await readRouteFlags({ handlers: join(folder, 'handlers.js') });
  const measure = async (statement: Statement) => {
    const { scenario, set, command, name } = statement;
    const { resolved } = await scenarioOf({ scenario, set }, routes);
    const run = await runClient(command, resolved, { folder, output: 'keep', timeoutMs: 120_000, routes });
    const text = contradiction(statement, run);
    return text === undefined ? [] : [`${name}: ${text}`];
  };
  // A busy machine delays requests, so a run that contradicts a statement runs again, alone.
  const runsAgain = (contradictions: string[]) => contradictions.length > 0;
  const results = await inParallel(await statements(), measure, { onDone: () => {}, concurrency: 10, runsAgain });
  expect(results.flat()).toEqual([]);
});
