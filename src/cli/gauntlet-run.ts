import type { CommandEnd } from '../judge/command-end.js';
import type { Verdict } from '../judge/judge-run.js';
import { busyMark, isBusy } from '../judge/lag.js';
import { mergeRemedies } from '../judge/remedy.js';
import { drawTerminalTimeline } from '../judge/report/terminal-timeline.js';
import { timelineOf } from '../judge/report/timeline.js';
import { clientOf } from '../scenario/client.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { readShippedScenarios } from '../scenario-files/shipped-scenarios.js';
import { UsageError } from '../validation/usage-error.js';
import { listGroups } from '../values/group-by.js';
import { sanitizeText } from '../values/sanitize-text.js';
import { wrap } from '../values/wrap.js';
import { resolveForClient, runClient } from './client-run.js';
import { inParallel } from './in-parallel.js';
import { lastError, lastErrorLines } from './last-error.js';
import type { RoutesFromFlags } from './route-flags.js';
import { wrapForTerminal } from './terminal.js';

/** A scenario of the gauntlet, which runs a client in many scenarios. */
export interface GauntletCase {
  /** Name of a shipped scenario or path of a file, as for `exec --scenario`. */
  name: string;
  scenario: Scenario;
}

/** Lists the shipped scenarios that state the expected result of a client in the field `expect`. */
export const shippedCases = (): GauntletCase[] =>
  Object.entries(readShippedScenarios())
    .map(([name, scenario]) => ({ name, scenario }))
    .filter(({ scenario }) => scenario.expect !== undefined);

/** A client in the gauntlet, which runs clients in many scenarios. */
export interface GauntletClient {
  command: readonly string[];
  /** Working directory of the client's command. Default: the current folder. */
  folder?: string;
}

/** Result of a client in one scenario of `gauntlet`, which runs a client in all shipped scenarios. */
export interface GauntletResult
  extends Pick<Verdict, 'outcome' | 'reason' | 'unmet' | 'amplification' | 'findings' | 'remedies' | 'lagMs'>,
    Pick<CommandEnd, 'stoppedBy'> {
  scenario: string;
  group: string;
  /** Exit code of the client's command, shown to explain the outcome. The outcome does not depend on the exit code. */
  code: number;
  /** Number of requests in the run's journal. */
  requests: number;
  output: string;
  /** Timeline of a failed run as lines of text. Only with the option `hasTimelines`. */
  timeline?: readonly string[];
  /** Last lines of the command's error output. Empty if the command ended without an error or was stopped. */
  errorLines: readonly string[];
  lastedMs: number;
}

/** Outcome of a run, or `not met` if the client did not do what the scenario requires. */
export const stateOf = ({ outcome, unmet }: Pick<GauntletResult, 'outcome' | 'unmet'>) =>
  outcome === 'inconclusive' && unmet !== undefined ? 'not met' : outcome;

/** Word for an outcome in texts. A scenario whose requirements the client did not meet was not reached. */
export const outcomeWord = <Outcome extends string>(outcome: Outcome) =>
  outcome === 'not met' ? 'not reached' : (outcome as Exclude<Outcome, 'not met'>);

/**
 * Whether a run fails with `--require-conclusive`: it is inconclusive, or a lag of the machine could have decided it. A
 * scenario that the client did not reach is neither.
 */
export const isUndecided = ({ lagMs, ...run }: { outcome: string; unmet?: string; lagMs?: number }): boolean =>
  isBusy({ lagMs }) || (run.outcome === 'inconclusive' && run.unmet === undefined);

/** Formats which runs fail with `--require-conclusive` alone; empty without such a run. */
export const undecidedLines = (runs: readonly string[]): string[] =>
  runs.length === 0 ? [] : [`Failed by --require-conclusive: ${runs.join(', ')}`];

/** Lists the first failing finding of each rule. */
export function firstFailures({ findings }: Pick<GauntletResult, 'findings'>): Verdict['findings'] {
  const failed = findings.filter(({ severity }) => severity === 'fail');
  return failed.filter(({ code }, index) => failed.findIndex((finding) => finding.code === code) === index);
}

/** Lists the codes of failing findings, without duplicates. */
export const failedCodes = (result: Pick<GauntletResult, 'findings'>) => firstFailures(result).map(({ code }) => code);

