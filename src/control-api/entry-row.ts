import { earliestRetryMs, toldBy } from '../judge/promises.js';
import { rateLimitHeaders } from '../rate-limits/header-names.js';
import { refusalText, servedAgainAfter, timeLeft } from '../rate-limits/served-again.js';
import { isRefusedByOther, namedStored, type RefusedBy, type RequestRecord } from '../requests/request-record.js';
import type { Entries } from '../validation/schema.js';
import { fields, number, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { formatWait } from '../values/format-duration.js';
import { createInstantText } from '../values/instant-text.js';
import { textOfBytes } from '../values/json-bytes.js';
import { keyId } from '../values/mask-key.js';
import { isMap } from '../values/plain-data.js';
import { described, instantText } from './input-values.js';
import { binds, type RefusalBefore, refusalBefore } from './refusal-before.js';
import { retriedText } from './wait-words.js';

/** One request and its result in the control API, without headers and bodies. Fields without a value are absent. */
export interface EntryRow {
  /** Number of the request in the order of arrival, from 1; never reused. */
  id: number;
  /** Arrival time of the request, ISO 8601 of simulated time. */
  time: string;
  /** Time until the response was ready, in simulated time. */
  durationMs: number;
  /** API key: in full if the scenario contains it, otherwise masked except for its end. */
  key?: string;
  /** Hash that identifies the API key without revealing the key. */
  keyId?: string;
  plan?: string;
  operation?: string;
  method: string;
  path: string;
  query: string;
  /** Response status; 0 if the client disconnected first. */
  status: number;
  /** Error code in the response body. */
  code?: string;
  /** Name of the window, `minute` or `day`, that the response's rate-limit headers describe. */
  window?: string;
  /** Remaining requests that the response names, as in `X-RateLimit-Remaining`; the fewest of several limits. */
  remaining?: number;
  /**
   * True usage of `window` after the request, even if a fault changed the headers. Absent if the key was banned before.
   */
  usage?: WindowUsage;
  /** Set if no limit counts the request: its key has no limits, or a scenario setting exempts the request. */
  exempt?: true;
  /** Number of requests as which the request counted; absent for one. */
  cost?: number;
  /** Reason for a 429: the exceeded window or a ban. */
  refusal?: string;
  /** For a 429: time from which requests with the API key are accepted again, ISO 8601. */
  promisedAt?: string;
  /** For a refusal by a ban: end of the ban, ISO 8601. Earlier than `promisedAt` if `window` is used up for longer. */
  bannedUntil?: string;
  /**
   * Earliest retry time according to the headers of a 429 or 503, ISO 8601. Differs from the true time, `promisedAt`,
   * if a fault rule changed the headers.
   */
  toldUntil?: string;
  /**
   * Time from the end of the required wait (`promisedAt`) of the key's previous 429 to this request. Negative if the
   * client retried too early.
   */
  sincePromiseMs?: number;
  /**
   * Last 429 of the same key before this request. Absent if a request was served in between, or the 429 was sent after
   * this request arrived.
   */
  after?: RefusalBefore;
  /** Strikes of the key after this request. Enough strikes ban the key. */
  strikes: number;
  /**
   * Set if this request was a strike: a rejected retry before the end of the wait that a 429 required. Enough strikes
   * ban the key.
   */
  strike?: true;
  /** Number of episodes of the key up to this request. An episode lasts from a first 429 to the next served request. */
  episode: number;
  /** Id of the pet that the request stored. */
  storedId?: string;
  /** Name of the applied fault rule. */
  fault?: string;
  /** Refuser of the request, if not the simulator: the user's backend or handler. */
  refusedBy?: RefusedBy;
  /** Set if a fault damaged the response, so that the client cannot read it. */
  unreadable?: true;
  /** Id of the assumption that determined the response, because the API document leaves the question open. */
  assumption?: string;
  /** Number of the client's connection. Absent without an HTTP server. */
  connection?: number;
  /** Value of the request header `X-Sim-Call`, with which tests label their calls. */
  call?: string;
  /** Reason for the response in a few words; absent for an ordinary success. */
  inShort?: string;
}

export interface WindowUsage {
  limit: number;
  used: number;
  /** End of the rate-limit window, ISO 8601. */
  resetAt: string;
}

export const entryRowFields = {
  id: described(count, 'Position in the order of arrival, from 1; never reused.'),
  time: described(instantText, 'Arrival of the request, in simulated time.'),
  durationMs: described(number, 'Time until the response was ready, in milliseconds of simulated time.'),
  key: optional(described(string, 'API key: in full if the scenario contains it, otherwise only its end.')),
  keyId: optional(described(string, 'Id of the key, which does not reveal the key.')),
  plan: optional(string),
  operation: optional(string),
  method: string,
  path: string,
  query: string,
  status: described(count, 'Response status; 0 if the client disconnected first.'),
  code: optional(described(string, 'Field `code` of an Error body.')),
  window: optional(described(string, 'Window that the rate-limit headers describe.')),
  remaining: optional(described(number, 'Sent number of remaining requests, as in X-RateLimit-Remaining.')),
  usage: optional(
    described(
      fields({ limit: count, used: count, resetAt: instantText }),
      'Actual usage of `window` after the request, even if a fault changed the headers; absent if the key was banned before.',
    ),
  ),
  exempt: optional(described(oneOf(true), 'Set if the limits of the plan did not apply.')),
  cost: optional(described(count, 'Number of requests as which the request counted; absent for one.')),
  refusal: optional(described(string, 'Reason for a rejection by ban or limit.')),
  promisedAt: optional(
    described(instantText, 'Earliest time at which the service serves the key again after a rejection.'),
  ),
  bannedUntil: optional(
    described(instantText, 'End of the ban that rejected the request; `promisedAt` is later if `window` is used up.'),
  ),
  toldUntil: optional(described(instantText, 'Earliest retry time that a rejection or a 503 named.')),
  sincePromiseMs: optional(
    described(
      number,
      'Time between `promisedAt` of the previous rejection and this request, in milliseconds; negative if too early.',
    ),
  ),
  after: optional(
    described(
      fields({ id: count, waitMs: optional(number), waitedMs: number }),
      'Last rejection of the key before this request, with the requested and the actual wait in milliseconds.',
    ),
  ),
  strikes: described(count, 'Strikes of the key after this request.'),
  strike: optional(described(oneOf(true), 'Set if this request was a strike.')),
  episode: described(
    count,
    'Number of rejection episodes of the key; each lasts from a 429 to the next served request.',
  ),
  storedId: optional(
    described(
      string,
      'Id of the pet or other resource that the request stored; without an id in the response, a hash of its body, or empty.',
    ),
  ),
  fault: optional(described(string, 'Name of the applied fault rule.')),
  refusedBy: optional(
    described(
      oneOf('backend', 'handler', 'fault', 'backend-without-key', 'key-elsewhere'),
      "Refusal that is not the simulator's: by a limit of the backend or handler, by a fault rule in the words of another service, by a 401 of a backend that got no key, or by a 401 of the simulator, which reads keys in another place.",
    ),
  ),
  unreadable: optional(described(oneOf(true), 'Set if a fault made the response unreadable for the client.')),
  assumption: optional(
    described(string, 'Assumption that determined the response, for a question that the document leaves open.'),
  ),
  connection: optional(described(count, 'Number of the connection.')),
  call: optional(described(string, 'Value of the request header X-Sim-Call.')),
  inShort: optional(described(string, 'Reason for the response in a few words; absent for an ordinary success.')),
} satisfies Entries;

/**
 * Object whose optional fields are all present, some with the value `undefined`. V8 processes objects of the same
 * fields faster.
 */
export type Fields<Of> = { [Field in keyof Of]: Of[Field] | undefined };

/** Removes the fields of an object that are undefined. */
export function present<Of>(fields: Fields<Of>): Of {
  const shown: Partial<Of> = {};
  for (const field in fields) if (fields[field] !== undefined) shown[field] = fields[field];
  return shown as Of;
}

/**
 * Maximum number of API keys whose ids (hashes of the keys) are cached. To compute one id takes as long as to create
 * the rest of a row of the request list.
 */
const maximumKeyIds = 1_000;

/**
 * Creates a function that converts a journal record to a row of the request list. The function caches texts between
 * records.
 */
export function createRowFields() {
  const timeOf = createInstantText();
  const resetTimeOf = createInstantText();
  const keyIds = new Map<string, string>();
  const keyIdOf = (token: string) => {
    let id = keyIds.get(token);
    if (id === undefined) {
      id = keyId(token);
      if (keyIds.size >= maximumKeyIds) keyIds.clear();
      keyIds.set(token, id);
    }
    return id;
  };
  /**
   * Creates the row of a journal entry for the dashboard's list of requests.
   * @param shown fields of the request in which API keys are masked
   * @param previousRecord record of the API key's last 429 with a retry time; `undefined` after any later request with
   * the key that got no such 429
   */
  return (
    entry: RequestRecord,
    shown: Pick<Fields<EntryRow>, 'key' | 'path' | 'query' | 'call'>,
    previousRecord: RequestRecord | undefined,
  ): Fields<EntryRow> => {
    const { token, promisedAtMs, headers } = entry;
    const own = headers[rateLimitHeaders.remaining];
    const remaining = own === undefined ? toldBy(entry).remaining : Number(own);
    const toldMs = earliestRetryMs(entry);
    const promisedBeforeMs = previousRecord && binds(previousRecord, entry) ? previousRecord.promisedAtMs : undefined;
    const row: Fields<EntryRow> = {
      id: entry.id,
      time: timeOf(clamped(entry.arrivedAtMs)),
      durationMs: entry.answeredAtMs - entry.arrivedAtMs,
      key: shown.key,
      keyId: token && keyIdOf(token),
      plan: entry.plan,
      operation: entry.operation,
      method: entry.method,
      path: shown.path,
      query: shown.query,
      status: entry.status,
      code: errorText(entry, 'code'),
      window: entry.window,
      remaining,
      usage: usageOf(entry, resetTimeOf),
      exempt: (entry.plan !== undefined && !entry.isLimited) || undefined,
      cost: entry.cost,
      refusal: entry.refusal,
      promisedAt: promisedAtMs === undefined ? undefined : instant(promisedAtMs),
      bannedUntil: entry.bannedUntilMs === undefined ? undefined : instant(entry.bannedUntilMs),
      toldUntil: toldMs === undefined ? undefined : instant(toldMs),
      sincePromiseMs: promisedBeforeMs === undefined ? undefined : entry.arrivedAtMs - promisedBeforeMs,
      after: previousRecord && refusalBefore(previousRecord, entry),
      strikes: entry.strikes,
      strike: entry.isStrike || undefined,
      episode: entry.episode,
      storedId: entry.storedId,
      fault: entry.fault,
      refusedBy: entry.refusedBy,
      unreadable: entry.isUnreadable || undefined,
      assumption: entry.assumption,
      connection: entry.connection,
      call: shown.call,
      inShort: undefined,
    };
    // The cast is safe, because `summarize` treats an undefined field like an absent field.
    row.inShort = summarize(row as EntryRow, entry) || undefined;
    return row;
  };
}

/** Limits a time to the range of `Date`. A header changed by a fault may contain a later time. */
const clamped = (ms: number) => Math.min(ms, 8.64e15);
const instant = (ms: number) => new Date(clamped(ms)).toISOString();

function usageOf(
  { rate, refusal, isStrike, plan }: RequestRecord,
  timeOf: (ms: number) => string,
): WindowUsage | undefined {
  if (rate === undefined || plan === undefined || (refusal === 'ban' && !isStrike)) return undefined;
  const { limit, remaining, resetAtSeconds } = rate;
  return { limit, used: limit - remaining, resetAt: timeOf(clamped(resetAtSeconds * 1000)) };
}

/** Names of an error's code and message in the bodies of the Petstore and of other services, in the order of reading. */
const errorFields = {
  code: ['code', 'errorCode', 'error', '__type', 'title', 'type', 'status'],
  message: ['message', 'description', 'detail', 'errors'],
} as const;

/** Reads a text of an error body: at its top level, in its `error`, or in the first of a list of errors. */
function errorText({ status, responseBody }: RequestRecord, field: keyof typeof errorFields): string | undefined {
  // A recording without bodies would throw for each error, which takes longer than the rest of the row.
  if (status < 400 || responseBody === '') return undefined;
  try {
    const body = JSON.parse(textOfBytes(responseBody));
    const [error = body.error ?? body] = Array.isArray(body) ? body : Array.isArray(body.errors) ? body.errors : [];
    const texts = errorFields[field].map((name) => (isMap(error) ? error[name] : name === 'error' && error));
    return texts.find((text): text is string => typeof text === 'string' && /\D/.test(text));
  } catch {
    return undefined;
  }
}

/** Returns the reason for a 401 in a few words, derived from its message. */
function explainUnauthorized({ token, responseBody }: RequestRecord): string {
  if (token === undefined) return 'no key sent';
  const [word = ''] = /unknown|revoked|expired/.exec(textOfBytes(responseBody)) ?? [];
  return word === 'unknown' ? 'unknown key' : word ? `key ${word}` : 'no valid key';
}

/** Returns the reason for a response in a few words, such as `no key sent`. */
function summarize(entry: EntryRow, record: RequestRecord): string {
  const { operation, refusal, strike, strikes, after, fault, refusedBy, unreadable, usage, status, storedId, code } =
    entry;
  const again = servedAgainAfter(record);
  const isNewBan = strike === true && refusal === 'ban';
  if (strike && !isNewBan) return [`strike ${strikes}`, after && retriedText(after)].filter(Boolean).join(': ');
  if (again !== undefined)
    return `${isNewBan ? `strike ${strikes}: ` : ''}${refusalText(again, record.answeredAtMs, isNewBan)}`;
  if (refusal !== undefined) return refusal === 'ban' ? 'banned' : `${entry.window ?? 'limit'} used up`;
  const byFault = fault === undefined ? '' : `${unreadable ? 'response lost' : 'fault'} (${fault})`;
  if (status === 0) return byFault || 'the client disconnected';
  const id = namedStored(storedId);
  const stored = id === undefined ? '' : `stored ${operation === 'createPet' ? 'pet ' : ''}${id}`;
  if (byFault !== '') return [stored, byFault].filter(Boolean).join('; ');
  if (refusedBy === 'backend-without-key') return 'the backend got no key: --upstream-key same|NAME';
  if (isRefusedByOther(entry))
    return `refused by the ${refusedBy}${entry.toldUntil === undefined ? '' : `, wait ${timeLeft(Date.parse(entry.toldUntil), record.answeredAtMs)}`}`;
  if (status === 401) return explainUnauthorized(record);
  // The message of a 400 begins with the mistake: `categoryId is missing; it is a required int64.`
  const [mistake = ''] = (status === 400 && errorText(record, 'message')?.split(/[;:]|\.$/)) || [];
  if (mistake !== '') return mistake.slice(0, 60);
  if (status >= 400) return code?.replaceAll('_', ' ') ?? `${status}`;
  if (usage !== undefined && usage.used === usage.limit)
    return [stored, 'last request: 0 left'].filter(Boolean).join('; ');
  if (after !== undefined) return `served again after ${formatWait(after.waitedMs)}`;
  return stored;
}
