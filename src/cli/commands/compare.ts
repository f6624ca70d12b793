import { existsSync } from 'node:fs';
import { styleText } from 'node:util';
import { calibrate } from '../../fidelity/ask-service/calibrate.js';
import { type Comparison, compare as compareAnswers } from '../../fidelity/compare/compare.js';
import { compareJunit, compareLines } from '../../fidelity/compare/compare-report.js';
import { readScenario } from '../../scenario-files/scenario-files.js';
import type { Exchange } from '../../traffic-files/exchange.js';
import { journalLine } from '../../traffic-files/journal-text.js';
import { UsageError } from '../../validation/usage-error.js';
import type { CliInput } from '../cli-input.js';
import { printResult } from '../format-json-result.js';
import { checkOutput, writeOutput } from '../output-files.js';
import { printNote, printNotes } from '../print-error.js';
import { commandLine, program } from '../program.js';
import { readPetstoreFiles } from '../recorded-files.js';
import {
  askUntilStopped,
  budgetOf,
  type ServiceFlags,
  serviceWords,
  showRequests,
  showWait,
  transportOf,
} from '../service-flags.js';
import { timeoutOf } from './client-flags.js';

export interface CompareFlags extends ServiceFlags {
  save?: string;
  with?: string;
  junit?: string;
}

interface Answers {
  exchanges: readonly Exchange[];
  ended: string | undefined;
}

/**
 * Sends the same requests to a service and to the simulator, and reports the differences.
 * @returns exit code: 0 without differences, 1 with differences, 2 if the comparison was impossible
 */
export async function compare(input: CliInput<CompareFlags>): Promise<number> {
  const {
    flags,
    rest: [nameOrFile = 'default'],
  } = input;
  if ((flags.target === undefined) === (flags.with === undefined)) {
    throw new UsageError(`expected either --target URL or --with FILE; see ${program} compare --help`);
  }
  checkOutput('--save', flags.save, 'JSON Lines');
  checkOutput('--junit', flags.junit, 'XML', [flags.with ?? '']);
  const scenario = await readScenario(nameOrFile);
  const { exchanges, ended } = flags.with === undefined ? await ask(flags) : await readSaved(flags.with);
  const comparison = await compareAnswers(scenario, exchanges, ended);
  if (flags.save !== undefined) save(flags.save, exchanges, comparison);
  if (flags.junit !== undefined) writeOutput('--junit', flags.junit, compareJunit(comparison, nameOrFile));
  const lines = compareLines(comparison, nameOrFile, process.stdout.isTTY ? styleText : undefined);
  printResult(input, { scenario: nameOrFile, ...comparison }, nextOf(comparison, flags, nameOrFile), lines);
  return exitCodes[comparison.outcome];
}

/**
 * Returns commands to suggest after `compare`. If the real API differs from the scenario: `calibrate`, which derives a
 * scenario from the API. If the comparison was impossible: `compare` again. If both agree: `compare` with saved
 * responses, and `exec` with the user's client.
 */
function nextOf({ outcome }: Comparison, flags: CompareFlags, scenario: string): string[] {
  const { save = flags.with } = flags;
  const service = serviceWords(flags);
  if (outcome === 'differs') {
    const recorded = save === undefined ? [] : [commandLine('calibrate', '--from', save)];
    return [...recorded, commandLine('calibrate', ...service, '--plan')];
  }
  if (outcome === 'could not check') return [commandLine('compare', ...service, scenario)];
  const saved = save === undefined ? [...service, '--save', 'kept.jsonl'] : ['--with', save];
  return [commandLine('compare', ...saved, scenario), commandLine('exec', '--scenario', scenario, '--', 'COMMAND')];
}

/**
 * Saves the real API's responses to the file of `--save`. Does not overwrite an existing file if the comparison with
 * the scenario was impossible.
 */
function save(file: string, exchanges: readonly Exchange[], { outcome }: Comparison): void {
  if (outcome === 'could not check' && existsSync(file)) {
    printNote(`${file} was not changed, because the comparison was impossible`);
  } else writeOutput('--save', file, exchanges.map((exchange) => `${journalLine(exchange)}\n`).join(''));
}

const exitCodes: Record<Comparison['outcome'], number> = { same: 0, differs: 1, 'could not check': 2 };

async function readSaved(file: string): Promise<Answers> {
  const { exchanges, notes } = await readPetstoreFiles([file]);
  printNotes(notes);
  // Rejects recordings with API keys of other clients. The earlier use of such a key is unknown, so the key's limits
  // cannot be compared.
  const other = exchanges.find(({ token, status }) => token !== undefined && token !== 'own' && status !== 401);
  if (other !== undefined) {
    throw new UsageError(
      `expected a recording that compare --save or calibrate wrote, got one of another client in ${file}; pass it to ${program} judge or ${program} scenario --from instead`,
    );
  }
  return { exchanges, ended: undefined };
}

async function ask(flags: CompareFlags): Promise<Answers> {
  const transport = transportOf(flags);
  const budget = budgetOf(flags.budget ?? '30');
  const options = {
    budget,
    allowsWrite: flags.write ?? false,
    allowsExhaust: false,
    allowsBan: false,
    patienceMs: timeoutOf(flags.patience ?? '150s', '--patience'),
    onExchange: ({ id }: Exchange) => showRequests(id, budget),
    onWait: showWait,
  };
  return askUntilStopped(transport, () => calibrate(transport, options));
}
