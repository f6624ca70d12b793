import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { remedyLines } from '../../judge/report/wording.js';
import { UsageError } from '../../validation/usage-error.js';
import { sanitizeText } from '../../values/sanitize-text.js';
import {
  type Certificate,
  type CertifiedSdk,
  certifySdk,
  countOutcomes,
  countsText,
  isFailure,
  notPassed,
  passedPercent,
  totalOf,
} from '../certify/certificate.js';
import { certificateBadge } from '../certify/certificate-badge.js';
import { certificateHtml } from '../certify/certificate-html.js';
import { certificateJunit } from '../certify/certificate-junit.js';
import { certificateMarkdown } from '../certify/certificate-markdown.js';
import {
  type Changes,
  changesSince,
  changesText,
  type OutcomeChange,
  readPreviousCertificate,
} from '../certify/changes.js';
import { readSdkFile, type Sdk, type SdkFile } from '../certify/sdk-file.js';
import type { CliInput } from '../cli-input.js';
import { runClientCommand } from '../client-command.js';
import { flagWords } from '../flag-words.js';
import { printResult } from '../format-json-result.js';
import { detailLines, isUndecided, outcomeWord, reasonLines, runGauntlet, undecidedLines } from '../gauntlet-run.js';
import { wholeNumber } from '../listen-flags.js';
import { checkOutput, writeOutput } from '../output-files.js';
import { packageVersion } from '../package-version.js';
import { commandLine, program } from '../program.js';
import { textColumns, wrapForTerminal } from '../terminal.js';
import { refusedStatuses, withRefused } from '../verdict-flags.js';
import { waitUntilStopped } from '../wait-until-stopped.js';
import { createRunCounter, printStopped, timeoutOf } from './client-flags.js';

export interface CertifyFlags {
  out?: string;
  against?: string;
  junit?: string;
  parallel?: string;
  seed?: string;
  timeout?: string;
  'require-conclusive'?: boolean;
  refused?: string[];
}

/**
 * Default number of concurrent runs: the smaller of 10 per SDK and 20 per processor. Clients mostly wait, but each
 * start of a client keeps a processor busy.
 */
const runsPerSdk = 10;
const runsPerProcessor = 20;

/**
 * Runs the SDKs listed in a file in all scenarios, and writes the results to a certificate.
 * @returns exit code: 1 if a run fails or is an error, with `--against` only if a run is worse than before; with
 * `--require-conclusive` also if a run is inconclusive; 128 + n after signal n
 */
