import { reasonPhrase } from '../requests/reason-phrase.js';
import { fields, list, oneOf, string } from '../validation/schemas.js';
import { anyObject } from './input-values.js';
import type { JournalBody, JournalEntry } from './journal-entry.js';
import { lazyList } from './lazy-result.js';

/** Version of the package. A test compares it with package.json. */
export const version = '0.1.0';

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
  const { method, path, query, headers, requestBody, responseBody, ...rest } = entry;
  const { time, durationMs, baseUrl, status, key } = rest;
  return {
    startedDateTime: time,
    time: durationMs,
    request: {
      method,
      url: `${baseUrl}${path}${query && `?${query}`}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: key === undefined ? [] : [{ name: 'Authorization', value: `Bearer ${key}` }],
      queryString: [...new URLSearchParams(query)].map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: requestBody?.bytes ?? 0,
      ...(requestBody && { postData: { mimeType: 'application/json', text: requestBody.text, ...cut(requestBody) } }),
    },
    response: {
      status,
      statusText: reasonPhrase(status),
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      content: {
        size: responseBody?.bytes ?? 0,
        mimeType: headers['Content-Type'] ?? 'application/json',
        text: responseBody?.text ?? '',
        ...cut(responseBody),
      },
      redirectURL: headers.Location ?? '',
      headersSize: -1,
      bodySize: responseBody?.bytes ?? 0,
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    ...(entry.connection !== undefined && { connection: String(entry.connection) }),
    // The custom field `_petstoreSim` contains no bodies and headers, because standard fields of the HAR entry already
    // contain them.
    _petstoreSim: { ...rest, ...hashOf('requestBody', requestBody), ...hashOf('responseBody', responseBody) },
  };
}

const cut = (body: JournalBody | undefined) => (body?.truncated ? { comment: 'The text is truncated.' } : {});

const hashOf = (name: string, body: JournalBody | undefined) =>
  body && { [name]: { bytes: body.bytes, hash: body.hash } };
