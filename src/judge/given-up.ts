import { highest } from '../values/extremes.js';
import { findLowest } from '../values/find-lowest.js';
import { formatDuration } from '../values/format-duration.js';
import { getOrCreate } from '../values/get-or-create.js';
import { type JsonValue, parseJson, stringifyJson } from '../values/json.js';
import { textOfBytes } from '../values/json-bytes.js';
import { isMap } from '../values/plain-data.js';
import { unsignedQuery } from '../values/unsigned-query.js';
import type { Severity } from './finding.js';
import { patienceMs } from './rules/overslept.js';
import { isServed, isUnknown, isWrite, type JudgedRequest, type Run } from './run.js';

/** Assumed wait of a client after a failed response without Retry-After or Reset. */
const unknownWaitMs = 60_000;
/**
 * Factor that lengthens the allowed time until a retry if the run was stopped from outside. The stopped client may have
 * been about to retry.
 */
const interruptedPatience = 3;

/**
 * Whether the client gave up a failed call: the client has ended by itself, or its retry is overdue. `false` if a gap of
 * the recording may hide the retry.
 */
export function isOverdue(failed: JudgedRequest, run: Run): boolean {
  const { isOver, pending, nowMs, requests, gaps } = run;
  if (gaps?.mayAnswer(failed)) return false;
  if (isOver && !run.end?.isInterrupted) return true;
  // A call is not given up while a request is pending, because the request may be a retry of the call. After the
  // simulated clock was set back, no retry counts as overdue, because earlier and later times are not comparable.
  if (pending > 0 || requests.at(-1)?.session.clockSetBacks !== failed.session.clockSetBacks) return false;
  const patience = patienceMs(failed) * (run.end?.isInterrupted ? interruptedPatience : 1);
  return nowMs > expectedRetryMs(failed) + patience;
}

/** Earliest time at which the client can be expected to retry a failed request. */
export function expectedRetryMs({ deadlineMs, answeredAtMs, unsure }: JudgedRequest): number {
  if (deadlineMs !== undefined) return deadlineMs;
  const untilMs = answeredAtMs + unknownWaitMs;
  return unsure !== undefined && Number.isFinite(unsure.untilMs) ? Math.max(untilMs, unsure.untilMs) : untilMs;
}

/**
 * End of a finding's allowed behavior: as an alternative, the client may give up if it reports an error to its caller.
 */
export const orError = ', or an error for the caller';

/** Text in place of `orError` if the scenario requires a successful response. */
export const endingIfServed = ': the scenario requires a successful response';

/**
 * Returns the severity of the finding that a client gave up calls, and a sentence for the finding's text. Only giving
 * up without an error for the caller is a fault.
 */
export function severityOfGivingUp(run: Run, failed: readonly JudgedRequest[]): { severity: Severity; note: string } {
  const reports = run.outcomes ?? [];
  const reported = new Set(reports.filter(({ result }) => result !== 'succeeded').map(({ call }) => call));
  const isReported = reported.has(undefined) || failed.every(({ call }) => call !== undefined && reported.has(call));
  if (isReported) return { severity: 'info', note: 'The caller got an error.' };
  if (run.end?.isInterrupted) {
    const sinceMs = (instantOf: (request: JudgedRequest) => number) =>
      formatDuration(run.nowMs - highest(failed.map(instantOf)));
    const note = failed.some(({ deadlineMs }) => deadlineMs !== undefined)
      ? `After the required wait, the client had ${sinceMs(expectedRetryMs)} to retry before the run was stopped.`
      : `The run was stopped ${sinceMs(({ answeredAtMs }) => answeredAtMs)} later.${failed.some(({ isUnreadable }) => isUnreadable) ? ' If the client was still waiting for the response, it needs a timeout of its own.' : ''}`;
    return { severity: 'info', note };
  }
  if (run.end?.hasFailed) return { severity: 'info', note: 'The command reported the failure by its exit code.' };
  if (run.end?.hasFailed === false) {
    return {
      severity: 'warn',
      note: 'The command exited with 0, which hides the failure; report an error to the caller.',
    };
  }
  return { severity: 'info', note: 'That is correct only if the caller got an error.' };
}

