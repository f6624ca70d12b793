import { isMap, mapOf } from '../values/plain-data.js';
import type { LeftOutReason } from './exchange.js';
import { listOf, textOf } from './json-fields.js';
import { brokenBy, type NetworkSigns, type RecordedEntry } from './recorded-entry.js';
import { readTime } from './recorded-time.js';
import { simulatorKey } from './simulator-fields.js';

/**
 * Reads a HAR 1.2 entry, as written by browsers, Playwright, mitmproxy, Charles and this simulator.
 * @returns `undefined` for an entry without a URL
 */
export function readHarEntry(entry: Record<string, unknown>): RecordedEntry | undefined {
  const request = mapOf(entry.request);
  const response = mapOf(entry.response);
  const method = textOf(request.method)?.toUpperCase() ?? 'GET';
  const url = textOf(request.url);
  const { ms: startedMs, hasZone } = readTime(entry.startedDateTime);
  if (url === undefined) return undefined;
  const own = isMap(entry._petstoreSim) ? entry._petstoreSim : undefined;
  const headers = pairsOf(request.headers);
  const content = mapOf(response.content);
  const postData = mapOf(request.postData);
  const { hasTimings, ...instants } = timesOf(entry, startedMs);
  const status = Number(own?.status ?? response.status);
  return {
    record: {
      ...instants,
      method,
      status: status > 0 ? status : 0,
      isAbandoned: own === undefined ? isAborted(response) : own.abandoned === true,
      wire: own === undefined ? brokenBy(status, errorIn(entry)) : undefined,
    },
    hasTimings,
    hasResponse: isMap(entry.response),
    startedMs,
    hasZone,
    signs: own === undefined ? signsOf(entry, method, status) : {},
    url,
    key: own && simulatorKey(own),
    requestHeaders: headers,
    answerHeaders: isMap(own?.headers)
      ? Object.entries(own.headers as Record<string, string>)
      : pairsOf(response.headers),
    requestBody: textOf(postData.text) || (isBodyOmitted(request, headers) ? undefined : ''),
    answerBody: textOf(mapOf(own?.responseBody).text) ?? bodyOf(content, method),
    connection: isShared(request, response) ? undefined : (textOf(entry.connection) ?? textOf(entry._connectionId)),
    own,
  };
}

/** Whether a HAR entry without the text of a request body is of a request that had one. */
const isBodyOmitted = (request: Record<string, unknown>, headers: readonly [string, string][]) =>
  Number(request.bodySize) > 0 ||
  listOf(mapOf(request.postData).params).length > 0 ||
  headers.some(([name, value]) => name.toLowerCase() === 'content-length' && Number(value) > 0);

/**
 * Whether one connection carried several requests at once, as in HTTP/2 and HTTP/3. Such a connection proves nothing
 * about the order of requests and responses.
 */
const isShared = (request: Record<string, unknown>, response: Record<string, unknown>) =>
  [request, response].some(({ httpVersion }) => /^(?:h|HTTP\/)[23]/i.test(String(httpVersion)));

/** Errors by which browsers mark requests that never left the machine: Chromium, Firefox, WebKit, older Chromium. */
const offline =
  /ERR_INTERNET_DISCONNECTED|ERR_NAME_NOT_RESOLVED|NS_ERROR_OFFLINE|NS_ERROR_UNKNOWN_HOST|appears to be offline/;
const blocked =
  /ERR_BLOCKED_BY_(?!RESPONSE|ORB)|NS_ERROR_CONTENT_BLOCKED|content blocker|^(?:blocked:)?(?:csp|mixed-content|inspector)$/;

/** Error text of a HAR entry without a response, as Chromium, Firefox and Playwright write it; empty without one. */
function errorIn(entry: Record<string, unknown>): string {
  const response = mapOf(entry.response);
  return String(response._error ?? response._failureText ?? entry._error ?? '');
}

