import type { JournalBody, JournalEntry } from '../control-api/journal-entry.js';
import { maskedKey } from '../values/mask-key.js';

/** What the page reads of an entry of an HTTP Archive 1.2. */
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
  /** What an archive of petstore-sim holds besides. */
  _petstoreSim?: Partial<JournalEntry>;
}

/** The entries of an archive as a journal has them. What only the simulator knows is there where it wrote the archive. */
export function fromHar(entries: readonly HarEntry[]): JournalEntry[] {
  return [...entries]
    .sort((a, b) => Date.parse(a.startedDateTime) - Date.parse(b.startedDateTime))
    .map((entry, index) => {
      const own = entry._petstoreSim;
      const { request, response } = entry;
      const { baseUrl, path, query } = splitUrl(request.url, own?.baseUrl);
      const headers = Object.fromEntries((response.headers ?? []).map(({ name, value }) => [canonical(name), value]));
      const requestBody = bodyOf(request.postData?.text, own?.requestBody);
      const responseBody = bodyOf(response.content?.text, own?.responseBody);
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
        ...(own ?? readWire(entry, headers)),
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

/** What the wire tells of limits: a 429, and how long it said to wait. A key is shown by its end alone. */
function readWire(entry: HarEntry, headers: Record<string, string>): Partial<JournalEntry> {
  const authorization = entry.request.headers?.find(({ name }) => name.toLowerCase() === 'authorization')?.value;
  const key = authorization?.slice(authorization.lastIndexOf(' ') + 1);
  const retryAfter = Number(headers['Retry-After']);
  const untilMs = Date.parse(entry.startedDateTime) + entry.time + retryAfter * 1000;
  return {
    ...(key && { key: maskedKey(key), keyId: key }),
    ...(entry.response.status === 429 && { refusal: 'limit' }),
    ...(Number.isFinite(untilMs) && retryAfter >= 0 && { toldUntil: new Date(untilMs).toISOString() }),
  };
}

const bodyOf = (text: string | undefined, own: Partial<JournalBody> | undefined): JournalBody | undefined =>
  text ? { bytes: new TextEncoder().encode(text).length, hash: '', ...own, text } : undefined;

/** `Retry-After` of `retry-after`: the spelling of HTTP/2 has no capitals. */
const canonical = (name: string) =>
  name.toLowerCase() === 'www-authenticate'
    ? 'WWW-Authenticate'
    : name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()).replace('Ratelimit', 'RateLimit');
