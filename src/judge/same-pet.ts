import type { ObservedRequest } from '../requests/request-record.js';
import { parseJson } from '../values/json.js';

type Write = Pick<ObservedRequest, 'operation' | 'method' | 'path' | 'query'>;

/**
 * Text that identifies the resource that a write stores: a pet by its fields, another resource by method, URL and body.
 */
export const resourceIn = ({ operation, method, path, query }: Write, requestText: string): string =>
  operation === 'createPet' ? petIn(requestText) : [method, path, query, requestText].join('\n');

/** Noun for the resource that a write stores: `pet` or `resource`. */
export const nounOf = ({ operation }: { readonly operation?: string | undefined }) =>
  operation === 'createPet' ? 'pet' : 'resource';

/**
 * Returns a text that identifies the pet in the body of a write. Bodies with the same name, category and status give
 * the same text.
 */
export function petIn(requestText: string): string {
  try {
    const { name, categoryId, status = 'available' } = parseJson(requestText) as Record<string, unknown>;
    return [name, categoryId, status].map(String).join('\n');
  } catch {
    return requestText;
  }
}
