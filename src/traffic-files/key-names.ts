import { fnv1a, keyId } from '../values/mask-key.js';

/** Key that `calibrate` sends to test whether a service accepts any key. Not a secret, so recordings contain it. */
export const madeUpKey = 'petstore-sim-made-up-key';

/** Assigns a name such as `key-1` to each API key of a recording. Stores only hashes of keys. */
export class KeyNames {
  readonly #names = new Map<string, string>();
  readonly #public = new Map<string, string>();

  /** @param publicKeys keys that are not secret, such as the keys of a scenario; returned unchanged */
  constructor(publicKeys: Iterable<string> = []) {
    for (const key of [...publicKeys, madeUpKey]) {
      for (const text of [key, keyId(key)]) this.#public.set(fnv1a(text), key);
    }
  }

  /**
   * Name of the key in an Authorization header, per base URL; `undefined` without a key. Credentials of schemes other
   * than Bearer also count as keys.
   */
  nameOf(authorization: string | undefined, baseUrl: string): string | undefined {
    const key = keyIn(authorization);
    if (key === undefined) return undefined;
    const own = this.#public.get(fnv1a(key));
    if (own !== undefined) return own;
    const hash = fnv1a(`${baseUrl} ${key}`);
    let name = this.#names.get(hash);
    if (name === undefined) {
      name = `key-${this.#names.size + 1}`;
      this.#names.set(hash, name);
    }
    return name;
  }
}

/** Credentials of an Authorization header, without the scheme. */
export function keyIn(authorization: string | undefined): string | undefined {
  const text = authorization?.trim() ?? '';
  return text === '' ? undefined : text.slice(text.indexOf(' ') + 1).trim();
}
