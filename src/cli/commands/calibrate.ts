import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { styleText } from 'node:util';
import { calibrate as ask, type CalibrateOptions } from '../../fidelity/ask-service/calibrate.js';
import { planLines } from '../../fidelity/ask-service/plan-lines.js';
import { contradictionTexts, knowledgeLines, sumLine } from '../../fidelity/deduce/knowledge-lines.js';
import { Learner } from '../../fidelity/deduce/learner.js';
import { calibratedScenario } from '../../fidelity/deduce/scenario-text.js';
import { isEvidence } from '../../fidelity/deduce/unusable-response.js';
import { makeFolders } from '../../persistence/node/folder/make-folders.js';
import type { Exchange } from '../../traffic-files/exchange.js';
import { journalLine } from '../../traffic-files/journal-text.js';
import { UsageError } from '../../validation/usage-error.js';
import { pluralize } from '../../values/pluralize.js';
import type { CliInput } from '../cli-input.js';
import { flagWords } from '../flag-words.js';
import { formatJsonResult } from '../format-json-result.js';
import { checkOutput, writeOutput } from '../output-files.js';
import { printNote, printNotes } from '../print-error.js';
import { commandLine, program } from '../program.js';
import { readPetstoreFiles, readRecordedFiles } from '../recorded-files.js';
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

export interface CalibrateFlags extends ServiceFlags {
  from?: string[];
  'base-url'?: string;
  out?: string;
  'allow-exhaust'?: boolean;
  'allow-ban'?: boolean;
  plan?: boolean;
}

const byDefault = { budget: '40', out: 'calibrated.yaml', patience: '150s' };

/**
 * Learns from a real API's responses how the API behaves where its documentation is silent. Writes the result as a
 * scenario file.
 * @returns exit code: 1 if responses contradict the documentation or fit no setting of the simulator, 2 if nothing was
 * learned or the API was unusable, 0 for success
 */
export async function calibrate({ flags, print }: CliInput<CalibrateFlags>): Promise<number> {
  const { from = [], target } = flags;
  const withOut = { ...flags, out: flags.out ?? byDefault.out };
  if (from.length === 0 && target === undefined) {
    throw new UsageError(`expected --from FILE, or --target URL with --key-env NAME; see ${program} calibrate --help`);
  }
  checkOutput('--out', withOut.out, 'YAML', from);
  const recorded = from.length > 0 ? await recordedExchanges(from, flags['base-url'] ?? target) : [];
  if (target !== undefined) return askService(recorded, withOut, print);
  return finish(
    new Learner(recorded),
    { from: from.join(', '), requests: recorded.length, ended: undefined, isUnusable: false },
    withOut,
    print,
  );
}

async function recordedExchanges(files: readonly string[], baseUrl: string | undefined): Promise<readonly Exchange[]> {
  const { exchanges, notes } = await readPetstoreFiles(files, baseUrl);
  printNotes(notes);
  return exchanges;
}

type FlagsWithOut = CalibrateFlags & { out: string };

async function askService(
  recorded: readonly Exchange[],
  flags: FlagsWithOut,
  print: (text: string) => void,
): Promise<number> {
  const log = `${flags.out.replace(/\.ya?ml$/, '')}.jsonl`;
  checkOutput('--out', log, 'JSON Lines');
  const whenStopped = 'Stopped. Run the same command again to continue.';
  const transport = transportOf(flags, whenStopped);
  const earlier = await readEarlier(log, transport.baseUrl);
  const budget = budgetOf(flags.budget ?? byDefault.budget);
  const options: CalibrateOptions = {
    budget,
    allowsWrite: flags.write ?? false,
    allowsExhaust: (flags['allow-exhaust'] ?? false) || (flags['allow-ban'] ?? false),
    allowsBan: flags['allow-ban'] ?? false,
    patienceMs: timeoutOf(flags.patience ?? byDefault.patience, '--patience'),
    onExchange: (exchange) => {
      appendFileSync(log, `${journalLine(exchange)}\n`);
      showRequests(exchange.id, budget);
    },
    onWait: showWait,
  };
  const earlierExchanges = [...recorded, ...earlier];
  const known = new Learner(earlierExchanges.filter(isEvidence));
  const certain = known.knowledge().filter(({ state }) => state === 'certain');
  const plan = planLines(transport.baseUrl, options, new Set(certain.map(({ about }) => about)));
  if (earlier.length > 0) plan.push(`  Continues after the ${pluralize(earlier.length, 'request')} in ${log}.`);
  process.stderr.write(`${plan.join('\n')}\n`);
  if (flags.plan) {
    if (flags.json) print(formatJsonResult({ target: transport.baseUrl, plan }, [continueCommand(flags)]));
    return 0;
  }
  makeFolders(dirname(resolve(log)));
  const { learner, exchanges, ended, isUnusable } = await askUntilStopped(transport, () =>
    ask(transport, options, earlierExchanges, earlier),
  );
  const requests = exchanges.length - recorded.length;
  return finish(learner, { from: transport.baseUrl, requests, ended, isUnusable }, flags, print);
}

