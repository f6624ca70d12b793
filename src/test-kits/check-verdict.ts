const verdicts = ['check', 'ignore'];

/**
 * Checks the value of the option `verdict`, because a misspelled value would disable the judge.
 * @throws {TypeError} for a value other than `check` and `ignore`
 */
export function checkVerdict(value: unknown): void {
  if (verdicts.includes(value as string)) return;
  const got = typeof value === 'string' ? `'${value}'` : String(value);
  throw new TypeError(`Failed to read the option verdict: expected 'check' or 'ignore', got ${got}`);
}
