import { finding, type Rule, target } from './finding.js';
import { hasRead, type JudgedRequest } from './run.js';
import { writesOf } from './writes.js';

/** A write is tried again with an empty body, or, where the call is known, with another one. */
export const bodyChanged: Rule = (run) => {
  const writes = writesOf(run);
  const tried = writes.flatMap((first, index) => {
    if (!first.isRefused || length(first) === 0) return [];
    const next = writes
      .slice(index + 1)
      .find((later) => later.token === first.token && hasRead(first, later) && isRetry(first, later));
    return next === undefined ? [] : [{ first, next }];
  });
  const findings = tried
    .filter(({ first, next }) => !isSame(first, next))
    .map(({ first, next }) =>
      finding('body-changed', 'fail', [first, next], {
        measured: `${length(next)} bytes`,
        allowed: `the same ${length(first)} bytes`,
        text: `${target(next)} was tried again with ${length(next) === 0 ? 'an empty' : 'another'} body: a body that is a stream can be read only once. Keep the bytes, and send the same again.`,
      }),
    );
  return { exercised: tried.length > 0, findings };
};

/** The same call by its name, the same body, or no body at all, which no first try of a write has. */
const isRetry = (first: JudgedRequest, later: JudgedRequest) =>
  first.call !== undefined ? later.call === first.call : length(later) === 0 || isSame(first, later);

const length = ({ requestBody }: JudgedRequest) => requestBody?.length ?? 0;

const isSame = (first: JudgedRequest, later: JudgedRequest) => first.fingerprint === later.fingerprint;
