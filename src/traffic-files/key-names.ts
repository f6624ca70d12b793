import { fnv1a, keyId } from '../values/mask-key.js';

/** The key that `calibrate` sends to learn whether a service accepts any key. It is no secret, so recordings name it. */
export const madeUpKey = 'petstore-sim-made-up-key';

/** Gives each API key of a recording a name, `key-1`, and keeps only a hash of the key. */
export class KeyNames {
  readonly #names = new Map<string, string>();
  readonly #public = new Map<string, string>();

  /** @param publicKeys keys that are no secret, such as those that a scenario names: they keep their names */
  constructor(publicKeys: Iterable<string> = []) {
    for (const key of [...publicKeys, madeUpKey]) {
      for (const text of [key, keyId(key)]) this.#public.set(fnv1a(text), key);
    }
  }

  /**
   * The name of the key in an Authorization header, under one base address; `undefined` when there is none. Another scheme
   * than Bearer is a key, too: the service has to refuse it.
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

/** The credentials of an Authorization header, without the scheme. */
export function keyIn(authorization: string | undefined): string | undefined {
  const text = authorization?.trim() ?? '';
  return text === '' ? undefined : text.slice(text.indexOf(' ') + 1).trim();
}
