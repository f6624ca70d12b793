import type { Redact } from '../simulator/redact.js';
import { fnv1a } from '../values/mask-key.js';
import type { JournalBody } from './journal-entry.js';

/** Body size at which the journal truncates, in bytes. A stored body of this size is most likely incomplete. */
const cutBodyBytes = 64 * 1024;
/**
 * Number of characters that are omitted at the end of a truncated body. They may contain part of a key, which cannot be
 * masked.
 */
const uncertainLength = 256;

/** The two limits of the body cache: number of bodies, and total number of characters. */
const maximumTexts = 200;
const maximumLength = 1024 * 1024;

/**
 * Converts a request or response body to its form in the control API: size, hash and text.
 * @param text the body with masked keys
 */
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
 * Creates a function that converts bodies to text for the journal, with a cache. Clients often receive the same list,
 * and converting it takes longer than handling a request.
 */
export function createShownBodies() {
  const known = new Map<string, KnownBody>();
  let length = 0;
  const encoder = new TextEncoder();

  function find(raw: string, redact: Redact): KnownBody {
    const text = redact(raw);
    // Does not cache a body in which an API key is masked, because the key may later be masked in another way.
    if (text !== raw) return { shown: showBody(encoder.encode(raw), text) };
    let body = known.get(raw);
    if (body === undefined) {
      body = { shown: showBody(encoder.encode(raw), raw) };
      length += raw.length;
      if (known.size >= maximumTexts || length > maximumLength) {
        known.clear();
        length = raw.length;
      }
      known.set(raw, body);
    }
    return body;
  }

  return {
    show: (raw: string, redact: Redact): JournalBody => ({ ...find(raw, redact).shown }),
    /** Converts a response body to JSON as UTF-8 bytes. */
    write(raw: string, redact: Redact): Uint8Array {
      const body = find(raw, redact);
      body.json ??= encoder.encode(JSON.stringify(body.shown));
      return body.json;
    },
  };
}
