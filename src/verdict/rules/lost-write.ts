import { counted } from '../../values/counted.js';
import { finding, target, type WireRule } from '../finding.js';
import { createIsTakenLater, isOverdue, severityOfGivingUp } from '../given-up.js';
import { groupBy, type JudgedRequest, writesOf } from '../run.js';

/** A write that was refused with 429, so that nothing was stored, is never sent again. */
export const lostWrite: WireRule = {
  needs: 'wire',
  judge(run) {
    const isTakenLater = createIsTakenLater(run.requests);
    const refused = writesOf(run).filter((tries) => tries.some(({ isRefused }) => isRefused));
    const missing = refused.filter((tries) => {
      const last = tries.at(-1) as JudgedRequest;
      return last.isRefused && !isTakenLater(last);
    });
    const lost = missing.flatMap((tries) => {
      const last = tries.at(-1) as JudgedRequest;
      // Equal writes before it were served.
      const unserved = tries.slice(1 + tries.findLastIndex(({ isRefused }) => !isRefused));
      return isOverdue(last, run) ? [{ last, tries: unserved }] : [];
    });
    const findings = [...groupBy(lost, ({ last }) => last.token).values()].map((ofKey) => {
      const [{ last, tries }] = ofKey as [(typeof ofKey)[number]];
      const { severity, told } = severityOfGivingUp(
        run,
        ofKey.map((each) => each.last),
      );
      const isKnown = run.end?.hasFailed !== undefined || (run.outcomes ?? []).length > 0;
      const all = ofKey.flatMap((each) => each.tries);
      const others = ofKey.length > 1 ? ` and ${counted(ofKey.length - 1, 'other write')}` : '';
      const often = ofKey.length === 1 && tries.length > 1 ? ` ${tries.length} times` : '';
      return finding('lost-write', isKnown ? severity : 'warn', all, {
        measured: `${all.length} ${all.length === 1 ? 'try' : 'tries'}, all refused`,
        allowed: 'stored in the end, or an error for the caller',
        text: `${target(last)}${others} ${others === '' ? 'was' : 'were'} refused with ${last.status}${often} and then given up, so nothing was stored. ${told} A refusal stores nothing: a write may be repeated after Retry-After.`,
      });
    });
    return { exercised: refused.length > missing.length || lost.length > 0, findings };
  },
};
