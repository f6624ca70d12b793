import { longestTimerMs } from '../clock/simulated-clock.js';
import type { Finding, Rule } from '../judge/finding.js';
import type { Verdict } from '../judge/judge-run.js';
import { waitedMs } from '../judge/judged-request.js';
import { earliestRetryMs, isRefusal, toldBy } from '../judge/promises.js';
import { rules } from '../judge/rules.js';
import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { textOfBytes } from '../values/json-bytes.js';
import { nounOfForm } from '../values/told-waits.js';

/** A failure of the client in one scenario. */
export interface Failure {
  /**
   * Code of the failure: a finding of the judge, `check` for the caller's condition, or `never-ends` for a client that
   * waits forever.
   */
  code: string;
  /**
   * Likely mistake in the client, without numbers: `no wait after a date`; empty if unknown. Failures with equal `code`
   * and `cause` are one bug.
   */
  cause: string;
  /** The client's wait before each early retry, if these waits are about equal. */
  waitMs?: number | undefined;
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
  /** End of the client: `returned`, `threw`, or the reason for which the run was stopped. */
  end: string;
}

/** Returns the failures of a verdict. Failures that other failures usually cause come last. */
export const failuresIn = ({ findings }: Verdict, entries: readonly RequestRecord[]): Failure[] =>
  findings
    .filter(({ severity }) => severity === 'fail')
    .sort((one, other) => rankOf(one) - rankOf(other))
    .map(({ code, text, requests }) =>
      code === 'early-retry'
        ? { code, ...causeOf(requests, entries), text }
        : { code, cause: withoutNumbers(namedCauseIn(text)), text },
    );

const rankOf = ({ code }: Finding) => (rules[code].isConsequence ? 1 : 0);

const namedCauseIn = (text: string) => /looks like (.*?)(?:, or |\. |\.$|$)/.exec(text)?.[1] ?? '';

/**
 * Share of the required wait. An early retry after at least this share was only slightly early, through rounding or
 * jitter.
 */
const slightShare = 0.75;
/** Maximum time between a response and the next request that counts as a retry without a wait. */
const atOnceMs = 20;

const slight = 'slightly early';
const thousandth = 'a thousandth of the wait';
const noWait = 'no wait';

/**
 * Returns the cause of early retries as far as the waits show it: the length of the waits, and without any wait the
 * form of the wait in the responses. Does not depend on numbers that another scenario would change.
 */
function causeOf(ids: readonly number[], entries: readonly RequestRecord[]): Pick<Failure, 'cause' | 'waitMs'> {
  const waits = ids.flatMap((id) => {
    const index = entries.findIndex((entry) => entry.id === id);
    const request = entries[index] as RequestRecord;
    const response = entries.slice(0, index).findLast(({ token }) => token === request.token);
    return response === undefined ? [] : [{ response, ms: waitedMs(response, request) }];
  });
  const [first] = waits;
  const longestMs = Math.max(...waits.map(({ ms }) => ms));
  if (first === undefined || longestMs <= atOnceMs) {
    const isThousandth = waits.every(({ response, ms }) => ms > 2 && isThousandthOf(response, ms));
    const form = first === undefined ? '' : formOfWait(first.response);
    return { cause: isThousandth ? thousandth : form === '' ? noWait : `${noWait} after ${form}` };
  }
  const waitMs = waits.every(({ ms }) => isAbout(ms, longestMs)) ? longestMs : undefined;
  if (waits.every(({ response, ms }) => ms >= slightShare * earliestWaitMs(response))) return { cause: slight, waitMs };
  return { cause: waits.every(({ response, ms }) => isThousandthOf(response, ms)) ? thousandth : '', waitMs };
}

/** Whether two waits are equal but for the noise of timers, in milliseconds. */
const isAbout = (ms: number, otherMs: number) => Math.abs(ms - otherMs) <= Math.max(atOnceMs, otherMs / 50);
const isThousandthOf = (response: RequestRecord, ms: number) => Math.abs(ms - askedMs(response) / 1_000) <= 16;

const earliestWaitMs = (response: RequestRecord) => (earliestRetryMs(response) ?? 0) - response.answeredAtMs;

function askedMs(response: RequestRecord): number {
  const { retry } = toldBy(response);
  return retry === undefined ? earliestWaitMs(response) : Math.max(0, retry.untilMs - response.answeredAtMs);
}

/** Returns the form of a required wait that many clients cannot read; empty for seconds that fit a timer. */
function formOfWait(response: RequestRecord): string {
  const { isAsking, retry: { form } = {} } = toldBy(response);
  if (!isAsking) return 'a missing Retry-After';
  if (form === undefined) return 'a value that cannot be read';
  if (form !== 'seconds') return `a ${nounOfForm(form)}`;
  return askedMs(response) > longestTimerMs ? 'a wait longer than a timer' : '';
}

/**
 * Whether the cause of a known failure also causes another one. A client that never waits needs no other reason to
 * retry at once after a date, a thousandth of a few seconds is hardly a wait, and an equal wait is a fixed one.
 */
export const explains = (known: Failure, failure: Failure): boolean =>
  known.code === failure.code &&
  (known.cause === failure.cause ||
    (known.cause === noWait && failure.cause.startsWith(noWait)) ||
    (known.cause === thousandth && failure.cause === noWait) ||
    (known.waitMs !== undefined && failure.waitMs !== undefined && isAbout(known.waitMs, failure.waitMs)));

/**
 * Whether a failure of the client probably follows from another failure in the same run. A retry storm can also be a
 * separate bug, but counts as a consequence.
 */
export const isConsequence = ({ code }: Failure) =>
  code === 'retry-storm' || (rules as Partial<Record<string, Rule>>)[code]?.isConsequence === true;

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

const formOf = (entry: RequestRecord) => (toldBy(entry).retry === undefined ? 'unreadable' : 'other form');

/** Order of magnitude of a number, in powers of four. */
const magnitude = (value: number) => (value <= 0 ? 0 : Math.max(0, Math.ceil(Math.log2(value) / 2)));

const ratio = (waited: number, asked: number) =>
  asked <= 0
    ? 'any'
    : waited < asked - 50
      ? `early ${Math.floor((4 * waited) / asked)}`
      : `late ${magnitude(waited / asked)}`;
