import { isMap } from '../values/plain-data.js';
import { ownKey } from './own-record.js';
import type { RecordedEntry } from './recorded-entry.js';

/**
 * Reads a journal entry in JSON Lines, as exported by the control API and written by `calibrate` and `compare`.
 * @returns `undefined` if the line is not an entry
 */
export function readJournalLine(entry: Record<string, unknown>): RecordedEntry | undefined {
  const { time, durationMs, method, baseUrl, path, query = '', status, headers } = entry;
  if (typeof time !== 'string' || typeof method !== 'string' || typeof baseUrl !== 'string') return undefined;
  if (typeof path !== 'string' || !isMap(headers)) return undefined;
  const sentMs = Date.parse(time);
  const answeredMs = sentMs + (Number(durationMs) || 0);
  const sent = isMap(entry.requestHeaders) ? pairs(entry.requestHeaders) : [];
  const key = ownKey(entry);
  if (key !== undefined) sent.push(['Authorization', `Bearer ${key}`]);
  return {
    record: {
      arrivedAtMs: sentMs,
      answeredAtMs: answeredMs,
      finishedAtMs: answeredMs,
      isAbandoned: entry.abandoned === true,
      method,
      status: Number(status) || 0,
    },
    hasTimings: Number.isFinite(sentMs) && Number(durationMs) >= 0,
    url: `${baseUrl}${path}${query === '' ? '' : `?${String(query)}`}`,
    requestHeaders: sent,
    answerHeaders: pairs(headers),
    requestBody: bodyText(entry.requestBody, ''),
    answerBody: bodyText(entry.responseBody, ''),
    connection: entry.connection === undefined ? undefined : String(entry.connection),
    own: entry,
  };
}

const pairs = (map: Record<string, unknown>) =>
  Object.entries(map).map(([name, value]): [string, string] => [name, String(value)]);

const bodyText = (body: unknown, none: string): string | undefined => {
  if (!isMap(body)) return none;
  // A truncated body is incomplete, so treated as missing.
  return typeof body.text === 'string' && body.truncated === undefined ? body.text : undefined;
};
