import { styleText } from 'node:util';
import type { Verdict } from '../../judge/judge-run.js';
import { busyMark, isBusy } from '../../judge/lag.js';
import { type Assumption, assumptions } from '../../petstore/assumptions.js';
import { type SettingId, settingValues } from '../../petstore/settings.js';
import type { ResolvedScenario } from '../../scenario/resolve-scenario.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { merge } from '../../values/plain-data.js';
import { sanitizeText } from '../../values/sanitize-text.js';
import { wrap } from '../../values/wrap.js';
import { shown } from '../assumption-table.js';
import type { CliInput } from '../cli-input.js';
import { type ClientRunOptions, resolveForClient, runClient } from '../client-run.js';
import { flagWords, namesOf } from '../flag-words.js';
import { printResult } from '../format-json-result.js';
import { failedCodes, firstFailures } from '../gauntlet-run.js';
import { inParallel } from '../in-parallel.js';
import { lastError } from '../last-error.js';
import { commandLine, program } from '../program.js';
import { type RecordedCall, responsesTo } from '../replayed-calls.js';
import { textColumns, wrapForTerminal } from '../terminal.js';
import { waitUntilStopped } from '../wait-until-stopped.js';
import {
  apiKeyOf,
  createRunCounter,
  printStopped,
  refuseScenario,
  requireCommand,
  type ScenarioFlags,
  scenarioOf,
  timeoutOf,
} from './client-flags.js';

export interface MatrixFlags extends ScenarioFlags {
  only?: string;
  timeout?: string;
}

/**
 * Runs a client with the default value of every assumption. Then runs the client once with each alternative value of
 * each assumption.
 * @returns exit code: 1 if an alternative breaks the client or the client fails with the defaults, 128 + n after signal
 * n
 */
export async function matrix(input: CliInput<MatrixFlags>): Promise<number> {
  const { flags, rest: command, print } = input;
  requireCommand('matrix', command);
  refuseScenario('matrix', command);
  const only = namesOf(
    flags.only,
    Object.keys(settingValues) as SettingId[],
    (unknown) => `expected --only to name assumptions, got ${unknown}; see ${program} assumptions`,
  );
  const cases = matrixCases(only);
  const scenarioFile = await scenarioOf(flags);
  const apiKey = apiKeyOf(flags, scenarioFile.resolved);
  const onDone = createRunCounter(cases.length);
  const timeoutMs = timeoutOf(flags.timeout);
  const { result, stoppedCode } = await waitUntilStopped((stopped) => {
    const options = { timeoutMs, apiKey, stopped };
    return inParallel(cases, (each) => runCase(command, scenarioFile, each, options), {
      onDone,
      stopped,
      runsAgain: isBusy,
    });
  });
  const [baseline] = result;
  const results = result.flatMap((each): MatrixResult[] => {
    if (each === undefined) return [];
    const breaks = each.code !== baseline?.code || (each.outcome === 'fail' && baseline.outcome !== 'fail');
    return [{ ...each, breaks }];
  });
  if (stoppedCode !== undefined) {
    printStopped(results.length, cases.length);
    return stoppedCode;
  }
  const again = [...flagWords(flags, ['refused']), '--', ...command];
  const isBroken = results.some(({ breaks }) => breaks) || baseline?.code !== 0;
  if (!flags.json && baseline?.code !== 0) {
    print(`The command fails with the defaults (exit code ${baseline?.code}); fix that first.\n${baseline?.output}`);
  } else printResult(input, { results }, nextCommands(results, again), matrixLines(results, styleText));
  return isBroken ? 1 : 0;
}

/**
 * Suggests commands that repeat up to three of the client's failed runs. Without a failed run, suggests `gauntlet`,
 * which tests more scenarios.
 * @param again end of the suggested command lines: the flag `--refused`, and the client's command
 */
function nextCommands(results: readonly MatrixResult[], again: readonly string[]): string[] {
  const broken = results.flatMap(({ id, value, breaks }) => (breaks && id !== undefined ? [{ id, value }] : []));
  if (broken.length === 0) return [commandLine('gauntlet', '--json', ...again)];
  return broken
    .slice(0, 3)
    .map(({ id, value }) => commandLine('exec', '--json', '--set', `assumptions.${id}=${shown(value)}`, ...again));
}

/** Result of a client's run in which one assumption about the service had an alternative value. */
export interface MatrixResult extends Pick<Verdict, 'outcome' | 'findings' | 'lagMs'> {
  /** Id of the setting for API behavior that this run changes; `undefined` for the run with default settings. */
  id: SettingId | undefined;
  value: unknown;
  code: number;
  output: string;
  /** Whether the alternative value of the setting `id` changes any response to the client. */
  isMet: boolean;
  /**
   * Whether the changed assumption makes the client's result worse than the default values do: the exit code differs,
   * or only the verdict with the changed assumption is a fail.
   */
  breaks: boolean;
}

