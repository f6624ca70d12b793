import type { FindingCode } from '../scenario/finding-codes.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { merge } from '../values/plain-data.js';
import { createMutator, createRandomSource, type SearchSpace } from './mutate.js';
import { complexityOf, isSimpler, isSmall, simplerForms } from './reduce.js';
import { explains, type Failure, isConsequence, isSameFailure, type Trial, traitsOf } from './trial.js';

export interface SearchOptions<Run extends Trial = Trial> {
  /**
   * Runs the client in a scenario. Returns `undefined` if the scenario is invalid.
   * @param requests maximum number of requests in the run
   */
  run: (scenario: Scenario, requests?: number) => Promise<Run | undefined>;
  /** Whether the bug search may stop a failing run after the failure, before the client ends, to shorten the report. */
  canCut: boolean;
  /**
   * Whether each run of the client takes real time. If so, a failing scenario that is already small is not simplified,
   * because the additional runs would take too long.
   */
  isRealTime: boolean;
  /** Scenario whose fields every scenario of the hunt contains. */
  base: Scenario;
  /** Scenarios that a hunt tries first, simplest first. */
  initial: readonly Scenario[];
  space: () => SearchSpace;
  runs: number;
  seed: number;
  /** Number of test runs of the client at the same time. */
  concurrency: number;
  /** Maximum number of runs in which the bug search simplifies one failing scenario. */
  reductionRuns: number;
  /** Number of times that a failed run is repeated to confirm the failure. */
  repeats: number;
  /**
   * Whether a scenario field, given by its path, must stay unchanged while the search simplifies a failing scenario.
   */
  isFixedField: (path: readonly string[]) => boolean;
  isStopped: () => boolean;
  /** Called after each run of the client, with the total numbers of runs and of different failures so far. */
  onRun?: ((done: number, failures: number) => void) | undefined;
}

export interface SearchResult<Run extends Trial = Trial> {
  /** One run for each bug of the client that the search found, in the simplest scenario that shows the bug. */
  found: Run[];
  runs: number;
  /**
   * Number of requests that the client sent in the runs of the search. Excludes the runs that simplified a failing
   * scenario.
   */
  requests: number;
  exercised: FindingCode[];
}

/**
 * Scenario from which the bug search `hunt` creates further scenarios by mutation, and the number of times that the
 * search has chosen this scenario.
 */
interface CorpusEntry {
  scenario: Scenario;
  pickedCount: number;
}

/** Maximum number of client bugs that one call of `hunt` reports. */
const maximumFound = 12;
/**
 * Maximum number of failures of one finding code that `hunt` reports. Further failures with the code are most likely
 * the same bugs.
 */
const maximumPerCode = 3;
/** Number of runs of a find's scenario that show which causes the same bug can have. */
const causeRuns = 20;

/**
 * Searches for scenarios in which a client fails. Mutates scenarios in which the client showed new behavior, and
 * reduces each failing scenario. Results depend only on the seed if the client is deterministic and runs are not
 * concurrent.
 */
