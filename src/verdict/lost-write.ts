import { finding, type Rule, target } from './finding.js';
import { groupBy } from './run.js';
import { writesOf } from './writes.js';

/** A write that was refused with 429, so that nothing was stored, is never sent again. */
export const lostWrite: Rule = (run) => {
  const calls = [...groupBy(writesOf(run), ({ token, fingerprint }) => `${token} ${fingerprint}`).values()];
  const refused = calls.filter((tries) => tries.some(({ isRefused }) => isRefused));
  // Before the deadline has passed, a client may still be waiting.
  const due = refused.filter((tries) => (tries.findLast(({ isRefused }) => isRefused)?.deadlineMs ?? 0) < run.endMs);
  const findings = due.flatMap((tries) => {
    const last = tries.at(-1);
    if (last === undefined || !last.isRefused) return [];
    return [
      finding('lost-write', 'warn', tries, {
        measured: `${tries.length} tries, none stored`,
        allowed: 'stored in the end',
        text: `${target(last)} was refused with 429 and never sent again, so the animal is not there. A 429 stores nothing: a write may be repeated after Retry-After.`,
      }),
    ];
  });
  return { exercised: due.length > 0, findings };
};
