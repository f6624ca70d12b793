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
   * Number of each distinct request. The outer map's key is the HTTP method with the API key, and the inner map's key
   * is the request's text. A single map with one long key would be slower.
   */
  readonly #kinds = new Map<string, Map<string, number>>();
  #token: string | undefined;
  #method: string | undefined;
  #kind = new Map<string, number>();

  /**
   * Returns the fingerprint of a request: a number that is the same for a request and its retries. The judge recognizes
   * retries by this number.
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

/**
 * Returns the path, query and body of a request as one text. Requests with equal texts count as attempts of one call if
 * the client does not name its calls in the header `X-Sim-Call`.
 */
const sentIn = (request: RequestRecord, requestText: string) =>
  requestText === '' ? pathWithQuery(request) : `${pathWithQuery(request)}\n${requestText}`;
