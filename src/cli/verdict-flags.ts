import type { ResultOptions } from '../judge/run-result.js';
import { findingCodes } from '../scenario/finding-codes.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { UsageError } from '../validation/usage-error.js';
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
 * Parses the values of the flag `--refused`: statuses, besides 429, with which a service refuses requests by a limit.
 * Returns `undefined` without the flag.
 * @throws {UsageError} for a value that is not a status from 200 to 599
 */
export function refusedStatuses(texts: readonly string[] | undefined): number[] | undefined {
  const wrong = texts?.find((text) => !/^[2-5]\d\d$/.test(text));
  if (wrong !== undefined)
    throw new UsageError(`expected --refused to be a status from 200 to 599, got ${JSON.stringify(wrong)}`);
  return texts?.map(Number);
}

/** Adds the statuses of the flag `--refused` to a scenario's field `expect`. */
export const withRefused = (scenario: Scenario, refused: readonly number[] | undefined): Scenario =>
  refused === undefined ? scenario : { ...scenario, expect: { ...scenario.expect, refused: [...refused] } };

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
  const formats = [
    ['verdict', 'JSON'],
    ['report', 'HTML'],
    ['junit', 'XML'],
  ] as const;
  const given = formats.filter(([flag]) => flags[flag] !== undefined);
  if (given.length === 0) return;
  const { checkOutput } = await import('./output-files.js');
  for (const [flag, format] of given) checkOutput(`--${flag}`, flags[flag], format, inputs);
}
