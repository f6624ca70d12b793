import type { Redact } from '../simulator/redact.js';
import { fnv1a } from '../values/mask-key.js';
import type { JournalBody } from './journal-entry.js';

/** Size at which the journal truncates a body, in bytes. A body of this size is most likely incomplete. */
const cutBodyBytes = 64 * 1024;
/**
 * Length of the hidden end of a truncated body, in characters; it may contain a part of a key, which cannot be masked.
 */
const uncertainLength = 256;

/** Maximum number of cached texts, and of their characters. The journal contains the texts anyway. */
const mostTexts = 200;
const mostLength = 1024 * 1024;

/** @param text the body with masked keys */
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
 * Creates a converter with a cache of the last bodies. A few lists repeat, and hashing one and writing its JSON takes
 * longer than handling its request.
 */
export function createShownBodies() {
  const known = new Map<string, KnownBody>();
  let length = 0;
  const encoder = new TextEncoder();

  function find(raw: string, redact: Redact): KnownBody {
    const text = redact(raw);
    // A masked text is not cached, because masking depends on the current keys.
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
    /** Converts a body to JSON in UTF-8. */
    write(raw: string, redact: Redact): Uint8Array {
      const body = find(raw, redact);
      body.json ??= encoder.encode(JSON.stringify(body.shown));
      return body.json;
    },
  };
}
