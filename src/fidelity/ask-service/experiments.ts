import { limitsApplyTo } from '../../rate-limits/admission.js';
import { groupBy } from '../../values/group-by.js';
import { documentedWindows } from '../../values/window-fields.js';
import { countingKeyOf, createOnceForEach, type LimitHypotheses } from '../deduce/limit-hypotheses.js';
import { limitAssumptions } from '../deduce/limit-rules.js';
import type { ObservedRate } from '../deduce/observed-rate.js';

/**
 * Request of an experiment in which `calibrate` learns the rate limits of a real API. `afterSeconds` is the delay after
 * the experiment's start.
 */
export interface ExperimentStep {
  readonly afterSeconds: number;
  readonly operation: string | undefined;
}

/**
 * Experiment on a real service: requests at certain times. The possible rate-limit rules of the service predict
 * different responses.
 */
export interface Experiment {
  readonly name: string;
  readonly steps: readonly ExperimentStep[];
}

/**
 * State of a calibration (experiments that reveal a service's rate limits), from which the possible next experiments
 * follow.
 */
export interface CalibrationState {
  /** Current time by the clock of the real API under test. */
  readonly nowSeconds: number;
  readonly rate: ObservedRate | undefined;
  readonly hasPet: boolean;
  /** Number of requests that `calibrate` may still send. */
  readonly left: number;
  readonly allowsExhaust: boolean;
  /** Maximum time from the start of an experiment with the real API's rate limits to the experiment's last request. */
  readonly patienceSeconds: number;
}

/**
 * Waiting time that costs as much as one request, in seconds. The command `calibrate` compares its possible
 * experiments by cost: number of requests, and waiting time divided by this value.
 */
const secondsARequest = 20;

const step = (afterSeconds: number, operation?: string): ExperimentStep => ({ afterSeconds, operation });
const list = (afterSeconds: number) => step(afterSeconds, 'listPets');

/** Lists the experiments that are possible now to find out the service's rate limits. */
function experimentsAt({
  nowSeconds,
  rate,
  hasPet,
  left,
  allowsExhaust,
  patienceSeconds,
}: CalibrationState): Experiment[] {
  const { minute } = documentedWindows;
  const untilReset = Math.max(1, (rate?.reset ?? nowSeconds) - nowSeconds) + 1;
  const fresh = Math.min(untilReset, minute + 1);
  const half = minute / 2;
  const all: Experiment[] = [
    { name: 'a list', steps: [list(0)] },
    ...(hasPet ? [{ name: 'a pet', steps: [step(0, 'getPet')] }] : []),
    { name: 'an unknown path', steps: [step(0)] },
    { name: 'a list a little later', steps: [list(7)] },
    { name: 'a list after the reset', steps: [list(fresh)] },
    { name: 'lists before and after a reset', steps: [list(0), list(fresh)] },
    { name: 'lists through a window', steps: [list(fresh), list(fresh + half), list(fresh + minute + 1)] },
    { name: 'lists after a pause', steps: [list(minute + 1), list(minute + 1 + half), list(2 * minute + 2)] },
  ];
  const remaining = rate?.remaining ?? Number.POSITIVE_INFINITY;
  if (allowsExhaust && remaining < left) {
    const burst = Array.from({ length: remaining + 1 }, () => list(0));
    all.push({ name: 'all that remains, and one more', steps: [...burst, list(untilReset)] });
  }
  // Whether a planned series of requests fits the remaining budget and the maximum wait. Without `--allow-exhaust`, the
  // series must also leave a request of the current rate-limit window unused, or start after the window's reset.
  const fits = ({ steps }: Experiment) =>
    steps.length <= left &&
    (steps.at(-1)?.afterSeconds ?? 0) <= patienceSeconds &&
    (allowsExhaust || remaining > steps.length || steps.every(({ afterSeconds }) => afterSeconds >= untilReset));
  return all.filter(fits);
}

/**
 * Chooses the experiment whose responses exclude most possible rate-limit rules, relative to its cost. Returns
 * `undefined` if none excludes any.
 * @param failedExperiments names of experiments that revealed nothing
 */
export function bestExperiment(
  limits: LimitHypotheses,
  present: CalibrationState,
  failedExperiments: ReadonlySet<string>,
): Experiment | undefined {
  let best: { experiment: Experiment; worth: number } | undefined;
  for (const experiment of experimentsAt(present).filter(({ name }) => !failedExperiments.has(name))) {
    const separated = separatedPairs(experiment, limits, present.nowSeconds);
    const cost = experiment.steps.length + (experiment.steps.at(-1)?.afterSeconds ?? 0) / secondsARequest;
    const worth = separated / cost;
    if (separated > 0 && worth > (best?.worth ?? 0)) best = { experiment, worth };
  }
  return best?.experiment;
}

/**
 * Computes the share of pairs of possible rate-limit rules that a series of requests can tell apart. Pairs whose rules
 * differ only in rounding do not count.
 */
function separatedPairs({ steps }: Experiment, limits: LimitHypotheses, nowSeconds: number): number {
  const requests = steps.map(({ afterSeconds, operation }) => ({ atSeconds: nowSeconds + afterSeconds, operation }));
  const operations = new Set(steps.map(({ operation }) => operation));
  const onceForEach = createOnceForEach<string>();
  const expected = limits.candidates.map((hypothesis) => {
    const { rules, keys } = hypothesis;
    const isLimited = [...operations].map((operation) => limitsApplyTo(rules.settings, operation));
    const responses = onceForEach(keys.get('own'), countingKeyOf(rules, isLimited), () =>
      limits.expectedResponses(hypothesis, requests),
    );
    return { settings: JSON.stringify(limitAssumptions.map((about) => rules.settings[about])), responses };
  });
  const pairs = (nameOf: (each: (typeof expected)[number]) => string) =>
    [...groupBy(expected, nameOf).values()].reduce((sum, { length }) => sum + (length / expected.length) ** 2, 0);
  return (
    1 -
    pairs(({ responses }) => responses) -
    pairs(({ settings }) => settings) +
    pairs(({ settings, responses }) => `${settings} ${responses}`)
  );
}
