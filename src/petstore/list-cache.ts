import type { Outcome } from '../requests/outcome.js';
import type { Settings } from './settings.js';

/** How many lists of the same pets are cached; a client that pages through all of them must not fill the memory. */
const maximumLists = 100;

type Lists = Map<string, Outcome>;

/** The lists that were made, for a simulator and its forks: while they share their pets, they share the lists, too. */
export class ListCache {
  readonly #lists = new WeakMap<object, WeakMap<Settings, Lists>>();

  /**
   * Gives the list for a query: the cached one, or what `read` gives. Clients ask for the same few lists again and again,
   * and the journal then holds one text for all of them.
   * @param content stands for the pets in their order
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