type MatrixCase = Pick<MatrixResult, 'id' | 'value'>;

/**
 * Lists the test cases of the command `matrix`: the default settings, then each alternative value of each selected
 * setting.
 */
const matrixCases = (only: readonly SettingId[] | undefined): MatrixCase[] => [
  { id: undefined, value: undefined },
  ...Object.entries<Assumption<unknown>>(assumptions).flatMap(([name, { alternatives }]) => {
    const id = name as SettingId;
    return only === undefined || only.includes(id) ? alternatives.map((value) => ({ id, value })) : [];
  }),
];

/**
 * Runs the client once in the scenario, with a non-default value of one assumption (setting for undocumented API
 * behavior).
 */
async function runCase(
  command: readonly string[],
  { scenario, resolved }: { scenario: Scenario; resolved: ResolvedScenario },
  { id, value }: MatrixCase,
  options: Pick<ClientRunOptions, 'timeoutMs' | 'apiKey' | 'stopped'>,
): Promise<Omit<MatrixResult, 'breaks'>> {
  const calls: RecordedCall[] = [];
  const assumed =
    id === undefined ? resolved : resolveForClient(merge(scenario, { assumptions: { [id]: value } } as Scenario));
  const run = await runClient(command, assumed, { output: 'keep', calls, ...options });
  const { end, output } = run;
  const { outcome, findings, lagMs } = run.verdict;
  const isMet = id === undefined || isDecided(id, resolved, assumed, calls);
  return { id, value, code: end.exitCode, output, outcome, findings, ...(lagMs !== undefined && { lagMs }), isMet };
}

/** Whether a changed API setting changes the response to at least one of the client's requests. */
function isDecided(
  id: SettingId,
  resolved: ResolvedScenario,
  assumed: ResolvedScenario,
  calls: readonly RecordedCall[],
): boolean {
  // The values of the setting `cors` differ only in CORS headers for requests with an Origin header. A comparison of
  // responses cannot show a difference, because the HTTP server adds CORS headers outside the simulator.
  if (id === 'cors') return calls.some(({ call }) => call.headers.origin !== undefined);
  const byDefault = responsesTo(calls, resolved);
  return responsesTo(calls, assumed).some((response, index) => response !== byDefault[index]);
}

/**
 * Formats the report of the command `matrix`, which runs a client with alternative values of each assumption. Lists
 * each alternative that breaks the client, with the assumption's question.
 */
export function matrixLines(
  results: readonly MatrixResult[],
  style: (format: 'red' | 'green' | 'yellow', text: string) => string,
  columns = textColumns(),
): string[] {
  const [baseline, ...others] = results;
  const breaking = others.filter(({ breaks }) => breaks);
  const met = others.filter(({ isMet, breaks }) => isMet || breaks);
  const lines = breaking.flatMap((matrixResult) => {
    const { id, value, code, lagMs } = matrixResult;
    const busy = lagMs === undefined ? '' : `; ${busyMark(lagMs)}`;
    const why =
      code === baseline?.code ? `the verdict fails: ${failedCodes(matrixResult).join(', ')}` : `exit code ${code}`;
    const reason = lastError(matrixResult.output);
    return [
      wrapForTerminal(`  ${style('red', `${id}: ${shown(value)}`)}  ${why}${busy}`, 4),
      ...wrap(assumptions[id as SettingId].question, columns, 4),
      ...firstFailures(matrixResult).flatMap(({ code, text }) => wrap(`${code}: ${sanitizeText(text)}`, columns, 4)),
      ...(reason === '' ? [] : wrap(`output of the command: ${reason}`, columns, 4)),
    ];
  });
  const unmet = others.filter((matrixResult) => !met.includes(matrixResult));
  const count = `${met.length} of ${others.length} choices that the document leaves open`;
  const isPartlyMet = (id: string | undefined) => met.some((matrixResult) => matrixResult.id === id);
  const names = unmet.map(({ id, value }) => (isPartlyMet(id) ? `${id}: ${shown(value)}` : id));
  const ids = [...new Set(names)].join(', ');
  const rest =
    unmet.length === 0 ? [] : wrap(`Not tested, because no request of the client depends on them: ${ids}.`, columns);
  const verdict =
    met.length === 0
      ? style('yellow', `The client's requests depend on none of the ${others.length} choices.`)
      : breaking.length === 0
        ? style('green', `Tested ${count}; none breaks the client.`)
        : `Tested ${count}; ${breaking.length} would break the client.`;
  return [...lines, ...(lines.length > 0 ? [''] : []), verdict, ...rest];
}
