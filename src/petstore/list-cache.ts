import type { Outcome } from '../requests/outcome.js';
import type { Settings } from './settings.js';

/** Maximum number of cached lists for the same pets. Limits the memory if a client reads every page. */
const maximumLists = 100;

type Lists = Map<string, Outcome>;

/** Cache of list responses, shared by a simulator and its forks while they share their pets. */
export class ListCache {
  readonly #lists = new WeakMap<object, WeakMap<Settings, Lists>>();

  /**
   * Returns the cached list for a query, or caches the result of `read`. Clients repeat a few queries, and the journal
   * then stores each text once.
   * @param content identifies the pets and their order
   */
  find(content: object, settings: Settings, query: string, read: () => Outcome): Outcome {
    const lists = this.#listsOf(content, settings);
    let list = lists.get(query);
    if (list === undefined) {
      if (lists.size >= maximumLists) lists.clear();
      list = { ...read(), bodyKey: {} };
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
