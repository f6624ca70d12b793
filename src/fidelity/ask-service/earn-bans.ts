import type { Exchange } from '../../traffic-files/exchange.js';
import type { BanRules } from '../deduce/ban-rules.js';
import type { Learner } from '../deduce/learner.js';
import { isRefusal } from '../deduce/rate.js';
import { type Asker, EndOfAsking } from './ask-service.js';
import type { Probe } from './questions.js';

const list: Probe = { method: 'GET', target: '/pets?limit=1', headers: {}, token: 'own', question: 'limits' };

/** A ban takes at most so many requests that come too early. */
const mostStrikes = 10;
const betweenStrikesMs = 1_000;
/** The first strikes come so long before the promise: late, so that the end of a ban shows, and so that no grace hides them. */
const strikesBeforePromiseMs = 15_000;
/** An episode needs so much of a window, and no window that is longer than a minute is waited for. */
const leastWindowSeconds = 40;
const mostWindowSeconds = 90;
/** When requests come after the first refusal, to learn which of them the grace spares. */
const graceStepsMs = [100, 300, 700, 1_400, 2_500, 4_500, 8_000, 14_000, 25_000];
/** How long before the promise a request comes, to learn whether the tolerance spares it. */
const toleranceStepsMs = [300, 700, 1_500, 3_500, 8_000];
const betweenPhasesMs = 110;

/** The beginning of an episode: all of the window is used, and one request was refused. */
interface Refused {
  readonly first: Exchange;
  /** By the clock of the transport. */
  readonly promisedMs: number;
}

/**
 * Gets the key banned, again and again, each time by requests that come at other moments: how many strikes ban, how long,
 * whether a request in the ban makes it longer, whether the next one is longer, what the grace is, and the tolerance.
 * @throws {EndOfAsking} when the budget is used up, or a wait would be too long
 */
export async function earnBans(asker: Asker, learner: Learner): Promise<void> {
  const rules = () => learner.banRules;
  if (rules().after === undefined) {
    if (!(await earnFirst(asker, learner)) || rules().after === undefined) return;
  }
  if (learner.about('banExtend').state === 'not asked') await askInBan(asker);
  if (learner.about('banGraceMs').state === 'not asked' && !(await probeGrace(asker, learner, rules()))) return;
  for (let step = nextTolerance(rules()); step !== undefined; step = nextTolerance(rules())) {
    if (!(await probeTolerance(asker, learner, rules(), step))) return;
    if (nextTolerance(rules()) === step) return;
  }
}

/** Strikes a second apart, late in a window. @returns whether there was an episode */
async function earnFirst(asker: Asker, learner: Learner): Promise<boolean> {
  const refused = await useUpWindow(asker, learner, mostStrikes);
  if (refused === undefined) return false;
  const startMs = refused.promisedMs - strikesBeforePromiseMs;
  const { bans } = learner;
  for (let strike = 0; strike < mostStrikes && learner.bans === bans; strike++) {
    await asker.waitUntil(startMs + strike * betweenStrikesMs, 'the next request that comes too early');
    if (!isRefusal(await asker.atOnce(list))) return false;
  }
  return true;
}

/** A second or two later, since Retry-After is whole seconds. */
async function askInBan(asker: Asker): Promise<void> {
  await asker.wait(2_100, 'whether a request in the ban makes it longer');
  await asker.atOnce(list);
}

/** Requests at growing distances from the first refusal, until one of them bans. */
async function probeGrace(asker: Asker, learner: Learner, { after = 1 }: BanRules): Promise<boolean> {
  const refused = await useUpWindow(asker, learner, graceStepsMs.length + after);
  if (refused === undefined) return false;
  const { bans } = learner;
  const last = graceStepsMs.at(-1) ?? 0;
  const more = Array.from({ length: after }, (_, index) => last + (index + 1) * betweenStrikesMs);
  for (const afterMs of [...graceStepsMs, ...more]) {
    await asker.waitUntil(refused.first.answeredAtMs + afterMs, 'what the grace of a burst spares');
    if (!isRefusal(await asker.atOnce(list)) || learner.bans > bans) break;
  }
  return learner.bans > bans;
}

/** What to try next: the middle of what is left. */
function nextTolerance({ toleranceMs: [least, most] }: BanRules): number | undefined {
  // The range is as wide as the clock of the service is uncertain.
  const open = toleranceStepsMs.filter((each) => each > 1.5 * least && each < 0.8 * most);
  return open[Math.floor((open.length - 1) / 2)];
}

/** All strikes but one, and the last shortly before the promise: it bans, unless it is within the tolerance. */
async function probeTolerance(
  asker: Asker,
  learner: Learner,
  { after = 1 }: BanRules,
  beforeMs: number,
): Promise<boolean> {
  const refused = await useUpWindow(asker, learner, after, betweenPhasesMs);
  if (refused === undefined) return false;
  const startMs = refused.promisedMs - strikesBeforePromiseMs - after * betweenStrikesMs;
  for (let strike = 0; strike < after - 1; strike++) {
    await asker.waitUntil(startMs + strike * betweenStrikesMs, 'the next request that comes too early');
    await asker.atOnce(list);
  }
  await asker.waitUntil(promisedAtMs(refused.first, learner) - beforeMs, 'a request that comes just too early');
  await asker.atOnce(list);
  return true;
}

/**
 * Uses up a window, and one request more.
 * @param more how many requests the episode takes after that
 * @param apartMs between two requests: at other moments of a second they tell more of the service's clock
 * @returns `undefined` where that is beyond the budget, or the day is used up
 */
async function useUpWindow(asker: Asker, learner: Learner, more: number, apartMs = 0): Promise<Refused | undefined> {
  // A ban may still run, and windows may begin at a request.
  let exchange = await asker.once(list);
  while (isRefusal(exchange)) exchange = await asker.once(list);
  const leftSeconds = (asker.rate?.reset ?? 0) - asker.nowSeconds;
  if (leftSeconds > mostWindowSeconds) return undefined;
  if (leftSeconds < leastWindowSeconds) {
    await asker.wait((leftSeconds + 1) * 1_000, 'a window that has just begun');
    exchange = await asker.once(list);
  }
  const remaining = asker.rate?.remaining ?? Number.POSITIVE_INFINITY;
  if (remaining + 1 + more > asker.left) {
    throw new EndOfAsking(
      `The budget has ${asker.left} requests left, and a ban takes ${remaining + 1 + more}: go on with a larger --budget.`,
    );
  }
  for (let sent = 0; sent <= remaining && !isRefusal(exchange); sent++) {
    await asker.wait(apartMs, 'another moment of the second');
    exchange = await asker.once(list);
  }
  return isRefusal(exchange) ? { first: exchange, promisedMs: promisedAtMs(exchange, learner) } : undefined;
}

/** When the service serves again, by the clock of the transport, as the reset of a refusal says. */
function promisedAtMs({ headers }: Exchange, { clockOffset: { leastMs, mostMs } }: Learner): number {
  return Number(headers['X-RateLimit-Reset']) * 1_000 - (leastMs + mostMs) / 2;
}
