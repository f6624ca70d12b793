import type { RequestRecord } from '../requests/request-record.js';

/**
 * Assigns equal numbers to requests that may be attempts of one call. Numbers, because the rules group by them
 * repeatedly.
 */
export class Fingerprints {
  #count = 0;
  /** Numbers by key and method. Two levels, because lookups of longer texts are slower and both rarely change. */
  readonly #kinds = new Map<string, Map<string, number>>();
  #token: string | undefined;
  #method: string | undefined;
  #kind = new Map<string, number>();

  /**
   * Number of a request. Equal for attempts of one call.
   * @param client name of the client
   * @param requestText request body
   */
  of(request: RequestRecord, client: string | undefined, requestText: string): number {
    const { token, method } = request;
    if (token !== this.#token || method !== this.#method) this.#select(token, method);
    const text = request.call === undefined ? sentIn(request, requestText) : `\n${client}\n${request.call}`;
    let number = this.#kind.get(text);
    if (number === undefined) {
      number = this.#count++;
      this.#kind.set(text, number);
    }
    return number;
  }

  #select(token: string | undefined, method: string): void {
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

/** Text that identifies an unnamed call: its target and body. */
function sentIn({ path, query }: RequestRecord, requestText: string): string {
  const target = query === '' ? path : `${path}?${query}`;
  return requestText === '' ? target : `${target}\n${requestText}`;
}
