import { fnv1a } from '../../values/mask-key.js';

/** Gives each API key of a recording a name, `key-1`, and keeps only a hash of the key. */
export class KeyNames {
  readonly #names = new Map<string, string>();

  /**
   * The name of the key in an Authorization header, under one base address; `undefined` when there is none. Another scheme
   * than Bearer is a key, too: the service has to refuse it.
   */
  nameOf(authorization: string | undefined, baseUrl: string): string | undefined {
    const key = keyIn(authorization);
    if (key === undefined) return undefined;
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

/** A text without the key, should it stand in it: in a query, in a body. */
export const withoutKey = (text: string, key: string | undefined, name: string | undefined): string =>
  key === undefined || key.length < shortestSecret ? text : text.replaceAll(key, name ?? '');

const shortestSecret = 6;
