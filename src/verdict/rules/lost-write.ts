import { finding, type Rule, target } from '../finding.js';
import { isOverdue } from '../overdue.js';
import { callsOf } from '../run.js';
import { writesOf } from '../writes.js';

/** A write that was refused with 429, so that nothing was stored, is never sent again. */
export const lostWrite: Rule = (run) => {
  const refused = callsOf(writesOf(run)).filter((tries) => tries.some(({ isRefused }) => isRefused));
  const lost = refused.flatMap((tries) => {
    const last = tries.at(-1);
    return last?.isRefused && isOverdue(last, run) ? [{ last, tries: tries.filter(({ isRefused }) => isRefused) }] : [];
  });
  const findings = lost.map(({ last, tries }) =>
    finding('lost-write', 'warn', tries, {
      measured: `${tries.length} ${tries.length === 1 ? 'try' : 'tries'}, all refused`,
      allowed: 'stored in the end',
      text: `${target(last)} was refused with ${last.status} and never sent again, so the pet is not there. A refusal stores nothing: a write may be repeated after Retry-After.`,
    }),
  );
  return { exercised: refused.some((tries) => !tries.at(-1)?.isRefused) || lost.length > 0, findings };
};
