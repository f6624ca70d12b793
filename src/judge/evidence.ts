import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import type { Exchange, LeftOutEntry, Missing } from '../traffic-files/exchange.js';
import { getOrCreate } from '../values/get-or-create.js';
import { listGroups } from '../values/group-by.js';
import { joinWords } from '../values/join-words.js';
import { pluralize } from '../values/pluralize.js';
import { isAboutWaits } from '../values/told-waits.js';
import { createKeyTest } from './gaps.js';
import { type JudgedRequest, toleranceMs, toleranceOf } from './judged-request.js';
import { earliestRetryMs, isRefusal, toldBy } from './promises.js';
import { isAdmitted, isServed, isUnknown } from './request-kind.js';
import { endOfWaitMs } from './run.js';

/**
 * Adds to recorded exchanges the lacks that the exchanges show only together or with their headers: headers that a web
 * page could not read, and writes without a body that cannot be told apart.
 * @param isKeyKnown whether exchanges without a recorded key all had the same key
 */
export function withDerivedLacks(exchanges: readonly Exchange[], isKeyKnown: boolean): Exchange[] {
  const indistinct = findIndistinctWrites(exchanges);
  return exchanges.map((exchange) => {
    const readable = withReadableHeaders(exchange);
    const isHidden = readable !== exchange && hasPromise(exchange) && !hasPromise(readable);
    const isIndistinct = indistinct.has(exchange);
    // Most exchanges of a recording stay as they are: copies would double its memory.
    if (readable === exchange && !isIndistinct && !(isKeyKnown && exchange.missing.includes('key'))) return exchange;
    const missing: Missing[] = exchange.missing.filter((part) => part !== 'key' || !isKeyKnown);
    if (isHidden) missing.push('readable headers');
    if (isIndistinct) missing.push('distinct writes');
    return { ...readable, missing };
  });
}

const hasPromise = (exchange: Exchange) => toldBy(exchange).isAsking || earliestRetryMs(exchange) !== undefined;

const exposeHeader = 'Access-Control-Expose-Headers';
const allowOriginHeader = 'Access-Control-Allow-Origin';

/**
 * Removes the limit headers that a web page could not read, although the recording contains them. A page can read a
 * header of another origin only if the response exposes the header (Fetch standard, CORS protocol).
 */
function withReadableHeaders(exchange: Exchange): Exchange {
  const { headers, isOwn } = exchange;
  if (isOwn || !isByPageOfOtherOrigin(exchange)) return exchange;
  const isAllowed = headers[allowOriginHeader] !== undefined;
  const exposed = isAllowed ? (headers[exposeHeader] ?? '').split(',').map((name) => name.trim().toLowerCase()) : [];
  if (exposed.includes('*')) return exchange;
  const names = Object.keys(headers).filter((name) => isAboutWaits(name) && !exposed.includes(name.toLowerCase()));
  if (names.length === 0) return exchange;
  return {
    ...exchange,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))),
  };
}

/**
 * Whether a web page of another origin sent a request. Without Access-Control-Allow-Origin, only a browser counts:
 * other clients may copy the header `Origin`, and read every response.
 */
function isByPageOfOtherOrigin({ requestHeaders: { origin }, baseUrl, headers, client = '' }: Exchange): boolean {
  if (origin === undefined || !/^(?:https?:|null$)/.test(origin) || !URL.canParse(baseUrl)) return false;
  if (new URL(baseUrl).origin === origin) return false;
  return headers[allowOriginHeader] !== undefined || client.startsWith('Mozilla/');
}

/**
 * Finds writes without a recorded body that may be retries of several other writes: two writes to one path during one
 * wait, and a path of which only some bodies are recorded.
 */
function findIndistinctWrites(exchanges: readonly Exchange[]): ReadonlySet<Exchange> {
  const writes = exchanges.filter(({ isWrite }) => isWrite);
  if (!writes.some(isWithoutBody)) return new Set();
  const groups = listGroups(writes, ({ token, method, path }) => `${token} ${method} ${path}`);
  return new Set(
    groups.flatMap((group) => {
      const without = group.filter(isWithoutBody);
      const areAllWithout = without.length === group.length;
      return areAllWithout && !group.some((write, index) => isInWaitOf(group[index - 1], write)) ? [] : without;
    }),
  );
}

