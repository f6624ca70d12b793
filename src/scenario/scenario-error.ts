import { formatIssues, type Issue } from '../schema/issue.js';

/** A scenario has mistakes; `issues` lists all of them, each with its path, and its file and line where it came from one. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  constructor(readonly issues: readonly Issue[]) {
    super(formatIssues(issues));
  }
}
