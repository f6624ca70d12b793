import type { AssumptionId } from '../contract/settings.js';
import type { EntryRow } from './entry-row.js';

/** By the message of an Error body, the assumption that decided. A test holds each to what the simulator answers. */
const byMessage: readonly [message: RegExp, assumption: AssumptionId][] = [
  [/^limit is /, 'limitOutOfRange'],
  [/ is not a query parameter of listPets\.$/, 'unknownQuery'],
  [/^name is empty\.$/, 'emptyName'],
  [/ is not a known category\.$/, 'unknownCategory'],
  [/ is not a field of NewPet\.$/, 'unknownFields'],
  [/^Content-(?:Type|Encoding) is /, 'contentType'],
  [/^The body is larger than /, 'bodyTooLarge'],
  [/^petId is not a whole number /, 'malformedPetId'],
  [/^getPet was removed on /, 'afterRemoval'],
];

/** The assumption by which an operation or a route answered as it did, where the document leaves that open. */
export function decidingAssumption(
  { operation, status, code, path }: EntryRow,
  message = '',
): AssumptionId | undefined {
  const found = byMessage.find(([pattern]) => pattern.test(message))?.[1];
  if (found !== undefined) return found;
  if (operation === 'listPets' && /^status is /.test(message)) return 'unknownStatusFilter';
  if (status === 405) return 'unknownMethod';
  if (code === 'not_found' && operation === undefined) return 'unknownRoute';
  if (code === 'not_found' && operation === 'getPet' && !/^\/pets\/-?[0-9]+$/.test(path)) return 'malformedPetId';
  return undefined;
}
