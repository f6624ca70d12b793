import type { Credential } from '../values/credential.js';
import { getOrCreate } from '../values/get-or-create.js';
import { fnv1a, maskedKey } from '../values/mask-key.js';

/** Key that `calibrate` sends to test whether a service accepts any key. Not a secret, so recordings contain it. */
export const fictitiousKey = 'petstore-sim-made-up-key';

/** Assigns a name such as `key-1` to each API key of a recording. Of the keys, only hashes and the latest one stay in memory. */
export class KeyNames {
  readonly #names = new Map<string, string>();
  readonly #public = new Map<string, string>();
  /** Latest request's key, which most requests repeat. */
  #last: (Credential & { readonly baseUrl: string; readonly name: string | undefined }) | undefined;

  /**
   * Creates an empty list of names.
   * @param publicKeys API keys that are not secret, such as a scenario's. A recording contains these keys
   * unchanged, and all other keys as names such as `key-1`
   */
  constructor(publicKeys: Iterable<string> = []) {
    for (const key of [...publicKeys, fictitiousKey]) {
      for (const text of [key, maskedKey(key)]) this.#public.set(fnv1a(text), key);
    }
  }

  /**
   * Returns a label such as `key-1` for the account of a request. The API keys of the scenario are not secret and stay
   * unchanged. Returns `undefined` without a key, and for a masked one. Labels differ per base URL.
   */
  nameOf(credential: Credential | undefined, baseUrl: string): string | undefined {
    if (credential === undefined) return undefined;
    const { account, secret } = credential;
    const last = this.#last;
    if (last?.secret === secret && last.account === account && last.baseUrl === baseUrl) return last.name;
    const own = this.#public.get(fnv1a(secret));
    const name =
      own !== undefined || account === undefined
        ? own
        : getOrCreate(this.#names, fnv1a(`${baseUrl} ${account}`), () => `key-${this.#names.size + 1}`);
    this.#last = { secret, account, baseUrl, name };
    return name;
  }
}
