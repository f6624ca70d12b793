import type { Verdict } from '../judge/judge-run.js';
import { terminalReport } from '../judge/report/terminal.js';
import { defaultScenario } from '../petstore/default-scenario.js';
import { documentedPlans } from '../petstore/document.js';
import { resolveScenario } from '../petstore/scenario.js';
import { clientOf } from '../scenario/client.js';
import type { FindingCode } from '../scenario/finding-codes.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Simulator } from '../simulator/simulator.js';
import { checkOptions } from '../values/check-options.js';
import { maskedKey } from '../values/mask-key.js';
import { pluralize } from '../values/pluralize.js';
import { documentedNames } from '../values/window-fields.js';
import { describeFind, nameOfFind } from './describe-find.js';
import type { SearchSpace } from './mutate.js';
import { type HuntClient, runInProcess, type TrialRun } from './run-in-process.js';
import { search } from './search.js';
import { type Failure, failuresIn, type Trial, withoutNumbers } from './trial.js';
import { fakeClock } from './virtual-time.js';

export interface HuntOptions {
  /**
   * Number of scenarios in which the client is run.
   * @default 1000
   */
  runs?: number;
  /**
   * Seed of the random scenarios. Equal seeds give equal scenarios.
   * @default 1
   */
  seed?: number;
  /**
   * Fields that `hunt` never varies in its generated scenarios. The first scenario has only these fields, so that
   * `runs: 1` repeats a run of an earlier hunt.
   * @default {}
   * @example { client: { operation: 'createPet' }, expect: { served: true } }
   */
  scenario?: Scenario;
  /**
   * Condition that decides about each run, instead of the verdict. The client fails if the function returns `false` or
   * throws.
   * @example check: ({ sim }) => sim.pets.size === 41
   */
  check?: (run: { sim: Simulator; verdict: Verdict; result: unknown; error: unknown }) => unknown;
}

/** A bug of the client, with the smallest scenario that shows it. */
export interface Find {
  /**
   * Code of the failure: a finding code of the judge, `check` for a failed `check` function, or `never-ends` for a
   * client that waits forever.
   */
  code: FindingCode | 'check' | 'never-ends';
  /** Description of the failure, in one or two sentences. */
  text: string;
  scenario: Scenario;
  /**
   * The scenario that broke the client, as the text of a YAML file for `petstore-sim serve --scenario`, with comments.
   */
  yaml: string;
  /** JavaScript call of the function `hunt` that runs the client again in the scenario in which the client failed. */
  repeat: string;
  verdict: Verdict;
  /** The failed run as text: a timeline and the findings. */
  timeline: string;
}

export interface HuntResult {
  /** The bugs that the search found in the client. Each bug is listed once. */
  found: Find[];
  /** Number of scenarios in which the search ran the client. Excludes the runs that simplified a failing scenario. */
  runs: number;
  seed: number;
  /**
   * Rules of the judge that at least one run tested. For the other rules, an empty list `found` does not show that the
   * client has no bugs.
   */
  exercised: FindingCode[];
}

const huntOptions: Record<keyof HuntOptions, true> = { runs: true, seed: true, scenario: true, check: true };

/** Maximum number of requests in one run. A client that sends more is stopped. */
const maximumRequests = 200;
/** Maximum number of runs that simplify a scenario in which the client failed. */
const reductionRuns = 400;

/**
 * Searches for the smallest scenarios in which a client fails. Each run has its own simulator in virtual time.
 * @param client makes its calls with the functions of its context, and returns or throws
 * @throws {ScenarioError} for a mistake in `scenario`; {TypeError} for an unknown option; {Error} for a client that
 * waits in real time, or that does not end even in a scenario without faults
 * @example
 * const { found } = await hunt(async ({ fetch, sleep, baseUrl, apiKey }) => {
 *   await listPets({ fetch, sleep, baseUrl, apiKey });
 * });
 * expect(found).toEqual([]);
 */
export async function hunt(client: HuntClient, options: HuntOptions = {}): Promise<HuntResult> {
  checkOptions('hunt', options, huntOptions);
  const { runs = 1_000, seed = 1, scenario: base = {}, check } = options;
  // Throws an error for a mistake in the caller's scenario before the bug search starts.
  resolveScenario(base);
  const resolve = createResolver();
  const { key } = clientOf(base);
  const read = new Set<string>();

  async function run(candidate: Scenario, requests = maximumRequests): Promise<Trial | undefined> {
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
    const first = await runInProcess(client, resolve(harmless) as ResolvedScenario, maximumRequests);
    checkEnds(first);
    for (const name of first.read) read.add(name);
    const space = (): SearchSpace => ({ key, client: [...read], isRealTime: false });
    const result = await search({
      run,
      canCut: check === undefined,
      isRealTime: false,
      base,
      initial: initialScenariosFor(space()),
      space,
      runs,
      seed,
      concurrency: 1,
      reductionRuns,
      repeats: 2,
      isFixedField: isFieldOf(base),
      isStopped: () => false,
    });
    const finds = result.found.map((trial) => toFind(trial, seed));
    return { found: finds, runs: result.runs, seed, exercised: result.exercised };
  } finally {
    restore();
  }
}

function toTrial(scenario: Scenario, ran: TrialRun, check: HuntOptions['check']): Trial {
  const { verdict, entries, stop } = ran;
  const end = stop ?? ('error' in ran ? 'threw' : 'returned');
  const failures = () => {
    if (stop === 'stalled') return [neverEnds];
    if (check === undefined) return failuresIn(verdict, entries);
    // The user's function `check` is called only if the client ended by itself, not if `hunt` stopped the client.
    return stop === undefined ? broken(check, ran) : [];
  };
  const all = failures();
  return { scenario, verdict, entries, end, failures: all, failure: all[0] };
}