const isWithoutBody = ({ missing }: Pick<Exchange, 'missing'>) => missing.includes('request body');

const isInWaitOf = (before: Exchange | undefined, { arrivedAtMs }: Exchange) =>
  before !== undefined &&
  isRefusal(before) &&
  arrivedAtMs < (earliestRetryMs(before) ?? before.answeredAtMs) - toleranceMs - (before.file?.clockStepMs ?? 0);

/** Part that a recording lacks where a failure could be, with a sentence for the user. */
export interface BlockingLack {
  /** `undefined` for a service worker's response that may or may not be a response of the service. */
  readonly part: Missing | undefined;
  readonly text: string;
}

/**
 * Finds the parts that a recording lacks where the client could have failed. Only refusals, 503s, lost responses and
 * requests during an open wait count: from a refusal to the first request of its key that was certainly accepted. Of
 * the entries that were left out, those of a service worker count if the key's next request came during the wait as
 * well.
 */
export function findBlockingLacks(
  requests: readonly JudgedRequest[],
  leftOut: readonly LeftOutEntry[],
): BlockingLack[] {
  const lacking = new Map<Missing, JudgedRequest[]>();
  const mayHaveKey = createKeyTest(requests);
  /** Keys with an open wait, with the latest refusal of each method and path since its start. */
  const open = new Map<string | undefined, Map<string, JudgedRequest>>();
  const lostWrites = new Set<string | undefined>();
  /** Latest refused or unanswered write of each key, method and path, until a success. */
  const failedWrites = new Map<string, JudgedRequest>();
  const keys = new Set(requests.flatMap(({ token }) => token ?? []));
  const doubtful = leftOut.filter(({ mayBeRequest }) => mayBeRequest);
  const byWorker = new Set<LeftOutEntry>();
  /** Responses whose wait a page could not read, and after which the page sent a request. */
  const retriedUnread = new Set<JudgedRequest>();
  /** Whether a page could not read the wait of an open refusal. */
  let hasUnread = false;
  for (const request of requests) {
    const { missing, token, isRefused, status, isWrite } = request;
    const isWaitAsked = isRefused || status === 503;
    // Reads the open waits only for a request that lacks something, because many keys may have many open waits.
    const readsWaits = hasUnread || doubtful.length > 0 || missing.some((part) => waitParts.has(part));
    const ofKey = missing.includes('key') ? [...open] : [[token, open.get(token)] as const];
    const waits = readsWaits
      ? ofKey.flatMap(([key, refusals]) => (refusals && mayHaveKey(request, key) ? [...refusals.values()] : []))
      : [];
    const isRelevant = isWaitAsked || isUnknown(request) || waits.length > 0;
    const mayHaveAnyKey =
      isWaitAsked ||
      !request.hasKeysInFile ||
      (missing.includes('key') && [...keys].some((key) => mayHaveKey(request, key)));
    for (const refusal of waits) {
      if (request.arrivedAtMs >= (refusal.deadlineMs ?? 0) - toleranceOf(refusal, request)) continue;
      for (const entry of doubtful) {
        if (entry.exchange.id > refusal.id && entry.exchange.id < request.id) byWorker.add(entry);
      }
    }
    const isBlocked: Partial<Record<Missing, boolean>> = {
      response: true,
      key: isRelevant && mayHaveAnyKey,
      timings: isRelevant,
      'steady clock': isRelevant,
      'answer headers': isWaitAsked,
      'distinct writes': waits.some((refusal) => isDuringWait(refusal, request)),
      milliseconds: waits.some((refusal) => isBeforeEnd(refusal, request) && mayFollow(refusal, request)),
      'answer body': isServed(request) && request.method === 'GET' && lostWrites.has(token),
    };
    const ofWrites = `${token} ${request.method} ${request.path}`;
    const failed = hasBody(request) ? failedWrites.get(ofWrites) : undefined;
    // Of one known body, a success shows that the service accepted the other one.
    if (failed !== undefined && [failed, request].filter(isWithoutBody).length > (isServed(request) ? 1 : 0))
      getOrCreate(lacking, 'request body', () => []).push(request);
    if (isWaitAsked || isUnknown(request)) failedWrites.set(ofWrites, request);
    else failedWrites.delete(ofWrites);
    const isUnsteady = missing.includes('steady clock');
    for (const part of missing) {
      if (isBlocked[part] && !(part === 'timings' && isUnsteady)) getOrCreate(lacking, part, () => []).push(request);
    }
    for (const refusal of waits) {
      if (refusal.missing.includes('readable headers')) retriedUnread.add(refusal);
    }
    const isCertain = !missing.some((part) => part === 'key' || part === 'timings' || part === 'response');
    if (isWaitAsked && !missing.includes('key')) {
      getOrCreate(open, token, () => new Map()).set(`${request.method} ${request.path}`, request);
      hasUnread ||= missing.includes('readable headers');
    } else if (isCertain && isAdmitted(request) && !isUnknown(request)) open.delete(token);
    if (isWrite && isUnknown(request)) lostWrites.add(token);
  }
  if (retriedUnread.size > 0) lacking.set('readable headers', [...retriedUnread]);
  if (lacking.has('distinct writes')) lacking.delete('request body');
  const keysOfOne = findKeysOfOneRequest(requests);
  const total = pluralize(requests.length, 'request');
  const lacks: BlockingLack[] = partsInOrder.flatMap((part) => {
    const found = lacking.get(part);
    if (found === undefined) return [];
    const isLacking = (request: JudgedRequest) =>
      request.missing.includes(part) && (part !== 'request body' || hasBody(request));
    const all = part === 'readable headers' ? found : requests.filter(isLacking);
    return [{ part, text: describeLack(part, all, total) }];
  });
  if (keysOfOne > 1 && keysOfOne * 2 > requests.length) {
    const text = `${keysOfOne} of ${total} had a key that no other request has, so it is unknown which requests share a limit: ${oneKey}.`;
    lacks.unshift({ part: 'key', text });
  }
  if (byWorker.size > 0) {
    const text = `During a wait, ${pluralize(byWorker.size, 'response')} came from a service worker, which may or may not have asked the service. Record the worker's own requests as well.`;
    lacks.push({ part: undefined, text });
  }
  return lacks;
}

