/** Creates a random number generator with a seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const chance = (probability: number) => next() < probability;
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => below(256)));
  return { below, pick, chance, bytes };
}

export type Random = ReturnType<typeof createRandom>;
