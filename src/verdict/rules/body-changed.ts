import { finding, type Rule, target } from '../finding.js';
import { groupBy, hasRead, type JudgedRequest } from '../run.js';
import { writesOf } from '../writes.js';

/** A write is tried again with an empty body, with a part of it, or, where the call is known, with another one. */
export const bodyChanged: Rule = (run) => {
  const writes = [...groupBy(writesOf(run), ({ token }) => token).values()];
  const retries = writes.flatMap((ofKey) =>
    ofKey.flatMap((next) => {
      const first = ofKey.findLast((earlier) => isRetry(earlier, next));
      return first === undefined ? [] : [{ first, next }];
    }),
  );
  const findings = retries
    .filter(({ first, next }) => !isSame(first, next))
    .map(({ first, next }) =>
      finding('body-changed', 'fail', [first, next], {
        measured: `${length(next)} bytes`,
        allowed: `the same ${length(first)} bytes`,
        text: `${target(next)} was tried again with ${nameOf(first, next)}. A body that is a stream can be read only once: keep the bytes, and send the same again.`,
      }),
    );
  return { exercised: retries.length > 0, findings };
};

/** The same call by its name, the same body, or a beginning of it, which no first try of a write is. */
function isRetry(first: JudgedRequest, next: JudgedRequest): boolean {
  if (!first.isRefused || length(first) === 0 || !hasRead(first, next)) return false;
  if (first.call !== undefined || next.call !== undefined) return next.call === first.call;
  return isSame(first, next) || isBeginning(first, next);
}

function isBeginning({ requestBody: whole }: JudgedRequest, { requestBody: part }: JudgedRequest): boolean {
  const bytes = part ?? new Uint8Array();
  return bytes.length < (whole?.length ?? 0) && bytes.every((byte, at) => byte === whole?.[at]);
}

const nameOf = (first: JudgedRequest, next: JudgedRequest) =>
  length(next) === 0 ? 'an empty body' : isBeginning(first, next) ? 'only the beginning of its body' : 'another body';

const length = ({ requestBody }: JudgedRequest) => requestBody?.length ?? 0;

const isSame = (first: JudgedRequest, next: JudgedRequest) => first.fingerprint === next.fingerprint;
