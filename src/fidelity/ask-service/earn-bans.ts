import type { Exchange } from '../../traffic-files/exchange.js';
import type { BanRules } from '../deduce/ban-rules.js';
import type { Learner } from '../deduce/learner.js';
import { isRefusal } from '../deduce/observed-rate.js';
import { plainList } from './questions.js';
import { CalibrationEnded, type ServiceClient } from './service-client.js';

/** Maximum number of too early retries that `calibrate` sends in order to get one ban. */
const maximumStrikes = 10;
const betweenStrikesMs = 1_000;
/**
 * Time before the rate limit's reset at which the command `calibrate` starts to provoke a ban. The time is short,
 * because responses show the length of a ban only if the ban ends after the reset.
 */
const earlyRetriesBeforeResetMs = 15_000;
/** Minimum time until the reset of a rate limit that the ban experiments of `calibrate` need. */
const minimumWindowSeconds = 40;
const maximumWindowSeconds = 90;
/**
 * Delays after the first 429 at which requests are sent. They reveal for how long (the grace period) early requests are
 * not punished.
 */
const graceStepsMs = [100, 300, 700, 1_400, 2_500, 4_500, 8_000, 14_000, 25_000];
/**
 * Times before a rate limit's reset at which `calibrate` retries. The responses of the real API show how early a retry
 * may be without counting towards a ban.
 */
const toleranceStepsMs = [300, 700, 1_500, 3_500, 8_000];
const betweenPhasesMs = 110;

/**
 * Causes several bans of the API key, to learn when the real API bans a key and for how long.
 * @throws {CalibrationEnded} if the request budget of `calibrate` is used up, or a wait is too long
 */
export async function earnBans(asker: ServiceClient, learner: Learner): Promise<void> {
  const rules = () => learner.banRules;
  if (rules().after === undefined) {
    if (!(await earnFirst(asker, learner)) || rules().after === undefined) return;
  }
  if (learner.about('banExtend').state === 'not asked') {
    // Waits two seconds first, because Retry-After has only whole seconds.
    await asker.wait(2_100, 'a request that may extend the ban');
    await asker.atOnce(plainList);
  }
  if (learner.about('banGraceMs').state === 'not asked' && !(await probeGrace(asker, learner, rules()))) return;
  for (let step = nextTolerance(rules()); step !== undefined; step = nextTolerance(rules())) {
    if (!(await probeTolerance(asker, learner, rules(), step))) return;
    if (nextTolerance(rules()) === step) return;
  }
}

/**
 * Sends too early retries after a 429, one per second, until the API bans the key or `maximumStrikes` are sent.
 * @returns `true` if the key got a 429 and no retry was accepted
 */
async function earnFirst(asker: ServiceClient, learner: Learner): Promise<boolean> {
  const refused = await useUpWindow(asker, maximumStrikes);
  if (refused === undefined) return false;
  const startMs = promisedAtMs(refused, learner) - earlyRetriesBeforeResetMs;
  const { bans } = learner;
  const isServed = await sendEarly(asker, earlyRetryTimes(startMs, maximumStrikes), () => learner.bans > bans);
  return !isServed;
}

/** Returns `count` times in milliseconds, one second apart, from `startMs` on. */
const earlyRetryTimes = (startMs: number, count: number) =>
  Array.from({ length: count }, (_, strike) => startMs + strike * betweenStrikesMs);

/**
 * Sends early retries, which test when the real API bans a key: requests at given times, before the wait that the last
 * 429 asked for has ended. Stops when a request is accepted, or when `isEnough` returns `true`.
 * @param timesMs times of the requests
 * @returns whether a request was accepted
 */
async function sendEarly(
  asker: ServiceClient,
  timesMs: readonly number[],
  isEnough: () => boolean,
  why = 'the next early request',
): Promise<boolean> {
  for (const ms of timesMs) {
    await asker.waitUntil(ms, why);
    if (!isRefusal(await asker.atOnce(plainList))) return true;
    if (isEnough()) break;
  }
  return false;
}

