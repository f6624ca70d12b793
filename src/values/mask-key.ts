/** Last four characters of a secret, or fewer of a short one. */
export const visibleEnd = (secret: string) => secret.slice(Math.max(secret.length - 4, Math.ceil(secret.length / 3)));

/** Masks a secret that no other output names, such as a password. */
export const maskedSecret = (secret: string) => `…${visibleEnd(secret)}`;

/**
 * Masks an API key: its visible end, and its tag, such as `…1234~x3k9`. Keys with the same end get different names,
 * which are the same in every output.
 */
export const maskedKey = (key: string) => `${maskedSecret(key)}~${keyTag(key)}`;

/**
 * Four characters of a key's hash. A recording's pseudonym of a key has them as `~x3k9` before its visible end, so that
 * both have one masked name.
 */
export const keyTag = (key: string): string =>
  /~([0-9a-z]{4})$/.exec(key.slice(0, key.length - visibleEnd(key).length))?.[1] ??
  keyHash(key).toString(36).slice(-4).padStart(4, '0');

/** Pattern of names of secret parameters, JSON fields and headers. */
export const secretNames =
  'api[-_]?key|(?:access|private|secret)[-_]?key|token|secret|passw(?:or)?d|pwd|signature|credential|session|auth(?!or)';

const secretParameter = new RegExp(secretNames, 'i');
/** Names of tokens that are a place in a list, such as `page_token`. */
const placeParameter = /page|next|cursor|continu|sync/i;
/** Whether a parameter `key` is an API key. A short one is an ordinary parameter. */
export const isKeyByLength = (name: string, value: string): boolean => name === 'key' && value.length >= 24;
const mayHaveSecret = new RegExp(`key=|${secretNames}`, 'i');

/**
 * Masks the values of a query's parameters that have names of secrets, as API keys. A masked query stays as it is.
 * @param keyParameter name of a further parameter that has the API key; empty without one
 */
export function maskedQuery(query: string, keyParameter = ''): string {
  if (keyParameter === '' && !mayHaveSecret.test(query)) return query;
  return query.replace(/(^|[?&])([^=&]*)=([^&]+)/g, (text, start: string, name: string, value: string) => {
    const isSecret = secretParameter.test(name) && !placeParameter.test(name);
    const isKey = isKeyByLength(name, value) || (keyParameter !== '' && name === keyParameter);
    return (isSecret || isKey) && !value.startsWith('…') ? `${start}${name}=${maskedKey(value)}` : text;
  });
}

/**
 * Returns the name of an environment variable for a message. Masks text that does not look like one, because it may be
 * a key that the user wrote instead of the name.
 */
export const variableName = (text: string): string =>
  /^[A-Z]+(?:_[A-Z0-9]+)*$/.test(text) ? text : maskedSecret(text);

/**
 * Hashes bytes or UTF-16 units with 64-bit FNV-1a, in hexadecimal. The hash is the same on every machine, but does not
 * hide the input. Never changes, because ids of keys and hashes of bodies are in exported files.
 */
export function fnv1a(input: string | Uint8Array): string {
  const [high, low] = fnv1aWords(input);
  return hex(high) + hex(low);
}

function fnv1aWords(input: string | Uint8Array): [high: number, low: number] {
  let high = 0xcbf29ce4 | 0;
  let low = 0x84222325 | 0;
  for (let index = 0; index < input.length; index++) {
    low ^= typeof input === 'string' ? input.charCodeAt(index) : (input[index] as number);
    // Multiplies the 64-bit hash by 2^40 + 0x1b3, the prime number of FNV-1a, in halves of 16 bits. The factor 2^40
    // moves the low word, shifted by 8 bits, into the high word.
    const lower = (low & 0xffff) * 0x1b3;
    const upper = (low >>> 16) * 0x1b3 + (lower >>> 16);
    high = (Math.imul(high, 0x1b3) + (upper >>> 16) + (low << 8)) | 0;
    low = (upper << 16) | (lower & 0xffff);
  }
  return [high, low];
}

const hex = (word: number) => (word >>> 0).toString(16).padStart(8, '0');

/**
 * Creates a short id for an API key, such as `key_af63dc4c8601ec8c`. Has 64 bits, because 32-bit ids collide among
 * 150,000 keys.
 */
export const keyId = (key: string) => `key_${fnv1a(key)}`;

/**
 * Returns the last 53 bits of an API key's id as a number. This takes a tenth of the time of computing the id as text:
 * 7 ms for 150,000 keys.
 */
export function keyHash(key: string): number {
  const [high, low] = fnv1aWords(key);
  return safeInteger(high, low);
}

/**
 * Converts the id of an API key, such as `key_af63dc4c8601ec8c`, to the number that `keyHash` returns for the key.
 * Returns `undefined` for any other text.
 */
export function hashOfKeyId(id: string): number | undefined {
  const [, high, low] = /^key_([0-9a-f]{8})([0-9a-f]{8})$/.exec(id) ?? [];
  return high === undefined ? undefined : safeInteger(Number(`0x${high}`), Number(`0x${low}`));
}

const safeInteger = (high: number, low: number) => (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
