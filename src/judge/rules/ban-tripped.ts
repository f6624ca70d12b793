import { counted } from '../../values/counted.js';
import { type Finding, finding, type SimulatorRule, span } from '../finding.js';
import type { Lane } from '../place.js';
import { type KnownRequest, toleranceMs } from '../run.js';

/** Shortest wait after a response that names none, and the one from which waits need not grow, in milliseconds. */
const leastBackoffMs = 1_000;
const longBackoffMs = 60_000;

/** Whether a strike came when its refusal allowed; after one that names no wait, by a backoff that grows. */
function cameAsTold(strike: KnownRequest, before: KnownRequest | undefined): boolean {
  const { lastRefusalRead: told, arrivedAtMs } = strike;
  if (told === undefined) return false;
  if (namesWait(told)) return arrivedAtMs >= told.deadlineMs - toleranceMs;
  const lastTold = before?.lastRefusalRead;
  const hasGrown =
    before === undefined ||
    lastTold === undefined ||
    // Side by side, several requests follow one refusal.
    lastTold === told ||
    namesWait(lastTold) ||
    waitOf(strike) >= longBackoffMs ||
    waitOf(strike) > waitOf(before);
  return waitOf(strike) >= leastBackoffMs && hasGrown;
}

const namesWait = (told: KnownRequest): told is KnownRequest & { deadlineMs: number } =>
  told.deadlineMs !== undefined && told.deadlineMs > told.answeredAtMs;

const waitOf = ({ lastRefusalRead, arrivedAtMs }: KnownRequest) =>
  arrivedAtMs - (lastRefusalRead?.answeredAtMs ?? arrivedAtMs);

/**
 * Finds clients that send requests after a 429 until their key is banned. Bans set by a scenario or a control operation
 * do not count.
 */
export const banTripped: SimulatorRule = {
  needs: 'simulator',
  judge({ episodes, isOver, end, dropped = 0 }) {
    const findings: Finding[] = [];
    for (const { refusals } of episodes) {
      /** Time of the first refusal's response per lane, in Unix milliseconds. */
      const readMs = new Map<Lane, number>();
      /** Strikes since the last ban, and whether the client sent one of these after receiving a refusal. */
      let strikes: KnownRequest[] = [];
      let hadRefusal = false;
      for (const last of refusals) {
        const { lane, queuedAtMs, answeredAtMs, known, isBan } = last;
        const firstMs = readMs.get(lane) ?? Number.POSITIVE_INFINITY;
        readMs.set(lane, Math.min(firstMs, answeredAtMs));
        if (!known.isStrike) continue;
        strikes.push(last);
        hadRefusal ||= firstMs <= queuedAtMs;
        if (!isBan) continue;
        // Strikes dropped from the journal count as the client's own. Otherwise, all strikes are in the journal.
        const isOwn = hadRefusal || (dropped > 0 && strikes.length < known.strikes);
        const led = strikes;
        strikes = [];
        hadRefusal = false;
        // A refusal of another client does not prove that this client knew of the limit.
        if (!isOwn) continue;
        const isObedient = led.every((strike, at) => cameAsTold(strike, led[at - 1]));
        const banMs = (known.promisedAtMs ?? last.arrivedAtMs) - last.arrivedAtMs;
        findings.push(
          finding('ban-tripped', isObedient ? 'warn' : 'fail', led, {
            measured: counted(known.strikes, 'strike'),
            allowed: 'none',
            text: `Kept sending after a 429 until the key was banned; the ban ends in ${span(banMs)}. Request ${last.id} was the last strike. ${isObedient ? 'The responses did not state the real wait, and the client backed off: give up after fewer attempts.' : 'After a 429, send nothing with this key until Retry-After has passed.'}`,
          }),
        );
      }
    }
    const hasRetried = episodes.some(({ requests }) =>
      requests.some(({ lastRefusalRead }) => lastRefusalRead !== undefined),
    );
    return {
      exercised: hasRetried || findings.length > 0 || (isOver && !end?.isInterrupted && episodes.length > 0),
      findings,
    };
  },
};
