import { styleText } from 'node:util';
import { type Described, describeFind, effectsOfScenario, nameOfFind } from '../../hunt/describe-find.js';
import { withoutOneField } from '../../hunt/reduce.js';
import { search } from '../../hunt/search.js';
import { createFieldTracker, dayStart, initialScenarios, withShortMinute } from '../../hunt/starts.js';
import { type Failure, failuresIn, type Trial } from '../../hunt/trial.js';
import type { Remedy } from '../../judge/finding.js';
import { busyMark, isBusy } from '../../judge/lag.js';
import { mergeRemedies } from '../../judge/remedy.js';
import { huntReport } from '../../judge/report/junit.js';
import { remedyLines, untestedLine } from '../../judge/report/wording.js';
import { rules } from '../../judge/rules.js';
import { resultOf } from '../../judge/run-result.js';
import type { RequestRecord } from '../../requests/request-record.js';
import { type FindingCode, findingCodes } from '../../scenario/finding-codes.js';
import type { ResolvedScenario } from '../../scenario/resolve-scenario.js';
import { ScenarioError } from '../../scenario/scenario-error.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { readShippedScenarios } from '../../scenario-files/shipped-scenarios.js';
import { UsageError } from '../../validation/usage-error.js';
import { pluralize } from '../../values/pluralize.js';
import { sanitizeText } from '../../values/sanitize-text.js';
import { wrap } from '../../values/wrap.js';
import type { CliInput } from '../cli-input.js';
import { type ClientRun, resolveForClient, runClient } from '../client-run.js';
import { flagWords } from '../flag-words.js';
import { printResult } from '../format-json-result.js';
import { checkOutput, writeOutput } from '../output-files.js';
import { commandLine, program } from '../program.js';
import { drawBar, eraseLine } from '../progress-bar.js';
import { type RecordedCall, responsesTo } from '../replayed-calls.js';
import { textColumns, wrapForTerminal } from '../terminal.js';
import { refusedStatuses, withRefused } from '../verdict-flags.js';
import { waitUntilStopped } from '../wait-until-stopped.js';
import { expectedRequests, printStopped, refuseScenario, requireCommand, timeoutOf } from './client-flags.js';

export interface HuntFlags {
  runs?: string;
  seed?: string;
  timeout?: string;
  out?: string;
  junit?: string;
  report?: string;
  refused?: string[];
}

/** A run of the client's command in one scenario, with the data for a report. */
interface CommandTrial extends Trial {
  run: ClientRun;
  /** API calls of the client, with which other scenarios are compared. */
  calls: readonly RecordedCall[];
}

/**
 * Failure of the client that `hunt` found, with the file of the scenario in which the client fails. `exec --scenario
 * FILE` repeats the run.
 */
interface WrittenFind extends Omit<Described, 'seed'> {
  file: string;
  scenario: Scenario;
  /** Lag of the machine, if it could have changed the outcome. */
  lagMs?: number;
}

/** Number of concurrent runs of the client. Clients mostly wait, so 12 runs do not need 12 processors. */
const concurrency = 12;
/** Time limit of a run of the scenario with a used-up day, which shows after a minute whether a client gives up. */
const dayTimeoutMs = 75_000;
/** Maximum number of runs that simplify one failing scenario. Each run takes seconds. */
const reductionRuns = 10;
/** Scenario fields that the bug search `hunt` keeps unchanged while it searches for a simpler failing scenario. */
const keptFields = ['expect', 'windows'];
/** Exit code of `hunt` if the client's runs tested none of the judge's rules. */
const nothingTriedCode = 2;

/**
 * Searches for the smallest scenarios in which a client's command fails, and writes them to files.
 * @returns exit code: 1 for a found failure, 2 if the runs tested no rule of the judge, 128 + n after signal n
 */