/** Remedies of a client that failed several runs, one for each library. */
export const remediesOf = (runs: readonly { outcome: string; remedies?: Verdict['remedies'] }[]) =>
  mergeRemedies(runs.flatMap(({ outcome, remedies = [] }) => (outcome === 'fail' ? remedies : [])));

/** Failed rule, with its sentence in the first scenario that has it. */
interface Reason {
  code: string;
  text: string;
  /** Scenarios with this failure: `in 3 scenarios, here day-wall`; empty for one. */
  where: string;
}

interface FailedRun {
  scenario: string;
  findings: readonly { code: string; text: string }[];
  errorLines?: readonly string[] | undefined;
}

/** Lists the failed rules of several runs, each once. */
export function reasonsOf(failed: readonly FailedRun[]): Reason[] {
  const found = failed.flatMap(({ scenario, findings }) => findings.map((finding) => ({ ...finding, scenario })));
  return listGroups(found, ({ code }) => code).flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const where = more.length > 0 ? `in ${more.length + 1} scenarios, here ${first.scenario}` : '';
    return [{ code: first.code, text: first.text, where }];
  });
}

/**
 * Formats why a client failed several runs: each failed rule and each error output of its command once, each after an
 * empty line.
 */
export function reasonLines(failed: readonly FailedRun[], columns: number): string[] {
  const outputs = new Map(failed.map(({ errorLines = [] }) => [errorLines.join('\n'), errorLines]));
  const blocks = [
    ...reasonsOf(failed).map(({ code, text, where }) => [`${code}${where && ` (${where})`}: ${sanitizeText(text)}`]),
    ...[...outputs.values()].map((lines) =>
      lines.map((line, index) => `${index === 0 ? 'output of the command: ' : '  '}${line}`),
    ),
  ];
  return blocks.flatMap((lines) =>
    lines.length === 0 ? [] : ['', ...lines.flatMap((line) => wrap(line, columns, 2))],
  );
}

/** Formats the command that shows one of several failed runs in detail. */
export const detailLines = (command: string | undefined): string[] =>
  command === undefined
    ? []
    : ['', '  One of these runs in detail:', wrapForTerminal(`    ${command}`, 6, process.stdout, ' \\')];

/**
 * Explains a result briefly: the failed rules, or the reason for an inconclusive run, and whether the machine was too
 * busy for the outcome. Empty for another pass.
 */
export function detailOf(gauntletResult: GauntletResult): string {
  const { lagMs } = gauntletResult;
  return [outcomeDetail(gauntletResult), lagMs === undefined ? '' : busyMark(lagMs)]
    .filter((part) => part !== '')
    .join('; ');
}

/** Advice to run another scenario, which is not for somebody who runs several. */
const adviceOfOther = / "npx petstore-sim exec --scenario [^"]*"[^.]*\./;

function outcomeDetail(gauntletResult: GauntletResult): string {
  const { outcome, unmet, reason, code, stoppedBy, output } = gauntletResult;
  if (outcome === 'fail') return failedCodes(gauntletResult).join(', ');
  if (outcome === 'pass') return '';
  if (unmet !== undefined) return `needs ${unmet}`;
  if (stoppedBy === 'timeout') return `${sanitizeText(reason)} (stopped by the time limit)`;
  const said = lastError(output);
  return `${sanitizeText(reason).replace(adviceOfOther, '')}${code === 0 ? '' : ` (exit code ${code}${said === '' ? '' : `: ${said}`})`}`;
}

interface GauntletOptions {
  timeoutMs: number;
  /** Number of concurrent runs. Default: 10, even with fewer processors, because clients mostly wait. */
  concurrency?: number;
  /**
   * Whether a client command that cannot be started becomes the result of a run, with exit code 127. If `false`,
   * `runGauntlet` throws a `UsageError`. Default: `false`.
   */
  toleratesFailedStart?: boolean;
  /** Whether the result of a failed run has its timeline. */
  hasTimelines?: boolean;
  routes?: RoutesFromFlags;
  /** Signal that stops the active runs, and after which no further run is started. */
  stopped?: AbortSignal | undefined;
  /** Called after each run, with the number of finished runs and the run's result. */
  onDone: (done: number, result: GauntletResult) => void;
}