/** Finds the signs of a HAR entry that never went to the network, as Chromium, Firefox, Safari and Playwright write. */
function signsOf(entry: Record<string, unknown>, method: string, status: number): NetworkSigns {
  const response = mapOf(entry.response);
  const fetchType = textOf(entry._fetchType) ?? '';
  const isByWorker =
    fetchType === 'Service Worker' ||
    [entry, response].some((map) => map._fetchedViaServiceWorker === true || map._fromServiceWorker === true);
  if (status > 0) {
    const isCached = (entry._fromCache ?? false) !== false || /cache/i.test(fetchType);
    const stated = isCached ? 'answered from a cache' : undefined;
    return { stated, isByWorker, ifTimed: mayBeCached(entry, method, status) ? 'answered from a cache' : undefined };
  }
  const error = errorIn(entry);
  const stated: LeftOutReason | undefined = offline.test(error)
    ? 'offline'
    : blocked.test(error)
      ? 'blocked'
      : undefined;
  return { stated, isByWorker, ifTimed: hasRecordedTimes(entry) === 'none' ? 'without network' : undefined };
}

/**
 * Whether a response may come from a cache by its times: empty, or 0 without response headers or with a cache entry. A
 * response with headers after 0 ms may come from a server on the same machine. Caches store neither writes nor
 * refusals.
 */
function mayBeCached(entry: Record<string, unknown>, method: string, status: number): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || status >= 400) return false;
  if (hasRecordedTimes(entry) !== 'none') return false;
  const isEmpty = isMap(entry.timings) && Object.keys(entry.timings).length === 0;
  const isWithoutHeaders = listOf(mapOf(entry.response).headers).length === 0;
  return isEmpty || isWithoutHeaders || mapOf(entry.cache).afterRequest !== undefined;
}

/**
 * Whether a HAR entry has times: `some`, `none` if all of them are recorded as empty, -1 or 0, and `unknown` if the
 * recording has no field for them.
 */
function hasRecordedTimes({ timings, time }: Record<string, unknown>): 'some' | 'none' | 'unknown' {
  if (!isMap(timings)) return 'unknown';
  return [time, ...Object.values(timings)].some((ms) => Number(ms) > 0) ? 'some' : 'none';
}

/** Whether a HAR entry contains an error text by which browsers mark aborted requests. */
const isAborted = ({ _failureText, _error }: Record<string, unknown>) =>
  /^(?:net::ERR_ABORTED|NS_BINDING_ABORTED|cancelled)$/.test(String(_failureText ?? _error ?? ''));

/**
 * Returns the times of a HAR entry in Unix milliseconds: sending, first and last byte of the response. Excludes
 * queueing, DNS lookup and connecting.
 */
function timesOf(entry: Record<string, unknown>, startedMs: number) {
  const timings = mapOf(entry.timings);
  const part = (name: string) => Math.max(0, Number(timings[name]) || 0);
  // In HAR files by mitmproxy, the timing `wait` includes the timing `connect`. Adding `connect` would count the time
  // twice.
  const isWithinWait = timings.blocked === undefined && timings.dns === undefined;
  // Adds the HAR timing `connect` to the start time of a request, but not the timing `ssl`, which `connect` includes.
  const sentMs = startedMs + part('blocked') + part('dns') + (isWithinWait ? 0 : part('connect'));
  const totalMs = Math.max(0, Number(entry.time) || 0);
  const hasTimings = Number.isFinite(startedMs) && (Number(timings.wait) >= 0 || Number(entry.time) > 0);
  // The HAR timing `wait` is -1 for a request without a response. The end of the request then counts as the time of the
  // response.
  const answeredMs = Number(timings.wait) >= 0 ? sentMs + part('send') + part('wait') : startedMs + totalMs;
  const finishedMs = answeredMs + part('receive');
  return {
    arrivedAtMs: sentMs,
    answeredAtMs: answeredMs,
    finishedAtMs: isWithinWait ? finishedMs : Math.max(finishedMs, startedMs + totalMs),
    hasTimings,
  };
}

/** Response body of a HAR entry; `undefined` if the recording omits the body. */
function bodyOf(content: Record<string, unknown>, method: string): string | undefined {
  const text = textOf(content.text);
  if (text === undefined) return method === 'HEAD' || Number(content.size) === 0 ? '' : undefined;
  if (content.encoding !== 'base64') return text;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

const pairsOf = (value: unknown) =>
  listOf(value).flatMap((each): [string, string][] =>
    isMap(each) && typeof each.name === 'string' ? [[each.name, String(each.value ?? '')]] : [],
  );
