import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../node/usage-error.js';
import { type FindingCode, findingCodes } from '../scenario/expectation.js';
import type { Verdict } from '../verdict/judge-run.js';

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
 * @throws {UsageError} when one cannot
 */
export function checkReportFiles(flags: VerdictFlags): void {
  for (const flag of ['verdict', 'report', 'junit'] as const) {
    const file = flags[flag];
    if (file === undefined) continue;
    try {
      if (file === '') throw new Error('it is empty');
      checkIsWritable(file);
    } catch (error) {
      throw new UsageError(unwritable(`--${flag}`, file, error as Error));
    }
  }
}

/** Folders that are not there are made with the file. */
function checkIsWritable(file: string): void {
  if (existsSync(file) && statSync(file).isDirectory()) throw new Error('it is a folder');
  let there = resolve(file);
  while (!existsSync(there)) there = dirname(there);
  if (there !== resolve(file) && !statSync(there).isDirectory()) throw new Error(`${there} is a file`);
  accessSync(there, constants.W_OK);
}

export const unwritable = (flag: string, file: string, { message }: Error): string =>
  `expected ${flag} to name a file that can be written, got ${JSON.stringify(file)}: ${message}`;

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
