import { meetsQuery } from '../journal/journal.js';
import type { RequestRecord } from '../requests/request-record.js';
import { createOperationTest } from '../simulator/journal.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import type { Output } from '../validation/schema.js';
import { optional, string } from '../validation/schemas.js';
import { keyId } from '../values/mask-key.js';
import { described, shortText, wholeNumber } from './input-values.js';

/** Filters of a journal query. A request must match all filters that are present. */
export const entryQuery = {
  operation: optional(
    described(string, 'Operation of the requests, as in a scenario: its name, or its method and path.'),
  ),
  method: optional(described(string, 'Method of the requests.')),
  status: optional(described(wholeNumber(0, 599), 'Response status; 0 if the client disconnected first.')),
  key: optional(described(string, 'API key of the requests: the key, its id, or its last four characters.')),
  since: optional(described(wholeNumber(0, Number.MAX_SAFE_INTEGER), 'Only journal entries with a higher id match.')),
  text: optional(described(shortText, 'Text in path, query, a body or the name of the fault.')),
};

export type EntryQuery = { [Field in keyof typeof entryQuery]?: Output<(typeof entryQuery)[Field]> };

/** Finds the journal entries that match a query, in the order of arrival. */
export function findEntries({ journal }: Simulator, query: EntryQuery): RequestRecord[] {
  const { key, ...others } = query;
  const records = journal.query(others);
  return key === undefined ? records : records.filter((entry) => isOfKey(entry, key));
}

/**
 * Creates the test whether a request matches a journal query. Called for every request while a caller waits for a
 * match.
 */
export function createFilter(
  sim: Simulator,
  { key, operation, ...others }: EntryQuery,
): (entry: RequestRecord) => boolean {
  const { state, main } = coreOf(sim);
  const isMeant = createOperationTest(state, main.rules, operation);
  return (entry) => isMeant(entry) && meetsQuery(entry, others) && (key === undefined || isOfKey(entry, key));
}

/**
 * Whether a request belongs to a key, given as the key itself, its id, or its last four characters with or without a
 * leading `…`.
 */
export const isOfKey = ({ token = '' }: Pick<RequestRecord, 'token'>, key: string) =>
  token !== '' && (token === key || keyId(token) === key || token.slice(-4) === key.replace(/^…/, ''));
