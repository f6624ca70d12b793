import type { ObservedRequest } from '../state/request-record.js';

/** Gives requests that may be one call tried again the same number, because rules group by it again and again. */
export class Fingerprints {
  #count = 0;
  /** By key and method, which mostly are those of the request before: longer texts take longer to look up. */
  readonly #kinds = new Map<string, Map<string, number>>();
  #token: string | undefined;
  #method: string | undefined;
  #kind = new Map<string, number>();

  /** @param requestText the body of the request */
  of({ token, call, method, path, query }: ObservedRequest, requestText: string): number {
    if (token !== this.#token || method !== this.#method) this.#turnTo(token, method);
    const target = query === '' ? path : `${path}?${query}`;
    const text = call === undefined && requestText === '' ? target : `${target}\n${call}\n${requestText}`;
    let number = this.#kind.get(text);
    if (number === undefined) {
      number = this.#count++;
      this.#kind.set(text, number);
    }
    return number;
  }

  #turnTo(token: string | undefined, method: string): void {
    this.#token = token;
    this.#method = method;
    const name = `${method} ${token}`;
    let kind = this.#kinds.get(name);
    if (kind === undefined) {
      kind = new Map();
      this.#kinds.set(name, kind);
    }
    this.#kind = kind;
  }
}