/**
 * Creates a check whether a scenario sets the field at a path. A hunt never changes a field that its caller's scenario
 * sets.
 */
const isFieldOf =
  (scenario: Scenario) =>
  ([first = '', second]: readonly string[]): boolean =>
    first in scenario && (second === undefined || second in Object((scenario as Record<string, unknown>)[first]));

const neverEnds: Failure = {
  code: 'never-ends',
  cause: '',
  text: 'The client waits although no response and no timer is due.',
};

/** Calls the user's function `check` for a run, and returns the failure that it reports. */
function broken(
  check: NonNullable<HuntOptions['check']>,
  { sim, verdict, result, error }: Pick<TrialRun, 'sim' | 'verdict' | 'result' | 'error'>,
): Failure[] {
  try {
    if (check({ sim, verdict, result, error }) !== false) return [];
    return [{ code: 'check', cause: '', text: 'The option check returned false.' }];
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    return [{ code: 'check', cause: withoutNumbers(text), text }];
  }
}

/**
 * Throws if the client did not end by itself in a scenario without faults. The search for scenarios that break the
 * client requires runs that end.
 */
function checkEnds({ stop, entries }: TrialRun): void {
  if (stop === undefined) return;
  throw new Error(
    `Failed to hunt: expected the client to end in a scenario without faults, but it had not ended after ${pluralize(entries.length, 'request')}. ` +
      'The client must make its calls once, and then return or throw.',
  );
}

const toFind = ({ scenario, verdict, entries, failure }: Trial, seed: number): Find => {
  const { code, text } = failure as Failure;
  const repeat = `await hunt(client, { runs: 1, scenario: ${JSON.stringify(scenario)} })`;
  const described = describeFind(scenario, { code, text, repeat, seed });
  const named = { ...verdict, scenario: nameOfFind(scenario, code) };
  const keys = { ...defaultScenario.keys, ...scenario.keys };
  const nameKey = (key: string) => (Object.hasOwn(keys, key) ? key : maskedKey(key));
  return {
    code: code as Find['code'],
    text,
    scenario,
    yaml: described,
    repeat,
    verdict: named,
    timeline: terminalReport(entries, named, { nameKey }),
  };
};

/**
 * Creates a function that checks a scenario and adds its defaults, or returns `undefined` if the scenario is invalid.
 * The default pets are checked only once, because that takes longest.
 */
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

/** Stops a test runner's fake timers from advancing by themselves. Returns a function that restores them. */
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

const { free } = documentedPlans;

/**
 * Returns the simple scenarios that the bug search of `hunt` tries first, simplest first. To simplify a failing
 * scenario, the search also tries these scenarios first.
 */
function initialScenariosFor({ key, client }: SearchSpace): Scenario[] {
  const withKey = (fields: NonNullable<Scenario['keys']>[string]): Scenario => ({ keys: { [key]: fields } });
  const usedUp = withKey({ usage: { minute: free.minute } });
  const faulty = (...faults: NonNullable<Scenario['faults']>): Scenario => ({ faults });
  const writes = client.includes('operation') ? { client: { operation: 'createPet' } as const } : {};
  const many = client.includes('calls') ? { client: { calls: 20 } } : {};
  const several = client.includes('calls') ? { client: { calls: 10 } } : {};
  const parallel = client.includes('parallel') ? { client: { calls: 10, parallel: 10 } } : {};
  return [
    {},
    usedUp,
    withKey({ usage: { minute: free.minute - 1 } }),
    ...documentedNames.slice(1).map((name) => withKey({ usage: { [name]: free[name] } })),
    withKey({ bannedFor: '1m' }),
    { ...withKey({ bannedFor: '1m' }), ban: { status: 403 } },
    withKey({ state: 'revoked' }),
    { ...usedUp, limits: { retryAfterForm: 'http-date' } },
    { ...usedUp, ...writes },
    { ...usedUp, ...parallel },
    // Scenario with delayed responses, for a client that makes concurrent calls. Some calls then send requests while
    // others wait for the end of a rate limit.
    ...(client.includes('parallel')
      ? [
          {
            ...withKey({ usage: { minute: free.minute - 2 } }),
            client: { calls: 10, parallel: 5 },
            ...faulty({ then: { delay: '3s' } }),
          },
        ]
      : []),
    { ...usedUp, ...several },
    { ...withKey({ usage: { minute: free.minute - 1 } }), ...several },
    // Refuses, or fails, each of many calls. A client that counts its retries over all calls then reaches its maximum.
    { plans: { free: { minute: 1 } }, ...many },
    {
      ...many,
      ...faulty({ when: { every: 2 }, then: { respond: { status: 503, headers: { 'Retry-After': '10' } } } }),
    },
    faulty({ then: { respond: { status: 503, headers: { 'Retry-After': '10' } }, failTimes: 2 } }),
    faulty({ then: { respond: { status: 429, headers: { 'Retry-After': '2' } }, countsQuota: false, failTimes: 5 } }),
    { ...writes, ...faulty({ when: { nth: 1 }, then: { reset: true, phase: 'after' } }) },
    { ...writes, ...faulty({ when: { nth: 1 }, then: { respond: { status: 500 }, phase: 'after' } }) },
    { ...writes, ...faulty({ when: { nth: 1 }, then: { delay: '40s', phase: 'after' } }) },
    faulty({ then: { respond: { status: 500 } } }),
    { ids: { start: '9007199254740993' }, ...writes },
    withKey({ bannedFor: '30d' }),
  ];
}
