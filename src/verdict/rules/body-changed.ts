import { finding, target, type WireRule } from '../finding.js';
import { groupBy, isWrite, type JudgedRequest } from '../run.js';

/** A write is tried again with an empty body, with a part of it, or, where the call is known, with another one. */
export const bodyChanged: WireRule = {
  needs: 'wire',
  judge(run) {
    const writes = groupBy(run.requests.filter(isWrite), ({ token, call }) => `${token} ${call}`);
    const retries = [...writes.values()].flatMap(retriesOf);
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
  },
};

interface RetriedWrite {
  first: JudgedRequest;
  next: JudgedRequest;
}

/** Each write with the refused one that it is another try of, if any. */
function retriesOf(writes: readonly JudgedRequest[]): RetriedWrite[] {
  let refused: JudgedRequest | undefined;
  const retries: RetriedWrite[] = [];
  for (const next of writes) {
    const first = next.triedAfter ?? (refused !== undefined && isRetry(refused, next) ? refused : undefined);
    if (next.isRefused && length(next) > 0) refused = next;
    if (first !== undefined && length(first) > 0) retries.push({ first, next });
  }
  return retries;
}

/** Sent by a client that had read the refusal: the same named call, or a beginning of the body, which no first try is. */
const isRetry = (first: JudgedRequest, next: JudgedRequest) =>
  first.id <= (next.told?.id ?? 0) && (next.call !== undefined || isBeginning(first, next));

function isBeginning({ requestBody: whole }: JudgedRequest, { requestBody: part }: JudgedRequest): boolean {
  const bytes = part ?? new Uint8Array();
  return bytes.length < (whole?.length ?? 0) && bytes.every((byte, at) => byte === whole?.[at]);
}

const nameOf = (first: JudgedRequest, next: JudgedRequest) =>
  length(next) === 0 ? 'an empty body' : isBeginning(first, next) ? 'only the beginning of its body' : 'another body';

const length = ({ requestBody }: JudgedRequest) => requestBody?.length ?? 0;

const isSame = (first: JudgedRequest, next: JudgedRequest) => first.fingerprint === next.fingerprint;
