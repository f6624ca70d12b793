import type { Verdict } from '../judge/judge-run.js';
import { promisesOf, readRetryAfter } from '../judge/promises.js';
import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { textOfBytes } from '../values/json-bytes.js';

/** A failure of the client in one scenario. */
export interface Failure {
  /**
   * Code of the failure: a finding of the judge, `check` for the caller's condition, or `never-ends` for a client that
   * waits forever.
   */
  code: string;
  /**
   * Likely mistake in the client, without numbers, such as `a cap of N s`. Failures with one cause are the same bug.
   */
  cause: string;
  /** Description of the failure, in one or two sentences. */
  text: string;
}

/** Result of running a client in one scenario. */
export interface Trial {
  scenario: Scenario;
  verdict: Verdict;
  entries: readonly RequestRecord[];
  /** The run's first failure; `failures` also contains the later ones. */
  failure: Failure | undefined;
  failures: readonly Failure[];
  /** How the client ended: `returned`, `threw`, or the reason for which the run was stopped. */
  end: string;
}

/** Lists the failures of a run in order. Later failures are often consequences: too early retries lead to a ban. */
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
 * Lists the features of a run: exercised rules, kinds of responses, and the client's waits. The search prefers
 * scenarios with new features.
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
      const deadlineMs = promisesOf(before, isRefused(before)).deadlineMs;
      const waited = entry.arrivedAtMs - before.answeredAtMs;
      const asked = deadlineMs === undefined ? undefined : deadlineMs - before.answeredAtMs;
      traits.add(`wait ${kindOf(before)} ${asked === undefined ? magnitude(waited / 1_000) : ratio(waited, asked)}`);
    }
    last.set(entry.token, entry);
    traits.add(`response ${entry.operation} ${kindOf(entry)}`);
    if (isRefused(entry)) traits.add(`refusals ${++refusals}`);
  }
  return [...traits];
}

const isRefused = ({ refusal, status }: RequestRecord) => refusal !== undefined || status === 429;

/** Describes a response by the features that a client must distinguish. */
function kindOf(entry: RequestRecord): string {
  const { status, refusal, headers, isUnreadable, responseBody } = entry;
  const isFailure = status === 0 || status >= 400;
  const text = headers[retryAfterHeader];
  const wait = text === undefined ? 'none' : /^\d+$/.test(text) ? `seconds ${magnitude(Number(text))}` : formOf(entry);
  const reset = headers[rateLimitHeaders.reset]?.length ?? 0;
  const body = isUnreadable ? 'lost' : /^[{[]/.test(textOfBytes(responseBody)) ? 'json' : 'other';
  return [status, refusal ?? '', isFailure ? `${wait}, reset ${reset}` : '', body].join(' ');
}

const formOf = (entry: RequestRecord) => (readRetryAfter(entry) === undefined ? 'unreadable' : 'other form');

/** Order of magnitude of a number, in powers of four. */
const magnitude = (value: number) => (value <= 0 ? 0 : Math.max(0, Math.ceil(Math.log2(value) / 2)));

const ratio = (waited: number, asked: number) =>
  asked <= 0
    ? 'any'
    : waited < asked - 50
      ? `early ${Math.floor((4 * waited) / asked)}`
      : `late ${magnitude(waited / asked)}`;
