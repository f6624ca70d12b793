import type { RequestRecord } from '../requests/request-record.js';
import { fingerprint } from '../values/fingerprint.js';
import { textOfBytes } from '../values/json-bytes.js';

/** Bodies longer than this are mostly lists, of which the same few are answered again and again. */
const longBody = 200;
const mostBodies = 200;

/** The hash of an entry that answered nothing. */
export const emptyHash = fingerprint('');

/** Collects what the commands of an entry answered, for a hash by which another version can be compared. */
export function createAnswerHash() {
  const bodies = new Map<string, string>();
  let parts: string[] = [];

  /** V8 keeps the hash of a text, so that a list that is answered again is found without being read. */
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
    /** Ids of keys are left out: they are made of the keys, and a recording has others. */
    addText(text: string): void {
      parts.push(text.replace(/"key_[0-9a-f]{16}"/g, ''));
    },
    /** The hash of what was added since the last. */
    take(): string {
      const hash = fingerprint(parts.join('\n'));
      parts = [];
      return hash;
    },
  };
}
