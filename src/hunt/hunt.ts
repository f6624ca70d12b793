import type { Verdict } from '../judge/judge-run.js';
import { terminalReport } from '../judge/report/terminal.js';
import { clientOf } from '../scenario/client.js';
import { defaultScenario } from '../scenario/default-scenario.js';
import type { FindingCode } from '../scenario/finding-codes.js';
import { type ResolvedScenario, resolveScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Simulator } from '../simulator/simulator.js';
import { checkOptions } from '../values/check-options.js';
import { describeFind } from './describe-find.js';
import type { SearchSpace } from './mutate.js';
import { type ClientRun, type HuntClient, runInProcess } from './run-in-process.js';
import { search } from './search.js';
import { startsFor } from './starts.js';
import { type Failure, failuresIn, type Trial, withoutNumbers } from './trial.js';
import { fakeClock } from './virtual-time.js';

export interface HuntOptions {
  /**
   * Number of scenarios.
   * @default 1000
   */
  runs?: number;
  /**
   * The same seed gives the same scenarios.
   * @default 1
   */
  seed?: number;
  /**
   * Fields that every scenario has. The first run has these alone, so that a found scenario is repeated by
   * `{ scenario, runs: 1 }`.
   * @default {}
   * @example { client: { operation: 'createPet' }, expect: { served: true } }
   */
  scenario?: Scenario;
  /**
   * Property of the client, in place of the verdict: fails when it returns `false`, or throws.
   * @example check: ({ sim }) => sim.pets.size === 41
   */
  check?: (run: { sim: Simulator; verdict: Verdict; result: unknown; error: unknown }) => unknown;
}

/** A bug of the client, with the smallest scenario that shows it. */
export interface Find {
  /** Code of the finding; `check` for the caller's property, `never-ends` for a client that waits in vain. */
  code: FindingCode | 'check' | 'never-ends';
  /** Description, in a sentence or two. */
  text: string;
  scenario: Scenario;
  /** The scenario as a file for `petstore-sim serve --scenario`, with comments. */
  yaml: string;
  /** Code that repeats the find. */
  repeat: string;
  verdict: Verdict;
  /** The run as text: a timeline and the findings. */
  timeline: string;
}

export interface HuntResult {
  /** The client's bugs, each once. */
  found: Find[];
  /** Number of scenarios, without the runs of reductions. */
  runs: number;
  seed: number;
  /** The rules that the search put to the test, which limit the meaning of an empty `found`. */
  exercised: FindingCode[];
}

const huntOptions: Record<keyof HuntOptions, true> = { runs: true, seed: true, scenario: true, check: true };

/** Requests of one run; a client that sends more is stopped. */
const mostRequests = 200;
/** Runs for the reduction of one find. */
const reductionRuns = 400;

/**
 * Searches for the smallest scenarios in which a client fails. Each run has its own simulator in virtual time.
 * @param client makes its calls by its context, and returns or throws
 * @throws {ScenarioError} for a mistake in `scenario`; {TypeError} for an option that does not exist; {Error} for a client that
 * waits in real time, or that does not end even where nothing goes wrong
 * @example
 * const { found } = await hunt(async ({ fetch, sleep, baseUrl, apiKey }) => {
 *   await listPets({ fetch, sleep, baseUrl, apiKey });
 * });
 * expect(found).toEqual([]);
 */
export async function hunt(client: HuntClient, options: HuntOptions = {}): Promise<HuntResult> {
  checkOptions('hunt', options, huntOptions);
  const { runs = 1_000, seed = 1, scenario = {}, check } = options;
  const base: Scenario = scenario;
  // Reports mistakes of the caller's own scenario at once.
  resolveScenario(base);
  const resolve = createResolver();
  const { key } = clientOf(base);
  const read = new Set<string>();

  async function run(candidate: Scenario, requests = mostRequests): Promise<Trial | undefined> {
    const resolved = resolve(candidate);
    if (resolved === undefined) return undefined;
    const ran = await runInProcess(client, resolved, requests);
    for (const name of ran.read) read.add(name);
    return toTrial(candidate, ran, check);
  }

  const restore = keepFakeTimers();
  try {
    const keys = Object.fromEntries(Object.keys(base.keys ?? {}).map((name) => [name, {}]));
    const harmless = { keys, client: { ...base.client, key } };
    const first = await runInProcess(client, resolve(harmless) as ResolvedScenario, mostRequests);
    checkEnds(first);
    for (const name of first.read) read.add(name);
    const space = (): SearchSpace => ({ key, client: [...read], isRealTime: false });
    const result = await search({
      run,
      canCut: check === undefined,
      keepsStarts: false,
      base,
      starts: startsFor(space()),
      space,
      runs,
      seed,
      lanes: 1,
      reductionRuns,
      repeats: 2,
      isKept: isIn(base),
      isStopped: () => false,
    });
    const found = result.found.map((trial) => toFind(trial, seed));
    return { found, runs: result.runs, seed, exercised: result.exercised };
  } finally {
    restore();
  }
}

