import { styleText } from 'node:util';
import { readScenarioAndFiles } from '../../scenario/node/scenario-files.js';
import { readShippedScenarios } from '../../scenario/node/shipped-scenarios.js';
import { UsageError } from '../../validation/usage-error.js';
import { wrap } from '../../values/wrap.js';
import type { CliInput } from '../cli-input.js';
import { flagWords } from '../flag-words.js';
import { printResult } from '../format-json-result.js';
import {
  detailOf,
  failureLines,
  firstFailures,
  type GauntletCase,
  type GauntletResult,
  isUndecided,
  outcomeWord,
  runGauntlet,
  shippedCases,
  stateOf,
  undecidedLines,
} from '../gauntlet-run.js';
import { commandLine } from '../program.js';
import { operationsWith, type RouteFlags, readRouteFlags, routeFlagNames } from '../route-flags.js';
import { textColumns } from '../terminal.js';
import { waitUntilStopped } from '../wait-until-stopped.js';
import { createRunCounter, printStopped, requireCommand, timeoutOf } from './client-flags.js';

export interface GauntletFlags extends RouteFlags {
  json?: boolean;
  timeout?: string;
  'require-conclusive'?: boolean;
}

/**
 * Runs a client in the named scenarios. By default, these are all shipped scenarios that expect something of a client.
 * @returns exit code: 1 if the client fails a scenario, with `--require-conclusive` also if a run is inconclusive; 128 + n
 * after signal n
 */
export async function gauntlet(input: CliInput<GauntletFlags>): Promise<number> {
  const { flags, rest, argumentsBeforeSeparator } = input;
  // Scenarios to run: the arguments before `--`, each the name of a shipped scenario or the path of a scenario file.
  const named = rest.slice(0, argumentsBeforeSeparator ?? 0);
  const command = rest.slice(named.length);
  requireCommand('gauntlet', command);
  if (argumentsBeforeSeparator === undefined) checkIsNoScenario(command);
  const routes = await readRouteFlags(flags);
  const operations = operationsWith(routes);
  const readCase = async (name: string): Promise<GauntletCase> => ({
    name,
    scenario: (await readScenarioAndFiles(name, { operations })).scenario,
  });
  const chosen = named.length > 0 ? await Promise.all(named.map(readCase)) : shippedCases();
  const options = { timeoutMs: timeoutOf(flags.timeout), onDone: createRunCounter(chosen.length), routes };
  const { result, stoppedCode } = await waitUntilStopped((stopped) =>
    runGauntlet([{ command }], chosen, { ...options, stopped }),
  );
  const [results = []] = result;
  if (stoppedCode !== undefined) printStopped(results.length, chosen.length);
  const again = [...flagWords(flags, routeFlagNames), '--', ...command];
  const undecided = flags['require-conclusive'] ? results.filter(isUndecided) : [];
  const lines = [...gauntletLines(results, again), ...undecidedLines(undecided.map(({ scenario }) => scenario))];
  printResult(input, { results }, nextCommands(results, again, command), lines);
  return stoppedCode ?? (undecided.length > 0 || results.some(({ outcome }) => outcome === 'fail') ? 1 : 0);
}

/**
 * Throws if the client's command begins with the name of a scenario: the user forgot `--`, so all arguments were read
 * as the command.
 */
function checkIsNoScenario([first = '', ...rest]: readonly string[]): void {
  if (!Object.hasOwn(readShippedScenarios(), first)) return;
  const words = rest.length > 0 ? rest : ['COMMAND'];
  throw new UsageError(
    `expected -- between the scenarios and the client command, such as ${commandLine('gauntlet', first, '--', ...words)}`,
  );
}

/**
 * Suggests the user's next command lines. After failures: `petstore-sim exec` for each of the first three failed
 * scenarios, and `petstore-sim gauntlet` for all of them. Without failures: `petstore-sim matrix`.
 * @param again end of the suggested `exec` and `gauntlet` command lines: flags such as `--handlers FILE`, and the
 * client's command
 */
function nextCommands(
  results: readonly GauntletResult[],
  again: readonly string[],
  command: readonly string[],
): string[] {
  const failed = results.filter(({ outcome }) => outcome === 'fail').map(({ scenario }) => scenario);
  if (failed.length === 0) return [commandLine('matrix', '--json', '--', ...command)];
  return [
    ...failed.slice(0, 3).map((name) => commandLine('exec', '--json', '--scenario', name, ...again)),
    commandLine('gauntlet', '--json', ...failed, ...again),
  ];
}

/**
 * Formats the results of a client in all shipped scenarios (the gauntlet): a line per scenario, the reasons of each
 * failure with a command for the details, and totals.
 */
function gauntletLines(results: readonly GauntletResult[], again: readonly string[]): string[] {
  const columns = textColumns();
  const width = Math.max(...results.map(({ scenario }) => scenario.length), 0);
  const colors = { pass: 'green', fail: 'red', inconclusive: 'yellow', 'not met': 'dim' } as const;
  const lines = results.flatMap((gauntletResult) => {
    const state = stateOf(gauntletResult);
    const word = outcomeWord(state).padEnd(12);
    const line = `  ${gauntletResult.scenario.padEnd(width)}  ${styleText(colors[state], word)}  ${detailOf(gauntletResult)}`;
    if (state !== 'fail') return [line.trimEnd()];
    const reasons = failureLines({ ...gauntletResult, findings: firstFailures(gauntletResult) });
    const closer = commandLine('exec', '--scenario', gauntletResult.scenario, ...again);
    return [
      line.trimEnd(),
      ...reasons.flatMap((reason) => wrap(reason, columns, 6)),
      styleText('dim', `      ${closer}`),
    ];
  });
  const groups = [...new Set(results.map(({ group }) => group))];
  const groupWidth = Math.max(...groups.map((group) => group.length), 0);
  const sums = groups.map((group) => {
    const members = results.filter((gauntletResult) => gauntletResult.group === group);
    return `  ${group.padEnd(groupWidth)}  ${sum(members)}`;
  });
  return [...lines, '', ...sums, '', sum(results)];
}

/**
 * Formats the totals: `31 of 35 reached: 28 passed, 2 failed, 1 inconclusive`. A scenario counts as reached if the
 * client sent the requests that it needs.
 */
function sum(results: readonly GauntletResult[]): string {
  const count = (state: ReturnType<typeof stateOf>) =>
    results.filter((gauntletResult) => stateOf(gauntletResult) === state).length;
  const reached = results.length - count('not met');
  const parts = `${count('pass')} passed, ${count('fail')} failed, ${count('inconclusive')} inconclusive`;
  return `${reached} of ${results.length} reached: ${parts}`;
}
