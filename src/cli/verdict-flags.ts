import { UsageError } from '../node/usage-error.js';
import { type FindingCode, findingCodes } from '../scenario/expectation.js';
import type { Verdict } from '../verdict/judge-run.js';
import { checkOutput } from './output-files.js';

/** The flags that say what becomes of a verdict. */
export interface VerdictFlags {
  verdict?: string;
  report?: string;
  junit?: string;
  json?: boolean;
  'fail-on'?: string;
  'require-conclusive'?: boolean;
}

/** Whether the flags make it a failure. */
export function fails(
  { outcome, findings }: Verdict,
  failOn: readonly FindingCode[] | undefined,
  mustConclude: boolean,
): boolean {
  if (mustConclude && outcome === 'inconclusive') return true;
  return failOn === undefined ? outcome === 'fail' : findings.some(({ code }) => failOn.includes(code));
}

/**
 * Finds out before the run whether its reports can be written after it.
 * @param inputs the files that are read
 * @throws {UsageError} when one cannot
 */
export function checkReportFiles(flags: VerdictFlags, inputs: readonly string[] = []): void {
  for (const flag of ['verdict', 'report', 'junit'] as const) checkOutput(`--${flag}`, flags[flag], inputs);
}

/** @throws {UsageError} for a code that is none */
export function readCodes(text: string | undefined): FindingCode[] | undefined {
  const codes = text?.split(',').map((code) => code.trim());
  const unknown = codes?.find((code) => !(findingCodes as readonly string[]).includes(code));
  if (unknown !== undefined) {
    throw new UsageError(
      `expected --fail-on to name findings (${findingCodes.join(', ')}), got ${JSON.stringify(unknown)}`,
    );
  }
  return codes as FindingCode[] | undefined;
}
