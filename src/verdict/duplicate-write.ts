import { finding, type Rule, target } from './finding.js';
import { groupBy } from './run.js';
import { isAmbiguous, writesOf } from './writes.js';

/** A write whose answer was lost is repeated blindly, and stored twice. */
export const duplicateWrite: Rule = (run) => {
  const calls = [...groupBy(writesOf(run), ({ token, fingerprint }) => `${token} ${fingerprint}`).values()];
  const lost = calls.filter((tries) => tries.some((request) => request.storedId !== undefined && isAmbiguous(request)));
  const findings = lost.flatMap((tries) => {
    const stored = tries.filter(({ storedId }) => storedId !== undefined);
    const first = stored.findIndex(isAmbiguous);
    if (stored.length < first + 2) return [];
    const ids = stored.map(({ storedId }) => storedId).join(', ');
    return [
      finding('duplicate-write', 'fail', stored, {
        measured: `${stored.length} animals stored (${ids})`,
        allowed: '1',
        text: `${target(stored[0] as (typeof stored)[number])} was stored, its answer was lost, and the same was sent again: ${stored.length} animals with one body. List before you repeat a write whose answer you did not get.`,
      }),
    ];
  });
  return { exercised: lost.length > 0, findings };
};
