/** Groups items by key, in the order of each key's first item. */
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

/** Groups items by key, and returns the groups without their keys. */
export const listGroups = <Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Item[][] => [
  ...groupBy(items, keyOf).values(),
];

/** Groups items by a number from 0. The number is the index of the item's group in the result. */
export function groupByNumber<Item>(items: readonly Item[], numberOf: (item: Item) => number): Item[][] {
  const groups: Item[][] = [];
  for (const item of items) {
    const number = numberOf(item);
    groups[number] ??= [];
    groups[number].push(item);
  }
  return groups;
}
