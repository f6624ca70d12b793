import { highest, lowest } from '../values/extremes.js';
import { formatDuration } from '../values/format-duration.js';
import { isDuration, type WaitForm } from '../values/told-waits.js';
import { formatTimes } from './finding.js';
import { isEarly, type JudgedRequest, toleranceMs, waitedMs } from './run.js';

/** A client's wait: the response that required it, and the request that ended it. */
export interface Wait {
  response: JudgedRequest;
  request: JudgedRequest;
}

/**
 * Names the cause of a client's early retries, the likely mistake in its code; `undefined` if its waits leave several.
 * @param all all waits of the client after responses that required one, in order, also those that it obeyed
 * @param early requests of all clients that were too early
 */
export function findCause(all: readonly Wait[], early: ReadonlySet<JudgedRequest>): string | undefined {
  // Times in whole seconds make random waits look equal.
  if (all.some(({ request }) => request.clockStepMs > atOnceMs)) return undefined;
  const measured = measure(all, early);
  const cause = causeOf(measured);
  return cause?.text(measured);
}

/** Describes the client's waits before retries that were too early, with their cause, if it is known. */
export function describeWaits(early: readonly Wait[], cause: string | undefined): string {
  const waits = early.map(({ response, request }) => waitedMs(response, request));
  const ending = cause === undefined ? '' : `: looks like ${cause}`;
  const isInRow = early.every(({ response }, index) => index === 0 || response === early[index - 1]?.request);
  const often = waits.length === 1 ? '' : `${formatTimes(waits.length)} ${isInRow ? 'in a row ' : ''}`;
  if (waits.every((ms) => ms <= atOnceMs)) return `${often}without any wait${ending}`;
  const [first, ...others] = waits.slice(0, maximumShown).map(formatDuration);
  if (others.length > 0 && waits.every((ms) => ms === waits[0] || formatDuration(ms) === first))
    return `${often}after exactly ${first}${ending}`;
  const more = waits.length > maximumShown ? ` and ${waits.length - maximumShown} more` : '';
  return `after ${[first, ...others].join(', ')}${more}${ending}`;
}

/** Maximum number of waits that a finding lists. */
const maximumShown = 6;

/** Required wait of a response, and the client's wait. Times are in milliseconds. */
export interface MeasuredWait {
  waitMs: number;
  /** Required wait. */
  askedMs: number;
  /** Form of the requirement: of an explicit wait, or a reset time without a readable one. */
  form: WaitForm | 'reset';
  isEarly: boolean;
  /** Zero-based position among consecutive waits, each of which ended with a request that was refused again. */
  attempt: number;
}

function measure(all: readonly Wait[], early: ReadonlySet<JudgedRequest>): MeasuredWait[] {
  let attempt = 0;
  return all.map(({ response, request }, index) => {
    attempt = all[index - 1]?.request === response ? attempt + 1 : 0;
    const { answeredAtMs, retryAfterMs, resetMs = answeredAtMs } = response;
    return {
      waitMs: waitedMs(response, request),
      askedMs: retryAfterMs ?? resetMs - answeredAtMs,
      form: response.told.retry?.form ?? 'reset',
      isEarly: early.has(request) || isEarly(response, request),
      attempt,
    };
  });
}

/**
 * Possible cause of a client's waits. Of the causes that explain all waits, those with the fewest free parameters
 * count, because a cause with a parameter, such as the length of a fixed wait, can be fitted to more waits.
 */
interface Hypothesis {
  name: string;
  /** Number of free parameters; 2 also stands for random waits. */
  parameters: 0 | 1 | 2;
  explains(waits: readonly MeasuredWait[]): boolean;
  /** Whether the waits that the hypothesis explains are enough to name it. */
  isShown(waits: readonly MeasuredWait[]): boolean;
  text(waits: readonly MeasuredWait[]): string;
}

/** Maximum time between a response and the next request that counts as a retry without a wait. */
const atOnceMs = 20;
/** Maximum delay of a client's timer and of the network. */
const noiseMs = 80;
/** Maximum delay of a timer, in a pattern that a few random waits would match with more. */
const smallNoiseMs = 60;
/** Maximum delay of `setTimeout`. `setTimeout` with a longer delay fires at once. */
const longestTimerMs = 2 ** 31 - 1;
const hourMs = 3_600_000;
/** Minimum number of waits that show the value of a free parameter. */
const minimumWaits = 3;
/** Minimum share of Retry-After that counts as a client's fixed share. */
const minimumShare = 0.2;
/** Minimum error of a client's clock that its waits show. Smaller errors look like random waits. */
const minimumSkewMs = 1_500;

