import { version } from './describe-control.js';
import type { JournalBody, JournalEntry } from './journal-entry.js';

/** Where the journal does not know the address that the client used. */
const baseUrl = 'http://localhost/v1';

/** Entries as an HTTP Archive 1.2, for the network tab of a browser. What the journal does not hold is empty or -1. */
export function toHar(entries: readonly JournalEntry[]) {
  return {
    log: {
      version: '1.2',
      creator: { name: 'petstore-sim', version },
      entries: entries.map(toHarEntry),
    },
  };
}

function toHarEntry(entry: JournalEntry) {
  const { time, durationMs, method, path, query, status, key, requestBody, responseBody, headers } = entry;
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
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      content: {
        size: responseBody?.bytes ?? 0,
        mimeType: headers['Content-Type'] ?? 'application/json',
        text: responseBody?.text ?? '',
        ...cut(responseBody),
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: responseBody?.bytes ?? 0,
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    ...(entry.connection !== undefined && { connection: String(entry.connection) }),
    _petstoreSim: entry,
  };
}

const cut = (body: JournalBody | undefined) => (body?.truncated ? { comment: 'The text is cut.' } : {});
