import type { ObservedRequest } from '../requests/request-record.js';
import { parseJson } from '../values/json.js';

type Write = Pick<ObservedRequest, 'operation' | 'method' | 'path' | 'query'>;

/**
 * Resource that a write asks to store. Equal for attempts of one call: a pet by its fields, another resource by target and
 * body.
 */
export const resourceIn = ({ operation, method, path, query }: Write, requestText: string): string =>
  operation === 'createPet' ? petIn(requestText) : [method, path, query, requestText].join('\n');

/** Noun for the resource of a write. */
export const nounOf = ({ operation }: { readonly operation?: string | undefined }) =>
  operation === 'createPet' ? 'pet' : 'resource';

/** Pet that a write asks to store. Equal for attempts of one call, regardless of field order and other fields. */
export function petIn(requestText: string): string {
  try {
    const { name, categoryId, status = 'available' } = parseJson(requestText) as Record<string, unknown>;
    return [name, categoryId, status].map(String).join('\n');
  } catch {
    return requestText;
  }
}
