import type { ApiCall } from './api-call.js';

/** The headers of a request that its answer, its entry in the journal or its delivery depends on. */
const readHeaders = ['authorization', 'content-type', 'content-encoding', 'user-agent', 'x-sim-call', 'origin'];

/** A call without anything that its adapter holds: it can be kept, written down and made again. */
export interface PlainCall extends Omit<ApiCall, 'header' | 'signal'> {
  readonly headers: Readonly<Record<string, string>>;
}

/** Keeps what of a call decides its answer. */
export function toPlainCall(call: ApiCall): PlainCall {
  const { method, path, query, baseUrl, body, connection, holdsRefusals, arrivedAtMs, adapterHeaders } = call;
  const headers: Record<string, string> = {};
  for (const name of readHeaders) {
    const value = call.header(name);
    if (value !== undefined) headers[name] = value;
  }
  // Left out in JSON where it is not so.
  const holds = holdsRefusals || undefined;
  return { method, path, query, baseUrl, headers, body, connection, holdsRefusals: holds, arrivedAtMs, adapterHeaders };
}

/** The call as the simulator takes it. */
export const fromPlainCall = ({ headers, ...call }: PlainCall): ApiCall => ({
  ...call,
  header: (name) => headers[name],
});
