import { isMap, mapOf } from '../values/plain-data.js';
import { textOf } from './json-fields.js';
import type { RecordedEntry } from './recorded-entry.js';
import { simulatorKey } from './simulator-fields.js';

/**
 * Reads one line of JSON Lines, as the control API, `calibrate` and `compare` write it.
 * @returns `undefined` if the line is no journal entry
 */
export function readJournalLine(entry: Record<string, unknown>): RecordedEntry | undefined {
  const { time, durationMs, method, baseUrl, path, query = '', status, headers } = entry;
  if (typeof method !== 'string' || typeof baseUrl !== 'string' || typeof path !== 'string') return undefined;
  const sentMs = Date.parse(textOf(time) ?? '');
  const answeredMs = sentMs + (Number(durationMs) || 0);
  const sent = isMap(entry.requestHeaders) ? pairs(entry.requestHeaders) : [];
  const key = simulatorKey(entry);
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
    hasResponse: status !== undefined,
    startedMs: sentMs,
    signs: {},
    url: `${baseUrl}${path}${query === '' ? '' : `?${String(query)}`}`,
    requestHeaders: sent,
    answerHeaders: pairs(mapOf(headers)),
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
  // Treats a truncated body as missing, because conclusions from part of a body could be wrong.
  return typeof body.text === 'string' && body.truncated === undefined ? body.text : undefined;
};
