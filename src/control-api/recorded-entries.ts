import type { Exchange } from '../traffic-files/exchange.js';
import { textOfBytes } from '../values/json-bytes.js';
import { fnv1a } from '../values/mask-key.js';
import type { JournalBody, JournalEntry } from './journal-entry.js';

/** Maximum length of a body on the dashboard, in characters. */
const maximumCharacters = 4_000;

/** Converts recorded exchanges to journal entries, for the dashboard. */
export const recordedEntries = (exchanges: readonly Exchange[]): JournalEntry[] =>
  exchanges.map((exchange): JournalEntry => {
    const { id, arrivedAtMs, answeredAtMs, token, operation, method, baseUrl, path, query, status } = exchange;
    const { requestBody, responseBody, headers, connection, call, strikes, episode, refusal } = exchange;
    return {
      id,
      time: new Date(arrivedAtMs).toISOString(),
      durationMs: Math.round(answeredAtMs - arrivedAtMs),
      ...(token !== undefined && { key: token, keyId: token }),
      ...(operation !== undefined && { operation }),
      method,
      path,
      query,
      status,
      strikes,
      episode,
      ...(refusal !== undefined && { refusal }),
      ...(exchange.isStrike && { strike: true as const }),
      ...(connection !== undefined && { connection }),
      ...(call !== undefined && { call }),
      baseUrl,
      headers: { ...headers },
      ...(requestBody && { requestBody: bodyOf(textOfBytes(requestBody)) }),
      ...(responseBody !== '' && { responseBody: bodyOf(textOfBytes(responseBody)) }),
    };
  });

function bodyOf(text: string): JournalBody {
  const bytes = new TextEncoder().encode(text);
  const size = { bytes: bytes.length, hash: fnv1a(bytes) };
  if (text.length <= maximumCharacters) return { ...size, text };
  return { ...size, text: text.slice(0, maximumCharacters).toWellFormed(), truncated: true };
}
