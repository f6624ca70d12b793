import { isMap } from '../values/plain-data.js';
import { ownKey } from './own-record.js';
import type { RawExchange } from './raw-exchange.js';

/**
 * An entry of a journal in JSON Lines, as the control API exports it and `calibrate` and `compare` write it.
 * @returns `undefined` for a line that is no entry
 */
export function readJournalLine(entry: Record<string, unknown>): RawExchange | undefined {
  const { time, durationMs, method, baseUrl, path, query = '', status, headers } = entry;
  if (typeof time !== 'string' || typeof method !== 'string' || typeof baseUrl !== 'string') return undefined;
  if (typeof path !== 'string' || !isMap(headers)) return undefined;
  const sentMs = Date.parse(time);
  const answeredMs = sentMs + (Number(durationMs) || 0);
  const sent = isMap(entry.requestHeaders) ? pairs(entry.requestHeaders) : [];
  const key = ownKey(entry);
  if (key !== undefined) sent.push(['Authorization', `Bearer ${key}`]);
  return {
    sentMs,
    answeredMs,
    finishedMs: answeredMs,
    hasTimings: Number.isFinite(sentMs) && Number(durationMs) >= 0,
    method,
    url: `${baseUrl}${path}${query === '' ? '' : `?${String(query)}`}`,
    status: Number(status) || 0,
    isAbandoned: entry.abandoned === true,
    requestHeaders: sent,
    hasRequestHeaders: true,
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
  // A cut body says nothing of what was cut.
  return typeof body.text === 'string' && body.truncated === undefined ? body.text : undefined;
};
