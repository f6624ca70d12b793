/**
 * Refuses options that there are not: a misspelt one would do nothing, and nobody would know. One that is `undefined` does
 * nothing anyhow.
 * @param of the function that takes them
 * @param known an object with a field for each of them
 * @throws {TypeError}
 */
export function checkOptions(of: string, options: object, known: object): void {
  const names = Object.keys(known);
  const isMap = typeof options === 'object' && options !== null;
  const given: [string, unknown][] = isMap ? Object.entries(options) : [[String(options), true]];
  for (const [name, value] of given) {
    if (value === undefined || names.includes(name)) continue;
    throw new TypeError(`${of}: expected the options ${names.join(', ')}, got ${JSON.stringify(name)}`);
  }
}
