import * as v from 'valibot';
import { operationNames } from '../interface/contract.js';
import type { Simulator } from '../simulator.js';
import type { JournalEntry } from '../state/journal.js';
import { wholeNumber } from './input-values.js';
import { keyId } from './shown-key.js';

/** Which entries of the journal to take; every field that is there must hold. */
export const entryQuery = {
  operation: v.optional(v.picklist(operationNames)),
  method: v.optional(v.string()),
  status: v.optional(wholeNumber(0, 599)),
  key: v.optional(v.pipe(v.string(), v.description('The API key: whole, its id, or its last four characters.'))),
  since: v.optional(v.pipe(wholeNumber(0, Number.MAX_SAFE_INTEGER), v.description('Only entries with a higher id.'))),
  text: v.optional(
    v.pipe(v.string(), v.maxLength(1_000), v.description('Text that path, query, a body or the fault contains.')),
  ),
};

export type EntryQuery = { [Field in keyof typeof entryQuery]?: v.InferOutput<(typeof entryQuery)[Field]> };

/** The entries that meet a query, in the order of their arrival. */
export function findEntries({ journal }: Simulator, { key, ...query }: EntryQuery): JournalEntry[] {
  const found = journal.query(query);
  return key === undefined ? found : found.filter(({ token = '' }) => isKey(token, key));
}

/** Only the token is compared with the whole: the end of another key is none of ours to tell. */
const isKey = (token: string, key: string) =>
  token !== '' && (token === key || keyId(token) === key || token.slice(-4) === key.replace(/^…/, ''));
