import { textOfBytes } from '../values/json-bytes.js';
import type { Exchange } from './exchange.js';

/**
 * Writes an exchange as one line of JSON Lines, which `readJournalLine` reads. Contains the key's name instead of the
 * key.
 */
export function journalLine(exchange: Exchange): string {
  const { id, arrivedAtMs, answeredAtMs, token, method, baseUrl, path, query, status, headers } = exchange;
  const { requestHeaders, requestBody, responseBody, question } = exchange;
  return JSON.stringify({
    id,
    time: new Date(arrivedAtMs).toISOString(),
    durationMs: answeredAtMs - arrivedAtMs,
    ...(token !== undefined && { key: token }),
    method,
    baseUrl,
    path,
    query,
    status,
    requestHeaders,
    requestBody: { text: requestBody ? textOfBytes(requestBody) : '' },
    headers,
    responseBody: { text: responseBody },
    ...(question !== undefined && { question }),
  });
}
