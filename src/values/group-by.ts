/** The items by their keys, in the order in which these first come. */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The same by numbers that count from 0, each group at its number. */
export function groupByNumber<Item>(items: readonly Item[], numberOf: (item: Item) => number): Item[][] {
  const groups: Item[][] = [];
  for (const item of items) {
    const number = numberOf(item);
    const group = groups[number];
    if (group === undefined) groups[number] = [item];
    else group.push(item);
  }
  return groups;
}
