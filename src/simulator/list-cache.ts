import type { Settings } from '../contract/settings.js';
import type { Outcome } from '../faults/outcome.js';
import type { PetStore } from '../state/pet-store.js';

/** How many lists are cached; a client that pages through all pets must not fill the memory. */
const maximumLists = 100;

/** Gives the list for a query: the cached one, or what `read` gives. */
export type ListCache = (query: string, settings: Settings, read: () => Outcome) => Outcome;

/**
 * Caches lists by their query until a pet or the scenario changes. Clients ask for the same few lists again and again, and
 * the journal then holds one text for all of them.
 */
export function createListCache(pets: PetStore): ListCache {
  const lists = new Map<string, Outcome>();
  let version: number | undefined;
  let settings: Settings | undefined;
  return (query, current, read) => {
    if (version !== pets.version || settings !== current) {
      lists.clear();
      version = pets.version;
      settings = current;
    }
    let list = lists.get(query);
    if (list === undefined) {
      if (lists.size >= maximumLists) lists.clear();
      list = { ...read(), bodyKey: {} };
      lists.set(query, list);
    }
    return list;
  };
}