function toTrial(scenario: Scenario, ran: ClientRun, check: HuntOptions['check']): Trial {
  const { verdict, entries, stop } = ran;
  const end = stop ?? ('error' in ran ? 'threw' : 'returned');
  const failures = () => {
    if (stop === 'stalled') return [neverEnds];
    if (check === undefined) return failuresIn(verdict);
    // A property is one of a client that has ended.
    return stop === undefined ? broken(check, ran) : [];
  };
  const all = failures();
  return { scenario, verdict, entries, end, failures: all, failure: all[0] };
}

/** Whether a path, or its beginning, is one of a scenario's own. */
const isIn =
  (scenario: Scenario) =>
  ([first = '', second]: readonly string[]): boolean =>
    first in scenario && (second === undefined || second in Object((scenario as Record<string, unknown>)[first]));

const neverEnds: Failure = {
  code: 'never-ends',
  cause: '',
  text: 'The client waits, though no response and no timer is due.',
};

/** The failure of the caller's own property. */
function broken(
  check: NonNullable<HuntOptions['check']>,
  { sim, verdict, result, error }: Pick<ClientRun, 'sim' | 'verdict' | 'result' | 'error'>,
): Failure[] {
  try {
    if (check({ sim, verdict, result, error }) !== false) return [];
    return [{ code: 'check', cause: '', text: 'The property does not hold: check returned false.' }];
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    return [{ code: 'check', cause: withoutNumbers(text), text }];
  }
}

/** A client that does not end without faults never ends. */
function checkEnds({ stop, entries }: ClientRun): void {
  if (stop === undefined) return;
  throw new Error(
    `Failed to hunt: expected the client to return where nothing goes wrong, got ${entries.length} requests and no end. ` +
      'Let it make its calls once, and return or throw.',
  );
}

const toFind = ({ scenario, verdict, entries, failure }: Trial, seed: number): Find => {
  const { code, text } = failure as Failure;
  const repeat = `await hunt(client, { runs: 1, scenario: ${JSON.stringify(scenario)} })`;
  const described = describeFind(scenario, { code, text, repeat, seed });
  return {
    code: code as Find['code'],
    text,
    scenario,
    yaml: described,
    repeat,
    verdict,
    timeline: terminalReport(entries, verdict),
  };
};

/** Resolves scenarios; `undefined` for one with a mistake. The default pets are checked once: they take longest. */
function createResolver(): (scenario: Scenario) => ResolvedScenario | undefined {
  const { pets } = resolveScenario({});
  return (scenario) => {
    try {
      if (scenario.pets !== undefined || scenario.categories !== undefined) return resolveScenario(scenario);
      const resolved = resolveScenario({ ...scenario, pets: [] });
      return { ...resolved, pets, scenario: { ...resolved.scenario, pets: defaultScenario.pets } } as ResolvedScenario;
    } catch (error) {
      if ((error as Error).name === 'ScenarioError') return undefined;
      throw error;
    }
  };
}

/** Takes over fake timers that advance by themselves, until the returned function is called. */
function keepFakeTimers(): () => void {
  const clock = fakeClock();
  const { now, tickMode } = clock ?? {};
  clock?.setTickMode?.({ mode: 'manual' });
  return () => {
    if (clock === undefined) return;
    clock.reset();
    clock.setSystemTime(now as number);
    if (tickMode !== undefined) clock.setTickMode?.(tickMode);
  };
}
