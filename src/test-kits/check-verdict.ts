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