/** Number of keys in a recording of another program that only one request has, as if each request had a new key. */
function findKeysOfOneRequest(requests: readonly JudgedRequest[]): number {
  const counts = new Map<string, number>();
  for (const { token, hasKeysInFile } of requests)
    if (token !== undefined && hasKeysInFile) counts.set(token, (counts.get(token) ?? 0) + 1);
  return [...counts.values()].filter((count) => count === 1).length;
}

/** Whether a request probably has a body, by its method. */
const hasBody = ({ method }: JudgedRequest) => /^(?:POST|PUT|PATCH)$/.test(method);

/** Parts that matter only in a request during an open wait. */
const waitParts: ReadonlySet<Missing> = new Set<Missing>([
  'key',
  'timings',
  'steady clock',
  'distinct writes',
  'milliseconds',
]);

/** Whether times are too coarse to show that a request was sent before or after a response. */
const mayFollow = ({ answeredAtMs, clockStepMs }: JudgedRequest, { arrivedAtMs }: JudgedRequest) =>
  arrivedAtMs <= answeredAtMs + clockStepMs && answeredAtMs < arrivedAtMs + clockStepMs;

/** Whether a request arrived before the end of the wait that a request of the same method and path required. */
const isDuringWait = (refusal: JudgedRequest, request: JudgedRequest) =>
  refusal.method === request.method &&
  refusal.path === request.path &&
  request.arrivedAtMs < (refusal.deadlineMs ?? refusal.answeredAtMs) - toleranceOf(refusal, request);

/** Whether a request of the same method and path may have arrived before the end of the wait, by coarse times. */
const isBeforeEnd = (refusal: JudgedRequest, request: JudgedRequest) =>
  refusal.method === request.method &&
  refusal.path === request.path &&
  request.arrivedAtMs < (endOfWaitMs(refusal) ?? refusal.answeredAtMs);

