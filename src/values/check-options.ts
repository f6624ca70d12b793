/**
 * Refuses options that there are not: a misspelt one would do nothing, and nobody would know.
 * @param of the function that takes them
 * @param known an object with a field for each of them
 * @throws {TypeError}
 */
export function checkOptions(of: string, options: object, known: object): void {
  const names = Object.keys(known);
  const wrong = Object.keys(options).find((name) => !names.includes(name));
  if (wrong === undefined) return;
  const found = JSON.stringify(typeof options === 'object' ? wrong : options);
  throw new TypeError(`${of}: expected the options ${names.join(', ')}, got ${found}`);
}