export async function hunt(input: CliInput<HuntFlags>): Promise<number> {
  const { flags, rest: command } = input;
  requireCommand('hunt', command);
  refuseScenario(
    'hunt',
    command,
    (scenario) =>
      `it starts from all shipped scenarios. To run one: ${commandLine('exec', '--scenario', scenario)} -- COMMAND`,
  );
  const runs = readCount('runs', flags.runs ?? '40');
  const seed = readCount('seed', flags.seed ?? '1');
  const limit = flags.timeout ?? '45s';
  const timeoutMs = timeoutOf(limit);
  const { out = 'hunt', junit, report } = flags;
  const fieldTracker = createFieldTracker();
  const refused = refusedStatuses(flags.refused);
  const initial = initialScenarios(readShippedScenarios()).map(
    ([name, scenario]) => [name, withRefused(scenario, refused)] as const,
  );
  const runSummary = createRunSummary(
    new Map([...initial].map(([name, scenario]) => [JSON.stringify(scenario), name])),
  );
  const dayText = JSON.stringify(withRefused(withShortMinute(dayStart), refused));
  checkOutput('--junit', junit, 'XML');
  checkOutput('--report', report, 'HTML');
  checkOutput('--out', `${out}/early-retry.yaml`, 'YAML');
  const onRun = createProgress(runs);

  const { result, stoppedCode } = await waitUntilStopped(async (stopped) => {
    const runOnce = async (scenario: Scenario, limitMs: number): Promise<CommandTrial | undefined> => {
      const resolved = resolve(scenario);
      if (resolved === undefined || stopped.aborted) return undefined;
      const calls: RecordedCall[] = [];
      const ran = await runClient(command, resolved, { output: 'keep', timeoutMs: limitMs, stopped, calls });
      if (stopped.aborted) return undefined;
      const { verdict, entries, end } = ran;
      const failures = failuresIn(verdict, entries);
      const ended = end.stoppedBy ?? (end.exitCode === 0 ? 'returned' : 'threw');
      return { scenario, verdict, entries, failures, failure: failures[0], end: ended, run: ran, calls };
    };
    const run = async (given: Scenario): Promise<CommandTrial | undefined> => {
      const scenario = withShortMinute(given);
      const isLong = flags.timeout === undefined && JSON.stringify(scenario) === dayText;
      const limitMs = isLong ? dayTimeoutMs : timeoutMs;
      const trial = await runOnce(scenario, limitMs);
      if (trial === undefined) return undefined;
      fieldTracker.learn(scenario, trial.entries);
      runSummary.add(scenario, limitMs, trial.run);
      return trial;
    };
    const searched = await search<CommandTrial>({
      run,
      canCut: false,
      isRealTime: true,
      base: withRefused({}, refused),
      initial: initial.map(([, scenario]) => scenario),
      space: () => ({ key: 'free-key', client: fieldTracker.fields(), isRealTime: true }),
      runs,
      seed,
      concurrency,
      reductionRuns,
      repeats: 1,
      isFixedField: ([field = '', name]) => keptFields.includes(field) || (field === 'client' && name !== 'calls'),
      isStopped: () => stopped.aborted || runSummary.isSilent(),
      onRun,
    });
    const found: CommandTrial[] = [];
    for (const trial of searched.found) {
      const confirmed = await confirmFind(trial, (candidate) => runOnce(candidate, dayTimeoutMs));
      // After Ctrl-C, reports the finds that no further run could confirm.
      const scenario = withoutIrrelevant(trial.scenario, trial.failure?.code ?? '', trial.entries);
      if (confirmed !== undefined || stopped.aborted) found.push(confirmed ?? { ...trial, scenario });
    }
    return { ...searched, found };
  }, concurrency);
  if (process.stderr.isTTY) process.stderr.write(eraseLine);
  if (stoppedCode !== undefined) printStopped(result.runs, runs);
  if (result.requests === 0 && stoppedCode === undefined) throw new UsageError(runSummary.silence());

  const again = [...flagWords(flags, ['refused']), '--', ...command];
  const finds = result.found.map((trial, index) =>
    writeFind(trial, result.found.slice(0, index), { out, seed, again }),
  );
  const remedies = mergeRemedies(result.found.flatMap(({ verdict }) => verdict.remedies ?? []));
  if (junit !== undefined) writeOutput('--junit', junit, huntReport(result.exercised, finds, remedies));
  const [first] = result.found;
  if (report !== undefined && first !== undefined) writeOutput('--report', report, await reportOf(first));
  const { exercised } = result;
  // Suggests a hunt with another seed if this hunt found no failing scenario.
  const another = commandLine('hunt', '--json', '--seed', String(seed + 1), ...again);
  const next = finds.length > 0 ? finds.slice(0, 3).map(({ repeat }) => repeat) : [another];
  const untested = findingCodes.filter((code) => !exercised.includes(code));
  const lines = [...linesOf(finds, { remedies, runs: result.runs, seed, untested }), ...runSummary.remarks()];
  const stopped = runSummary.stopped();
  printResult(input, { found: finds, remedies, runs: result.runs, seed, exercised, untested, stopped }, next, lines);
  if (stoppedCode !== undefined) return stoppedCode;
  if (finds.length > 0) return 1;
  return exercised.length === 0 ? nothingTriedCode : 0;
}

function readCount(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text) && (flag === 'seed' || Number(text) > 0)) return Number(text);
  throw new UsageError(`expected --${flag} to be a whole number, got ${JSON.stringify(text)}`);
}

/** Checks a scenario and adds its defaults; returns `undefined` if the scenario is invalid. */
function resolve(scenario: Scenario): ResolvedScenario | undefined {
  try {
    return resolveForClient(scenario);
  } catch (error) {
    if (error instanceof ScenarioError) return undefined;
    throw error;
  }
}