/** Parts in the order in which a reason names them: a part without which the later ones cannot be judged comes first. */
const partsInOrder: readonly Missing[] = [
  'response',
  'key',
  'timings',
  'steady clock',
  'milliseconds',
  'answer headers',
  'readable headers',
  'distinct writes',
  'request body',
  'answer body',
];

const recordBodies: readonly (readonly [program: RegExp, remedy: string])[] = [
  [/^JSON Lines$/, 'Write the body into "requestBody": { "text": "…" }'],
  [/.*/, 'Record with request bodies'],
];

/** Names of programs in recordings, and the advice with which each records a part. */
const remedies: Partial<Record<Missing, readonly (readonly [program: RegExp, remedy: string])[]>> = {
  key: [
    [
      /^WebInspector$/,
      'In Chrome and Edge, enable "Allow to generate HAR with sensitive data" in the settings of the developer tools',
    ],
    [/^JSON Lines$/, 'Write the request header Authorization into "requestHeaders"'],
    [/^OpenTelemetry$/, ''],
    [/.*/, 'Record with sensitive data (Chromium: "Allow to generate HAR with sensitive data")'],
  ],
  timings: [
    [/^Playwright$/, "Record with recordHar: { mode: 'full' }, not in minimal mode"],
    [/^JSON Lines$/, 'Write "time" and "durationMs" into each line'],
    [/.*/, 'Record with timings, not in a minimal mode'],
  ],
  'answer headers': [
    [/^JSON Lines$/, 'Write the response headers, such as Retry-After, into "headers"'],
    [/^(?:Firefox|WebKit)/, 'Export with the network panel open from the start, so that it has each response'],
    [/.*/, 'Record with headers'],
  ],
  'distinct writes': recordBodies,
  'request body': recordBodies,
  'answer body': [
    [/^WebInspector$/, 'In Chrome and Edge, use "Save all as HAR with content"'],
    [/^Playwright$/, "Record with recordHar: { content: 'embed' }"],
    [/^Firefox/, 'In Firefox, set devtools.netmonitor.har.includeResponseBodies to true'],
    [/^JSON Lines$/, 'Write the body into "responseBody": { "text": "…" }'],
    [/.*/, 'Record with content'],
  ],
};

/** Descriptions of the parts after `2 of 5 requests were recorded`. */
const descriptions: Partial<Record<Missing, string>> = {
  response: 'without a response. Record the responses as well',
  key: 'without an API key, so it is unknown which requests share a key',
  timings: 'without times',
  milliseconds: 'with times too coarse to show which of equal requests came after a refusal. Record with milliseconds',
  'steady clock':
    "with a time that contradicts the response's Date, because a clock was set meanwhile. Record again, with one clock",
  'answer headers': 'without response headers such as Retry-After',
  'distinct writes': 'without the request body, and more than one write to the same path was sent during a wait',
  'request body': 'without the request body, so it is unknown whether a retry had the body of its first attempt',
  'answer body': 'without the response body, which may show a write whose response was lost',
};

const oneKey = 'use --one-key if all had the same key';

function describeLack(part: Missing, lacking: readonly JudgedRequest[], total: string): string {
  const count = lacking.length;
  if (part === 'readable headers') return describeHidden(lacking);
  const program = lacking[0]?.program ?? '';
  const remedy = remedies[part]?.find(([name]) => name.test(program))?.[1] ?? '';
  const advice = part !== 'key' ? remedy : remedy === '' ? `U${oneKey.slice(1)}` : `${remedy}, or ${oneKey}`;
  return `${count} of ${total} ${count === 1 ? 'was' : 'were'} recorded ${descriptions[part]}.${advice === '' ? '' : ` ${advice}.`}`;
}

function describeHidden(hidden: readonly JudgedRequest[]): string {
  const isBlocked = hidden.some(({ headers }) => headers[allowOriginHeader] === undefined);
  const names = [retryAfterHeader, rateLimitHeaders.reset];
  const header = `${exposeHeader}: ${names.join(', ')}`;
  const needed = joinWords([...(isBlocked ? [allowOriginHeader] : []), header]);
  return `The page could not read in ${pluralize(hidden.length, 'response')} when it may retry: to a page of another origin, the service must send ${needed}.`;
}
