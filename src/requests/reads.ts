import { isSafe } from './request-record.js';

/** Requests that only read, although their method is unsafe, as method and path: `POST /graphql`. */
export type Reads = readonly string[];

/** Matches an entry of `Reads`. */
export const readsForm = /^[A-Z]+ \/\S*$/;

/**
 * Whether a request writes data: one with an unsafe method, unless it is declared as a read, or its body is a GraphQL
 * query.
 * @param names method and path of the request, and the name of its operation
 * @param readBody returns the request body as text
 */
export const writes = (method: string, names: readonly string[], reads: Reads, readBody: () => string): boolean =>
  !isSafe(method) && !names.some((name) => reads.includes(name)) && !(method === 'POST' && isQuery(readBody()));

/** Whether a JSON body has a GraphQL document without a mutation. */
function isQuery(text: string): boolean {
  if (!text.includes('"query"')) return false;
  try {
    const body: unknown = JSON.parse(text);
    const all: unknown[] = Array.isArray(body) ? body : [body];
    return all.length > 0 && all.every((each) => reading.test(documentOf(each)));
  } catch {
    return false;
  }
}

const documentOf = (body: unknown): string => {
  const { query } = (body ?? {}) as { query?: unknown };
  return typeof query === 'string' ? query.replace(/"(?:[^"\\]|\\.)*"|#.*/g, '') : '';
};

/** A GraphQL document of queries, subscriptions and fragments (GraphQL, section 2.3). */
const reading = /^[\s,]*(?:\{|(?:query|subscription|fragment)\b)(?![\s\S]*\bmutation\b)[\s\S]*\}[\s,]*$/;

/** Signs of a JSON-RPC call, and of a request to a language model. */
const calls = [
  /"jsonrpc"\s*:\s*"2\.0"/,
  /"messages"\s*:\s*\[\s*\{[^{}[\]]*"role"\s*:/,
  /"contents"\s*:\s*(?:"|\[\s*\{\s*"(?:role|parts)")/,
  /^(?=[\s\S]*"model"\s*:\s*")[\s\S]*"(?:messages|prompt|input)"\s*:/,
];

/**
 * Whether a request body is a call that may have other bytes in each attempt and mostly stores nothing: JSON-RPC, or a
 * chat completion.
 */
export const isRemoteCall = (text: string): boolean => calls.some((sign) => sign.test(text));
