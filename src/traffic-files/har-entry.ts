import { isMap, mapOf } from '../values/plain-data.js';
import { listOf, textOf } from './json-fields.js';
import type { RecordedEntry } from './recorded-entry.js';
import { simulatorKey } from './simulator-fields.js';

/**
 * Reads a HAR 1.2 entry, as written by browsers, Playwright, mitmproxy, Charles and this simulator.
 * @returns `undefined` for an entry without a request to a service: a cached response, a preflight
 */
export function readHarEntry(entry: Record<string, unknown>): RecordedEntry | undefined {
  const request = mapOf(entry.request);
  const response = mapOf(entry.response);
  const method = textOf(request.method)?.toUpperCase() ?? 'GET';
  const url = textOf(request.url);
  const startedMs = Date.parse(textOf(entry.startedDateTime) ?? '');
  if (url === undefined || method === 'OPTIONS' || entry._fromCache !== undefined) return undefined;
  const own = isMap(entry._petstoreSim) ? entry._petstoreSim : undefined;
  const headers = own === undefined ? pairsOf(request.headers) : ownHeaders(own);
  const content = mapOf(response.content);
  const postData = mapOf(request.postData);
  const { hasTimings, ...instants } = timesOf(entry, startedMs);
  const status = Number(response.status);
  return {
    record: {
      ...instants,
      method,
      status: status > 0 ? status : 0,
      isAbandoned: own?.abandoned === true || isAborted(response),
    },
    hasTimings,
    url,
    requestHeaders: headers,
    answerHeaders: pairsOf(response.headers),
    requestBody: textOf(postData.text) ?? (Number(request.bodySize) > 0 ? undefined : ''),
    answerBody: bodyOf(content, method),
    connection: textOf(entry.connection) ?? textOf(entry._connectionId),
    own,
  };
}

/** Whether a HAR entry contains an error text by which browsers mark aborted requests. */
const isAborted = ({ _failureText, _error }: Record<string, unknown>) =>
  /^(?:net::ERR_ABORTED|NS_BINDING_ABORTED|cancelled)$/.test(String(_failureText ?? _error ?? ''));

/**
 * Creates the Authorization header of a HAR entry that was exported by the simulator. Uses the key's id instead of the
 * masked key, because two masked keys can look equal.
 */
function ownHeaders(own: Record<string, unknown>): [string, string][] {
  const key = simulatorKey(own);
  return key === undefined ? [] : [['Authorization', `Bearer ${key}`]];
}

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
