/** One mistake in a scenario. */
export interface Problem {
  /** Where: `keys.free-key.plan`, `pets[3].id`; empty for the scenario as a whole. */
  path: string;
  /** What was expected and what was found. */
  message: string;
}

/** The person who runs the simulator made a mistake in a scenario; `problems` names all of them. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(({ path, message }) => `scenario${path && ` at ${path}`}: ${message}`).join('\n'));
  }
}
