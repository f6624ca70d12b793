import type { ApiCall } from './api-call.js';

/** The headers of a request that its answer, its entry in the journal or its delivery depends on. */
const readHeaders = ['authorization', 'content-type', 'content-encoding', 'user-agent', 'x-sim-call', 'origin'];

/** A call without anything that its adapter holds: it can be kept, written down and made again. */
export interface PlainCall extends Omit<ApiCall, 'header' | 'signal'> {
  readonly headers: Readonly<Record<string, string>>;
}

/** Keeps what of a call decides its answer. */
export function toPlainCall(call: ApiCall): PlainCall {
  const {
    method,
    path,
    query,
    baseUrl,
    basePath,
    route,
    body,
    connection,
    holdsRefusals,
    arrivedAtMs,
    adapterHeaders,
  } = call;
  const headers: Record<string, string> = {};
  for (const name of readHeaders) {
    const value = call.header(name);
    if (value !== undefined) headers[name] = value;
  }
  // Left out in JSON where it is not so.
  const holds = holdsRefusals || undefined;
  return {
    method,
    path,
    query,
    baseUrl,
    basePath,
    route,
    headers,
    body,
    connection,
    holdsRefusals: holds,
    arrivedAtMs,
    adapterHeaders,
  };
}

/** What of a call is known only when it is handled. */
export type CallContext = Partial<Pick<ApiCall, 'connection' | 'arrivedAtMs' | 'arrivedBehind' | 'adapterHeaders'>>;

/** The call as the simulator takes it. */
export const fromPlainCall = (call: PlainCall, context: CallContext = {}): ApiCall => new KeptCall(call, context);

/** A class, because to copy an object by spreading it takes as long as all else that a log does for a request (0.3 us). */
class KeptCall implements ApiCall {
  readonly #headers: PlainCall['headers'];
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly baseUrl: string;
  readonly basePath: string | undefined;
  readonly route: ApiCall['route'];
  readonly body: Uint8Array | undefined;
  readonly connection: number | undefined;
  readonly holdsRefusals: boolean | undefined;
  readonly arrivedAtMs: number | undefined;
  readonly arrivedBehind: number | undefined;
  readonly adapterHeaders: ApiCall['adapterHeaders'];

  constructor(call: PlainCall, context: CallContext) {
    this.#headers = call.headers;
    this.method = call.method;
    this.path = call.path;
    this.query = call.query;
    this.baseUrl = call.baseUrl;
    this.basePath = call.basePath;
    this.route = call.route;
    this.body = call.body;
    this.connection = context.connection ?? call.connection;
    this.holdsRefusals = call.holdsRefusals;
    this.arrivedAtMs = context.arrivedAtMs ?? call.arrivedAtMs;
    this.arrivedBehind = context.arrivedBehind ?? call.arrivedBehind;
    this.adapterHeaders = context.adapterHeaders ?? call.adapterHeaders;
  }

  header(name: string): string | undefined {
    return this.#headers[name];
  }
}
