import { basePath, type OperationName } from '../petstore/document.js';
import { decodeUnreserved } from '../values/percent-encoding.js';

/** Request URL of a recording, divided into base URL, path and query. */
export interface Address {
  /** Base URL of the request: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** Path of the request below the base URL, without the query. */
  readonly path: string;
  readonly query: string;
}

/**
 * Divides a URL into base URL, path and query. The base URL ends with the segment `/v1`, as in the API document.
 * @param baseUrl base URL, if known; default: up to the first `/v1` of the path
 * @returns `undefined` for a URL outside the base URL
 */
export function splitAddress(url: string, baseUrl?: string): Address | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname, search } = new URL(url);
  const base = baseUrl === undefined ? firstBase(origin, pathname) : baseUrl.replace(/\/+$/, '');
  const whole = origin + pathname;
  if (base === undefined || !(whole === base || whole.startsWith(`${base}/`))) return undefined;
  return { baseUrl: base, path: decodeUnreserved(whole.slice(base.length)), query: search.slice(1) };
}

function firstBase(origin: string, pathname: string): string | undefined {
  const index = `${pathname}/`.indexOf(`${basePath}/`);
  return index < 0 ? undefined : origin + pathname.slice(0, index + basePath.length);
}

/** Whether a path occurs in the API document. Recordings can contain other services whose base URL ends in `/v1`. */
export const isDocumented = (path: string) => path === '/pets' || path.startsWith('/pets/');

/** Returns the operation of a method and path, such as `GET /pets`. */
export function operationOf(method: string, path: string): OperationName | undefined {
  const read = method === 'GET' || method === 'HEAD';
  if (path === '/pets') return read ? 'listPets' : method === 'POST' ? 'createPet' : undefined;
  return read && /^\/pets\/[^/]+$/.test(path) ? 'getPet' : undefined;
}