/**
 * Writes the file of a scenario that the client failed, named after the failure: `gave-up.yaml`, then `gave-up-2.yaml`.
 * @param again end of the command line that repeats the run: flags, and the client's command
 */
function writeFind(
  { scenario, failure, verdict: { lagMs } }: CommandTrial,
  before: readonly CommandTrial[],
  { out, seed, again }: { out: string; seed: number; again: readonly string[] },
): WrittenFind {
  const { code, text } = failure as Failure;
  const number = 1 + before.filter((trial) => trial.failure?.code === code).length;
  const file = `${out}/${code}${number > 1 ? `-${number}` : ''}.yaml`;
  const repeat = commandLine('exec', '--scenario', file, ...again);
  writeOutput('--out', file, describeFind(scenario, { code, text, repeat, seed }));
  const busy = lagMs === undefined ? {} : { lagMs };
  return { code, text, file, repeat, scenario, ...busy };
}

/** Maximum number of runs that confirm a find. A run in which a lag could have decided does not count. */
const confirmingRuns = 2;

/**
 * Runs the client alone in the scenario that `hunt` will write, with the find's name, and returns that run with its own
 * failure. Returns `undefined` if the client does not fail there.
 */
async function confirmFind(
  trial: CommandTrial,
  runOnce: (scenario: Scenario) => Promise<CommandTrial | undefined>,
): Promise<CommandTrial | undefined> {
  const { code } = trial.failure as Failure;
  const relevant = withoutIrrelevant(trial.scenario, code, trial.entries);
  const scenarios = [withoutEffect(relevant, trial.calls), relevant];
  let confirmed: CommandTrial | undefined;
  for (let attempt = 0; attempt < confirmingRuns; attempt++) {
    const scenario = scenarios[confirmed === undefined ? attempt : 0] as Scenario;
    const description = effectsOfScenario(scenario);
    const again = await runOnce({ name: nameOfFind(scenario, code), ...(description && { description }), ...scenario });
    const failure = again?.failures.find((each) => each.code === code);
    // A run in which the client passes refutes an earlier one that a lag could have decided.
    confirmed = again && failure && { ...again, scenario, failure };
    if (confirmed !== undefined && !isBusy(confirmed.verdict)) break;
  }
  return confirmed;
}

/** Scenario fields that affect the client or the judge, but not the responses to recorded calls. */
const keptWithoutEffect = ['expect', 'client', 'clock'];

/** Removes each field of a scenario without which the simulator responds to the client's calls in the same way. */
function withoutEffect(scenario: Scenario, calls: readonly RecordedCall[]): Scenario {
  const given = resolve(scenario);
  if (given === undefined || calls.length === 0) return scenario;
  const responses = JSON.stringify(responsesTo(calls, given));
  for (const simpler of withoutOneField(scenario, ([field = '']) => keptWithoutEffect.includes(field))) {
    const resolved = resolve(simpler);
    if (resolved !== undefined && JSON.stringify(responsesTo(calls, resolved)) === responses)
      return withoutEffect(simpler, calls);
  }
  return scenario;
}

/**
 * Simplifies a failing scenario before `hunt` writes it to a file. Omits the expectations that the client met, those of
 * rules that fail a run in every scenario, and the minute window's length if the minute limit refused no request.
 */
function withoutIrrelevant(
  { expect, windows: { minute, ...windows } = {}, ...fields }: Scenario,
  code: string,
  entries: readonly RequestRecord[],
): Scenario {
  const fail = expect?.fail?.filter((each) => each === code && !rules[each].alwaysFails) ?? [];
  const isLimited = entries.some(({ refusal, window }) => refusal === 'limit' && window === 'minute');
  const left = isLimited ? { minute, ...windows } : windows;
  return {
    ...fields,
    ...(Object.keys(left).length > 0 && { windows: left }),
    ...(fail.length > 0 && { expect: { fail } }),
  };
}

async function reportOf({ run }: CommandTrial): Promise<string> {
  const [{ reportHtml }, { readPageFiles }] = await Promise.all([
    import('../../control-api/report-html.js'),
    import('../../control-api/node/package-files.js'),
  ]);
  return reportHtml(readPageFiles(), await run.run(resultOf(run.verdict, { command: run.end })));
}

/** Number of runs after which `petstore-sim hunt` stops if the client sent no request in any run. */
const maximumSilentRuns = 3;
/** Maximum number of lines that a message quotes from the end of a command's output. */
const maximumQuotedLines = 8;

const formatSeconds = (ms: number) => `${ms / 1000} s`;

/** Run of the client that was stopped at its time limit. */
interface StoppedRun {
  /** Name of the shipped scenario; for any other scenario, its effects. */
  text: string;
  limitMs: number;
  scenario: Scenario;
}

