import { basePath, type OperationName } from '../petstore/document.js';
import { decodeUnreserved } from '../values/percent-encoding.js';

/** A request URL, split at the end of the API's base URL. */
export interface Address {
  /** Base URL: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** Path below the base URL, without the query. */
  readonly path: string;
  readonly query: string;
}

/**
 * Splits a URL after the version segment: "{base_url} already ends in the version segment /v1".
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
  const at = `${pathname}/`.indexOf(`${basePath}/`);
  return at < 0 ? undefined : origin + pathname.slice(0, at + basePath.length);
}

/** Whether a path is in the interface document. Distinguishes the API's base URL from others that end in `/v1`. */
export const isDocumented = (path: string) => path === '/pets' || path.startsWith('/pets/');

/** Operation of a method and path: "GET /pets", "POST /pets", "GET /pets/{petId}". */
export function operationOf(method: string, path: string): OperationName | undefined {
  const read = method === 'GET' || method === 'HEAD';
  if (path === '/pets') return read ? 'listPets' : method === 'POST' ? 'createPet' : undefined;
  return read && /^\/pets\/[^/]+$/.test(path) ? 'getPet' : undefined;
}
