import type { Every } from '../values/every.js';
import type { KeyPlace, SentKey } from '../values/key-place.js';
import { maskedQuery } from '../values/mask-key.js';
import type { ApiCall } from './api-call.js';
import { recordHeaders } from './recorded-headers.js';

/**
 * Names of the request headers that a recording (`--record`) or the log of `--data` stores as sent, because responses
 * and journal depend on them. Of the other headers, those that the journal records are stored as in the journal.
 */
const readHeaders = ['authorization', 'content-type', 'content-encoding', 'user-agent', 'x-sim-call', 'origin'];

/**
 * Request as plain data, which the log of a server's changes can store and replay. Has no references to the adapter
 * (HTTP server, msw or fetch) that received the request, and no number of requests behind it, which is known only when
 * the request is handled.
 */
export interface PlainCall extends Omit<ApiCall, 'header' | 'headers' | 'signal' | 'sendsUtf8' | 'arrivedBehind'> {
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Copies a request for the log, with the properties that determine the response.
 * @param sentKey API key that the log stores instead of the credential; default: the header Authorization as sent
 * @param place place of the credential, which the log masks
 */
export function toPlainCall(call: ApiCall, sentKey?: SentKey, place?: KeyPlace): PlainCall {
  const { method, path, query, baseUrl, basePath, route, body, wholeBody, connection, holdsRefusals, adapterHeaders } =
    call;
  const headers: Record<string, string> = { ...(call.headers && recordHeaders(call.headers, place?.header)) };
  for (const name of readHeaders) {
    if (sentKey !== undefined && name === 'authorization') continue;
    const value = call.header(name);
    if (value !== undefined) headers[name] = value;
  }
  // JSON omits fields that are `undefined`, so `undefined` instead of `false` saves space in the log.
  const holds = holdsRefusals || undefined;
  return {
    method,
    path,
    query: maskedQuery(query, place?.parameter),
    baseUrl,
    basePath,
    sentKey,
    route,
    headers,
    body,
    wholeBody,
    connection,
    holdsRefusals: holds,
    adapterHeaders,
  } satisfies Every<PlainCall>;
}

/**
 * Properties of a logged request that are known when the simulator handles the request, such as the number of queued
 * requests. The properties replace the log entry's properties of the same name.
 */
export type CallContext = Partial<Pick<ApiCall, 'arrivedBehind' | 'adapterHeaders'>>;

/** Converts a request stored in the log to the simulator's input. */
export const fromPlainCall = (call: PlainCall, context: CallContext = {}): ApiCall => new LoggedCall(call, context);

/**
 * Request that was read from the server's log, in the form that the simulator accepts. A class instance is created
 * faster than an object spread, which takes 0.3 us. The spread would double the log's processing time for each request.
 */
class LoggedCall implements Every<Omit<ApiCall, 'signal' | 'sendsUtf8'>> {
  readonly headers: PlainCall['headers'];
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly baseUrl: string;
  readonly basePath: string | undefined;
  readonly sentKey: SentKey | undefined;
  readonly route: ApiCall['route'];
  readonly body: Uint8Array | undefined;
  readonly wholeBody: string | undefined;
  readonly connection: number | undefined;
  readonly holdsRefusals: boolean | undefined;
  readonly arrivedBehind: number | undefined;
  readonly adapterHeaders: ApiCall['adapterHeaders'];

  constructor(call: PlainCall, context: CallContext) {
    this.headers = call.headers;
    this.method = call.method;
    this.path = call.path;
    this.query = call.query;
    this.baseUrl = call.baseUrl;
    this.basePath = call.basePath;
    this.sentKey = call.sentKey;
    this.route = call.route;
    this.body = call.body;
    this.wholeBody = call.wholeBody;
    this.connection = call.connection;
    this.holdsRefusals = call.holdsRefusals;
    this.arrivedBehind = context.arrivedBehind;
    this.adapterHeaders = context.adapterHeaders ?? call.adapterHeaders;
  }

  header(name: string): string | undefined {
    return this.headers[name];
  }
}