const isAtOnce = ({ waitMs }: MeasuredWait) => waitMs <= atOnceMs;
const waitsOf = (waits: readonly MeasuredWait[]) => waits.map(({ waitMs }) => waitMs);
const askedOf = (waits: readonly MeasuredWait[]) => waits.map(({ askedMs }) => askedMs);
const spreadOf = (values: readonly number[]) => highest(values) - lowest(values);
const areEqual = (waits: readonly MeasuredWait[]) => spreadOf(waitsOf(waits)) <= noiseMs;
const areDifferent = (waits: readonly MeasuredWait[]) => spreadOf(askedOf(waits)) > 2 * noiseMs;

/** Creates the hypothesis that a client did not wait after some responses, and obeyed all others. */
const noWaitAfter = (name: string, isAffected: (wait: MeasuredWait) => boolean, text: string): Hypothesis => ({
  name,
  parameters: 0,
  explains: (waits) =>
    waits.some(isAffected) && waits.every((wait) => (isAffected(wait) ? isAtOnce(wait) : !wait.isEarly)),
  isShown: (waits) => waits.filter(isAffected).length > 1,
  text: () => text,
});

/** Maximum time by which waits may exceed a thousandth of the required ones: less for few waits, which prove less. */
const thousandthNoiseMs = [0, 5, 40];

const isAbsolute = ({ form }: MeasuredWait) => form === 'reset' || !isDuration(form);
const skewsOf = (waits: readonly MeasuredWait[]) =>
  waits.filter((wait) => isAbsolute(wait) && !isAtOnce(wait)).map(({ askedMs, waitMs }) => askedMs - waitMs);

const lostFraction = ({ askedMs }: MeasuredWait) => askedMs % 1_000;

/** Whether one value of a parameter fits all waits, each of which is the value times a factor, plus noise. */
function haveCommonFactor(waits: readonly MeasuredWait[], factorOf: (wait: MeasuredWait) => number): boolean {
  const least = highest(waits.map((wait) => (wait.waitMs - smallNoiseMs) / factorOf(wait)));
  return least <= lowest(waits.map((wait) => wait.waitMs / factorOf(wait)));
}

const powerOf = ({ attempt }: MeasuredWait) => 2 ** attempt;
const shareOf = (waits: readonly MeasuredWait[]) => lowest(waits.map(({ waitMs, askedMs }) => waitMs / askedMs));
const earlyIn = (waits: readonly MeasuredWait[]) => waits.filter(({ isEarly }) => isEarly);
const obeyedIn = (waits: readonly MeasuredWait[]) => waits.filter(({ isEarly }) => !isEarly);

/** Formats a client's constant wait, which is the shortest measured one: timers can only be late. */
function constant(waits: readonly MeasuredWait[]): string {
  const ms = lowest(waitsOf(waits));
  return ms >= 1_000 && ms < 120_000 ? `${Number((ms / 1_000).toFixed(1))} s` : formatDuration(ms);
}

/** Whether equal waits are whole minutes after responses that required hours. */
const isMinuteLimit = (waits: readonly MeasuredWait[]) =>
  highest(askedOf(waits)) > hourMs && waits.every(({ waitMs }) => waitMs >= 60_000 && waitMs % 60_000 <= noiseMs);

const ignored = (waits: readonly MeasuredWait[]) =>
  waits.some(({ form }) => form !== 'reset') ? 'Retry-After' : 'the reset time';

const growths = (waits: readonly MeasuredWait[]) =>
  waits.flatMap(({ waitMs, attempt }, index) =>
    attempt === 0 ? [] : [waitMs / Math.max(1, (waits[index - 1] as MeasuredWait).waitMs)],
  );

