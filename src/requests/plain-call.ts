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
 * (HTTP server, msw or fetch) that received the request.
 */
export interface PlainCall extends Omit<ApiCall, 'signal' | 'sendsUtf8' | 'arrivedBehind'> {
  readonly headers: Readonly<Record<string, string>>;
  /** Not in the log: known only when the request is handled. */
  arrivedBehind?: number | undefined;
  /** Not in the log: set when the request is handled, because a server sends the response. */
  sendsUtf8?: boolean | undefined;
}

/** Method `header` of each `PlainCall`, which JSON omits. */
export function headerOfPlainCall(this: PlainCall, name: string): string | undefined {
  return this.headers[name];
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
    header: headerOfPlainCall,
    body,
    wholeBody,
    connection,
    holdsRefusals: holds,
    adapterHeaders,
    arrivedBehind: undefined,
    sendsUtf8: undefined,
  } satisfies Every<PlainCall>;
}
