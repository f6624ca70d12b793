/** Bytes as JSON: as text where they are UTF-8, so that a person can read them, else as base64. */
export type JsonBytes = string | { readonly base64: string };

// With `ignoreBOM` the first character is kept as it is.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
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
