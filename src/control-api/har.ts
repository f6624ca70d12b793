import { reasonPhrase } from '../requests/reason-phrase.js';
import { isSent, type SentFault, sendPlan } from '../requests/wire-fault.js';
import { fields, list, oneOf, string } from '../validation/schemas.js';
import { fnv1a } from '../values/mask-key.js';
import { anyObject } from './input-values.js';
import type { JournalBody, JournalEntry } from './journal-entry.js';
import { lazyList } from './lazy-result.js';
import { version } from './run-report.js';

const creator = { name: 'petstore-sim', version };

/** HTTP Archive 1.2, as the network tab of a browser imports it. Values that the journal lacks are empty or -1. */
export interface Har {
  log: { version: '1.2'; creator: typeof creator; entries: ReturnType<typeof toHarEntry>[] };
}

export const harSchema = fields({
  log: fields({
    version: oneOf('1.2'),
    creator: fields({ name: string, version: string }),
    entries: list(anyObject<ReturnType<typeof toHarEntry>>('HAR 1.2 entry, with additional fields in `_petstoreSim`.')),
  }),
});

export const toHar = (entries: Iterable<JournalEntry>): Har => ({
  log: { version: '1.2', creator, entries: lazyList(harEntries(entries)) },
});

function* harEntries(entries: Iterable<JournalEntry>): Generator<ReturnType<typeof toHarEntry>> {
  for (const entry of entries) yield toHarEntry(entry);
}

function toHarEntry(entry: JournalEntry) {
  const { method, path, query, headers, requestHeaders, requestBody, responseBody, ...rest } = entry;
  const { time, durationMs, baseUrl } = rest;
  const { authorization, ...others }: Record<string, string> = requestHeaders ?? {};
  const received = receivedPart(entry);
  return {
    startedDateTime: time,
    time: durationMs,
    request: {
      method,
      url: `${baseUrl}${path}${query && `?${query}`}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(authorization === undefined ? others : { Authorization: authorization, ...others }),
      queryString: [...new URLSearchParams(query)].map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: requestBody?.bytes ?? 0,
      ...(requestBody && {
        postData: {
          mimeType: others['content-type'] ?? 'application/json',
          text: requestBody.text,
          ...cut(requestBody),
        },
      }),
    },
    response: toHarResponse(received),
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    ...(entry.connection !== undefined && { connection: String(entry.connection) }),
    // The custom field `_petstoreSim` contains the response's headers and body only if the client received others.
    // Otherwise the standard fields of the HAR entry contain them.
    _petstoreSim: {
      ...rest,
      ...hashOf('requestBody', requestBody),
      ...(received.headers !== headers && { headers }),
      ...(received.body === responseBody
        ? hashOf('responseBody', responseBody)
        : { responseBody: responseBody ?? noBody }),
    },
  };
}

function toHarResponse({ status, headers, body, error }: ReceivedPart) {
  const isLost = status === 0;
  return {
    status,
    statusText: isLost ? '' : reasonPhrase(status),
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairsOf(headers),
    content: {
      size: body?.bytes ?? 0,
      mimeType: headers['Content-Type'] ?? 'x-unknown',
      text: body?.text ?? '',
      ...cut(body),
      // Playwright's routeFromHAR sends a status 0 as 200, and never answers a request with -1. A missing body file makes
      // it treat the request as not found, which fails as it did in the run.
      ...(isLost && { _file: 'no-response' }),
    },
    redirectURL: headers.Location ?? '',
    headersSize: -1,
    bodySize: isLost ? -1 : (body?.bytes ?? 0),
    ...(error !== undefined && { _error: error }),
  };
}

const pairsOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** Part of a response that the client received. */
interface ReceivedPart {
  /** HTTP status; 0 without a response, as browsers write it. */
  status: number;
  headers: Record<string, string>;
  body: { bytes: number; text: string; truncated?: true } | undefined;
  /** Error of Chromium, if the client did not receive the whole response. */
  error?: string | undefined;
}

function receivedPart(entry: JournalEntry): ReceivedPart {
  const { method, status, headers, responseBody, wire, abandoned } = entry;
  if (status === 0 || (wire !== undefined && !isSent(wire)))
    return { status: 0, headers: {}, body: undefined, error: lossErrors[wire?.kind ?? ''] ?? aborted };
  const { bytes: all = 0, text = '' } = responseBody ?? {};
  const { sent, expected } = wire === undefined ? { sent: all, expected: all } : received(wire, all, entry);
  const isShort = sent < (method === 'HEAD' ? all : expected);
  return {
    status,
    headers,
    body: sent < all ? { bytes: sent, text: firstBytes(text, sent) } : responseBody,
    error: abandoned ? aborted : isShort ? 'net::ERR_CONTENT_LENGTH_MISMATCH' : undefined,
  };
}

const aborted = 'net::ERR_ABORTED';

/** Chromium's errors for responses of which no byte was sent, by the kind of the fault. */
const lossErrors: Record<string, string> = { reset: 'net::ERR_CONNECTION_RESET', close: 'net::ERR_EMPTY_RESPONSE' };

/** Number of body bytes that a client received under a wire fault, and the number that it expected. */
function received(fault: SentFault, all: number, { abandoned, durationMs, finishedMs }: JournalEntry) {
  const { pieces, isCut, declaredLength: expected = all } = sendPlan(fault, all);
  // The journal notes the end of a response in chunks. Without an end, only the first chunk was certainly sent.
  if (!isCut && finishedMs !== undefined && !abandoned) return { sent: all, expected };
  let leftMs = isCut ? Number.POSITIVE_INFINITY : (finishedMs ?? durationMs) - durationMs;
  let sent = 0;
  for (const { afterMs, to } of pieces) {
    leftMs -= afterMs;
    if (leftMs < 0) break;
    sent = to;
  }
  return { sent: Math.min(sent, expected), expected };
}

/** Text of the first bytes; a character that is cut in two is left out. */
const firstBytes = (text: string, bytes: number) =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes), { stream: true });

const cut = (body: Partial<JournalBody> | undefined) => (body?.truncated ? { comment: 'The text is truncated.' } : {});

const noBody: JournalBody = { bytes: 0, hash: fnv1a(''), text: '' };

const hashOf = (name: string, body: JournalBody | undefined) =>
  body && { [name]: { bytes: body.bytes, hash: body.hash } };
