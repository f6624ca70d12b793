import type { RequestRecord } from '../requests/request-record.js';

/** Gives requests that may be one call tried again the same number, because rules group by it again and again. */
export class Fingerprints {
  #count = 0;
  /** By key and method, which mostly are those of the request before: longer texts take longer to look up. */
  readonly #kinds = new Map<string, Map<string, number>>();
  #token: string | undefined;
  #method: string | undefined;
  #kind = new Map<string, number>();

  /**
   * @param client the name of the client
   * @param requestText the body of the request
   */
  of(request: RequestRecord, client: string | undefined, requestText: string): number {
    const { token, method } = request;
    if (token !== this.#token || method !== this.#method) this.#turnTo(token, method);
    const text = request.call === undefined ? sentIn(request, requestText) : `\n${client}\n${request.call}`;
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

/** A call without a name is what it sends; one with a name is itself whatever it sends. */
function sentIn({ path, query }: RequestRecord, requestText: string): string {
  const target = query === '' ? path : `${path}?${query}`;
  return requestText === '' ? target : `${target}\n${requestText}`;
}
