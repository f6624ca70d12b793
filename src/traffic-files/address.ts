import { basePath, type OperationName } from '../petstore/document.js';
import { decodeUnreserved } from '../values/percent-encoding.js';

/** The address of a request, split where the API begins. */
export interface Address {
  /** `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** Below the base, without the query. */
  readonly path: string;
  readonly query: string;
}

/**
 * Splits an address after the version segment: "{base_url} already ends in the version segment /v1".
 * @param baseUrl the base, where it is known; else the first `/v1` of the path ends it
 * @returns `undefined` for an address that is not under such a base
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

/** Whether an address is one of the document's: only then is its base that of the API. */
export const isDocumented = (path: string) => path === '/pets' || path.startsWith('/pets/');

/** "GET /pets", "POST /pets", "GET /pets/{petId}". */
export function operationOf(method: string, path: string): OperationName | undefined {
  const read = method === 'GET' || method === 'HEAD';
  if (path === '/pets') return read ? 'listPets' : method === 'POST' ? 'createPet' : undefined;
  return read && /^\/pets\/[^/]+$/.test(path) ? 'getPet' : undefined;
}