/**
 * Reads the requests to the real API that an interrupted run of `calibrate` has recorded in its log file. Cuts off an
 * incomplete last line, because the continued run appends lines to the file.
 */
async function readEarlier(log: string, baseUrl: string): Promise<readonly Exchange[]> {
  if (!existsSync(log)) return [];
  const bytes = readFileSync(log);
  const whole = bytes.lastIndexOf('\n') + 1;
  if (whole < bytes.length) {
    truncateSync(log, whole);
    printNote(`${log} ended in the middle of its last line, which is ignored`);
  }
  if (whole === 0) return [];
  try {
    return (await readRecordedFiles([log], { baseUrl })).exchanges;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}; use another file for another service: --out FILE`);
  }
}

interface Outcome {
  from: string;
  requests: number;
  ended: string | undefined;
  isUnusable: boolean;
}

function finish(
  learner: Learner,
  { from, requests, ended, isUnusable }: Outcome,
  flags: FlagsWithOut,
  print: (text: string) => void,
): number {
  const { out, json, target } = flags;
  const at = new Date().toISOString();
  const rows = learner.knowledge();
  const unexplained = contradictionTexts(learner);
  const isEmpty = sumLine(learner).startsWith('0 certain, 0 likely') && unexplained.length === 0;
  if (isUnusable && isEmpty) {
    const result = { from, at, requests, ended, choices: [], document: [] };
    if (json) print(formatJsonResult(result, [continueCommand(flags)]));
    printNote(`${ended} Nothing was learned; ${out} was not written.`);
    return 2;
  }
  writeOutput('--out', out, calibratedScenario(learner, { from, at, requests }));
  if (json) {
    const result = { from, at, requests, ended, choices: rows, document: unexplained };
    const next = [
      ...(ended === undefined || target === undefined
        ? []
        : [continueCommand({ ...flags, budget: largerBudget(requests, flags) })]),
      commandLine('check', out),
      commandLine('compare', ...serviceWords(flags), out),
    ];
    print(formatJsonResult(JSON.parse(JSON.stringify(result, bigintsAsText)), next));
  } else {
    const style = process.stdout.isTTY ? styleText : undefined;
    print(`${knowledgeLines(learner, style).join('\n')}, in ${pluralize(requests, 'request')}; wrote ${out}\n`);
  }
  if (ended !== undefined) printNote(ended);
  if (isUnusable) return 2;
  const isContradicted = rows.some(({ state }) => state === 'contradicted') || unexplained.length > 0;
  if (isContradicted) return 1;
  return sumLine(learner).startsWith('0 certain, 0 likely') ? 2 : 0;
}

/** Formats the command that continues an interrupted `calibrate` run. */
function continueCommand({ budget = byDefault.budget, ...flags }: FlagsWithOut): string {
  const repeated = ['target', 'key-env', 'patience', 'out', 'budget', 'write', 'allow-exhaust', 'allow-ban'] as const;
  return commandLine('calibrate', ...flagWords({ ...flags, budget }, repeated));
}

/**
 * Returns the `--budget` (maximum number of requests) to suggest for the next `calibrate` run: twice the last budget if
 * the last run used it up, the same budget if requests were left.
 */
function largerBudget(requests: number, { budget = byDefault.budget }: CalibrateFlags): string {
  return requests < Number(budget) ? budget : String(2 * Number(budget));
}

const bigintsAsText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
