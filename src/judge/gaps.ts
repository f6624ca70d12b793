import type { LeftOutEntry } from '../traffic-files/exchange.js';
import { findLowest } from '../values/find-lowest.js';
import { getOrCreate } from '../values/get-or-create.js';
import { type JudgedRequest, toleranceOf } from './judged-request.js';

/** Place in a recording where a client may have done something that the recording does not show. */
interface Gap {
  /** Number of the exchange in the recording, or between two numbers for an entry that was left out. */
  readonly id: number;
  readonly method: string;
  readonly path: string;
  /** Exchange of unknown time, key or body; `undefined` for a left-out entry that was certainly no request. */
  readonly unknown: { readonly isAdmitted: boolean; readonly untilMs: number | undefined } | undefined;
  /** Whether the exchange may belong to a key. */
  readonly mayHaveKey: (token: string | undefined) => boolean;
}

/**
 * Gaps of a recording, for a rule of the judge: exchanges that lack a part on which the rule rests, and entries that
 * were no requests. A finding that a gap between its requests could refute is no finding.
 */
export class Gaps {
  readonly #gaps: readonly Gap[];
  readonly #isCut: boolean;

  /**
   * Collects the gaps of a recording.
   * @param all all requests of the recording, in order
   * @param unknown requests of the recording that the rule cannot use
   * @param isCut whether the recording ends in the middle of the run
   */
  constructor(
    all: readonly JudgedRequest[],
    unknown: readonly JudgedRequest[],
    leftOut: readonly LeftOutEntry[],
    isCut: boolean,
  ) {
    const mayHaveKey = createKeyTest(all);
    this.#isCut = isCut;
    this.#gaps = [
      ...unknown.map((request): Gap => {
        const { id, method, path, isRefused, status, deadlineMs } = request;
        const isAdmitted = !isRefused && status !== 401;
        const untilMs = isRefused ? deadlineMs : Number.POSITIVE_INFINITY;
        return {
          id,
          method,
          path,
          unknown: { isAdmitted, untilMs },
          mayHaveKey: (token) => mayHaveKey(request, token),
        };
      }),
      ...leftOut.map(({ exchange, mayBeRequest }): Gap => {
        const { id, method, path, token: own } = exchange;
        const unknown = mayBeRequest ? { isAdmitted: true, untilMs: undefined } : undefined;
        return { id, method, path, unknown, mayHaveKey: (token) => own === undefined || own === token };
      }),
    ].sort((a, b) => a.id - b.id);
  }

  /**
   * Whether the period after a refusal may have ended between two requests with one key: by an exchange of unknown key
   * or time that was no refusal, or by a refusal with a shorter wait.
   */
  mayEnd(from: JudgedRequest, to: JudgedRequest): boolean {
    return this.#between(from, to).some(
      ({ unknown, mayHaveKey }) =>
        unknown !== undefined &&
        mayHaveKey(from.token) &&
        (unknown.isAdmitted ||
          unknown.untilMs === undefined ||
          unknown.untilMs <= to.arrivedAtMs + toleranceOf(from, to)),
    );
  }

  /** Whether a request with the key, or a left-out entry with the path, may have come between two requests. */
  mayInterrupt(from: JudgedRequest, to: JudgedRequest): boolean {
    return this.#between(from, to).some(({ unknown, path, mayHaveKey }) =>
      unknown === undefined ? path === from.path || path === to.path : mayHaveKey(from.token),
    );
  }

  /**
   * Whether the client may have got the data of a failed request later: by a left-out entry or an unknown exchange with
   * the same method and path, or after the recording's end.
   */
  mayAnswer(failed: JudgedRequest): boolean {
    if (this.#isCut) return true;
    return this.#between(failed).some(
      ({ unknown, method, path, mayHaveKey }) =>
        method === failed.method &&
        path === failed.path &&
        mayHaveKey(failed.token) &&
        (unknown === undefined || unknown.isAdmitted),
    );
  }

  #between({ id: fromId }: JudgedRequest, to?: JudgedRequest): readonly Gap[] {
    const indexOf = (id: number) => findLowest(this.#gaps.length, (index) => (this.#gaps[index] as Gap).id > id);
    return this.#gaps.slice(indexOf(fromId), to && indexOf(to.id));
  }
}

/**
 * Creates a function that decides whether a request may have had a key. If the recorder writes keys, a request without
 * one counts only if its path was also used with the key.
 */
export function createKeyTest(all: readonly JudgedRequest[]) {
  const pathsOf = new Map<string | undefined, Set<string>>();
  for (const { token, path } of all) getOrCreate(pathsOf, token, () => new Set<string>()).add(path);
  return ({ token: own, missing, hasKeysInFile, path }: JudgedRequest, token: string | undefined): boolean => {
    if (own === token) return true;
    if (own !== undefined || !missing.includes('key')) return false;
    return !hasKeysInFile || pathsOf.get(token)?.has(path) === true;
  };
}
