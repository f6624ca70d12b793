import type { Outcome } from '../requests/outcome.js';
import type { Settings } from './settings.js';

/** Maximum number of cached list responses for unchanged pets. Limits the memory if a client reads every page. */
const maximumLists = 100;

type Lists = Map<string, Outcome>;

/**
 * Cache of listPets responses. A simulator and its forks share the cache, and responses are valid for both while their
 * pets are the same.
 */
export class ListCache {
  readonly #lists = new WeakMap<object, WeakMap<Settings, Lists>>();

  /**
   * Returns the cached list response for a query, or calls `read` and caches the result. Clients repeat few queries,
   * and the journal stores each cached text only once.
   * @param content object that identifies the pets and their order
   */
  find(content: object, settings: Settings, query: string, read: () => Outcome): Outcome {
    const lists = this.#listsOf(content, settings);
    let list = lists.get(query);
    if (list === undefined) {
      if (lists.size >= maximumLists) lists.clear();
      list = read();
      lists.set(query, list);
    }
    return list;
  }

  #listsOf(content: object, settings: Settings): Lists {
    let bySettings = this.#lists.get(content);
    if (bySettings === undefined) {
      bySettings = new WeakMap();
      this.#lists.set(content, bySettings);
    }
    let lists = bySettings.get(settings);
    if (lists === undefined) {
      lists = new Map();
      bySettings.set(settings, lists);
    }
    return lists;
  }
}
