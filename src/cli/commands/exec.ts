import { writeFileSync } from 'node:fs';
import { styleText } from 'node:util';
import { listen } from '../../node/http/server.js';
import { UsageError } from '../../node/usage-error.js';
import { type FindingCode, findingCodes } from '../../scenario/expectation.js';
import { createSimulator, type Simulator } from '../../simulator/simulator.js';
import { judge } from '../../verdict/judge.js';
import type { Verdict } from '../../verdict/judge-run.js';
import { htmlReport } from '../../verdict/report/html.js';
import { junitReport } from '../../verdict/report/junit.js';
import { terminalReport } from '../../verdict/report/terminal.js';
import { runCommand } from '../client-command.js';
import { requireCommand, type ScenarioFlags, scenarioOf } from './client-flags.js';

export interface ExecFlags extends ScenarioFlags {
  verdict?: string;
  report?: string;
  junit?: string;
  json?: boolean;
  'fail-on'?: string;
  'require-conclusive'?: boolean;
}

/**
 * Runs a client's command against a simulator on a free port, with the command's own input and output, and prints the
 * verdict to standard error.
 * @returns the exit code of the command, or 1 when it is 0 and the client failed its verdict
 */
export async function exec(flags: ExecFlags, command: readonly string[]): Promise<number> {
  requireCommand('exec', command);
  const failOn = readCodes(flags['fail-on']);
  const { generatePets } = await import('../../scenario/generate-pets.js');
  const sim = createSimulator({ scenario: await scenarioOf(flags), generatePets });
  const server = await listen(sim, { port: 0 });
  try {
    const { code } = await runCommand(command, server, sim, { output: 'inherit' });
    const verdict = judge(sim, { isOver: true });
    writeReports(flags, sim, verdict);
    return code === 0 && fails(verdict, failOn, flags['require-conclusive'] ?? false) ? 1 : code;
  } finally {
    await server.close();
  }
}

function fails(
  { outcome, findings }: Verdict,
  failOn: readonly FindingCode[] | undefined,
  mustConclude: boolean,
): boolean {
  if (mustConclude && outcome === 'inconclusive') return true;
  return failOn === undefined ? outcome === 'fail' : findings.some(({ code }) => failOn.includes(code));
}

function writeReports(
  { verdict: verdictFile, report, junit, json }: ExecFlags,
  sim: Simulator,
  verdict: Verdict,
): void {
  const entries = sim.journal.query();
  const { stderr } = process;
  const shown = json
    ? JSON.stringify(verdict, null, 2)
    : terminalReport(entries, verdict, {
        columns: stderr.columns ?? 100,
        ...(stderr.isTTY && { style: (format, text) => styleText(format, text) }),
      });
  stderr.write(`${shown}\n`);
  if (verdictFile !== undefined) writeReport('--verdict', verdictFile, `${JSON.stringify(verdict, null, 2)}\n`);
  if (report !== undefined) writeReport('--report', report, htmlReport(entries, verdict));
  if (junit !== undefined) writeReport('--junit', junit, junitReport(entries, verdict));
}

function writeReport(flag: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(
      `expected ${flag} to name a file that can be written, got ${JSON.stringify(file)}: ${(error as Error).message}`,
    );
  }
}

/** @throws {UsageError} for a code that is none */
function readCodes(text: string | undefined): FindingCode[] | undefined {
  const codes = text?.split(',').map((code) => code.trim());
  const unknown = codes?.find((code) => !(findingCodes as readonly string[]).includes(code));
  if (unknown !== undefined) {
    throw new UsageError(
      `expected --fail-on to name findings (${findingCodes.join(', ')}), got ${JSON.stringify(unknown)}`,
    );
  }
  return codes as FindingCode[] | undefined;
}
