import { nearest } from '../schema/nearest.js';

const verdicts = ['check', 'ignore'];

/**
 * Checks the option `verdict`: with a misspelt one nothing would be judged.
 * @throws {TypeError} when it is neither `check` nor `ignore`
 */
export function checkVerdict(value: unknown): void {
  if (verdicts.includes(value as string)) return;
  const got = typeof value === 'string' ? `'${value}'` : String(value);
  throw new TypeError(`Failed to read the option verdict: expected 'check' or 'ignore', got ${got}`);
}

/**
 * Checks the names of options where there are no others than ours.
 * @throws {TypeError} when one is unknown
 */
export function checkOptionNames(options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, names);
  throw new TypeError(
    `Failed to read the options of a test: expected ${names.join(' or ')}, got ${unknown}${
      meant === undefined ? '' : `; did you mean ${meant}?`
    }`,
  );
}
