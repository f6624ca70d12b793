import { counted } from '../../values/counted.js';
import { type Finding, finding, type SimulatorRule, span } from '../finding.js';
import type { Lane } from '../place.js';
import type { KnownRequest } from '../run.js';

/** The client sent requests after a 429 until its key was banned. A ban that a scenario or a person set is not its own. */
export const banTripped: SimulatorRule = {
  needs: 'simulator',
  judge({ episodes, isOver, end, dropped = 0 }) {
    const findings: Finding[] = [];
    for (const { refusals } of episodes) {
      /** When the first refusal of each client was answered. */
      const readMs = new Map<Lane, number>();
      /** Since the last ban, and whether the client had got a refusal when it sent one of them. */
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
        // Strikes that the journal has dropped are its own, with the refusals before them; all others were there before it.
        const isOwn = hadRefusal || (dropped > 0 && strikes.length < known.strikes);
        const led = strikes;
        strikes = [];
        hadRefusal = false;
        // What another client was refused says nothing of what this one knew.
        if (!isOwn) continue;
        const banMs = (known.promisedAtMs ?? last.arrivedAtMs) - last.arrivedAtMs;
        findings.push(
          finding('ban-tripped', 'fail', led, {
            measured: counted(known.strikes, 'strike'),
            allowed: 'none',
            text: `Went on after a 429 until the key was banned, and is not served for another ${span(banMs)}; request ${last.id} was the last strike. After a 429, send nothing with this key until Retry-After has passed.`,
          }),
        );
      }
    }
    const cameBack = episodes.some(({ requests }) =>
      requests.some(({ lastRefusalRead }) => lastRefusalRead !== undefined),
    );
    return {
      exercised: cameBack || findings.length > 0 || (isOver && !end?.isInterrupted && episodes.length > 0),
      findings,
    };
  },
};