/** All causes that the judge can name, those with fewest free parameters first. */
const hypotheses: readonly Hypothesis[] = [
  {
    name: 'seconds as milliseconds',
    parameters: 0,
    explains: (waits) =>
      waits.every(({ waitMs, askedMs }) => {
        const overMs = waitMs - askedMs / 1_000;
        return overMs >= -1 && overMs <= (thousandthNoiseMs[waits.length] ?? noiseMs);
      }),
    // Shorter required waits are a few milliseconds, which look like no wait.
    isShown: (waits) => highest(askedOf(waits)) > 40_000 || waits.filter(({ askedMs }) => askedMs > 31_000).length > 1,
    text: () => 'seconds passed to a timer that takes milliseconds',
  },
  {
    name: 'truncated fraction',
    parameters: 0,
    explains: (waits) =>
      waits.every((wait) => {
        const overMs = wait.waitMs - (wait.askedMs - lostFraction(wait));
        return lostFraction(wait) === 0
          ? !wait.isEarly
          : overMs >= -1 && overMs <= smallNoiseMs && wait.askedMs > 1_000;
      }),
    isShown: (waits) => waits.filter((wait) => lostFraction(wait) > 2 * noiseMs).length > 1,
    text: () => 'a truncated fraction of a second',
  },
  noWaitAfter('no wait', () => true, 'a Retry-After that was not read'),
  noWaitAfter('date not read', ({ form }) => form === 'date', 'an HTTP date that was not read'),
  noWaitAfter('no Retry-After', ({ form }) => form === 'reset', 'no wait where Retry-After is missing or no number'),
  noWaitAfter('timer overflow', ({ askedMs }) => askedMs > longestTimerMs, 'a wait longer than the maximum of a timer'),
  {
    name: 'clock skew',
    parameters: 0,
    explains: (waits) => {
      const skews = skewsOf(waits);
      return (
        skews.length > 0 &&
        spreadOf(skews) <= smallNoiseMs &&
        waits.every(
          (wait) => !wait.isEarly || (isAbsolute(wait) && (!isAtOnce(wait) || wait.askedMs <= highest(skews))),
        )
      );
    },
    isShown: (waits) =>
      skewsOf(waits).length >= minimumWaits && lowest(skewsOf(waits)) >= minimumSkewMs && areDifferent(waits),
    text: (waits) => `a clock ${formatDuration(highest(skewsOf(waits)))} ahead of the service's`,
  },
  {
    name: 'fixed or cap',
    parameters: 1,
    explains: (waits) => areEqual(waits) && obeyedIn(waits).length === 0,
    isShown: areDifferent,
    text: (waits) => {
      if (isMinuteLimit(waits)) return 'the wait for the minute limit';
      const [one, other] = lowest(waitsOf(waits)) < 5_000 ? ['fixed wait', 'cap'] : ['cap', 'fixed wait'];
      return `a ${one} of ${constant(waits)}, or a ${other}`;
    },
  },
  {
    name: 'fixed',
    parameters: 1,
    explains: (waits) =>
      areEqual(waits) && obeyedIn(waits).some(({ waitMs, askedMs }) => waitMs - askedMs > noiseMs + toleranceMs),
    isShown: areDifferent,
    text: (waits) => `a fixed wait of ${constant(waits)}`,
  },
  {
    name: 'cap',
    parameters: 1,
    explains: (waits) => {
      const early = earlyIn(waits);
      const capMs = lowest(waitsOf(early));
      const obeyed = obeyedIn(waits);
      return areEqual(early) && obeyed.length > 0 && obeyed.every(({ waitMs }) => waitMs < capMs - noiseMs);
    },
    isShown: (waits) => earlyIn(waits).length > 1,
    text: (waits) => `a cap of ${constant(earlyIn(waits))}`,
  },
  {
    name: 'share',
    parameters: 1,
    explains: (waits) =>
      waits.every(({ askedMs }) => askedMs > 0) &&
      haveCommonFactor(waits, ({ askedMs }) => askedMs) &&
      shareOf(waits) >= minimumShare &&
      shareOf(waits) < 1,
    isShown: (waits) => spreadOf(askedOf(waits)) * shareOf(waits) > 2 * noiseMs,
    text: (waits) => `${Math.round(100 * shareOf(waits))} % of ${ignored(waits)}`,
  },
  {
    name: 'doubling',
    parameters: 1,
    explains: (waits) => haveCommonFactor(waits, powerOf) && waits.some(({ attempt }) => attempt > 0),
    isShown: (waits) => waits.some(({ attempt }) => attempt > 1) && areDifferent(waits),
    text: (waits) => `a backoff that ignores ${ignored(waits)}`,
  },
  {
    name: 'random part',
    parameters: 2,
    explains: (waits) => waits.every(({ waitMs, askedMs }) => waitMs >= askedMs / 2 && waitMs <= askedMs + noiseMs),
    isShown: areDifferent,
    text: (waits) => `a random part of ${ignored(waits)}`,
  },
  {
    name: 'doubling with jitter',
    parameters: 2,
    explains: (waits) => growths(waits).length > 0 && growths(waits).every((factor) => factor >= 1.3 && factor <= 4),
    isShown: (waits) => waits.some(({ attempt }) => attempt > 2) && areDifferent(waits),
    text: (waits) => `a backoff with jitter that ignores ${ignored(waits)}`,
  },
];

/**
 * Finds the cause of a client's waits: of `hypotheses`, which are in the order of their parameters, the only hypothesis of the fewest parameters that explains all waits.
 * `undefined` if several do, none does, or the waits are too few to show it.
 */
export function causeOf(waits: readonly MeasuredWait[]): Hypothesis | undefined {
  let first: Hypothesis | undefined;
  const others: Hypothesis[] = [];
  for (const each of hypotheses) {
    if (each.parameters > (first?.parameters ?? each.parameters)) break;
    if (each.explains(waits)) {
      if (first === undefined) first = each;
      else others.push(each);
    }
  }
  // Waits of the length of a delay show no length that the client chose.
  const isEnough = first?.parameters === 0 || (waits.length >= minimumWaits && lowest(waitsOf(waits)) > noiseMs);
  return others.length === 0 && isEnough && first?.isShown(waits) ? first : undefined;
}
