import type { Outcome } from '../requests/outcome.js';
import type { Settings } from './settings.js';

/** Maximum number of cached listPets responses per store of pets. Limits the memory if a client reads every page. */
const maximumLists = 100;

/** Response of listPets, and whether the response has as many pets as the query allows. */
export interface PetList {
  outcome: Outcome;
  isFull: boolean;
}

/** Cached responses of listPets, one for each query string. Records of equal responses in the journal share one text. */
export type ListCache = Map<string, PetList & { settings: Settings }>;

/** Returns the cached response for a query, or calls `read` and caches the result. */
export function findList(lists: ListCache, settings: Settings, query: string, read: () => PetList): Outcome {
  let list = lists.get(query);
  if (list?.settings !== settings) {
    list = { ...read(), settings };
    if (lists.size >= maximumLists) lists.clear();
    lists.set(query, list);
  }
  return list.outcome;
}

/**
 * Removes the cached listPets responses that a change of the pets may affect.
 * @param isAppended whether the change only adds a pet at the end; responses with the maximum number of pets then stay
 * valid
 */
export function invalidateLists(lists: ListCache, isAppended: boolean): void {
  for (const [query, { isFull }] of lists) if (!isAppended || !isFull) lists.delete(query);
}
