/** Bytes as part of JSON: text if they are valid UTF-8, otherwise base64. */
export type JsonBytes = string | { readonly base64: string };

// `ignoreBOM` keeps a byte order mark in the text. Encoding the text then restores the same bytes.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossyDecoder = new TextDecoder();
const encoder = new TextEncoder();

export function toJsonBytes(bytes: Uint8Array): JsonBytes {
  try {
    return decoder.decode(bytes);
  } catch {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return { base64: btoa(text) };
  }
}

export const fromJsonBytes = (bytes: JsonBytes): Uint8Array =>
  typeof bytes === 'string' ? encoder.encode(bytes) : Uint8Array.from(atob(bytes.base64), (char) => char.charCodeAt(0));

/** Decodes the bytes as text, with U+FFFD for invalid UTF-8. */
export const textOfBytes = (bytes: JsonBytes): string =>
  typeof bytes === 'string' ? bytes : lossyDecoder.decode(fromJsonBytes(bytes));

/** Shortens a value to its first `most` bytes. A character that is cut in two becomes U+FFFD. */
export function cutBytes<Bytes extends JsonBytes>(bytes: Bytes, most: number): Bytes;
export function cutBytes(bytes: JsonBytes, most: number): JsonBytes {
  // Skips the exact measurement of a text that certainly fits, because UTF-8 needs at most three bytes per UTF-16 unit.
  if (typeof bytes === 'string' && bytes.length * 3 <= most) return bytes;
  const all = fromJsonBytes(bytes);
  if (all.length <= most) return bytes;
  // Creates a new string, because a slice would keep the whole string in memory in V8.
  return typeof bytes === 'string' ? lossyDecoder.decode(all.subarray(0, most)) : toJsonBytes(all.subarray(0, most));
}
