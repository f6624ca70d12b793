import { finding, type Rule, span } from '../finding.js';

/** The client sent requests after a 429 until its key was banned. A ban that a scenario or a person set is not its own. */
export const banTripped: Rule = {
  needs: 'simulator',
  judge({ episodes, isOver }) {
    const findings = episodes.flatMap(({ refusals }) =>
      refusals.flatMap((last, index) => {
        if (last.refusal !== 'ban' || !last.isStrike) return [];
        const before = refusals.slice(0, index + 1).filter(({ isStrike }) => isStrike);
        const strikes = before.slice(before.findLastIndex((each) => each.refusal === 'ban' && each !== last) + 1);
        const banMs = (last.promisedAtMs ?? last.arrivedAtMs) - last.arrivedAtMs;
        return [
          finding('ban-tripped', 'fail', strikes, {
            measured: `${last.strikes} strike${last.strikes === 1 ? '' : 's'}`,
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
