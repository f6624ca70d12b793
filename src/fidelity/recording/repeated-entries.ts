import { fingerprint } from '../../values/fingerprint.js';
import type { RawExchange } from './raw-exchange.js';

/**
 * Knows entries that stand in more than one file, as where a longer export of the same run is read beside a shorter one.
 * Entries of one file that are alike are many requests, and of those without a time nobody can say that they are the same.
 */
export class RepeatedEntries {
  readonly #before = new Map<string, number>();
  #inFile = new Map<string, number>();

  /** Whether an entry of this file stood in one before it. */
  isRepeated(raw: RawExchange): boolean {
    if (!Number.isFinite(raw.sentMs)) return false;
    const entry = hashOf(raw);
    const count = (this.#inFile.get(entry) ?? 0) + 1;
    this.#inFile.set(entry, count);
    return count <= (this.#before.get(entry) ?? 0);
  }

  endFile(): void {
    for (const [entry, count] of this.#inFile) {
      this.#before.set(entry, Math.max(count, this.#before.get(entry) ?? 0));
    }
    this.#inFile = new Map();
  }
}

/** Instead of the entry, which is long and has the key in it. */
function hashOf({
  sentMs,
  answeredMs,
  method,
  url,
  status,
  requestHeaders,
  requestBody,
  connection,
  own,
}: RawExchange) {
  const all = [sentMs, answeredMs, method, url, status, requestHeaders, requestBody, connection, own?.id];
  return fingerprint(JSON.stringify(all));
}
