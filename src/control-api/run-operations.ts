import { judgeInSteps } from '../judge/judge.js';
import type { Verdict } from '../judge/judge-run.js';
import { createRedactor, identity } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import { anything, fields, list, mapOf, oneOf, string } from '../validation/schemas.js';
import { jsonText } from '../values/json.js';
import { keyId } from '../values/mask-key.js';
import { isMap } from '../values/plain-data.js';
import { runToEnd, type Steps } from '../values/steps.js';
import { operation } from './control-operation.js';
import { showEntries } from './entry-view.js';
import { described } from './input-values.js';
import { type JournalBody, type JournalEntry, journalEntrySchema } from './journal-entry.js';
import { jsonPieces, lazyList } from './lazy-result.js';
import { redactedVerdict } from './redacted-verdict.js';
import { requestControl } from './request-control.js';
import { keyVerdictPath, maximumKeyVerdicts, type RunReport, runFormat } from './run-report.js';
import type { ControlOperations } from './served-service.js';
import { changeSchema, rememberedChanges } from './update-stream.js';
import { explain } from './why.js';

/** Maximum length of a body in a report, in characters. */
const maximumCharacters = 4_000;

/** Paths of the control API whose responses are included in the exported report of a run. */
const reportedPaths = ['/keys?limit=100', '/faults', '/assumptions', '/scenario', '/clock'];

export const runReportSchema = fields({
  format: oneOf(runFormat),
  entries: list(journalEntrySchema),
  changes: list(changeSchema),
  answers: described(mapOf(string, anything), 'Results of read operations, by their paths.'),
});

/**
 * Creates the control operation that exports a report of a simulator's requests and their verdict.
 * @param operations returns the simulator's control operations; the report contains results of `/keys`, `/faults`,
 * `/assumptions`, `/scenario` and `/clock`
 */
export const createRunOperations = (operations: () => ControlOperations) => ({
  exportRun: operation({
    method: 'GET',
    path: '/run.json',
    summary:
      'Exports a report: every request with the steps that led to its response, the verdict, keys, faults, assumptions, scenario',
    input: fields({}),
    result: runReportSchema,
    *run(sim) {
      const verdict = yield* judgeInSteps(sim, undefined);
      return runReport(sim, verdict, yield* keyVerdicts(sim), operations());
    },
  }),
});

/**
 * Creates the report of an ended run as JSON.
 * @param verdict verdict on the client, which may include the client's exit status
 * @param operations control operations that read the keys, fault rules, settings, scenario and clock for the report
 */
export const runText = (sim: Simulator, verdict: Verdict, operations: ControlOperations): string =>
  [...jsonPieces(runReport(sim, verdict, runToEnd(keyVerdicts(sim, { isOver: true })), operations))].join('');

/** Judges each key of a run with several keys, by the path of its verdict; nothing if the run has too many keys. */
function* keyVerdicts(sim: Simulator, options?: Parameters<typeof judgeInSteps>[2]): Steps<Record<string, Verdict>> {
  const tokens = new Set(sim.journal.query().flatMap(({ token }) => token ?? []));
  const verdicts: Record<string, Verdict> = {};
  if (tokens.size < 2 || tokens.size > maximumKeyVerdicts) return verdicts;
  for (const token of tokens) {
    const verdict = yield* judgeInSteps(sim, (request) => request.token === token, options);
    verdicts[keyVerdictPath(keyId(token))] = redactedVerdict(sim, verdict);
  }
  return verdicts;
}

/**
 * Creates a run report with shortened bodies. Masks all keys except those of the scenario, because users share
 * reports.
 */
function runReport(
  sim: Simulator,
  verdict: Verdict,
  verdictsOfKeys: Record<string, Verdict>,
  operations: ControlOperations,
): RunReport {
  const redactor = createRedactor(sim);
  const masked = <Value>(value: Value): Value => {
    const redact = redactor([jsonText(value)]);
    return redact === identity ? value : (mapTexts(value, redact) as Value);
  };
  const answers: Record<string, unknown> = {
    '/verdict': redactedVerdict(sim, verdict),
    ...verdictsOfKeys,
    ...Object.fromEntries(
      reportedPaths.map((path) => [path, requestControl(operations, sim, { method: 'GET', path })]),
    ),
  };
  function* entries(): Generator<JournalEntry> {
    for (const entry of showEntries(sim, () => true)) {
      yield masked({ ...entry, ...cutBodies(entry), why: explain(entry, sim.settings) });
    }
  }
  return {
    format: runFormat,
    entries: lazyList(entries()),
    changes: masked(rememberedChanges(sim)),
    answers: masked(answers),
  };
}

/** Replaces all strings in a JSON value, including property names, with the results of `replace`. */
function mapTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [replace(name), mapTexts(member, replace)]));
}

function cutBodies({ requestBody, responseBody }: JournalEntry): Partial<JournalEntry> {
  return {
    ...(requestBody && { requestBody: cut(requestBody) }),
    ...(responseBody && { responseBody: cut(responseBody) }),
  };
}

const cut = (body: JournalBody): JournalBody =>
  body.text.length <= maximumCharacters
    ? body
    : { ...body, text: body.text.slice(0, maximumCharacters).toWellFormed(), truncated: true };
