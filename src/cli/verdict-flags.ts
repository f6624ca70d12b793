import type { ResultOptions } from '../judge/run-result.js';
import { findingCodes } from '../scenario/finding-codes.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { namesOf } from './flag-words.js';

/** Command-line flags for the verdict on a client: report files, output format and exit code. */
export interface VerdictFlags {
  verdict?: string;
  report?: string;
  junit?: string;
  json?: boolean;
  'fail-on'?: string;
  'require-conclusive'?: boolean;
}

/**
 * Returns the description of a scenario for a report, if the scenario states what a client must do (field `expect`).
 * Returns `undefined` for any other scenario.
 */
export const aboutScenario = (scenario: Scenario | undefined): string | undefined =>
  scenario?.expect === undefined ? undefined : scenario.description;

/**
 * Converts the flags `--fail-on` and `--require-conclusive` to options of `resultOf`.
 * @throws {UsageError} if `--fail-on` has an unknown code
 */
export const resultOptions = (flags: VerdictFlags): Pick<ResultOptions, 'failOn' | 'mustConclude'> => ({
  failOn: namesOf(
    flags['fail-on'],
    findingCodes,
    (unknown) => `expected --fail-on to name findings (${findingCodes.join(', ')}), got ${unknown}`,
  ),
  mustConclude: flags['require-conclusive'],
});

/**
 * Checks before a run that the run's reports can be written.
 * @param inputs input files, which no report may overwrite
 * @throws {UsageError} if a report cannot be written
 */
export async function checkReportFiles(flags: VerdictFlags, inputs: readonly string[] = []): Promise<void> {
  const formats = { verdict: 'JSON', report: 'HTML', junit: 'XML' } as const;
  const given = (['verdict', 'report', 'junit'] as const).filter((flag) => flags[flag] !== undefined);
  if (given.length === 0) return;
  const { checkOutput } = await import('./output-files.js');
  for (const flag of given) checkOutput(`--${flag}`, flags[flag], formats[flag], inputs);
}
