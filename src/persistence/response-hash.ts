import type { RequestRecord } from '../requests/request-record.js';
import { fingerprint } from '../values/fingerprint.js';
import { textOfBytes } from '../values/json-bytes.js';

/** Length above which a response body's hash is cached, in characters. Long bodies are mostly a few repeated lists. */
const longBody = 200;
const maximumBodies = 200;

/**
 * Creates a collector that hashes the responses to all requests of a log entry. Equal hashes show that two versions or
 * servers responded alike.
 */
export function createResponseHash() {
  const bodies = new Map<string, string>();
  let parts: string[] = [];

  /**
   * Hashes a response body and caches the hash. A repeated body is found quickly in the cache, because V8 stores the
   * hash code of a string.
   */
  function hashOf(body: string): string {
    const known = bodies.get(body);
    if (known !== undefined) return known;
    if (bodies.size >= maximumBodies) bodies.clear();
    const hash = fingerprint(body);
    bodies.set(body, hash);
    return hash;
  }

  return {
    addRecord({ id, status, headers, responseBody }: RequestRecord): void {
      parts.push(String(id), String(status));
      for (const name in headers) parts.push(name, headers[name] as string);
      const text = textOfBytes(responseBody);
      parts.push(text.length > longBody ? hashOf(text) : text);
    },
    /**
     * Adds a text of a response to the hash of a log entry's responses. Ignores ids of API keys and the tags of masked
     * ones, such as `~x3k9`, because pseudonyms in recordings have others.
     */
    addText(text: string): void {
      parts.push(text.replace(/"key_[0-9a-f]{16}"|(?<=…[^\s"]{0,4})~[0-9a-z]{4}/g, ''));
    },
    /** Returns one hash of all responses added so far, and removes them. */
    take(): string {
      const hash = fingerprint(parts.join('\n'));
      parts = [];
      return hash;
    },
  };
}
