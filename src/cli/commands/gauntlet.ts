import { styleText } from 'node:util';
import type { Verdict } from '../../judge/judge-run.js';
import { readScenario } from '../../node/scenario-files/scenario-files.js';
import { readShippedScenarios } from '../../node/scenario-files/shipped-scenarios.js';
import { UsageError } from '../../node/usage-error.js';
import { clientOf } from '../../scenario/client.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { harmless } from '../../values/harmless.js';
import { resolveForClient, runClient } from '../client-run.js';
import { inParallel } from '../in-parallel.js';
import { jsonWithNext } from '../json-with-next.js';
import { lastError } from '../last-error.js';
import { program } from '../program.js';
import { shellWords } from '../shell-words.js';
import { untilStopped } from '../until-stopped.js';
import { createRunCounter, printStopped, requireCommand, timeoutOf } from './client-flags.js';

export interface GauntletFlags {
  json?: boolean;
  timeout?: string;
}

/**
 * Runs a client in the named scenarios, by default in every shipped scenario with expectations of a client.
 * @param named shipped scenarios and files
 * @returns exit code: 1 if the client fails a scenario, 130 or 143 after a signal
 */
export async function gauntlet(
  flags: GauntletFlags,
  named: readonly string[],
  command: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  requireCommand('gauntlet', command);
  if (named.length === 0) checkIsNoScenario(command);
  const chosen = named.length > 0 ? await Promise.all(named.map(readCase)) : shippedCases();
  const options = { timeoutMs: timeoutOf(flags.timeout), onDone: createRunCounter(chosen.length) };
  const { result: results, stoppedCode } = await untilStopped((stopped) =>
    runGauntlet(command, chosen, { ...options, stopped }),
  );
  if (stoppedCode !== undefined) printStopped(results.length, chosen.length);
  if (flags.json) print(jsonWithNext({ results }, nextCommands(results, command)));
  else print(`${gauntletLines(results, command, (format, text) => styleText(format, text)).join('\n')}\n`);
  return stoppedCode ?? (results.some(({ outcome }) => outcome === 'fail') ? 1 : 0);
}

/** Rejects a scenario's name as the command: without `--`, all arguments are the command. */
function checkIsNoScenario([first = '', ...rest]: readonly string[]): void {
  if (process.argv.includes('--') || !Object.hasOwn(readShippedScenarios(), first)) return;
  const words = rest.length > 0 ? shellWords(rest) : 'COMMAND';
  throw new UsageError(
    `expected -- between the scenarios and the client command, such as ${program} gauntlet ${first} -- ${words}`,
  );
}

const readCase = async (name: string): Promise<GauntletCase> => ({ name, scenario: await readScenario(name) });

const shippedCases = (): GauntletCase[] =>
  Object.entries(readShippedScenarios())
    .map(([name, scenario]) => ({ name, scenario }))
    .filter(({ scenario }) => scenario.expect !== undefined);

/** Next commands: details of the first failures, and a repetition of the failed scenarios. */
function nextCommands(results: readonly GauntletResult[], command: readonly string[]): string[] {
  const words = shellWords(command);
  const failed = results.filter(({ outcome }) => outcome === 'fail').map(({ scenario }) => scenario);
  if (failed.length === 0) return [`${program} matrix --json -- ${words}`];
  return [
    ...failed.slice(0, 3).map((name) => `${program} exec --json --scenario ${shellWords([name])} -- ${words}`),
    `${program} gauntlet --json ${shellWords(failed)} -- ${words}`,
  ];
}

/** Scenario of the gauntlet. */
interface GauntletCase {
  /** Name of a shipped scenario, or path of a file, as for `exec --scenario`. */
  name: string;
  scenario: Scenario;
}

/** Result of a client in one scenario. */
interface GauntletResult {
  scenario: string;
  group: string;
  outcome: Verdict['outcome'];
  reason: string;
  /** Requirement of the scenario that the client did not meet, such as `a POST /pets`. */
  unmet?: string;
  /** Exit code of the command. It does not affect the outcome, but helps to explain it. */
  code: number;
  findings: Verdict['findings'];
  output: string;
  lastedMs: number;
}

interface GauntletOptions {
  timeoutMs: number;
  /** Signal that stops active runs and starts no further run. */
  stopped?: AbortSignal | undefined;
  /** Called with the number of finished runs. */
  onDone: (done: number) => void;
}

