import { earliestRetryMs } from '../judge/promises.js';
import { rateLimitHeaders } from '../rate-limits/header-names.js';
import { servedAgainAfter } from '../rate-limits/served-again.js';
import { withShownKey } from '../requests/recorded-headers.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { KeyInfo, WindowInfo } from '../simulator/keys.js';
import type { Exchange } from '../traffic-files/exchange.js';
import { groupBy } from '../values/group-by.js';
import { textOfBytes } from '../values/json-bytes.js';
import { fnv1a, secretNames } from '../values/mask-key.js';
import { readTold } from '../values/told-waits.js';
import { type DocumentedWindow, toWindowFields } from '../values/window-fields.js';
import { createRowFields, present } from './entry-row.js';
import type { JournalBody, JournalEntry } from './journal-entry.js';
import { explain } from './why.js';

/** Maximum length of a body on the dashboard, in characters. */
const maximumCharacters = 4_000;

/** Converts recorded exchanges to journal entries, for the dashboard. */
export function* recordedEntries(exchanges: readonly Exchange[]): Generator<JournalEntry> {
  const rowFields = createRowFields();
  const refusals = new Map<string | undefined, RequestRecord>();
  for (const exchange of exchanges) {
    const entry = withPromise(exchange);
    const { token, refusal, promisedAtMs, baseUrl, headers, requestHeaders, requestBody, responseBody } = entry;
    const before = refusals.get(token);
    if (refusal !== undefined && promisedAtMs !== undefined) refusals.set(token, entry);
    else refusals.delete(token);
    const shown = { key: token, path: entry.path, query: masked(entry.query), call: entry.call };
    const row = present(rowFields(entry, shown, before));
    const shownEntry: JournalEntry = {
      ...row,
      durationMs: Math.round(row.durationMs),
      ...(token !== undefined && { keyId: token }),
      baseUrl,
      ...(requestHeaders && { requestHeaders: { ...withShownKey(requestHeaders, token) } }),
      headers: { ...headers },
      ...(requestBody && { requestBody: bodyOf(textOfBytes(requestBody)) }),
      ...(responseBody !== '' && { responseBody: bodyOf(textOfBytes(responseBody)) }),
      ...(entry.client !== undefined && { client: entry.client }),
    };
    yield exchange.isOwn ? { ...shownEntry, why: explain(shownEntry) } : shownEntry;
  }
}

/** Adds the time from which the client may retry. Only recordings of the simulator contain the true time. */
function withPromise(exchange: Exchange): Exchange {
  if (exchange.isOwn || exchange.refusal === undefined) return exchange;
  return { ...exchange, promisedAtMs: earliestRetryMs(exchange) };
}

/** Describes the keys of a recording at its end, as far as its responses show their state. */
export function recordedKeys(exchanges: readonly Exchange[]): KeyInfo[] {
  const nowMs = exchanges.reduce((most, { finishedAtMs }) => Math.max(most, finishedAtMs), 0);
  const keys: KeyInfo[] = [];
  for (const [token, own] of groupBy(exchanges, ({ token }) => token)) {
    if (token === undefined) continue;
    const last = withPromise(own.at(-1) as Exchange);
    const again = servedAgainAfter(last);
    const isWaiting = again !== undefined && again.atMs > nowMs;
    const isBanned = isWaiting && (again.bannedUntilMs ?? 0) > nowMs;
    keys.push({
      key: token,
      id: token,
      plan: own.findLast(({ plan }) => plan !== undefined)?.plan ?? '',
      state: isBanned ? 'banned' : 'active',
      ...(toWindowFields(lastWindows(own)) as Pick<KeyInfo, DocumentedWindow>),
      strikes: last.strikes,
      ...(isBanned && { bannedUntil: new Date(again.bannedUntilMs as number).toISOString() }),
      ...(isWaiting && {
        servedAgain: { at: new Date(again.atMs).toISOString(), ...(again.window && { window: again.window }) },
      }),
    });
  }
  return keys;
}

/** Reads the latest state of each window of one key, from its newest responses on, as parsing all takes long. */
function lastWindows(own: readonly Exchange[]): [string, WindowInfo][] {
  const names = new Set(own.map(({ window = unnamedWindow }) => window));
  return [...names].flatMap((name) => {
    for (let at = own.length - 1; at >= 0; at--) {
      const exchange = own[at] as Exchange;
      const info = (exchange.window ?? unnamedWindow) === name ? windowOf(exchange) : undefined;
      if (info !== undefined) return [[name, info]];
    }
    return [];
  });
}

/** Window in recordings of another service, whose headers name none. */
const unnamedWindow = 'limit';

/** Reads the limit that a response's headers describe. The window's name is known only in recordings of the simulator. */
function windowOf(exchange: Exchange): WindowInfo | undefined {
  const { headers, refusal } = exchange;
  // The headers of a ban state its end.
  if (refusal === 'ban') return undefined;
  const limit = Number(headers[rateLimitHeaders.limit] ?? headers['RateLimit-Limit']);
  if (!Number.isSafeInteger(limit)) return undefined;
  const { reset, remaining } = readTold(exchange, true);
  if (!Number.isSafeInteger(remaining) || reset === undefined) return undefined;
  return { limit, remaining: remaining as number, resetAtSeconds: Math.ceil(reset.untilMs / 1000) };
}

function bodyOf(whole: string): JournalBody {
  const bytes = new TextEncoder().encode(whole);
  const size = { bytes: bytes.length, hash: fnv1a(bytes) };
  const text = masked(whole);
  if (text.length <= maximumCharacters) return { ...size, text };
  return { ...size, text: text.slice(0, maximumCharacters).toWellFormed(), truncated: true };
}

const secretParameter = new RegExp(`((?:^|[?&])(?:key|[^=&?\\s"{]*(?:${secretNames})[^=&?\\s"{]*)=)[^&\\s"]+`, 'gi');
const secretField = new RegExp(`("(?:[^"\\\\]*(?:${secretNames})[^"\\\\]*)"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gi');

/** Masks parameters and JSON fields of a recording that have names of secrets, because people share reports. */
const masked = (text: string): string => text.replace(secretParameter, '$1…').replace(secretField, '$1"…"');