export async function search<Run extends Trial>(options: SearchOptions<Run>): Promise<SearchResult<Run>> {
  const { run, base, space, runs, seed, concurrency, isRealTime, isStopped, onRun } = options;
  const random = createRandomSource(seed);
  const onBase = (scenario: Scenario) => withKeyFirst(merge<Scenario>(scenario, base), space().key);
  const initial = options.initial.map(onBase);
  const pending = [...initial];
  const corpus: CorpusEntry[] = initial.map((scenario) => ({ scenario, pickedCount: 0 }));
  const seen = new Set<string>();
  const exercised = new Set<FindingCode>();
  const found: Run[] = [];
  let requests = 0;
  const known: Failure[] = [];
  let begun = 0;
  let done = 0;

  const isKnown = (failure: Failure) =>
    known.some((each) => explains(each, failure)) ||
    known.filter(({ code }) => code === failure.code).length >= maximumPerCode;

  /**
   * Selects the first new failure of a run for the report of the bug search `hunt`. Skips a failure that an already
   * known failure of the run probably caused.
   */
  const toReport = (failures: readonly Failure[]): Failure | undefined =>
    failures.find((failure) => !isKnown(failure) && !(isConsequence(failure) && failures.some(isKnown)));

  /**
   * Replaces each failed run found so far by the given run if both have the same failure and the given run is simpler
   * for a reader.
   */
  function replaceFound(trial: Run): void {
    for (const [index, each] of found.entries()) {
      const isSame = (other: Failure) => isSameFailure(other, each.failure);
      const failure = trial.failures.find(isSame);
      const isEasier = failure !== undefined && rankOf(trial, isSame) <= rankOf(each, isSame);
      if (isEasier && isSimpler(complexityOf(trial), complexityOf(each))) found[index] = { ...trial, failure };
    }
  }

  /**
   * Adds a reduced run to the finds, unless the cause of another find explains its failure. Removes the finds that the
   * cause of its own failure explains.
   */
  function addFound(reduced: Run): void {
    if (found.some((each) => isSameFind(each, reduced))) return;
    const others = found.filter((each) => !isSameFind(reduced, each));
    found.splice(0, found.length, ...others, reduced);
  }

  /**
   * Adds to the known failures those of the same code that the scenario of a find shows when the client is run again.
   * They are of the same bug: a client that waits a random time shows another cause in each run.
   */
  async function learnCauses({ scenario, failure }: Run): Promise<void> {
    for (let repeat = 0; repeat < causeRuns; repeat++) {
      const { failures = [] } = (await run(scenario)) ?? {};
      known.push(...failures.filter((other) => other.code === failure?.code && !isKnown(other)));
    }
  }

  /** Whether the next run tries a mutated scenario although initial scenarios are left, so that short hunts try both. */
  const isMutation = () => begun % (isRealTime ? 8 : 4) === 0;

  function next(): Scenario {
    for (let start = isMutation() ? undefined : pending.shift(); start !== undefined; start = pending.shift()) {
      if (isSupported(start, space(), base)) return start;
    }
    const one = leastUsed(corpus, random.pick);
    one.pickedCount++;
    // In 15 % of the cases, merges the scenario with another scenario that the bug search of `hunt` has kept.
    const crossed =
      random.fraction() < 0.15 ? merge<Scenario>(random.pick(corpus).scenario, one.scenario) : one.scenario;
    const mutate = createMutator(space(), random);
    return onBase(mutate(crossed, 1 + Math.floor(3 * random.fraction() ** 2)));
  }

  async function runNext(): Promise<Run | undefined> {
    for (let attempt = 0; attempt < maximumInvalid && !isStopped(); attempt++) {
      const trial = await run(next());
      if (trial !== undefined) return trial;
    }
    return undefined;
  }

  async function runUntilDone(): Promise<void> {
    while (begun < runs && !isStopped() && found.length < maximumFound) {
      begun++;
      const trial = await runNext();
      if (trial === undefined) return;
      done++;
      requests += trial.entries.length;
      onRun?.(done, known.length);
      for (const code of trial.verdict.exercised) exercised.add(code);
      const traits = traitsOf(trial).filter((trait) => !seen.has(trait));
      for (const trait of traits) seen.add(trait);
      if (traits.length > 0) corpus.push({ scenario: trial.scenario, pickedCount: 0 });
      if (isRealTime) replaceFound(trial);
      const failure = toReport(trial.failures);
      if (failure === undefined) continue;
      known.push(failure);
      const reduced = await reduce({ ...trial, failure }, initial, options);
      if (reduced === undefined) known.splice(known.indexOf(failure), 1);
      else {
        addFound(reduced);
        if (!isRealTime) await learnCauses(reduced);
      }
    }
  }

  await Promise.all(Array.from({ length: concurrency }, runUntilDone));
  return { found, runs: done, requests, exercised: [...exercised] };
}

/**
 * Number of invalid scenarios in a row after which the bug search ends. The fields that all scenarios of the search
 * contain are then probably invalid.
 */
const maximumInvalid = 1_000;

/**
 * Whether the client supports the operation and the number of parallel calls of a scenario: the client reads this field
 * of the scenario's `client` (listed in `space.client`), or the scenario has the value that the client was written for.
 * @param base scenario with the values of fields that the client does not read
 */
const isSupported = ({ client = {} }: Scenario, space: SearchSpace, { client: written = {} }: Scenario) =>
  (space.client.includes('operation') || (client.operation ?? 'listPets') === (written.operation ?? 'listPets')) &&
  (space.client.includes('parallel') || (client.parallel ?? 1) === (written.parallel ?? 1));

/** Moves the client's key to the first place in `keys`, because a scenario's first key is the client's default. */
function withKeyFirst(scenario: Scenario, key: string): Scenario {
  const { keys } = scenario;
  const own = keys?.[key];
  return own === undefined ? scenario : { ...scenario, keys: { [key]: own, ...keys } };
}

/** Draws three scenarios, and returns the one that the bug search of `hunt` has mutated least often. */
function leastUsed(corpus: readonly CorpusEntry[], pick: <Item>(items: readonly Item[]) => Item): CorpusEntry {
  const drawn = [pick(corpus), pick(corpus), pick(corpus)];
  return drawn.reduce((least, entry) => (entry.pickedCount < least.pickedCount ? entry : least));
}

