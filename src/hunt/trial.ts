import type { Verdict } from '../judge/judge-run.js';
import { promisesOf, readRetryAfter } from '../judge/promises.js';
import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { textOfBytes } from '../values/json-bytes.js';

/** Why a client failed in one scenario. */
export interface Failure {
  /** Code of the finding; `check` for the caller's own property, `never-ends` for a client that waits for nothing. */
  code: string;
  /** The judge's guess at the mistake, without numbers, so that one bug is one cause: `a cap of N s`. */
  cause: string;
  /** Description, in a sentence or two. */
  text: string;
}

/** One run of a client. */
export interface Trial {
  scenario: Scenario;
  verdict: Verdict;
  entries: readonly RequestRecord[];
  /** The first failure; `failures` has those that followed, too. */
  failure: Failure | undefined;
  failures: readonly Failure[];
  /** End of the client: `returned`, `threw`, or the reason for its stop. */
  end: string;
}

/** Failures in order. Later ones mostly follow from the first, as a ban follows from early retries. */
export const failuresIn = ({ findings }: Verdict): Failure[] =>
  findings
    .filter(({ severity }) => severity === 'fail')
    .map(({ code, text }) => {
      const [, looksLike = ''] = /looks like (.*?)(?:, or |\. |\.$|$)/.exec(text) ?? [];
      return { code, cause: withoutNumbers(looksLike), text };
    });

export const withoutNumbers = (text: string) => text.replace(/\d+(?:\.\d+)?/g, 'N');

export const isSameFailure = (one: Failure | undefined, other: Failure | undefined) =>
  one !== undefined && one.code === other?.code && one.cause === other.cause;

/**
 * Features of a run: rules put to the test, kinds of responses, and the pattern of the client's waits. A search prefers
 * scenarios that show something new.
 */
export function traitsOf({ verdict, entries, end }: Trial): string[] {
  const traits = new Set<string>([`end ${end}`, `requests ${magnitude(entries.length)}`]);
  for (const code of verdict.exercised) traits.add(`rule ${code}`);
  for (const { code, severity } of verdict.findings) traits.add(`${severity} ${code}`);
  const last = new Map<string | undefined, RequestRecord>();
  let refusals = 0;
  for (const entry of entries) {
    const before = last.get(entry.token);
    if (before !== undefined) {
      const told = promisesOf(before, isRefused(before)).deadlineMs;
      const waited = entry.arrivedAtMs - before.answeredAtMs;
      const asked = told === undefined ? undefined : told - before.answeredAtMs;
      traits.add(`wait ${kindOf(before)} ${asked === undefined ? magnitude(waited / 1_000) : ratio(waited, asked)}`);
    }
    last.set(entry.token, entry);
    traits.add(`response ${entry.operation} ${kindOf(entry)}`);
    if (isRefused(entry)) traits.add(`refusals ${++refusals}`);
  }
  return [...traits];
}

const isRefused = ({ refusal, status }: RequestRecord) => refusal !== undefined || status === 429;

/** Kind of a response, as far as a client has to distinguish it. */
function kindOf(entry: RequestRecord): string {
  const { status, refusal, headers, isUnreadable, responseBody } = entry;
  const isFailure = status === 0 || status >= 400;
  const text = headers[retryAfterHeader];
  const told = text === undefined ? 'none' : /^\d+$/.test(text) ? `seconds ${magnitude(Number(text))}` : formOf(entry);
  const reset = headers[rateLimitHeaders.reset]?.length ?? 0;
  const body = isUnreadable ? 'lost' : /^[{[]/.test(textOfBytes(responseBody)) ? 'json' : 'other';
  return [status, refusal ?? '', isFailure ? `${told}, reset ${reset}` : '', body].join(' ');
}

const formOf = (entry: RequestRecord) => (readRetryAfter(entry) === undefined ? 'unreadable' : 'other form');

/** Order of magnitude, by powers of four. */
const magnitude = (value: number) => (value <= 0 ? 0 : Math.max(0, Math.ceil(Math.log2(value) / 2)));

const ratio = (waited: number, asked: number) =>
  asked <= 0
    ? 'any'
    : waited < asked - 50
      ? `early ${Math.floor((4 * waited) / asked)}`
      : `late ${magnitude(waited / asked)}`;
