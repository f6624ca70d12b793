import { counted } from '../../values/counted.js';
import { finding, type SimulatorRule, span } from '../finding.js';

/** The client sent requests after a 429 until its key was banned. A ban that a scenario or a person set is not its own. */
export const banTripped: SimulatorRule = {
  needs: 'simulator',
  judge({ episodes, isOver }) {
    const findings = episodes.flatMap(({ refusals }) =>
      refusals.flatMap((last, index) => {
        if (!last.isBan || !last.known.isStrike) return [];
        const before = refusals.slice(0, index + 1).filter(({ known }) => known.isStrike);
        const strikes = before.slice(before.findLastIndex((each) => each.isBan && each !== last) + 1);
        const banMs = (last.known.promisedAtMs ?? last.arrivedAtMs) - last.arrivedAtMs;
        return [
          finding('ban-tripped', 'fail', strikes, {
            measured: counted(last.known.strikes, 'strike'),
            allowed: 'none',
            text: `Went on after a 429 until the key was banned for ${span(banMs)}; request ${last.id} was the last strike. After a 429, send nothing with this key until Retry-After has passed.`,
          }),
        ];
      }),
    );
    const cameBack = episodes.some(({ requests }) => requests.some(({ told }) => told !== undefined));
    return { exercised: cameBack || findings.length > 0 || (isOver && episodes.length > 0), findings };
  },
};
