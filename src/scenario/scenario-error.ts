import { formatIssues, type Issue } from '../validation/issue.js';

/**
 * Error for an invalid scenario. `issues` contains every mistake with its path, and with file and line if read from a
 * file.
 */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  /**
   * Creates an error whose message lists all issues.
   * @param subject invalid value that the message names: a scenario, or one key, pet or fault rule
   */
  constructor(
    readonly issues: readonly Issue[],
    readonly subject = 'scenario',
  ) {
    super(formatIssues(issues, subject));
  }

  /**
   * Compares errors by name instead of class. A program can load the package twice, as an ES module and by `require`,
   * each with its own class.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'ScenarioError' && 'issues' in value;
  }
}