export async function certify(input: CliInput<CertifyFlags>): Promise<number> {
  const {
    flags,
    rest: [file],
    print,
  } = input;
  if (file === undefined) {
    throw new UsageError(`expected a file with the commands of SDKs, such as ${program} certify sdks.yaml`);
  }
  const { out = 'certificate', against, junit, seed, parallel } = flags;
  const timeoutMs = timeoutOf(flags.timeout);
  const given = parallel === undefined ? undefined : wholeNumber('--parallel', parallel, 1_000) || 1;
  const { sdks, cases: seeded } = withSeed(await readSdkFile(file), seed);
  const refused = refusedStatuses(flags.refused);
  const cases = seeded.map((each) => ({ ...each, scenario: withRefused(each.scenario, refused) }));
  const earlier = against === undefined ? undefined : readPreviousCertificate(against);
  checkOutput('--out', join(out, 'certificate.json'), 'JSON');
  checkOutput('--junit', junit, 'XML');

  const concurrency = given ?? Math.min(runsPerSdk * sdks.length, runsPerProcessor * availableParallelism());
  const total = sdks.length * cases.length;
  const onDone = createRunCounter(total);
  const date = new Date().toISOString();
  const { result, stoppedCode } = await waitUntilStopped(async (stopped) => {
    const versions = await Promise.all(sdks.map((sdk) => versionOf(sdk, stopped)));
    const results = await runGauntlet(sdks, cases, {
      timeoutMs,
      concurrency,
      stopped,
      onDone,
      toleratesFailedStart: true,
      hasTimelines: true,
    });
    return sdks.map((sdk, index) => certifySdk(sdk, versions[index], results[index] ?? [], cases, flags));
  }, concurrency + sdks.length);
  const certificate: Certificate = {
    date,
    petstoreSim: packageVersion(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    ...(seed !== undefined && { seed: Number(seed) }),
    counts: countOutcomes(result.flatMap(({ results }) => results)),
    scenarios: cases.map(({ name, scenario: { group = 'own' } }) => ({ name, group })),
    sdks: result,
  };
  const changes = earlier && changesSince(earlier, certificate);
  const again = [file, ...flagWords(flags, ['out', 'against', 'seed', 'timeout', 'refused'])];
  const whole = { ...certificate, ...(changes && { changes }) };
  const mustConclude = flags['require-conclusive'] ?? false;
  const undecided = mustConclude ? undecidedNames(certificate) : [];
  const lines = [...certificateLines(certificate, changes), ...undecidedLines(undecided)];
  printResult(input, whole, nextCommands(certificate, again), lines);
  if (stoppedCode !== undefined) {
    printStopped(totalOf(certificate.counts), total);
    return stoppedCode;
  }
  const texts = {
    'certificate.html': certificateHtml(certificate, changes),
    'certificate.md': certificateMarkdown(certificate, changes),
    'certificate.json': `${JSON.stringify(whole, null, 2)}\n`,
    'badge.svg': certificateBadge(certificate),
  };
  for (const [name, text] of Object.entries(texts)) writeOutput('--out', join(out, name), text);
  if (junit !== undefined) writeOutput('--junit', junit, certificateJunit(certificate, mustConclude));
  if (!flags.json)
    print(
      `\n${Object.keys(texts)
        .map((name) => `${join(out, name)}\n`)
        .join('')}`,
    );
  const { fail, error } = certificate.counts;
  return undecided.length > 0 || (changes === undefined ? fail + error : changes.worse.length) > 0 ? 1 : 0;
}

const undecidedNames = ({ sdks }: Certificate): string[] =>
  sdks.flatMap(({ name, results }) => results.filter(isUndecided).map(({ scenario }) => `${name} ${scenario}`));

function withSeed({ sdks, cases }: SdkFile, text: string | undefined): SdkFile {
  if (text === undefined) return { sdks, cases };
  const seed = wholeNumber('--seed', text, Number.MAX_SAFE_INTEGER);
  return { sdks, cases: cases.map((sdkCase) => ({ ...sdkCase, scenario: { ...sdkCase.scenario, seed } })) };
}

/** Time limit of the command that prints an SDK's version. */
const versionMs = 30_000;

/** Runs an SDK's version command. Returns the first line that it prints, or the reason for its failure. */
async function versionOf({ version, folder }: Sdk, stopped: AbortSignal): Promise<string | undefined> {
  if (version === undefined) return undefined;
  try {
    const options = { env: {}, folder, output: 'keep', timeoutMs: versionMs, stopped } as const;
    const { end, output } = await runClientCommand(version, options);
    if (end.exitCode !== 0) return `not known (exit code ${end.exitCode})`;
    return sanitizeText((output.trim().split('\n')[0] ?? '').trim().slice(0, 80));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return `not known (${version[0]} cannot be started)`;
  }
}

/**
 * Suggests next commands for the user: commands that repeat the first three failed runs, and then `certify` for all
 * clients again.
 */
function nextCommands({ sdks }: Certificate, again: readonly string[]): string[] {
  const failed = sdks.flatMap(({ results }) => results.flatMap(({ repeat }) => repeat ?? []));
  return [...failed.slice(0, 3), commandLine('certify', '--json', ...again)];
}

/**
 * Formats the results for the terminal: counts and failures of each SDK, changes since the earlier results, and totals.
 */
function certificateLines(certificate: Certificate, changes: Changes | undefined): string[] {
  const { sdks, counts } = certificate;
  return [
    ...sdks.flatMap(sdkLines),
    ...(changes === undefined ? [] : changesLines(changes)),
    `${passedPercent(counts)}%: ${countsText(counts)}`,
  ];
}

function sdkLines(sdk: CertifiedSdk): string[] {
  const { name, version, counts, results, remedies } = sdk;
  const columns = textColumns();
  const failed = results.filter(({ outcome }) => isFailure(outcome));
  const isWhole = counts.pass === results.length;
  const color = counts.fail + counts.error > 0 ? 'red' : isWhole ? 'green' : 'yellow';
  const title = `${styleText('bold', name)}${version === undefined ? '' : ` (${version})`}`;
  return [
    `${title}: ${styleText(color, countsText(counts))}`,
    ...notPassed(sdk).map(({ scenarios, outcome, detail }) =>
      wrapForTerminal(
        `  ${scenarios}: ${styleText(isFailure(outcome) ? 'red' : 'yellow', outcomeWord(outcome))}, ${detail}`,
        4,
      ),
    ),
    ...reasonLines(failed, columns),
    ...remedies.flatMap((remedy) => ['', ...remedyLines(remedy, program, columns, 2)]),
    ...detailLines(failed[0]?.repeat),
    '',
  ];
}

function changesLines(changes: Changes): string[] {
  const line = (word: string, { sdk, scenario, before, now, detail }: OutcomeChange) =>
    `  ${word}  ${sdk}: ${scenario}: ${outcomeWord(before)} -> ${outcomeWord(now)}${detail === '' ? '' : `, ${detail}`}`;
  return [
    `Since ${changes.since}: ${changesText(changes)}`,
    ...changes.worse.map((change) => styleText('red', line('worse ', change))),
    ...changes.better.map((change) => styleText('green', line('better', change))),
    '',
  ];
}
