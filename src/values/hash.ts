/** FNV-1a of bytes, 32 bits in hexadecimal: short and the same everywhere, not for secrets. */
export function fnv1a(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** A short name of an API key that does not reveal the key and tells keys with equal endings apart. */
export const keyId = (key: string) => `key_${fnv1a(new TextEncoder().encode(key))}`;

/**
 * Text as 64 bits in hexadecimal, so that long texts can be compared without being kept. Among 10,000 texts the chance
 * that any two are taken for one is 3 in 10^12.
 */
export function fingerprint(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x9dc5811c;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x5bd1e995);
    high ^= high >>> 15;
  }
  const hex = (bits: number) => (bits >>> 0).toString(16).padStart(8, '0');
  return hex(low) + hex(high);
}
