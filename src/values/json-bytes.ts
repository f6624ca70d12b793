/** Bytes in JSON: text where they are UTF-8, so that a person can read them, else base64. */
export type JsonBytes = string | { readonly base64: string };

// With `ignoreBOM` the first character stays, so that the same bytes come back.
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

/** Text of the bytes, with U+FFFD for those that are not UTF-8. */
export const textOfBytes = (bytes: JsonBytes): string =>
  typeof bytes === 'string' ? bytes : lossyDecoder.decode(fromJsonBytes(bytes));

/** The first `most` bytes; the same value if there are no more. A character that is cut becomes U+FFFD. */
export function cutBytes<Bytes extends JsonBytes>(bytes: Bytes, most: number): Bytes;
export function cutBytes(bytes: JsonBytes, most: number): JsonBytes {
  // UTF-8 takes three bytes at most for each unit of a string.
  if (typeof bytes === 'string' && bytes.length * 3 <= most) return bytes;
  const all = fromJsonBytes(bytes);
  if (all.length <= most) return bytes;
  // A new string, because in V8 a slice keeps the whole string in memory.
  return typeof bytes === 'string' ? lossyDecoder.decode(all.subarray(0, most)) : toJsonBytes(all.subarray(0, most));
}
