import { isAbsolute, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Amplification } from '../../judge/amplification.js';
import type { Remedy } from '../../judge/finding.js';
import { isBusy } from '../../judge/lag.js';
import { perCallOf } from '../../judge/report/wording.js';
import { formatRequestIds } from '../../judge/select-findings.js';
import { oneOf } from '../../validation/schemas.js';
import { groupBy } from '../../values/group-by.js';
import { flagWords } from '../flag-words.js';
import { detailOf, firstFailures, type GauntletResult, outcomeWord, remediesOf, stateOf } from '../gauntlet-run.js';
import { programIn } from '../program.js';
import { shellWords } from '../shell-words.js';
import type { Sdk, SdkCase } from './sdk-file.js';

/**
 * Outcomes of a client's run in a scenario. `error`: the client's command sent no request, because it could not be
 * started, ended early or was stopped.
 */
export const outcomes = ['pass', 'fail', 'inconclusive', 'not met', 'error'] as const;
export const outcomeSchema = oneOf(...outcomes);
export type CertifiedOutcome = (typeof outcomes)[number];

/** A finding of the judge that makes a client fail a scenario. */
interface CertifiedFinding {
  code: string;
  /** Journal ids of the finding's requests, as text: `requests 3–5`. */
  requests: string;
  text: string;
}

/** Result of one SDK (a client library under test) in one scenario. */
export interface CertifiedRun {
  scenario: string;
  outcome: CertifiedOutcome;
  /**
   * Short explanation of the outcome: the failed rules, why the run is inconclusive, or that the machine was too busy.
   * Empty for another pass.
   */
  detail: string;
  /** The first finding of each rule that the client failed. */
  findings: readonly CertifiedFinding[];
  /** Timeline of a failed run, as lines of text. */
  timeline?: readonly string[];
  /** Last lines of the command's error output, if the client failed and its command ended with an error. */
  errorLines?: readonly string[];
  exitCode: number;
  /** Requests per call; absent if the client retried no call. */
  amplification?: Amplification;
  /** Lag of the machine, if it could have changed the outcome. */
  lagMs?: number;
  lastedMs: number;
  /** Command line that repeats the run; only set for a failure or an error. */
  repeat?: string;
}

export type OutcomeCounts = Record<CertifiedOutcome, number>;

export interface CertifiedSdk {
  name: string;
  command: string;
  /** Version of the tested client SDK: the first line that the SDK's version command printed. */
  version?: string;
  counts: OutcomeCounts;
  results: readonly CertifiedRun[];
  /** Settings of the SDK's HTTP libraries that end its failures. */
  remedies: readonly Remedy[];
}

/** The result of `certify`: outcomes of several SDKs in several scenarios. */
export interface Certificate {
  /** ISO 8601. */
  date: string;
  petstoreSim: string;
  node: string;
  platform: string;
  /** Seed of random values in all scenarios of the run; `undefined` if each scenario used its own seed. */
  seed?: number;
  counts: OutcomeCounts;
  scenarios: readonly { name: string; group: string }[];
  sdks: readonly CertifiedSdk[];
}

/**
 * Flags of `certify` that apply to each run of a client. The command that repeats a single run contains the same flags.
 */
export interface RunSettings {
  timeout?: string | undefined;
  seed?: string | undefined;
  refused?: string[] | undefined;
}

/**
 * Combines the runs of one SDK (a client library under test) into the SDK's result for the report of the command
 * `certify`.
 */
export function certifySdk(
  sdk: Sdk,
  version: string | undefined,
  results: readonly GauntletResult[],
  cases: readonly SdkCase[],
  settings: RunSettings,
): CertifiedSdk {
  const isSilent = results.every(({ requests }) => requests === 0);
  const command = sdk.command.map((word, index) => portable(word, index === 0, sdk.folder));
  const runs = results.map((gauntletResult): CertifiedRun => {
    const { scenario, code, stoppedBy, requests, timeline, errorLines, amplification, lagMs, lastedMs } =
      gauntletResult;
    const isError = requests === 0 && (isSilent || code !== 0 || stoppedBy !== undefined);
    const outcome = isError ? 'error' : stateOf(gauntletResult);
    const sdkCase = cases.find(({ name }) => name === scenario) as SdkCase;
    return {
      scenario,
      outcome,
      detail: detailOf(gauntletResult),
      findings: firstFailures(gauntletResult).map((finding) => ({
        code: finding.code,
        requests: formatRequestIds(finding),
        text: finding.text,
      })),
      ...(timeline && { timeline }),
      ...(isFailure(outcome) && errorLines.length > 0 && { errorLines: errorLines.map(withoutFolder) }),
      exitCode: code,
      ...(amplification && { amplification }),
      ...(lagMs !== undefined && { lagMs }),
      lastedMs: Math.round(lastedMs),
      ...(isFailure(outcome) && { repeat: repeatLine({ ...sdk, command }, sdkCase, settings) }),
    };
  });
  return {
    name: sdk.name,
    command: shellWords(command),
    ...(version && { version }),
    counts: countOutcomes(runs),
    results: runs,
    remedies: remediesOf(results),
  };
}

/** Formats the most requests per call of an SDK's runs: `6 per call (stubborn-429)`; empty if it retried no call. */
export function mostPerCall({ results }: CertifiedSdk): string {
  const [most] = results
    .flatMap(({ scenario, amplification }) => (amplification ? [{ scenario, amplification }] : []))
    .sort((a, b) => b.amplification.overall - a.amplification.overall);
  return most === undefined ? '' : `${perCallOf(most.amplification)} (${most.scenario})`;
}

/**
 * Makes a path below the current folder relative to the command's folder, so that others can run the command.
 * @param isProgram whether the word is the program, which a shell finds only by a path with a slash
 */
