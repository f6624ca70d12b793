import { styleText } from 'node:util';
import { remedyLines } from '../../judge/report/wording.js';
import { readScenarioAndFiles } from '../../scenario-files/scenario-files.js';
import { readShippedScenarios } from '../../scenario-files/shipped-scenarios.js';
import { UsageError } from '../../validation/usage-error.js';
import type { CliInput } from '../cli-input.js';
import { flagWords } from '../flag-words.js';
import { printResult } from '../format-json-result.js';
import {
  detailLines,
  detailOf,
  firstFailures,
  type GauntletCase,
  type GauntletResult,
  isUndecided,
  outcomeWord,
  reasonLines,
  remediesOf,
  runGauntlet,
  shippedCases,
  stateOf,
  undecidedLines,
} from '../gauntlet-run.js';
import { commandLine, program } from '../program.js';
import { type ClassResult, casesOfClasses, classResults } from '../retry-classes.js';
import { operationsWith, type RouteFlags, readRouteFlags, routeFlagNames } from '../route-flags.js';
import { textColumns, wrapForTerminal } from '../terminal.js';
import { refusedStatuses, withRefused } from '../verdict-flags.js';
import { waitUntilStopped } from '../wait-until-stopped.js';
import { createRunCounter, printStopped, requireCommand, timeoutOf } from './client-flags.js';

export interface GauntletFlags extends RouteFlags {
  classes?: boolean;
  timeout?: string;
  'require-conclusive'?: boolean;
  refused?: string[];
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
  const refused = refusedStatuses(flags.refused);
  if (flags.classes && named.length > 0)
    throw new UsageError('expected no scenario with --classes, which runs the scenarios of all classes');
  const shipped = flags.classes ? casesOfClasses() : shippedCases();
  const cases = named.length > 0 ? await Promise.all(named.map(readCase)) : shipped;
  const chosen = cases.map((each) => ({ ...each, scenario: withRefused(each.scenario, refused) }));
  const onDone = createRunCounter(
    chosen.length,
    (done: GauntletResult) => `${done.scenario} ${outcomeWord(stateOf(done))}`,
  );
  const options = { timeoutMs: timeoutOf(flags.timeout), onDone, routes };
  const { result, stoppedCode } = await waitUntilStopped((stopped) =>
    runGauntlet([{ command }], chosen, { ...options, stopped }),
  );
  const [results = []] = result;
  if (stoppedCode !== undefined) printStopped(results.length, chosen.length);
  const again = [...flagWords(flags, [...routeFlagNames, 'refused']), '--', ...command];
  const undecided = flags['require-conclusive'] ? results.filter(isUndecided) : [];
  const lines = [...gauntletLines(results, again), ...undecidedLines(undecided.map(({ scenario }) => scenario))];
  const next = nextCommands(results, again, [...flagWords(flags, ['refused']), '--', ...command]);
  const classes = flags.classes ? classResults(results) : undefined;
  printResult(input, { results, ...(classes && { classes }) }, next, classes ? classLines(classes) : lines);
  const isFailed =
    results.some(({ outcome }) => outcome === 'fail') || classes?.some(({ outcome }) => outcome === 'failed') === true;
  return stoppedCode ?? (undecided.length > 0 || isFailed ? 1 : 0);
}

/** Formats the classes of retry bugs: result, name, and the rules that found the bug, or the scenarios that did not. */
function classLines(classes: readonly ClassResult[]): string[] {
  const width = Math.max(...classes.map(({ name }) => name.length));
  const colors = { passed: 'green', failed: 'red', 'not reached': 'yellow', 'not on the wire': 'dim' } as const;
  const lines = classes.map(({ name, outcome, codes, scenarios }) => {
    const detail = (codes.length > 0 ? codes : scenarios).join(', ');
    return `  ${name.padEnd(width)}  ${styleText(colors[outcome], outcome.padEnd(15))}  ${detail}`.trimEnd();
  });
  const count = (outcome: ClassResult['outcome']) => classes.filter((each) => each.outcome === outcome).length;
  return [
    ...lines,
    '',
    `${classes.length} classes of retry bugs: ${count('passed')} passed, ${count('failed')} failed, ${count('not reached')} not reached`,
  ];
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
 * @param withoutRoutes the same without the flags that `matrix` does not have
 */
function nextCommands(
  results: readonly GauntletResult[],
  again: readonly string[],
  withoutRoutes: readonly string[],
): string[] {
  const failed = results.filter(({ outcome }) => outcome === 'fail').map(({ scenario }) => scenario);
  if (failed.length === 0) return [commandLine('matrix', '--json', ...withoutRoutes)];
  return [
    ...failed.slice(0, 3).map((name) => commandLine('exec', '--json', '--scenario', name, ...again)),
    commandLine('gauntlet', '--json', ...failed, ...again),
  ];
}

/**
 * Formats the results of a client in all shipped scenarios (the gauntlet): a line per scenario, then each reason of
 * failures once, remedies, a command for the details, and totals.
 */
function gauntletLines(results: readonly GauntletResult[], again: readonly string[]): string[] {
  const columns = textColumns();
  const width = Math.max(...results.map(({ scenario }) => scenario.length), 0);
  const colors = { pass: 'green', fail: 'red', inconclusive: 'yellow', 'not met': 'dim' } as const;
  const lines = results.map((gauntletResult) => {
    const state = stateOf(gauntletResult);
    const word = outcomeWord(state).padEnd(12);
    const line = `  ${gauntletResult.scenario.padEnd(width)}  ${styleText(colors[state], word)}  ${detailOf(gauntletResult)}`;
    return wrapForTerminal(line.trimEnd(), 6);
  });
  const failed = results.filter(({ outcome }) => outcome === 'fail');
  const reasons = reasonLines(
    failed.map((run) => ({ ...run, findings: firstFailures(run) })),
    columns,
  );
  const closer = detailLines(failed[0] && commandLine('exec', '--scenario', failed[0].scenario, ...again));
  const advice = remediesOf(results).flatMap((remedy) => ['', ...remedyLines(remedy, program, columns, 2)]);
  const groups = [...new Set(results.map(({ group }) => group))];
  const groupWidth = Math.max(...groups.map((group) => group.length), 0);
  const sums = groups.map((group) => {
    const members = results.filter((gauntletResult) => gauntletResult.group === group);
    return `  ${group.padEnd(groupWidth)}  ${sum(members)}`;
  });
  return [...lines, ...reasons, ...advice, ...closer, '', ...sums, '', sum(results)];
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
