import { existsSync } from 'node:fs';
import { styleText } from 'node:util';
import { calibrate } from '../../fidelity/ask-service/calibrate.js';
import { type Comparison, compare as compareAnswers } from '../../fidelity/compare/compare.js';
import { compareJunit, compareLines } from '../../fidelity/compare/compare-report.js';
import { readScenario } from '../../node/scenario-files/scenario-files.js';
import { UsageError } from '../../node/usage-error.js';
import type { Exchange } from '../../traffic-files/exchange.js';
import { journalLine } from '../../traffic-files/journal-text.js';
import { flagWords } from '../flag-words.js';
import { formatJsonResult } from '../format-json-result.js';
import { createHttpTransport } from '../http-transport.js';
import { checkOutput, writeOutput } from '../output-files.js';
import { printNotes } from '../print-error.js';
import { commandLine, program } from '../program.js';
import { eraseLine } from '../progress-bar.js';
import { readRecordedFiles } from '../recorded-files.js';
import { budgetOf, keyFromFlag, serviceUrlOf, showRequests, showWait } from '../service-flags.js';
import { timeoutOf } from './client-flags.js';

export interface CompareFlags {
  target?: string;
  'key-env'?: string;
  budget?: string;
  write?: boolean;
  patience?: string;
  save?: string;
  with?: string;
  junit?: string;
  json?: boolean;
}

interface Answers {
  exchanges: readonly Exchange[];
  ended: string | undefined;
}

/**
 * Sends the same requests to a service and to the simulator, and reports the differences.
 * @param nameOrFile scenario of the simulator; default: `default`
 * @returns exit code: 0 without differences, 1 with differences, 2 if the comparison was impossible
 */
export async function compare(
  flags: CompareFlags,
  nameOrFile = 'default',
  print: (text: string) => void = () => {},
): Promise<number> {
  if ((flags.target === undefined) === (flags.with === undefined)) {
    throw new UsageError(`expected either --target URL or --with FILE; see ${program} compare --help`);
  }
  checkOutput('--save', flags.save);
  checkOutput('--junit', flags.junit, [flags.with ?? '']);
  const scenario = await readScenario(nameOrFile);
  const { exchanges, ended } = flags.with === undefined ? await ask(flags) : await readSaved(flags.with);
  const comparison = await compareAnswers(scenario, exchanges, ended);
  if (flags.save !== undefined) save(flags.save, exchanges, comparison);
  if (flags.junit !== undefined) writeOutput('--junit', flags.junit, compareJunit(comparison, nameOrFile));
  if (flags.json)
    print(formatJsonResult({ scenario: nameOrFile, ...comparison }, nextOf(comparison, flags, nameOrFile)));
  else print(`${compareLines(comparison, nameOrFile, process.stdout.isTTY ? styleText : undefined).join('\n')}\n`);
  return exitCodes[comparison.outcome];
}

/**
 * Suggests next commands. If service and scenario differ: `calibrate`, to learn what the service does. Otherwise:
 * saving the responses, and judging a client.
 */
function nextOf({ outcome }: Comparison, flags: CompareFlags, scenario: string): string[] {
  const { target, 'key-env': key, save = flags.with } = flags;
  const service = flagWords({ target: target ?? 'URL', 'key-env': key ?? 'NAME' });
  if (outcome === 'differs') {
    const recorded = save === undefined ? [] : [commandLine('calibrate', '--from', save)];
    return [...recorded, commandLine('calibrate', ...service, '--plan')];
  }
  if (outcome === 'could not check') return [commandLine('compare', ...service, scenario)];
  const keep = save === undefined ? commandLine('compare', ...service, '--save', 'kept.jsonl', scenario) : undefined;
  return [
    keep ?? commandLine('compare', '--with', save ?? '', scenario),
    `${commandLine('exec', '--scenario', scenario)} -- COMMAND`,
  ];
}

/**
 * Saves the service's responses to a file. If the service could not be compared with the scenario, keeps earlier
 * responses in the file.
 */
function save(file: string, exchanges: readonly Exchange[], { outcome }: Comparison): void {
  if (outcome === 'could not check' && existsSync(file)) {
    process.stderr.write(`petstore-sim: ${file} was not changed, because the comparison was impossible\n`);
  } else writeOutput('--save', file, exchanges.map((exchange) => `${journalLine(exchange)}\n`).join(''));
}

const exitCodes: Record<Comparison['outcome'], number> = { same: 0, differs: 1, 'could not check': 2 };

async function readSaved(file: string): Promise<Answers> {
  const { exchanges, notes } = await readRecordedFiles([file]);
  printNotes(notes);
  // Rejects recordings with API keys of other clients: the keys' past use is unknown, so their limits cannot be
  // compared.
  const other = exchanges.find(({ token, status }) => token !== undefined && token !== 'own' && status !== 401);
  if (other !== undefined) {
    throw new UsageError(
      `expected responses from compare --save or calibrate, got a recording of another client in ${file}; use it with ${program} judge or scenario --from`,
    );
  }
  return { exchanges, ended: undefined };
}

async function ask(flags: CompareFlags): Promise<Answers> {
  const { target = '', budget = '30', patience = '150s', write = false } = flags;
  const transport = createHttpTransport(serviceUrlOf(target), keyFromFlag(flags['key-env']));
  const stop = () => transport.stop();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const most = budgetOf(budget);
  try {
    return await calibrate(transport, {
      budget: most,
      allowsWrite: write,
      allowsExhaust: false,
      allowsBan: false,
      patienceMs: timeoutOf(patience, '--patience'),
      onExchange: ({ id }) => showRequests(id, most),
      onWait: showWait,
    });
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    if (process.stderr.isTTY) process.stderr.write(eraseLine);
  }
}
