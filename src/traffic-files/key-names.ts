import { getOrCreate } from '../values/get-or-create.js';
import { fnv1a, keyId } from '../values/mask-key.js';

/** Key that `calibrate` sends to test whether a service accepts any key. Not a secret, so recordings contain it. */
export const fictitiousKey = 'petstore-sim-made-up-key';

/** Assigns a name such as `key-1` to each API key of a recording. Only hashes of the keys stay in memory. */
export class KeyNames {
  readonly #names = new Map<string, string>();
  readonly #public = new Map<string, string>();

  /**
   * Creates an empty list of names.
   * @param publicKeys API keys that are not secret, such as a scenario's. A recording contains these keys
   * unchanged, and all other keys as names such as `key-1`
   */
  constructor(publicKeys: Iterable<string> = []) {
    for (const key of [...publicKeys, fictitiousKey]) {
      for (const text of [key, keyId(key)]) this.#public.set(fnv1a(text), key);
    }
  }

  /**
   * Returns a label such as `key-1` in place of the API key in an Authorization header. The API keys of the scenario
   * are not secret and stay unchanged. Returns `undefined` without a key. Labels differ per base URL.
   */
  nameOf(authorization: string | undefined, baseUrl: string): string | undefined {
    const key = keyIn(authorization);
    if (key === undefined) return undefined;
    const own = this.#public.get(fnv1a(key));
    if (own !== undefined) return own;
    return getOrCreate(this.#names, fnv1a(`${baseUrl} ${key}`), () => `key-${this.#names.size + 1}`);
  }
}

/** Returns the credentials of an Authorization header, without a scheme such as `Bearer`. */
export function keyIn(authorization: string | undefined): string | undefined {
  const text = authorization?.trim() ?? '';
  return text === '' ? undefined : text.slice(text.indexOf(' ') + 1).trim();
}
