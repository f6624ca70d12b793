import { servedAgainAfter, timeLeft, usedUpAfterBan } from '../../rate-limits/served-again.js';
import { pluralize } from '../../values/pluralize.js';
import type { ClientSession } from '../client-session.js';
import { finding, type RuleFinding, type SimulatorRule } from '../finding.js';
import { type KnownRequest, toleranceMs, waitedMs } from '../run.js';

/** Minimum backoff after a 429 or ban response that states no wait. */
const minimumBackoffMs = 1_000;
/** Wait after a 429 that the judge accepts even if the client's waits do not grow. */
const sufficientWaitMs = 60_000;

/**
 * Whether a strike arrived after the wait that the latest received refusal required. If the refusal required no wait, a
 * growing backoff suffices.
 */
function isPatientStrike(strike: KnownRequest, before: KnownRequest | undefined): boolean {
  const { lastRefusalRead: refusal, arrivedAtMs } = strike;
  if (refusal === undefined) return false;
  if (namesWait(refusal)) return arrivedAtMs >= refusal.deadlineMs - toleranceMs;
  const lastRefusal = before?.lastRefusalRead;
  const hasGrown =
    before === undefined ||
    lastRefusal === undefined ||
    // Requests after the same 429 may be concurrent, so the second request's wait need not be longer.
    lastRefusal === refusal ||
    namesWait(lastRefusal) ||
    waitOf(strike) >= sufficientWaitMs ||
    waitOf(strike) > waitOf(before);
  return waitOf(strike) >= minimumBackoffMs && hasGrown;
}

const namesWait = (refusal: KnownRequest): refusal is KnownRequest & { deadlineMs: number } =>
  refusal.deadlineMs !== undefined && refusal.deadlineMs > refusal.answeredAtMs;

const waitOf = (request: KnownRequest) =>
  request.lastRefusalRead === undefined ? 0 : waitedMs(request.lastRefusalRead, request);

/**
 * Rule: finds clients that keep sending after a 429 until their API key is banned. Bans by a scenario or a control
 * operation do not count.
 */
export const banTripped: SimulatorRule = {
  needs: 'simulator',
  restsOn: ['key', 'timings'],
  words: 'got its key banned',
  isConsequence: true,
  blames: 'refused caller',
  judge({ episodes, requests, isOver, end, dropped }) {
    const findings: RuleFinding[] = [];
    for (const { refusals } of episodes) {
      /** For each client, the time of its first 429 or ban response. */
      const readMs = new Map<ClientSession, number>();
      /** Strikes (refused requests that count towards a ban) since the last ban. */
      let strikes: KnownRequest[] = [];
      /** Whether a request that counts towards the ban was sent after its client had received a refusal. */
      let hadRefusal = false;
      for (const last of refusals) {
        const { session, queuedAtMs, answeredAtMs, known, isBan } = last;
        const firstMs = readMs.get(session) ?? Number.POSITIVE_INFINITY;
        readMs.set(session, Math.min(firstMs, answeredAtMs));
        if (!known.isStrike) continue;
        strikes.push(last);
        hadRefusal ||= firstMs <= queuedAtMs;
        if (!isBan) continue;
        // Whether the client is to blame for a ban: it sent a request that counted towards the ban after it had
        // received a refusal. Also true if the journal has dropped some of these requests, which then cannot be
        // checked.
        const isOwn = hadRefusal || (dropped > 0 && strikes.length < known.strikes);
        const led = strikes;
        strikes = [];
        hadRefusal = false;
        // This client is not blamed for the ban: only other clients had received a refusal, so it could not know of the
        // limit.
        if (!isOwn) continue;
        const isObedient = led.every((strike, index) => isPatientStrike(strike, led[index - 1]));
        const again = servedAgainAfter({ ...known, refusal: 'ban' });
        const length = timeLeft(again?.bannedUntilMs ?? last.arrivedAtMs, last.arrivedAtMs);
        const then = again === undefined ? '' : usedUpAfterBan(again, last.arrivedAtMs);
        findings.push(
          finding(isObedient ? 'warn' : 'fail', led, {
            measured: pluralize(known.strikes, 'strike'),
            allowed: 'none',
            text: `Kept sending after a 429 until the key was banned for ${length}${then}. Request ${last.id} was the last strike. ${isObedient ? 'The responses did not state the real wait, and the client backed off: give up after fewer attempts.' : 'After a 429, send nothing with this key until Retry-After has passed.'}`,
          }),
        );
      }
    }
    const hasRetried = requests.some(({ lastRefusalRead }) => lastRefusalRead !== undefined);
    return {
      exercised: hasRetried || findings.length > 0 || (isOver && !end?.isInterrupted && episodes.length > 0),
      findings,
    };
  },
};
