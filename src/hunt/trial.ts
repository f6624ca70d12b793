import type { Verdict } from '../judge/judge-run.js';
import { waitedMs } from '../judge/judged-request.js';
import { earliestRetryMs, isRefusal, readRetryAfter } from '../judge/promises.js';
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
   * Likely mistake in the client, with `N` in place of each number: `a cap of N s`; empty if unknown. Failures with
   * equal `code` and `cause` are one bug.
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
  /**
   * Failure that the bug search of `hunt` reports for the run, usually the first in `failures`. When `hunt` simplifies
   * a scenario, the failure to reproduce.
   */
  failure: Failure | undefined;
  /** All failures of the run. Failures that other failures usually cause come last. */
  failures: readonly Failure[];
  /** How the client ended: `returned`, `threw`, or the reason for which the run was stopped. */
  end: string;
}

/** Returns the failures of a verdict. Failures that other failures usually cause come last. */
export const failuresIn = ({ findings }: Verdict, entries: readonly RequestRecord[]): Failure[] =>
  findings
    .filter(({ severity }) => severity === 'fail')
    .map(({ code, text, requests }) => {
      const [, looksLike] = /looks like (.*?)(?:, or |\. |\.$|$)/.exec(text) ?? [];
      const isSlight = code === 'early-retry' && minimumShareWaited(requests, entries) >= slightShare;
      return { code, cause: withoutNumbers(looksLike ?? (isSlight ? 'slightly early' : '')), text };
    })
    .sort((one, other) => Number(consequences.includes(one.code)) - Number(consequences.includes(other.code)));

/**
 * Share of the required wait. An early retry after at least this share was only slightly early, through rounding or
 * jitter.
 */
const slightShare = 0.75;

/**
 * Computes the share of the required wait that the client waited before each given request, and returns the smallest
 * share.
 */
function minimumShareWaited(ids: readonly number[], entries: readonly RequestRecord[]): number {
  const shares = ids.map((id) => {
    const index = entries.findIndex((entry) => entry.id === id);
    const [previousRecord, entry] = [entries[index - 1], entries[index]];
    if (previousRecord === undefined || entry === undefined) return 0;
    return waitedMs(previousRecord, entry) / ((earliestRetryMs(previousRecord) ?? 0) - previousRecord.answeredAtMs);
  });
  return Math.min(...shares);
}

/**
 * Codes of client failures that mostly follow from another failure in the same run. For example, a ban follows from
 * early retries.
 */
const consequences: readonly string[] = ['ban-tripped', 'ban-hammered', 'ignored-day-window', 'gave-up', 'lost-write'];

/**
 * Whether a failure of the client probably follows from another failure in the same run. A retry storm can also be a
 * separate bug, but counts as a consequence.
 */
export const isConsequence = ({ code }: Failure) => code === 'retry-storm' || consequences.includes(code);

export const withoutNumbers = (text: string) => text.replace(/\d+(?:\.\d+)?/g, 'N');

export const isSameFailure = (one: Failure | undefined, other: Failure | undefined) =>
  one !== undefined && one.code === other?.code && one.cause === other.cause;

/**
 * Lists the features of a client's run, such as exercised rules. The bug search of `hunt` prefers scenarios that cause
 * new features.
 */
export function traitsOf({ verdict, entries, end }: Trial): string[] {
  const traits = new Set<string>([`end ${end}`, `requests ${magnitude(entries.length)}`]);
  for (const code of verdict.exercised) traits.add(`rule ${code}`);
  for (const { code, severity } of verdict.findings) traits.add(`${severity} ${code}`);
  const last = new Map<string | undefined, RequestRecord>();
  let refusals = 0;
  for (const entry of entries) {
    const previousRecord = last.get(entry.token);
    if (previousRecord !== undefined) {
      const deadlineMs = earliestRetryMs(previousRecord);
      const waited = waitedMs(previousRecord, entry);
      const asked = deadlineMs === undefined ? undefined : deadlineMs - previousRecord.answeredAtMs;
      traits.add(
        `wait ${kindOf(previousRecord)} ${asked === undefined ? magnitude(waited / 1_000) : ratio(waited, asked)}`,
      );
    }
    last.set(entry.token, entry);
    traits.add(`response ${entry.operation} ${kindOf(entry)}`);
    if (isRefusal(entry)) traits.add(`refusals ${++refusals}`);
  }
  return [...traits];
}

/**
 * Returns a short text that similar responses share. Contains the status, the kind of refusal, the size of the required
 * wait, and whether the body is JSON.
 */
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