/**
 * Collects how the runs of a client's command ended, and formats messages for the user about the runs.
 * @param names names of shipped scenarios, by the scenario as JSON
 */
function createRunSummary(names: ReadonlyMap<string, string | undefined>) {
  const runs: (Pick<ClientRun, 'end' | 'output'> & { requests: number; scenario: Scenario; limitMs: number })[] = [];
  const outputOf = ({ output }: Pick<ClientRun, 'output'>) =>
    output.trimEnd().split('\n').slice(-maximumQuotedLines).map(sanitizeText).join('\n');
  const stopped = (): StoppedRun[] =>
    runs
      .filter(({ end }) => end.stoppedBy !== undefined)
      .map(({ scenario, limitMs }) => {
        const text = names.get(JSON.stringify(scenario)) ?? effectsOfScenario(scenario);
        return { text, limitMs, scenario };
      });
  return {
    stopped,
    add: (scenario: Scenario, limitMs: number, { end, output, entries }: ClientRun) =>
      void runs.push({ end, output, requests: entries.length, scenario, limitMs }),
    isSilent: () => runs.length >= maximumSilentRuns && runs.every(({ requests }) => requests === 0),
    silence(): string {
      const last = runs.at(-1);
      const ended =
        last?.end.stoppedBy === undefined
          ? `ended with exit code ${last?.end.exitCode}`
          : `was stopped after ${formatSeconds(last.limitMs)}`;
      const tail = last === undefined || last.output.trim() === '' ? '' : ` Its output:\n${outputOf(last)}`;
      return `${expectedRequests} in ${runs.length} runs. The command ${ended}.${tail}`;
    },
    /**
     * Returns sentences for the report of the command `hunt` about the client's runs: which stopped at the time
     * limit, or that all failed.
     */
    remarks(): string[] {
      const late = stopped().map(({ text, limitMs }) =>
        wrapForTerminal(`  after ${formatSeconds(limitMs)}: ${text}`, 4),
      );
      const failed = runs.filter(({ end }) => end.stoppedBy === undefined && end.exitCode !== 0);
      const last = failed.length === runs.length ? failed.at(-1) : undefined;
      return [
        ...(late.length > 0
          ? [`${pluralize(late.length, 'run')} reached the time limit (--timeout), which alone is no failure:`, ...late]
          : []),
        ...(last === undefined
          ? []
          : [`The command failed in every run, with exit code ${last.end.exitCode}. Its output:`, outputOf(last)]),
      ];
    },
  };
}

/** Describes the rest of a hunt. After the last run, it simplifies what it found, in a time that is not known. */
export const restOfHunt = (isLast: boolean, found: number, leftSeconds: number): string =>
  isLast ? 'reducing what was found' : `${pluralize(found, 'failure')}, about ${leftSeconds} s left`;

/**
 * Creates a progress display on standard error with the estimated remaining time: one line on a terminal, otherwise a
 * line now and then.
 */
function createProgress(total: number): (done: number, found: number) => void {
  const startMs = performance.now();
  return (done, found) => {
    const { stderr } = process;
    const leftSeconds = Math.ceil(((performance.now() - startMs) / done) * ((total - done) / 1000));
    const rest = restOfHunt(done === total, found, leftSeconds);
    if (stderr.isTTY) stderr.write(`${drawBar(done, total, 'runs')}, ${rest}\u001b[K`);
    else if (done % 10 === 0 && done < total) stderr.write(`${done} of ${total} runs, ${rest}\n`);
  };
}

function linesOf(
  finds: readonly WrittenFind[],
  {
    remedies,
    runs,
    seed,
    untested,
  }: { remedies: readonly Remedy[]; runs: number; seed: number; untested: readonly FindingCode[] },
): string[] {
  const columns = textColumns();
  const found = finds.flatMap(({ code, text, file, repeat, lagMs }) => [
    wrapForTerminal(`  ${styleText('red', code)}  ${file}${lagMs === undefined ? '' : `; ${busyMark(lagMs)}`}`, 6),
    ...wrap(sanitizeText(text), columns, 6),
    styleText('dim', wrapForTerminal(`      ${repeat}`, 8, process.stdout, ' \\')),
  ]);
  const sum = finds.length === 0 ? styleText('green', 'Nothing found') : `${finds.length} found`;
  const silent = untested.length === 0 ? [] : wrap(untestedLine(untested), columns);
  return [
    ...found,
    ...(found.length > 0 ? [''] : []),
    ...remedies.flatMap((remedy) => [...remedyLines(remedy, program, columns), '']),
    `${sum} in ${pluralize(runs, 'scenario')} (seed ${seed}).`,
    ...silent,
  ];
}
