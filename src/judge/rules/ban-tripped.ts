import { counted } from '../../values/counted.js';
import { type Finding, finding, type SimulatorRule, span } from '../finding.js';
import type { Lane } from '../place.js';
import type { KnownRequest } from '../run.js';

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
        const banMs = (known.promisedAtMs ?? last.arrivedAtMs) - last.arrivedAtMs;
        findings.push(
          finding('ban-tripped', 'fail', led, {
            measured: counted(known.strikes, 'strike'),
            allowed: 'none',
            text: `Kept sending after a 429 until the key was banned; the ban ends in ${span(banMs)}. Request ${last.id} was the last strike. After a 429, send nothing with this key until Retry-After has passed.`,
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
