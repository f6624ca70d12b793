import { formatIssues, type Issue } from '../validation/issue.js';

/** A scenario has mistakes; `issues` lists all of them, each with its path, and its file and line where it came from one. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  /** @param subject what has the mistakes: a scenario, or one key, pet or fault rule */
  constructor(
    readonly issues: readonly Issue[],
    readonly subject = 'scenario',
  ) {
    super(formatIssues(issues, subject));
  }

  /** By its form, because a program may have loaded the package as an ES module and by `require`, each with this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'ScenarioError' && 'issues' in value;
  }
}
