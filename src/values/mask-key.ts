/** Keys are secrets: the last four characters, of a short one fewer. */
export const maskedKey = (key: string) => `…${key.slice(Math.max(key.length - 4, Math.ceil(key.length / 3)))}`;

/** FNV-1a, 32 bits, in hexadecimal: short and the same everywhere, but not for secrets. */
export function fnv1a(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** A short id of a key, which tells keys with equal endings apart and does not show the key: `key_1a2b3c4d`. */
export const keyId = (key: string) => `key_${fnv1a(new TextEncoder().encode(key))}`;
