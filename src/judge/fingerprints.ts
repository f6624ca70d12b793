import type { RequestRecord } from '../requests/request-record.js';
import { getOrCreate } from '../values/get-or-create.js';
import { pathWithQuery } from '../values/request-target.js';

/**
 * Assigns a number to each distinct request. Equal requests share a number, because they may be attempts of one call.
 * The judge's rules group requests by number.
 */
export class Fingerprints {
  #count = 0;
  /**
   * Numbers of distinct requests by API key and method, then by the request's text. Two levels of maps, because lookups
   * by long texts are slow.
   */
  readonly #kinds = new Map<string, Map<string, number>>();
  #token: string | undefined;
  #method: string | undefined;
  #kind = new Map<string, number>();

  /**
   * Returns the fingerprint of a request: a number that all attempts of one call share. Retries are found by this
   * number.
   * @param client name of the client, from its User-Agent
   * @param requestText request body as text
   */
  of(request: RequestRecord, client: string | undefined, requestText: string): number {
    const { token, method } = request;
    if (token !== this.#token || method !== this.#method) {
      this.#token = token;
      this.#method = method;
      this.#kind = getOrCreate(this.#kinds, `${method} ${token}`, () => new Map());
    }
    const text = request.call === undefined ? sentIn(request, requestText) : `\n${client}\n${request.call}`;
    return getOrCreate(this.#kind, text, () => this.#count++);
  }
}

/** Text that identifies a call without a name: its path, query and body. */
const sentIn = (request: RequestRecord, requestText: string) =>
  requestText === '' ? pathWithQuery(request) : `${pathWithQuery(request)}\n${requestText}`;
