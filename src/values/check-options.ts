/**
 * Rejects unknown options, because a misspelt option would be ignored silently. Options that are `undefined` are
 * allowed.
 * @param of name of the function with the options
 * @param known an object with one field per valid option
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
