import { isRemoteCall } from '../../requests/reads.js';
import { listGroups } from '../../values/group-by.js';
import { pluralize } from '../../values/pluralize.js';
import { requestTarget } from '../../values/request-target.js';
import { finding, type WireRule } from '../finding.js';
import { endingIfServed, isOverdue, laterSuccessesIn, orError, severityOfGivingUp } from '../given-up.js';
import { asksForWrites, isServed, isWrite, type JudgedRequest, type Run, writesOf } from '../run.js';

/** Rule: finds refused writes that the client never repeats, so that the resource is not stored. */
export const lostWrite: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'answer headers', 'distinct writes'],
  words: 'lost a write',
  isConclusive: true,
  isConsequence: true,
  endingIfServed,
  judge(run) {
    const isObtained = laterSuccessesIn(run);
    const refused = writesOf(run).filter(
      (attempts) => attempts.some(isStoringNothing) && !isRemoteCall(attempts[0]?.requestText ?? ''),
    );
    const without = refused.filter((attempts) => {
      const last = attempts.at(-1) as JudgedRequest;
      return isStoringNothing(last) && !isObtained(last);
    });
    // If the client has stored as many pets as the scenario requires, ignores writes refused before the last stored
    // one. The client may have retried with a different pet, which only the header X-Sim-Call would show.
    const lastStored = without.length > 0 ? lastOfAllStored(run) : undefined;
    const missing = without.filter((attempts) => {
      const { call, id } = attempts.at(-1) as JudgedRequest;
      return call !== undefined || lastStored === undefined || lastStored.id < id;
    });
    const lost = missing.flatMap((attempts) => {
      const last = attempts.at(-1) as JudgedRequest;
      // Refused attempts at the end of the write's attempts: all attempts after the last one that was not refused.
      const unserved = attempts.slice(1 + attempts.findLastIndex((attempt) => !isStoringNothing(attempt)));
      return isOverdue(last, run) ? [{ last, tries: unserved }] : [];
    });
    const findings = listGroups(lost, ({ last }) => last.token).map((ofKey) => {
      const [{ last, tries }] = ofKey as [(typeof ofKey)[number]];
      const { severity, note } = severityOfGivingUp(
        run,
        ofKey.map((each) => each.last),
      );
      const isKnown = run.end?.hasFailed !== undefined || (run.outcomes ?? []).length > 0;
      const all = ofKey.flatMap((each) => each.tries);
      const others = ofKey.length > 1 ? ` and ${pluralize(ofKey.length - 1, 'other write')}` : '';
      const often = ofKey.length === 1 && tries.length > 1 ? ` ${tries.length} times` : '';
      return finding(isKnown ? severity : 'warn', all, {
        measured: `${pluralize(all.length, 'attempt')}, all refused`,
        allowed: `stored eventually${orError}`,
        text: `${requestTarget(last)}${others} ${others === '' ? 'was' : 'were'} refused with ${last.status}${often} and then given up, so nothing was stored. ${note} A refused write stores nothing, so repeat it after the wait.`,
      });
    });
    const madeAnew = without.find((attempts) => !missing.includes(attempts))?.at(-1);
    return {
      exercised: refused.length > without.length || lost.length > 0,
      findings,
      doubt: madeAnew !== undefined && findings.length === 0 ? describeMadeAnew(madeAnew) : undefined,
    };
  },
};

/**
 * Whether a refusal certainly stored nothing, and a retry may store it. A write whose response was a 5xx may be stored.
 */
const isStoringNothing = ({ isRefused, status, permanentReason }: JudgedRequest) =>
  isRefused && status < 500 && permanentReason === undefined;

/**
 * Finds the last successful write of a run, if the run stored at least as many pets as the scenario requires. Returns
 * `undefined` if fewer pets were stored, or if the scenario requires no writes.
 */
function lastOfAllStored(run: Run): JudgedRequest | undefined {
  const { requests, needs } = run;
  if (!asksForWrites(run)) return undefined;
  const stored = requests.filter((request) => isWrite(request) && isServed(request));
  return new Set(stored.map(({ pet }) => pet)).size >= (needs?.calls ?? 1) ? stored.at(-1) : undefined;
}

const describeMadeAnew = (refused: JudgedRequest) =>
  `A ${refused.method} was refused and not sent again, and another ${refused.noun} was stored. Name the calls in X-Sim-Call to show whether this was a retry with a new ${refused.noun}.`;
