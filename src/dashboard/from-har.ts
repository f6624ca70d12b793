import type { JournalBody, JournalEntry } from '../control-api/journal-entry.js';
import { maskedKey } from '../values/mask-key.js';

/** Fields of a HAR 1.2 entry that the dashboard reads. */
export interface HarEntry {
  startedDateTime: string;
  time: number;
  request: {
    method: string;
    url: string;
    headers?: { name: string; value: string }[];
    postData?: { text?: string };
  };
  response: {
    status: number;
    headers?: { name: string; value: string }[];
    content?: { text?: string };
  };
  connection?: string;
  /** Custom field in HAR files by petstore-sim, with the simulator's data about a request. */
  _petstoreSim?: Partial<JournalEntry>;
}

/**
 * Converts HAR entries to journal entries, in order of time. Entries recorded by other programs lack the simulator's
 * data, so their refusals, required waits and API keys are derived from status and headers.
 */
export function fromHar(entries: readonly HarEntry[]): JournalEntry[] {
  const keys: string[] = [];
  return [...entries]
    .sort((a, b) => Date.parse(a.startedDateTime) - Date.parse(b.startedDateTime))
    .map((entry, index) => {
      const { request, response } = entry;
      const headers = headersOf(response);
      const own: Partial<JournalEntry> = entry._petstoreSim ?? readWire(entry, headers, keys);
      const { baseUrl, path, query } = splitUrl(request.url, own.baseUrl);
      const requestBody = bodyOf(request.postData?.text, own.requestBody);
      const responseBody = bodyOf(own.responseBody?.text ?? response.content?.text, own.responseBody);
      return {
        id: index + 1,
        time: new Date(entry.startedDateTime).toISOString(),
        durationMs: Math.max(0, Math.round(entry.time)),
        method: request.method,
        baseUrl,
        path,
        query,
        status: response.status,
        headers,
        strikes: 0,
        episode: 0,
        ...own,
        // Request headers by another program may contain secrets.
        ...(entry._petstoreSim && { requestHeaders: headersOf(request, (name) => name.toLowerCase()) }),
        ...(requestBody && { requestBody }),
        ...(responseBody && { responseBody }),
      };
    });
}

function splitUrl(text: string, known: string | undefined): Pick<JournalEntry, 'baseUrl' | 'path' | 'query'> {
  const url = new URL(text, 'http://unknown');
  const base = /^(.*?\/v1)(?=\/|$)/.exec(url.pathname)?.[1] ?? '';
  return {
    baseUrl: known ?? `${url.origin}${base}`,
    path: url.pathname.slice(base.length) || '/',
    query: url.search.slice(1),
  };
}

/**
 * Derives the masked key, the refusal (429) and the end of the required wait from the headers of an HTTP Archive entry
 * that another program wrote. The key's id is the index of the first entry with the same key.
 * @param keys keys of the previous entries; the entry's key is appended
 */
function readWire(entry: HarEntry, headers: Record<string, string>, keys: string[]): Partial<JournalEntry> {
  const { Authorization = '' } = headersOf(entry.request);
  const key = Authorization.slice(Authorization.lastIndexOf(' ') + 1);
  keys.push(key);
  const answeredMs = Date.parse(entry.startedDateTime) + entry.time;
  const wait = headers['Retry-After'] ?? '';
  const untilMs = /^\d{1,8}(\.\d+)?$/.test(wait) ? answeredMs + Number(wait) * 1000 : Date.parse(wait);
  return {
    ...(key && { key: maskedKey(key), keyId: `${keys.indexOf(key)}` }),
    ...(entry.response.status === 429 && { refusal: 'limit' }),
    ...(untilMs > 0 && { toldUntil: new Date(Math.max(answeredMs, untilMs)).toISOString() }),
  };
}

const bodyOf = (text: string | undefined, own: Partial<JournalBody> | undefined): JournalBody | undefined =>
  text ? { bytes: new TextEncoder().encode(text).length, hash: '', ...own, text } : undefined;

const headersOf = ({ headers = [] }: HarEntry['request' | 'response'], nameOf = canonical): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [nameOf(name), value]));

/** Restores the case of a header name, such as `Retry-After`. HTTP/2 sends header names in lower case. */
const canonical = (name: string) =>
  name
    .toLowerCase()
    .replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
    .replace('Ratelimit', 'RateLimit');
