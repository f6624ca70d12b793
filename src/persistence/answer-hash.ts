import type { RequestRecord } from '../requests/request-record.js';
import { fingerprint } from '../values/fingerprint.js';
import { textOfBytes } from '../values/json-bytes.js';

/** Length above which the hash of a body is cached, in characters. Long bodies are mostly a few repeated lists. */
const longBody = 200;
const mostBodies = 200;

/** Hash of an entry without responses. */
export const emptyHash = fingerprint('');

/** Collects the responses of an entry into one hash, to compare the responses of another version or replica. */
export function createAnswerHash() {
  const bodies = new Map<string, string>();
  let parts: string[] = [];

  /** Hash of a body, from a cache. V8 caches the hash of a string too, so the lookup does not read a repeated body. */
  function hashOf(body: string): string {
    const known = bodies.get(body);
    if (known !== undefined) return known;
    if (bodies.size >= mostBodies) bodies.clear();
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
    /** Ignores key ids: a recording has pseudonyms instead of the keys that the ids are made from. */
    addText(text: string): void {
      parts.push(text.replace(/"key_[0-9a-f]{16}"/g, ''));
    },
    /** Hash of everything added since the previous call. */
    take(): string {
      const hash = fingerprint(parts.join('\n'));
      parts = [];
      return hash;
    },
  };
}
