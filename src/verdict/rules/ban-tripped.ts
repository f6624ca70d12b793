import { counted } from '../../values/counted.js';
import { type Finding, finding, type SimulatorRule, span } from '../finding.js';
import type { KnownRequest } from '../run.js';

/** The client sent requests after a 429 until its key was banned. A ban that a scenario or a person set is not its own. */
export const banTripped: SimulatorRule = {
  needs: 'simulator',
  judge({ episodes, isOver }) {
    const findings: Finding[] = [];
    for (const { refusals } of episodes) {
      /** Since the last ban. */
      let strikes: KnownRequest[] = [];
      for (const last of refusals) {
        if (!last.known.isStrike) continue;
        strikes.push(last);
        if (!last.isBan) continue;
        const banMs = (last.known.promisedAtMs ?? last.arrivedAtMs) - last.arrivedAtMs;
        findings.push(
          finding('ban-tripped', 'fail', strikes, {
            measured: counted(last.known.strikes, 'strike'),
            allowed: 'none',
            text: `Went on after a 429 until the key was banned for ${span(banMs)}; request ${last.id} was the last strike. After a 429, send nothing with this key until Retry-After has passed.`,
          }),
        );
        strikes = [];
      }
    }
    const cameBack = episodes.some(({ requests }) => requests.some(({ told }) => told !== undefined));
    return { exercised: cameBack || findings.length > 0 || (isOver && episodes.length > 0), findings };
  },
};
