/**
 * Names for API keys that do not give them away: the last four characters, or the last half of a shorter key, and a
 * number where two keys would have the same name.
 * @param tokens in the order in which they are to be numbered
 */
export function keyNames(tokens: Iterable<string | undefined>): Map<string | undefined, string> {
  const names = new Map<string | undefined, string>();
  const taken = new Map<string, number>();
  for (const token of tokens) {
    if (names.has(token)) continue;
    const ending = token === undefined ? 'no key' : `…${endOf(token)}`;
    const number = (taken.get(ending) ?? 0) + 1;
    taken.set(ending, number);
    names.set(token, number === 1 ? ending : `${ending} (${number})`);
  }
  return names;
}

function endOf(token: string): string {
  const characters = [...token];
  return characters.slice(characters.length - Math.min(4, Math.floor(characters.length / 2))).join('');
}
