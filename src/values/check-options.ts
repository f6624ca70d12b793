/**
 * Refuses options that there are not: a misspelt one would do nothing, and nobody would know.
 * @param of the function that takes them
 * @param known an object with a field for each of them
 * @throws {TypeError}
 */
export function checkOptions(of: string, options: object, known: object): void {
  const names = Object.keys(known);
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const found = JSON.stringify(typeof options === 'object' ? name : options);
    throw new TypeError(`${of}: expected the options ${names.join(', ')}, got ${found}`);
  }
}
