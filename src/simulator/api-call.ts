import type { OperationName } from '../contract/document.js';
import type { WireFault } from '../faults/faults.js';

/** One request to the API as plain data; every adapter makes one. */
export interface ApiCall {
  method: string;
  /** Below the base path, as sent, without the query: `/pets`, `/pets/7`. */
  path: string;
  /** As sent, without the question mark; empty when there is none. */
  query: string;
  /** What the client calls the base address, for links: `http://127.0.0.1:4010/v1`. */
  baseUrl: string;
  /** One header by its lower-case name; repeated ones joined by a comma and a space. */
  header(name: string): string | undefined;
  /** The bytes of the body; an adapter may stop reading one byte past `maximumBodyBytes`. */
  body: Uint8Array | undefined;
  /** A number of the connection, where the adapter knows it: requests on one HTTP/1.1 connection follow one another. */
  connection?: number | undefined;
  /** Aborted when the client has gone away; a fault delay ends then. */
  readonly signal?: AbortSignal | undefined;
}

/** RFC 9110 section 15: such an answer has no body. Node sends none, and `Response` takes none. */
export const statusesWithoutBody: readonly number[] = [204, 205, 304];

/** The simulator's answer as plain data, and what the journal and the log tell of it. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The same object for every answer with this same body, so that an adapter can encode the body once. Only of a cached list. */
  bodyKey?: object | undefined;
  /** `undefined` for a path or method that is none of the operations. */
  operation: OperationName | undefined;
  /** The API key of the request; `undefined` when it was refused with 401. */
  key: string | undefined;
  plan: string | undefined;
  /** The name of the fault rule that applied. */
  fault: string | undefined;
  /** What the adapter does to the bytes of the answer. */
  wire: WireFault | undefined;
}
