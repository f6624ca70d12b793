import type { IncomingMessage, ServerResponse } from 'node:http';
import { readTarget } from '../http/read-target.js';
import { disconnectSignal } from '../http/wire-faults.js';
import type { ApiCall } from '../requests/api-call.js';

/** Returns the URL of a path of this server, as a request's client sees it. */
export type UrlOf = (request: IncomingMessage, path: string) => string;

/**
 * HTTP request in the form that the simulator handles. It is a class, because V8 handles object literals with a getter
 * more slowly.
 */
export class HttpCall implements ApiCall {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #base: string;
  readonly #urlOf: UrlOf;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly basePath: string | undefined;
  readonly body: Uint8Array | undefined;
  readonly connection: number | undefined;
  readonly holdsRefusals: boolean;
  readonly sendsUtf8 = true;
  readonly adapterHeaders: ApiCall['adapterHeaders'];

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    {
      base,
      urlOf,
      basePath,
      body,
      connection,
      holdsRefusals,
      adapterHeaders,
    }: Pick<ApiCall, 'body' | 'basePath' | 'connection' | 'adapterHeaders'> & {
      base: string;
      urlOf: UrlOf;
      holdsRefusals: boolean;
    },
  ) {
    const { path, query } = readTarget(request.url, base.length);
    this.#request = request;
    this.#response = response;
    this.#base = base;
    this.#urlOf = urlOf;
    this.method = request.method ?? '';
    this.path = path;
    this.query = query;
    this.basePath = basePath;
    this.body = body;
    this.connection = connection;
    this.holdsRefusals = holdsRefusals;
    this.adapterHeaders = adapterHeaders;
  }

  get baseUrl(): string {
    return this.#urlOf(this.#request, this.#base);
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    // Node joins all repeated headers that a request can have.
    return this.#request.headers as Record<string, string | undefined>;
  }

  header(name: string): string | undefined {
    return this.headers[name];
  }

  get signal(): AbortSignal {
    return disconnectSignal(this.#response);
  }
}
