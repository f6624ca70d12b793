import type { OperationTable } from '../requests/operation-table.js';
import { getOrCreate } from '../values/get-or-create.js';
import { decodeUnreserved } from '../values/percent-encoding.js';

/** Service whose requests are read from recorded traffic. */
export interface RecordedService {
  /** Path with which the recorded API's base URL ends, such as `/v1`. */
  readonly basePath: string;
  readonly operations: OperationTable;
}

/** Request URL of a recording, divided into base URL, path and query. */
export interface Address {
  /** Base URL of the request: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** Path of the request below the base URL, without the query. */
  readonly path: string;
  readonly query: string;
}

/**
 * Divides a recorded URL into base URL, path and query. The base URL ends with the API's base path, such as `/v1`.
 * @param baseUrl base URL, if known; default: the URL up to the first occurrence of the API's base path
 * @returns `undefined` for a malformed URL, and for a URL outside the base URL
 */
export function splitAddress(url: string, { basePath }: RecordedService, baseUrl?: string): Address | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname, search } = new URL(url);
  const base = baseUrl === undefined ? firstBase(origin, pathname, basePath) : baseUrl.replace(/\/+$/, '');
  const whole = origin + pathname;
  if (base === undefined || !(whole === base || whole.startsWith(`${base}/`))) return undefined;
  return { baseUrl: base, path: decodeUnreserved(whole.slice(base.length)), query: search.slice(1) };
}

function firstBase(origin: string, pathname: string, basePath: string): string | undefined {
  const index = `${pathname}/`.indexOf(`${basePath}/`);
  return index < 0 ? undefined : origin + pathname.slice(0, index + basePath.length);
}

/**
 * Whether a path below the base URL is a root path of the recorded API, such as `/pets`, or below one. Recordings can
 * contain other APIs with the same base path.
 */
export const isOfService = (path: string, service: RecordedService) =>
  rootsOf(service).some((root) => path === root || path.startsWith(`${root}/`));

/** Returns the first segments of the paths of a recorded API: `/pets`. */
export const rootsOf = ({ operations }: RecordedService): readonly string[] =>
  getOrCreate(roots, operations, () => [
    ...new Set(Object.values(operations.rows).map(({ path }) => path.replace(/(.)\/.*/, '$1'))),
  ]);

/** First segments by API, because they are read for every request of a recording. */
const roots = new WeakMap<OperationTable, readonly string[]>();