function portable(word: string, isProgram: boolean, folder: string): string {
  if (!isAbsolute(word) || /^\.\.|^$/.test(relative('.', word))) return word;
  const path = relative(folder, word);
  return isProgram && !/[/\\]/.test(path) ? `./${path}` : path;
}

/** Removes the current folder from the paths in a text. */
const withoutFolder = (text: string) =>
  text.replaceAll(`${pathToFileURL('.')}/`, '').replaceAll(`${process.cwd()}${sep}`, '');

export const isFailure = (outcome: CertifiedOutcome) => outcome === 'fail' || outcome === 'error';

export const countOutcomes = (runs: readonly Pick<CertifiedRun, 'outcome'>[]): OutcomeCounts => {
  const of = (outcome: CertifiedOutcome) => runs.filter((run) => run.outcome === outcome).length;
  return Object.fromEntries(outcomes.map((outcome) => [outcome, of(outcome)])) as OutcomeCounts;
};

/**
 * Formats the command line that repeats a run: `cd python && npx petstore-sim exec --scenario day-wall -- python3
 * client.py`.
 */
function repeatLine(
  { command, folder }: Sdk,
  { name, file }: SdkCase,
  { timeout, seed, refused }: RunSettings,
): string {
  const below = relative('.', folder);
  const scenario = file === undefined ? name : relative(folder, file);
  const flags = flagWords({ scenario, seed, timeout, refused });
  const line = `${programIn(folder)} exec ${shellWords([...flags, '--', ...command])}`;
  return below === '' ? line : `cd ${shellWords([below])} && ${line}`;
}

/**
 * Computes the share of passed runs among those that reached their scenarios, in whole percent. The result is 100 only
 * if every such run passed.
 */
export function passedPercent(counts: OutcomeCounts): number {
  const reached = reachedOf(counts);
  return reached === 0 ? 0 : Math.floor((counts.pass / reached) * 100);
}

const reachedOf = (counts: OutcomeCounts) => totalOf(counts) - counts['not met'];

export const totalOf = (counts: OutcomeCounts) => outcomes.reduce((sum, outcome) => sum + counts[outcome], 0);

/**
 * Formats the number of runs per outcome: `54 of 55 passed, 1 failed, 1 not reached`. A scenario is not reached if the
 * client did not send the requests that it needs. Omits outcomes without runs.
 */
export function countsText(counts: OutcomeCounts): string {
  const words: Record<CertifiedOutcome, string> = {
    pass: 'passed',
    fail: 'failed',
    inconclusive: 'inconclusive',
    'not met': outcomeWord('not met'),
    error: 'not run',
  };
  const others = outcomes.filter((outcome) => outcome !== 'pass' && counts[outcome] > 0);
  const reached = reachedOf(counts);
  return [
    ...(reached > 0 ? [`${counts.pass} of ${reached} passed`] : []),
    ...others.map((outcome) => `${counts[outcome]} ${words[outcome]}`),
  ].join(', ');
}

/**
 * Group of one SDK's unsuccessful runs with an equal reason. The inherited fields describe the first run of the group.
 */
export interface NotPassed extends CertifiedRun {
  runs: readonly CertifiedRun[];
  sdk: string;
  /** Names of the scenarios of all `runs`, as text: `day-wall, minute-wall`, or `every scenario`. */
  scenarios: string;
}

/**
 * Groups an SDK's runs without the outcome `pass`, or on a machine too busy for it, by the reason. Each run with the
 * outcome `fail` is a separate group.
 */
export function notPassed({ name, results }: Pick<CertifiedSdk, 'name' | 'results'>): NotPassed[] {
  const others = results.filter((run) => run.outcome !== 'pass' || isBusy(run));
  const groups = groupBy(others, ({ outcome, scenario, detail }) =>
    outcome === 'fail' ? scenario : `${outcome} ${detail}`,
  );
  return [...groups.values()].map((runs) => ({
    ...(runs[0] as CertifiedRun),
    runs,
    sdk: name,
    scenarios:
      runs.length === results.length && runs.length > 1
        ? 'every scenario'
        : runs.map(({ scenario }) => scenario).join(', '),
  }));
}

/** Groups the runs of all SDKs that did not pass, in two lists: failed runs, and runs without a conclusion. */
export function notPassedOf(sdks: readonly CertifiedSdk[]): { failed: NotPassed[]; undecided: NotPassed[] } {
  const groups = sdks.flatMap(notPassed);
  return {
    failed: groups.filter(({ outcome }) => isFailure(outcome)),
    undecided: groups.filter(({ outcome }) => !isFailure(outcome)),
  };
}

/** Formats the date of a certificate: `2026-01-02 03:04`. */
export const minuteOf = (date: string) => date.slice(0, 16).replace('T', ' ');

/** Describes how the runs of `certify` were made: date, versions and seed. */
export function circumstances({ date, petstoreSim, node, platform, seed }: Certificate): string {
  const seedText = seed === undefined ? 'seeds of the scenarios' : `seed ${seed}`;
  return `${minuteOf(date)} UTC, petstore-sim ${petstoreSim}, Node.js ${node}, ${platform}, ${seedText}`;
}

/** Character that represents a run's outcome in a table. */
export const outcomeSymbols: Record<CertifiedOutcome, string> = {
  pass: '✓',
  fail: '✗',
  inconclusive: '?',
  'not met': '–',
  error: '!',
};

/** Legend of the characters that represent outcomes in a table. */
export const legend: Record<CertifiedOutcome, string> = {
  pass: 'did what the service asks',
  fail: 'did not',
  inconclusive: 'shows nothing',
  'not met': 'did not do what the scenario requires',
  error: 'sent no request',
};
