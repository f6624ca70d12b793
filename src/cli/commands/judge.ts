import { judgedRecording } from '../../control-api/judged-recording.js';
import { computeLazyParts } from '../../control-api/lazy-result.js';
import { parseBaseUrl } from '../../http/base-url.js';
import type { Verdict } from '../../judge/judge-run.js';
import { operationFacts } from '../../judge/run.js';
import { petstore } from '../../petstore/petstore.js';
import { readScenarioAndFiles } from '../../scenario-files/scenario-files.js';
import { UsageError } from '../../validation/usage-error.js';
import { jsonText } from '../../values/json.js';
import { expectedKeyFrom, type KeyFrom, type KeyPlace, keyFromPattern, toKeyPlace } from '../../values/key-place.js';
import type { CliInput } from '../cli-input.js';
import { flagWords } from '../flag-words.js';
import { commandLine, program } from '../program.js';
import { readRecordedFiles, readTraceFile } from '../recorded-files.js';
import { readsOf } from '../route-flags.js';
import {
  aboutScenario,
  checkReportFiles,
  refusedStatuses,
  resultOptions,
  type VerdictFlags,
} from '../verdict-flags.js';
import { writeReports } from '../verdict-reports.js';

export interface JudgeFlags extends VerdictFlags {
  trace?: string;
  'base-url'?: string;
  refused?: string[];
  reads?: string[];
  'key-from'?: string;
  scenario?: string;
  'one-key'?: boolean;
  ended?: boolean;
}

/**
 * Judges a client by recorded traffic. Prints the verdict to standard output.
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
  const refusals = refusedStatuses(flags.refused);
  const reads = readsOf(flags.reads);
  const keyPlace = keyPlaceOf(flags['key-from']) ?? resolved?.keyPlace;
  const isOneKey = flags['one-key'] || keyPlace?.from === 'one';
  const recording = isTrace
    ? await readTraceFile(flags.trace as string, baseUrl)
    : await readRecordedFiles(files, {
        baseUrl,
        isAnyService: true,
        publicKeys: Object.keys(scenario?.keys ?? {}),
        // For one key, keys matter only where they must be hidden: in all usual places.
        keyPlace: keyPlace?.from === 'one' ? undefined : keyPlace,
      });
  const { result, entries, report } = judgedRecording(recording, {
    ...operationFacts([petstore]),
    name: flags.scenario ?? recording.service ?? (isTrace ? (flags.trace as string) : files.join(', ')),
    isOver: flags.ended,
    isOneKey,
    reads,
    expect: scenario?.expect,
    needs: scenario?.client,
    areHeadersHidden: resolved?.settings.cors === 'hidden',
    refusals: refusals ?? scenario?.expect?.refused,
    result: { ...options, description: aboutScenario(scenario) },
  });
  return writeReports(
    flags,
    {
      result,
      entries,
      notes: recording.notes,
      nameKey: (name) => name,
      run: (shown) => jsonText(computeLazyParts(report(shown))),
    },
    nextCommands(result, flags, files, recording.service),
    process.stdout,
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

/** @throws {UsageError} for a value of `--key-from` that is no place of a key */
function keyPlaceOf(text: string | undefined): KeyPlace | undefined {
  if (text === undefined) return undefined;
  if (keyFromPattern.test(text)) return toKeyPlace(text as KeyFrom);
  throw new UsageError(`expected --key-from to be ${expectedKeyFrom}, got ${JSON.stringify(text)}`);
}

/**
 * Suggests next commands: a report if the client failed or the traffic was to another API than the Petstore, otherwise
 * the gauntlet (all shipped scenarios).
 */
function nextCommands({ outcome }: Verdict, flags: JudgeFlags, files: readonly string[], service: string | undefined) {
  if (service === undefined && (outcome !== 'fail' || flags.trace !== undefined))
    return [commandLine('gauntlet', '--json', ...flagWords(flags, ['refused']), '--', 'COMMAND')];
  const words = flagWords(flags, ['trace', 'base-url', 'scenario', 'refused', 'reads', 'key-from', 'one-key', 'ended']);
  return [commandLine('judge', ...files, ...words, '--report', 'report.html')];
}
