import { judgeInSteps } from '../judge/judge.js';
import type { Verdict } from '../judge/judge-run.js';
import { defaultScenario } from '../petstore/default-scenario.js';
import { createRedactor, identity } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import { anything, fields, list, mapOf, oneOf, string } from '../validation/schemas.js';
import { jsonText } from '../values/json.js';
import { isMap } from '../values/plain-data.js';
import { clockInfo } from './clock-operations.js';
import { operation } from './control-operation.js';
import { showEntries } from './entry-view.js';
import { faultOperations } from './fault-operations.js';
import { described } from './input-values.js';
import { type JournalBody, type JournalEntry, journalEntrySchema } from './journal-entry.js';
import { keyOperations } from './key-operations.js';
import { computeLazyParts, jsonPieces, lazyList } from './lazy-result.js';
import { redactedVerdict } from './redacted-verdict.js';
import { type RunReport, runFormat } from './run-report.js';
import { scenarioOperations } from './scenario-operations.js';
import { changeSchema, rememberedChanges } from './update-stream.js';
import { explain } from './why.js';

/** Maximum length of a body in a report, in characters. */
const maximumCharacters = 4_000;

export const runOperations = {
  exportRun: operation({
    method: 'GET',
    path: '/run.json',
    summary:
      'Exports a report: every request with the steps that led to its response, the verdict, keys, faults, assumptions, scenario',
    input: fields({}),
    result: fields({
      format: oneOf(runFormat),
      entries: list(journalEntrySchema),
      changes: list(changeSchema),
      answers: described(mapOf(string, anything), 'Results of the operations at these paths.'),
    }),
    *run(sim, _, { outages }) {
      return runReport(sim, yield* judgeInSteps(sim, undefined, { outages: outages?.() }));
    },
  }),
};

/**
 * Creates a run report as JSON.
 * @param verdict the caller's verdict, which may include the exit status of the client
 */
export const runText = (sim: Simulator, verdict: Verdict): string => [...jsonPieces(runReport(sim, verdict))].join('');

/**
 * Creates a run report with shortened bodies. Masks all keys except the default scenario's public ones, because users
 * share reports.
 */
function runReport(sim: Simulator, verdict: Verdict): RunReport {
  const redactor = createRedactor(sim, defaultScenario);
  const masked = <Value>(value: Value): Value => {
    const redact = redactor([jsonText(value)]);
    return redact === identity ? value : (mapTexts(value, redact) as Value);
  };
  const answers: Record<string, unknown> = {
    '/verdict': redactedVerdict(sim, verdict),
    '/keys?limit=100': keyOperations.listKeys.run(sim, { limit: 100 }, {}),
    '/faults': faultOperations.listFaults.run(sim, {}, {}),
    '/assumptions': scenarioOperations.listAssumptions.run(sim, {}, {}),
    '/scenario': computeLazyParts(scenarioOperations.getScenario.run(sim, {}, {})),
    '/clock': clockInfo(sim),
  };
  function* entries(): Generator<JournalEntry> {
    for (const entry of showEntries(sim, () => true)) {
      yield masked({ ...entry, ...cutBodies(entry), why: explain(entry, sim.settings.banAfter) });
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