/** Width of the timeline of a failed run, in characters, which fits into a column of a page. */
const timelineColumns = 80;

/** Exit code in the results for a client command that could not be started. Shells use the same code. */
const notStartedCode = 127;

/**
 * Runs each client in each scenario, the scenarios with the longest waits first. A run whose outcome a lag of the
 * machine could have changed runs again, alone.
 * @returns one list of results per client, in the order of `cases`; after a stop, without unfinished runs
 * @throws {UsageError} if a command cannot be started, unless `toleratesFailedStart`
 */
export async function runGauntlet(
  clients: readonly GauntletClient[],
  cases: readonly GauntletCase[],
  { onDone, concurrency = 10, toleratesFailedStart = false, ...options }: GauntletOptions,
): Promise<GauntletResult[][]> {
  const runs = clients.map((client) => cases.map((gauntletCase) => ({ client, gauntletCase })));
  const order = runs
    .flat()
    .sort((a, b) => longestWaitSeconds(b.gauntletCase.scenario) - longestWaitSeconds(a.gauntletCase.scenario));
  const work = async ({ client, gauntletCase }: (typeof order)[number]) => {
    try {
      return await runCase(client, gauntletCase, options);
    } catch (error) {
      if (!toleratesFailedStart || !(error instanceof UsageError)) throw error;
      return notStarted(gauntletCase, error.message);
    }
  };
  const results = await inParallel(order, work, { onDone, concurrency, runsAgain: isBusy, stopped: options.stopped });
  return runs.map((ofClient) => ofClient.flatMap((run) => results[order.indexOf(run)] ?? []));
}

async function runCase(
  { command, folder }: GauntletClient,
  { name, scenario }: GauntletCase,
  { hasTimelines, ...options }: Pick<GauntletOptions, 'timeoutMs' | 'stopped' | 'routes' | 'hasTimelines'>,
): Promise<GauntletResult> {
  const resolved = resolveForClient(scenario, options.routes);
  const run = await runClient(command, resolved, { output: 'keep', folder, ...options });
  const { verdict, end, output, errorOutput, lastedMs } = run;
  const { outcome, reason, unmet, findings, remedies, lagMs, counts, amplification } = verdict;
  const { exitCode: code, stoppedBy } = end;
  const isError = code !== 0 && stoppedBy === undefined;
  return {
    ...caseOf({ name, scenario }),
    outcome,
    reason,
    ...(unmet && { unmet }),
    code,
    ...(stoppedBy && { stoppedBy }),
    requests: counts.requests + counts.dropped,
    ...(amplification && { amplification }),
    findings,
    ...(remedies && { remedies }),
    ...(lagMs !== undefined && { lagMs }),
    output,
    errorLines: isError ? lastErrorLines(errorOutput.trim() === '' ? output : errorOutput) : [],
    lastedMs,
    ...(hasTimelines &&
      outcome === 'fail' && {
        timeline: drawTerminalTimeline(timelineOf(run.entries, run.nameKey), timelineColumns, (_, text) => text),
      }),
  };
}

const notStarted = (gauntletCase: GauntletCase, reason: string): GauntletResult => ({
  ...caseOf(gauntletCase),
  outcome: 'inconclusive',
  reason,
  code: notStartedCode,
  requests: 0,
  findings: [],
  output: '',
  errorLines: [],
  lastedMs: 0,
});

const caseOf = ({ name, scenario: { group = 'own' } }: GauntletCase) => ({ scenario: name, group });

/** Time that a client may need after a fault before it sends the next request: its timeout or its wait. */
const faultSeconds = 5;

/** Estimates a client's total waiting time in a scenario. */
function longestWaitSeconds(scenario: Scenario): number {
  const { windows = {}, keys = {}, faults = [] } = scenario;
  const { key, calls, parallel } = clientOf(scenario);
  const named = [...Object.values(windows).map(seconds), seconds(keys[key]?.bannedFor)];
  const all = named.filter((each) => each <= 120);
  return Math.max(faults.length > 0 ? faultSeconds : 0, ...all) * Math.ceil(calls / parallel);
}

const seconds = (text: unknown) => Number(/^(\d+)s$/.exec(String(text))?.[1] ?? 0);
