import type { Redact } from '../simulator/redact.js';
import { fnv1a } from '../values/mask-key.js';
import type { JournalBody } from './journal-entry.js';

/** The journal cuts a body at this size, so that one of this size has most likely lost its end. */
const cutBodyBytes = 64 * 1024;
/** The end of a cut body that is not shown, because a key may have been cut with it. */
const uncertainLength = 256;

/** So many texts are remembered, and so many characters of them: the journal holds the texts anyway. */
const mostTexts = 200;
const mostLength = 1024 * 1024;

/** @param text the body without keys that nobody should see */
export function showBody(raw: Uint8Array, text: string): JournalBody {
  const size = { bytes: raw.length, hash: fnv1a(raw) };
  if (size.bytes < cutBodyBytes) return { ...size, text };
  return { ...size, text: text.slice(0, -uncertainLength).toWellFormed(), truncated: true };
}

interface KnownBody {
  readonly shown: JournalBody;
  json?: Uint8Array;
}

/**
 * Shows bodies, and remembers the last ones: the same few lists are answered again and again, and to hash one and to write
 * it as JSON takes longer than to answer its request.
 */
export function createShownBodies() {
  const known = new Map<string, KnownBody>();
  let length = 0;
  const encoder = new TextEncoder();

  function find(raw: string, redact: Redact): KnownBody {
    const text = redact(raw);
    // What is masked in a text changes with the keys.
    if (text !== raw) return { shown: showBody(encoder.encode(raw), text) };
    let body = known.get(raw);
    if (body === undefined) {
      body = { shown: showBody(encoder.encode(raw), raw) };
      length += raw.length;
      if (known.size >= mostTexts || length > mostLength) {
        known.clear();
        length = raw.length;
      }
      known.set(raw, body);
    }
    return body;
  }

  return {
    show: (raw: string, redact: Redact): JournalBody => ({ ...find(raw, redact).shown }),
    /** As JSON in UTF-8. */
    write(raw: string, redact: Redact): Uint8Array {
      const body = find(raw, redact);
      body.json ??= encoder.encode(JSON.stringify(body.shown));
      return body.json;
    },
  };
}
