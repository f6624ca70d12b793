import { recordedEntries } from '../../control-api/recorded-entries.js';
import { type RunReport, runFormat } from '../../control-api/run-report.js';
import { judgeRecording } from '../../judge/judge-recording.js';
import type { Verdict } from '../../judge/judge-run.js';
import { remainingIn } from '../../judge/promises.js';
import { operationFacts } from '../../judge/run.js';
import { resultOf } from '../../judge/run-result.js';
import { petstore } from '../../petstore/petstore.js';
import { retryAfterHeader } from '../../rate-limits/header-names.js';
import { readScenarioAndFiles } from '../../scenario/node/scenario-files.js';
import { parseBaseUrl } from '../../server/http/base-url.js';
import type { Exchange } from '../../traffic-files/exchange.js';
import { UsageError } from '../../validation/usage-error.js';
import { jsonText } from '../../values/json.js';
import type { CliInput } from '../cli-input.js';
import { flagWords } from '../flag-words.js';
import { commandLine, program } from '../program.js';
import { readRecordedFiles, readTraceFile } from '../recorded-files.js';
import { aboutScenario, checkReportFiles, resultOptions, type VerdictFlags } from '../verdict-flags.js';
import { writeReports } from '../verdict-reports.js';

export interface JudgeFlags extends VerdictFlags {
  trace?: string;
  'base-url'?: string;
  refused?: string[];
  scenario?: string;
  'one-key'?: boolean;
  ended?: boolean;
}

/**
 * Judges a client by recorded traffic. Prints the verdict to standard error, as the command `exec` does.
 * @returns exit code: 1 for a failure, 2 if a report could not be written
 */
export async function judge({ flags, rest: files }: CliInput<JudgeFlags>): Promise<number> {
  if (files.length === 0 && flags.trace === undefined) {
    throw new UsageError(`expected a recording, HAR or JSON Lines, or --trace FILE; see ${program} judge --help`);
  }
  if (files.length > 0 && flags.trace !== undefined) {
    throw new UsageError(
      `expected either recordings or --trace, got --trace and the recording ${JSON.stringify(files[0])}`,
    );
  }
  const options = resultOptions(flags);
  await checkReportFiles(flags, [...files, flags.trace ?? '']);
  const resolved = flags.scenario === undefined ? undefined : (await readScenarioAndFiles(flags.scenario)).resolved;
  const scenario = resolved?.scenario;
  const isTrace = flags.trace !== undefined;
  const baseUrl = baseUrlOf(flags['base-url']);
  const refusals = refusalsOf(flags.refused);
  const {
    exchanges: read,
    service,
    notes,
    leftOut,
    isCut,
  } = isTrace
    ? await readTraceFile(flags.trace as string, baseUrl)
    : await readRecordedFiles(files, {
        baseUrl,
        isAnyService: true,
        publicKeys: Object.keys(scenario?.keys ?? {}),
      });
  const exchanges = withRefusals(read, refusals);
  const verdict = judgeRecording(exchanges, {
    ...operationFacts([petstore]),
    name: flags.scenario ?? service ?? (isTrace ? (flags.trace as string) : files.join(', ')),
    service,
    isOver: flags.ended,
    isOneKey: flags['one-key'],
    leftOut,
    isCut,
    expect: scenario?.expect,
    needs: scenario?.client,
    areHeadersHidden: resolved?.settings.cors === 'hidden',
  });
  const runResult = resultOf(verdict, { ...options, description: aboutScenario(scenario) });
  const run = (shown: Verdict) =>
    jsonText({
      format: runFormat,
      entries: recordedEntries(exchanges),
      changes: [],
      answers: { '/verdict': shown, '/scenario': { name: shown.scenario, scenario: {} } },
    } satisfies RunReport);
  const entries = withRefusals(exchanges, [429]);
  return writeReports(
    flags,
    { result: runResult, entries, notes, run },
    nextCommands(runResult, flags, files, service),
  );
}

/** @throws {UsageError} for a value of `--base-url` that is not a base URL */
function baseUrlOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = parseBaseUrl(text);
  if (url !== undefined) return url.origin + url.pathname.replace(/\/+$/, '');
  throw new UsageError(
    `expected --base-url to be the base URL of the service, such as https://api.github.com, got ${JSON.stringify(text)}`,
  );
}

/**
 * Parses the values of the flag `--refused`: statuses with which an API refuses requests by a limit.
 * @throws {UsageError} for a value that is not a status between 400 and 499
 */
function refusalsOf(texts: readonly string[] = []): number[] {
  const wrong = texts.find((text) => !/^4\d\d$/.test(text));
  if (wrong !== undefined) {
    throw new UsageError(`expected --refused to be a status between 400 and 499, got ${JSON.stringify(wrong)}`);
  }
  return texts.map(Number);
}

/**
 * Whether a response from an API other than the Petstore rejects the request because of a limit. Only the statuses in
 * `statuses` count. A status other than 429 also needs a Retry-After header, or X-RateLimit-Remaining 0.
 */
const isLimitOfOtherApi = (exchange: Exchange, statuses: readonly number[]) =>
  !exchange.isOwn &&
  statuses.includes(exchange.status) &&
  (exchange.status === 429 || exchange.headers[retryAfterHeader] !== undefined || remainingIn(exchange) === '0');

/**
 * Sets `refusal: 'limit'` in each recorded request to an API other than the Petstore whose response refused the request
 * because of a rate limit.
 */
const withRefusals = (exchanges: readonly Exchange[], statuses: readonly number[]): Exchange[] =>
  exchanges.map((exchange) => (isLimitOfOtherApi(exchange, statuses) ? { ...exchange, refusal: 'limit' } : exchange));

/**
 * Suggests next commands: a report if the client failed or the traffic was to another API than the Petstore, otherwise
 * the gauntlet (all shipped scenarios).
 */
function nextCommands({ outcome }: Verdict, flags: JudgeFlags, files: readonly string[], service: string | undefined) {
  if (service === undefined && (outcome !== 'fail' || flags.trace !== undefined))
    return [`${program} gauntlet --json -- COMMAND`];
  const words = flagWords(flags, ['trace', 'base-url', 'scenario', 'refused', 'one-key', 'ended']);
  return [commandLine('judge', ...files, ...words, '--report', 'report.html')];
}
