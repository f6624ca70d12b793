/**
 * Rejects unknown options of a function. A misspelt option would otherwise have no effect.
 * @param of name of the function
 * @param known object with one field per valid option
 * @throws {TypeError} for an unknown option; `undefined` as a value is allowed
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
