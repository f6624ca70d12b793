import type { Settings } from '../contract/assumptions.js';
import type { Pets } from '../state/pets.js';
import type { OperationResult } from './operations.js';

/** How many lists are kept; a client that pages through all pets shall not fill the memory. */
const mostLists = 100;

/**
 * Keeps lists as they were answered, by their query, until a pet or the scenario changes: clients ask for the same
 * few again and again, and the journal then holds one text for all of them.
 */
export function createKeptLists(pets: Pets) {
  const lists = new Map<string, OperationResult>();
  let version: number | undefined;
  let settings: Settings | undefined;
  return (query: string, current: Settings, list: () => OperationResult): OperationResult => {
    if (version !== pets.version || settings !== current) {
      lists.clear();
      version = pets.version;
      settings = current;
    }
    let result = lists.get(query);
    if (result === undefined) {
      if (lists.size >= mostLists) lists.clear();
      result = { ...list(), bodyKey: {} };
      lists.set(query, result);
    }
    return result;
  };
}
