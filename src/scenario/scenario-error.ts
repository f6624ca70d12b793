import { formatIssues, type Issue } from '../validation/issue.js';

/** Error in a scenario. `issues` has every mistake with its path, and with file and line if read from a file. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  /** @param subject the invalid value: a scenario, or one key, pet or fault rule */
  constructor(
    readonly issues: readonly Issue[],
    readonly subject = 'scenario',
  ) {
    super(formatIssues(issues, subject));
  }

  /**
   * Compares by name, because a program can load the package both as an ES module and by `require`, each with its own
   * class.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'ScenarioError' && 'issues' in value;
  }
}