/** Measures for how long after a 429 the real API counts no request towards a ban. */
async function probeGrace(asker: ServiceClient, learner: Learner, { after = 1 }: BanRules): Promise<boolean> {
  const refused = await useUpWindow(asker, graceStepsMs.length + after);
  if (refused === undefined) return false;
  const { bans } = learner;
  const isBanned = () => learner.bans > bans;
  const more = earlyRetryTimes((graceStepsMs.at(-1) ?? 0) + betweenStrikesMs, after);
  const timesMs = [...graceStepsMs, ...more].map((afterMs) => refused.answeredAtMs + afterMs);
  await sendEarly(asker, timesMs, isBanned, 'the next early request within the grace period');
  return isBanned();
}

/**
 * Chooses the next test of how early a retry may be, in milliseconds before the reset time. Returns `undefined` if no
 * test remains.
 */
function nextTolerance({ toleranceMs: [minimum, maximum] }: BanRules): number | undefined {
  // Omits retry times that are too close to already tested times. The real API's clock is known only roughly.
  const open = toleranceStepsMs.filter((each) => each > 1.5 * minimum && each < 0.8 * maximum);
  return open[Math.floor((open.length - 1) / 2)];
}

/**
 * Tests whether a retry `beforeMs` milliseconds before the reset time counts towards a ban. First sends all but one of
 * the early retries that a ban needs, so that the tested retry causes a ban only if it counts.
 * @returns `false` if the test was impossible, because no 429 could be provoked
 */
async function probeTolerance(
  asker: ServiceClient,
  learner: Learner,
  { after = 1 }: BanRules,
  beforeMs: number,
): Promise<boolean> {
  const refused = await useUpWindow(asker, after, betweenPhasesMs);
  if (refused === undefined) return false;
  const startMs = promisedAtMs(refused, learner) - earlyRetriesBeforeResetMs - after * betweenStrikesMs;
  await sendEarly(asker, earlyRetryTimes(startMs, after - 1), () => false);
  await asker.waitUntil(promisedAtMs(refused, learner) - beforeMs, 'an early request shortly before the reset');
  await asker.atOnce(plainList);
  return true;
}

/**
 * Uses up the rate limit of an API key, until a request gets a 429.
 * @param more number of later requests for which the option `--budget` must also suffice
 * @param apartMs delay between two requests; different fractions of a second reveal more about the API's clock
 * @returns the 429; `undefined` if no 429 came, or the reset is more than `maximumWindowSeconds` away
 * @throws {CalibrationEnded} if the option `--budget` does not suffice
 */
async function useUpWindow(asker: ServiceClient, more: number, apartMs = 0): Promise<Exchange | undefined> {
  // Sends requests until one is accepted, because an earlier ban or rate limit of the key may not have ended. Some APIs
  // start the rate-limit window with this accepted request.
  let exchange = await asker.once(plainList);
  while (isRefusal(exchange)) exchange = await asker.once(plainList);
  const leftSeconds = (asker.rate?.reset ?? 0) - asker.nowSeconds;
  if (leftSeconds > maximumWindowSeconds) return undefined;
  if (leftSeconds < minimumWindowSeconds) {
    await asker.wait((leftSeconds + 1) * 1_000, 'a new window');
    exchange = await asker.once(plainList);
  }
  const remaining = asker.rate?.remaining ?? Number.POSITIVE_INFINITY;
  if (remaining + 1 + more > asker.left) {
    throw new CalibrationEnded(
      `A ban needs ${remaining + 1 + more} requests, and the budget has ${asker.left} left; continue with a larger --budget.`,
    );
  }
  for (let sent = 0; sent <= remaining && !isRefusal(exchange); sent++) {
    await asker.wait(apartMs, 'another fraction of a second');
    exchange = await asker.once(plainList);
  }
  return isRefusal(exchange) ? exchange : undefined;
}

/** Returns the reset time of a 429 by this machine's clock. */
function promisedAtMs({ headers }: Exchange, { clockOffset: { minimumMs, maximumMs } }: Learner): number {
  return Number(headers['X-RateLimit-Reset']) * 1_000 - (minimumMs + maximumMs) / 2;
}
