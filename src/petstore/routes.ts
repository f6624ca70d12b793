import type { ApiCall } from '../requests/api-call.js';
import { type ApiError, gone, methodNotAllowed, notFound } from '../requests/api-error.js';
import { getPetRemovedAtMs, type OperationName } from './document.js';
import type { AssumptionId, Settings } from './settings.js';

/** What a method and path lead to: an operation, or the refusal to give once the request is authenticated and counted. */
export type Route =
  | { operation: OperationName; petId: string; refusal?: undefined }
  | { operation: OperationName | undefined; petId: string; refusal: ApiError }
  | { operation: undefined; petId: string; refusal?: undefined };

const petsMethods: Record<string, OperationName> = { GET: 'listPets', POST: 'createPet' };
const petMethods: Record<string, OperationName> = { GET: 'getPet' };
const petPath = /^\/pets\/([^/]+)$/;

/** Finds the operation for a call. Paths are compared as sent: no decoding, no trailing slash. */
export function findRoute({ method, path }: ApiCall, settings: Settings, nowMs: number): Route {
  if (path === '/pets') return byMethod(petsMethods, method, '', settings);
  const petId = petPath.exec(path)?.[1];
  if (petId === undefined) return { operation: undefined, petId: '', refusal: unknownRoute('unknownRoute') };
  if (nowMs >= getPetRemovedAtMs && settings.afterRemoval !== 'keep') {
    const message = 'getPet was removed on 5 December 2030; use GET /pets with the status filter.';
    return {
      operation: 'getPet',
      petId,
      refusal: (settings.afterRemoval === 'gone' ? gone : notFound)(message, 'afterRemoval'),
    };
  }
  return byMethod(petMethods, method, petId, settings);
}

/**
 * "Deprecated: scheduled for removal on 5 December 2030. The replacement is GET /pets with the status filter."
 * The document does not say since when, so `Deprecation` (RFC 9745) names the earliest possible instant.
 */
export const deprecationHeaders = (baseUrl: string): Record<string, string> => ({
  Deprecation: '@0',
  Sunset: sunset,
  Link: `<${baseUrl}/pets>; rel="successor-version"`,
});

/** HEAD is GET whose answer an adapter sends without its body; `Allow` lists only what the document shows. */
function byMethod(methods: Record<string, OperationName>, method: string, petId: string, settings: Settings): Route {
  const name = method === 'HEAD' ? 'GET' : method;
  const operation = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (operation !== undefined) return { operation, petId };
  const refusal =
    settings.unknownMethod === 'not-found'
      ? unknownRoute('unknownMethod')
      : methodNotAllowed(method, Object.keys(methods));
  return { operation: undefined, petId, refusal };
}

const sunset = new Date(getPetRemovedAtMs).toUTCString();

const unknownRoute = (assumption: AssumptionId) =>
  notFound('There is no such path; the API has GET /pets, POST /pets and GET /pets/{petId}.', assumption);
