import { windowSeconds } from '../../rate-limits/plan-limits.js';
import { copyOf, predict } from '../deduce/key-track.js';
import type { LimitHypothesis } from '../deduce/limit-hypotheses.js';
import type { SeenRate } from '../deduce/rate.js';

/** One request of an experiment: when, counted from its start, and to what. */
export interface Step {
  readonly afterSeconds: number;
  readonly operation: string | undefined;
}

/** Requests at chosen times, whose answers differ between hypotheses about limits. */
export interface Experiment {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** What experiments are made from. */
export interface Present {
  /** The second of the service's clock. */
  readonly nowSeconds: number;
  readonly rate: SeenRate | undefined;
  readonly hasPet: boolean;
  /** How many more requests may be made. */
  readonly left: number;
  readonly allowsExhaust: boolean;
  /** The longest wait, in seconds. */
  readonly patienceSeconds: number;
}

/** A wait of so many seconds is worth a request. */
const secondsARequest = 20;

const list = (afterSeconds: number): Step => ({ afterSeconds, operation: 'listPets' });

/** Every experiment that may be made now. */
export function experimentsAt({
  nowSeconds,
  rate,
  hasPet,
  left,
  allowsExhaust,
  patienceSeconds,
}: Present): Experiment[] {
  const { minute } = windowSeconds;
  const untilReset = Math.max(1, (rate?.reset ?? nowSeconds) - nowSeconds) + 1;
  const fresh = Math.min(untilReset, minute + 1);
  const half = minute / 2;
  const all: Experiment[] = [
    { name: 'a list', steps: [list(0)] },
    ...(hasPet ? [{ name: 'a pet', steps: [{ afterSeconds: 0, operation: 'getPet' as const }] }] : []),
    { name: 'an unknown path', steps: [{ afterSeconds: 0, operation: undefined }] },
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
  // Without leave to use up a window, an experiment keeps below what remains.
  const fits = ({ steps }: Experiment) =>
    steps.length <= left &&
    (steps.at(-1)?.afterSeconds ?? 0) <= patienceSeconds &&
    (allowsExhaust || remaining > steps.length || steps.every(({ afterSeconds }) => afterSeconds >= untilReset));
  return all.filter(fits);
}

/** The experiment that splits the hypotheses best for what it costs; `undefined` when none splits them. */
export function bestExperiment(
  hypotheses: readonly LimitHypothesis[],
  token: string,
  present: Present,
): Experiment | undefined {
  let best: { experiment: Experiment; worth: number } | undefined;
  for (const experiment of experimentsAt(present)) {
    const groups = new Map<string, number>();
    for (const hypothesis of hypotheses) {
      const answers = answersTo(experiment, hypothesis, token, present.nowSeconds);
      groups.set(answers, (groups.get(answers) ?? 0) + 1);
    }
    const together = [...groups.values()].reduce((sum, size) => sum + (size / hypotheses.length) ** 2, 0);
    const cost = experiment.steps.length + (experiment.steps.at(-1)?.afterSeconds ?? 0) / secondsARequest;
    const worth = (1 - together) / cost;
    if (groups.size > 1 && worth > (best?.worth ?? 0)) best = { experiment, worth };
  }
  return best?.experiment;
}

/** What the simulator would answer under a hypothesis. */
function answersTo({ steps }: Experiment, { rules, keys }: LimitHypothesis, token: string, nowSeconds: number): string {
  const [track] = keys.get(token) ?? [];
  if (track === undefined) return '';
  const copy = copyOf(track);
  let answers = '';
  for (const { afterSeconds, operation } of steps) {
    const { isRefused, limit, remaining, reset } = predict(copy, rules, nowSeconds + afterSeconds, operation);
    answers += `${isRefused} ${limit} ${remaining} ${reset};`;
  }
  return answers;
}