/**
 * Maximum number of later GET responses in which the judge searches for a pet whose createPet response was lost. A
 * response with the pet proves that the pet was stored.
 */
const maximumReads = 50;

/**
 * Cache of the outcomes of each run's requests: successes, and writes without a usable response. Filled at the first
 * use, because several rules of the judge need the outcomes, but most runs need none.
 */
const outcomesByRun = new WeakMap<readonly JudgedRequest[], ReadOutcomes>();

/**
 * Creates a function that decides whether a later request of the run achieved the purpose of a failed request. Such a
 * request is the same write, the same read with another API key, or a read showing the pet of an unanswered write. A
 * read whose response body was not recorded counts, because it may have shown the pet.
 */
export const laterSuccessesIn =
  ({ requests }: Run) =>
  (refused: JudgedRequest): boolean => {
    if (!isWrite(refused) && refused.method !== 'GET') return false;
    const { served, lost, reads } = getOrCreate(outcomesByRun, requests, () => readOutcomes(requests));
    const later = served.get(wanted(refused));
    if (later !== undefined && later.id > refused.id && (isWrite(refused) || later.token !== refused.token))
      return true;
    const isLost = !refused.isRefused || (lost.get(refused.pet)?.id ?? refused.id) < refused.id;
    if (!isWrite(refused) || !isLost) return false;
    const from = findLowest(reads.length, (index) => (reads[index] as JudgedRequest).id > refused.id);
    return reads
      .slice(from, from + maximumReads)
      .some((read) => read.client === refused.client && (read.missing.includes('answer body') || shows(read, refused)));
  };

interface ReadOutcomes {
  /** Last successful write for each call name and pet, and last successful read for each client, call name and URL. */
  served: ReadonlyMap<string, JudgedRequest>;
  /**
   * Map from each pet or other resource to the first of its writes that got no usable response. The client cannot know
   * whether this write was stored.
   */
  lost: ReadonlyMap<string, JudgedRequest>;
  /** GET requests that got a successful response, in order of arrival. */
  reads: readonly JudgedRequest[];
}

function readOutcomes(requests: readonly JudgedRequest[]): ReadOutcomes {
  const served = requests.filter(isServed);
  const lost = requests.filter((request) => isWrite(request) && isUnknown(request)).reverse();
  return {
    served: new Map(served.map((request) => [wanted(request), request])),
    lost: new Map(lost.map((request) => [request.pet, request])),
    reads: served.filter(({ method }) => method === 'GET'),
  };
}

const wanted = (request: JudgedRequest) => {
  const { client, call, method, path, query } = request;
  return isWrite(request)
    ? `${call}\n${request.pet}`
    : `${client}\n${call}\n${method}\n${path}\n${unsignedQuery(query)}`;
};

/**
 * Whether a read's response contains the resource of a write: a pet of the same name, or any other resource with all
 * fields of the write.
 */
function shows({ responseBody }: JudgedRequest, { stores, requestText }: JudgedRequest): boolean {
  const text = textOfBytes(responseBody);
  const fields = fieldsIn(requestText).filter(([name]) => stores?.shownBy.includes(name) ?? true);
  return fields.length > 0 && fields.every((field) => patternsOf(field).some((pattern) => text.includes(pattern)));
}

/**
 * Search texts for a JSON field, compact and with spaces. Each includes the character after the value, so that 1 does
 * not match 12.
 */
const patternsOf = ([name, value]: readonly [string, string]) =>
  [':', ': '].flatMap((colon) => [',', '}', '\n'].map((end) => `"${name}"${colon}${value}${end}`));

/** Returns the names and JSON values of the fields in a JSON request body, without nulls, lists and objects. */
function fieldsIn(requestText: string): [name: string, value: string][] {
  try {
    const body = parseJson(requestText);
    return isMap(body)
      ? Object.entries(body).flatMap(([name, value]): [string, string][] =>
          value === null || typeof value === 'object' ? [] : [[name, stringifyJson(value as JsonValue)]],
        )
      : [];
  } catch {
    return [];
  }
}
