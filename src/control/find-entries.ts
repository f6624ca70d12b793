import { operationNames } from '../contract/document.js';
import { type Output, refine } from '../schema/schema.js';
import { oneOf, optional, string } from '../schema/schemas.js';
import type { Simulator } from '../simulator/simulator.js';
import type { RequestRecord } from '../state/request-record.js';
import { keyId } from '../values/mask-key.js';
import { shownAs, wholeNumber } from './input-values.js';

/** Which entries of the journal to take; every field that is there must hold. */
export const entryQuery = {
  operation: optional(oneOf(...operationNames)),
  method: optional(string),
  status: optional(wholeNumber(0, 599)),
  key: optional(shownAs(string, { description: 'The API key: whole, its id, or its last four characters.' })),
  since: optional(shownAs(wholeNumber(0, Number.MAX_SAFE_INTEGER), { description: 'Only entries with a higher id.' })),
  text: optional(
    refine(string, ({ length }) => length <= 1_000, 'at most 1,000 characters', {
      maxLength: 1_000,
      description: 'Text that path, query, a body or the fault contains.',
    }),
  ),
};

export type EntryQuery = { [Field in keyof typeof entryQuery]?: Output<(typeof entryQuery)[Field]> };

/** The entries that meet a query, in the order of their arrival. */
export function findEntries({ journal }: Simulator, { key, ...query }: EntryQuery): RequestRecord[] {
  const found = journal.query(query);
  return key === undefined ? found : found.filter(({ token = '' }) => isKey(token, key));
}

/** Only the token is compared with the whole: the end of another key is none of ours to tell. */
const isKey = (token: string, key: string) =>
  token !== '' && (token === key || keyId(token) === key || token.slice(-4) === key.replace(/^…/, ''));
