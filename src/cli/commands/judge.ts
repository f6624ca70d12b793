import { recordedEntries } from '../../control-api/recorded-entries.js';
import { type RunReport, runFormat } from '../../control-api/run-report.js';
import { judgeRecording } from '../../judge/judge-recording.js';
import type { Verdict } from '../../judge/judge-run.js';
import { resultOf } from '../../judge/run-result.js';
import { readScenarioAndFiles } from '../../node/scenario-files/scenario-files.js';
import { UsageError } from '../../node/usage-error.js';
import type { RequestRecord } from '../../requests/request-record.js';
import type { Exchange } from '../../traffic-files/exchange.js';
import { jsonText } from '../../values/json.js';
import { program } from '../program.js';
import { readRecordedFiles, readTraceFile } from '../recorded-files.js';
import { shellWords } from '../shell-words.js';
import { aboutScenario, checkReportFiles, resultOptions, type VerdictFlags } from '../verdict-flags.js';
import { writeReports } from '../verdict-reports.js';

export interface JudgeFlags extends VerdictFlags {
  trace?: string;
  'base-url'?: string;
  scenario?: string;
  'one-key'?: boolean;
  ended?: boolean;
}

/**
 * Judges a client by recorded traffic, and prints the verdict to standard error, as exec does.
 * @returns exit code: 1 for a failure, 2 if a report could not be written
 */
export async function judge(flags: JudgeFlags, files: readonly string[]): Promise<number> {
  if (files.length === 0 && flags.trace === undefined) {
    throw new UsageError(`expected a recording, HAR or JSON Lines, or --trace FILE; see ${program} judge --help`);
  }
  if (files.length > 0 && flags.trace !== undefined) {
    throw new UsageError(`expected either recordings or --trace, got ${JSON.stringify(files[0])} besides`);
  }
  const options = resultOptions(flags);
  await checkReportFiles(flags, [...files, flags.trace ?? '']);
  const resolved = flags.scenario === undefined ? undefined : (await readScenarioAndFiles(flags.scenario)).resolved;
  const scenario = resolved?.scenario;
  const isTrace = flags.trace !== undefined;
  const { exchanges, notes } = isTrace
    ? await readTraceFile(flags.trace as string, flags['base-url'])
    : await readRecordedFiles(files, {
        baseUrl: flags['base-url'],
        publicKeys: Object.keys(scenario?.keys ?? {}),
        // Only one rule reads response bodies, to find integers that a double cannot represent.
        keepsBody: (body) => /\d{16}/.test(body),
      });
  const verdict = judgeRecording(exchanges, {
    name: flags.scenario ?? (isTrace ? (flags.trace as string) : files.join(', ')),
    isOver: flags.ended,
    isOneKey: flags['one-key'],
    expect: scenario?.expect,
    needs: scenario?.client,
    areHeadersHidden: resolved?.settings.cors === 'hidden',
  });
  const result = resultOf(verdict, { ...options, description: aboutScenario(scenario) });
  const run = (shown: Verdict) =>
    jsonText({
      format: runFormat,
      entries: recordedEntries(exchanges),
      changes: [],
      answers: { '/verdict': shown, '/scenario': { name: shown.scenario, scenario: {} } },
    } satisfies RunReport);
  const entries = exchanges.map(withRefusal);
  return writeReports(flags, { result, entries, notes, run }, nextCommands(result, files));
}

/** Marks a 429 of another service as a rejection, for the report. */
const withRefusal = (exchange: Exchange): RequestRecord =>
  exchange.isOwn || exchange.status !== 429 ? exchange : { ...exchange, refusal: 'limit' };

/** Next commands: after a failure, a report with the recording; otherwise the gauntlet. */
const nextCommands = ({ outcome }: Verdict, files: readonly string[]): string[] =>
  outcome === 'fail' && files.length > 0
    ? [`${program} judge ${shellWords(files)} --report report.html`]
    : [`${program} gauntlet --json -- COMMAND`];
