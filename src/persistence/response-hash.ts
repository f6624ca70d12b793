import type { RequestRecord } from '../requests/request-record.js';
import { fingerprint } from '../values/fingerprint.js';
import { textOfBytes } from '../values/json-bytes.js';

/** Length above which a response body's hash is cached, in characters. Long bodies are mostly a few repeated lists. */
const longBody = 200;
const maximumBodies = 200;

/** The constant hash of a log entry that produced no responses. */
export const emptyHash = fingerprint('');

/**
 * Creates a collector that hashes the responses to all requests of a log entry. Equal hashes show that two versions or
 * replicas responded alike.
 */
export function createResponseHash() {
  const bodies = new Map<string, string>();
  let parts: string[] = [];

  /**
   * Hashes a body, with a cache. V8 stores the hash of a string, so finding a repeated body in the cache takes little
   * time.
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
    /** Omits key ids, because a recording replaces API keys by pseudonyms, which have other ids. */
    addText(text: string): void {
      parts.push(text.replace(/"key_[0-9a-f]{16}"/g, ''));
    },
    /** Returns the hash of all responses added since the previous call. */
    take(): string {
      const hash = fingerprint(parts.join('\n'));
      parts = [];
      return hash;
    },
  };
}