/** Whether a known find and another one are of one bug: one cause explains both failures, or the scenario is the same. */
const isSameFind = (one: Trial, other: Trial) =>
  (one.failure !== undefined && other.failure !== undefined && explains(one.failure, other.failure)) ||
  (one.failure?.code === other.failure?.code && JSON.stringify(one.scenario) === JSON.stringify(other.scenario));

/**
 * Returns the position of a failure in the list of a run's failures; infinite if the run does not have this failure.
 * Failures that other failures usually cause come last in the list.
 */
const rankOf = ({ failures }: Trial, isSame: (failure: Failure) => boolean): number => {
  const rank = failures.findIndex(isSame);
  return rank < 0 ? Number.POSITIVE_INFINITY : rank;
};

/**
 * Numbers of requests after which the repetition of a failed run is stopped, tried in ascending order. The first
 * repetition with the same failure replaces the longer run, to shorten the report.
 */
const requestLimits = [2, 3, 4, 5, 6, 7, 8, 12, 20, 40];

/**
 * Reduces a failed run to the simplest scenario with an equal failure.
 * @param plain simple scenarios that are tried first
 * @returns `undefined` if the failure could not be repeated
 */
async function reduce<Run extends Trial>(
  trial: Run,
  plain: readonly Scenario[],
  { run, isFixedField, canCut, isRealTime, repeats, reductionRuns, isStopped }: SearchOptions<Run>,
): Promise<Run | undefined> {
  let left = reductionRuns;
  let tries = 1;
  let cut: number | undefined;
  const { failure } = trial;
  // In real time, the machine's load can hide the pattern of a client's waits, so that a cause is unknown (empty). An
  // unknown cause then counts as equal to every other cause of the same code.
  const isRepeated = (other: Failure) =>
    isSameFailure(other, failure) ||
    (isRealTime && other.code === failure?.code && (other.cause === '' || failure.cause === ''));
  const again = async (scenario: Scenario, requests = cut): Promise<Run | undefined> => {
    for (let attempt = 0; attempt < tries && left > 0 && !isStopped(); attempt++) {
      left--;
      const otherRun = await run(scenario, requests);
      if (otherRun === undefined) return undefined;
      const rank = rankOf(otherRun, isRepeated);
      const repeated = otherRun.failures[rank];
      // Reports the failure as the text of this run, because its numbers differ from the first run's.
      if (repeated !== undefined && rank <= rankOf(best, isRepeated))
        return { ...otherRun, failure: { ...repeated, cause: repeated.cause || (failure?.cause ?? '') } };
    }
    return undefined;
  };
  let best = trial;
  for (let repeat = 0; repeat < repeats; repeat++) {
    if ((await again(trial.scenario)) !== undefined) continue;
    // Allows more runs per scenario if the client's failure does not occur in every run. The client's waits are then
    // probably random.
    tries = 4 * repeats;
    if ((await again(trial.scenario)) === undefined) return undefined;
    break;
  }
  /**
   * Repeats the failing scenario with fewer requests per run, so that the report contains no requests after the
   * failure. Keeps the shortest run with the same failure.
   */
  const shorten = async () => {
    if (!canCut) return;
    for (const requests of requestLimits.filter((each) => each < best.entries.length)) {
      const otherRun = await again(best.scenario, requests);
      if (otherRun === undefined) continue;
      best = otherRun;
      cut = requests;
      return;
    }
  };
  const tried = new Set<string>();
  const improve = async (scenario: Scenario): Promise<boolean> => {
    const text = JSON.stringify(scenario);
    if (tried.has(text)) return false;
    tried.add(text);
    let otherRun = await again(scenario);
    // Without a condition of a fault, the client may continue after the failure. The requests until then are compared.
    const most = best.entries.length;
    if (canCut && otherRun !== undefined && otherRun.entries.length > most) otherRun = await again(scenario, most);
    if (otherRun === undefined || !isSimpler(complexityOf(otherRun), complexityOf(best))) return false;
    best = otherRun;
    return true;
  };
  if (isRealTime && isSmall(trial)) return best;
  await shorten();
  if (!isRealTime) for (const scenario of plain) if (await improve(scenario)) break;
  for (let isBetter = true; isBetter && left > 0; ) {
    isBetter = false;
    for (const scenario of simplerForms(best.scenario, isFixedField, isRealTime)) {
      isBetter = await improve(scenario);
      if (isBetter || left <= 0) break;
    }
    if (!isBetter) {
      const before = best;
      await shorten();
      isBetter = best !== before;
    }
  }
  return best;
}