/** Number of concurrent runs. More than the number of processors, because clients mostly wait. */
const concurrency = 10;

/** Runs a client in scenarios, the longest first. After a stop, returns the results of the finished runs. */
async function runGauntlet(
  command: readonly string[],
  cases: readonly GauntletCase[],
  { timeoutMs, stopped, onDone }: GauntletOptions,
): Promise<GauntletResult[]> {
  const order = [...cases].sort((a, b) => longestWaitSeconds(b.scenario) - longestWaitSeconds(a.scenario));
  const run = async ({ name, scenario }: GauntletCase): Promise<GauntletResult> => {
    const resolved = resolveForClient(scenario);
    const { verdict, end, output, lastedMs } = await runClient(command, resolved, {
      output: 'keep',
      timeoutMs,
      stopped,
    });
    const { outcome, reason, unmet, findings } = verdict;
    const { group = 'own' } = scenario;
    const { exitCode: code } = end;
    return { scenario: name, group, outcome, reason, ...(unmet && { unmet }), code, findings, output, lastedMs };
  };
  const results = await inParallel(order, run, { onDone, concurrency, stopped });
  return cases.flatMap((each) => results[order.indexOf(each)] ?? []);
}

/** Time that a client may need to recover from a fault, in seconds: a timeout or a wait. */
const faultSeconds = 5;

/**
 * Estimated wait of a client, in seconds: the longest duration in the scenario, times the number of sequential calls.
 */
function longestWaitSeconds(scenario: Scenario): number {
  const { windows = {}, keys = {}, faults = [] } = scenario;
  const { key, calls, parallel } = clientOf(scenario);
  const named = [seconds(windows.minute), seconds(windows.day), seconds(keys[key]?.bannedFor)];
  const all = named.filter((each) => each <= 120);
  return Math.max(faults.length > 0 ? faultSeconds : 0, ...all) * Math.ceil(calls / parallel);
}

const seconds = (text: unknown) => Number(/^(\d+)s$/.exec(String(text))?.[1] ?? 0);

type Style = (format: 'red' | 'green' | 'yellow' | 'dim', text: string) => string;

/** Report with one line per scenario, a command for details of each failure, and totals per group and overall. */
function gauntletLines(results: readonly GauntletResult[], command: readonly string[], style: Style): string[] {
  const width = Math.max(...results.map(({ scenario }) => scenario.length), 0);
  const colours = { pass: 'green', fail: 'red', inconclusive: 'yellow', 'not met': 'dim' } as const;
  const lines = results.flatMap((result) => {
    const state = stateOf(result);
    const line = `  ${result.scenario.padEnd(width)}  ${style(colours[state], state.padEnd(12))}  ${detail(result)}`;
    const closer = `      ${program} exec --scenario ${shellWords([result.scenario])} -- ${shellWords(command)}`;
    return state === 'fail' ? [line.trimEnd(), style('dim', closer)] : [line.trimEnd()];
  });
  const groups = [...new Set(results.map(({ group }) => group))];
  const groupWidth = Math.max(...groups.map((group) => group.length), 0);
  const sums = groups.map((group) => {
    const members = results.filter((result) => result.group === group);
    return `  ${group.padEnd(groupWidth)}  ${sum(members)}`;
  });
  return [...lines, '', ...sums, '', sum(results)];
}

const stateOf = ({ outcome, unmet }: GauntletResult) =>
  outcome === 'inconclusive' && unmet !== undefined ? 'not met' : outcome;

function detail({ outcome, findings, unmet, reason, code, output }: GauntletResult): string {
  if (outcome === 'fail') {
    return [...new Set(findings.filter(({ severity }) => severity === 'fail').map((found) => found.code))].join(', ');
  }
  if (outcome === 'pass') return '';
  if (unmet !== undefined) return `needs ${unmet}`;
  const said = lastError(output);
  return `${harmless(reason)}${code === 0 ? '' : ` (exit code ${code}${said === '' ? '' : `: ${said}`})`}`;
}

/** `31 met: 28 passed, 2 failed, 1 inconclusive; 4 not met`. */
function sum(results: readonly GauntletResult[]): string {
  const count = (state: ReturnType<typeof stateOf>) => results.filter((result) => stateOf(result) === state).length;
  const met = results.length - count('not met');
  const parts = `${count('pass')} passed, ${count('fail')} failed, ${count('inconclusive')} inconclusive`;
  return `${met} of ${results.length} met: ${parts}`;
}
