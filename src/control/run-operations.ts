import { defaultScenario } from '../scenario/default-scenario.js';
import { anything, fields, list, mapOf, oneOf, string } from '../schema/schemas.js';
import { createRedactor } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import { jsonText } from '../values/json.js';
import { judgeEntries, judgeInSteps } from '../verdict/judge.js';
import type { Verdict } from '../verdict/judge-run.js';
import { clockInfo } from './clock-operations.js';
import { operation } from './control-operation.js';
import { showEntries } from './entry-view.js';
import { faultOperations } from './fault-operations.js';
import { about } from './input-values.js';
import { type JournalBody, type JournalEntry, journalEntrySchema } from './journal-entry.js';
import { keyOperations } from './key-operations.js';
import { redactedVerdict } from './redacted-verdict.js';
import { type RunReport, runFormat } from './run-report.js';
import { scenarioOperations } from './scenario-operations.js';
import { allChanges, changeSchema } from './update-stream.js';
import { explain } from './why.js';

/** Characters of a body in a report. */
const mostCharacters = 4_000;

export const runOperations = {
  exportRun: operation({
    method: 'GET',
    path: '/run.json',
    summary:
      'Exports what a report holds: every request with its why, the verdict, keys, faults, assumptions, scenario',
    input: fields({}),
    result: fields({
      format: oneOf(runFormat),
      entries: list(journalEntrySchema),
      changes: list(changeSchema),
      answers: about(mapOf(string, anything), 'What the operations at these paths answered.'),
    }),
    run: (sim, _, { outages }): RunReport =>
      JSON.parse(runText(sim, judgeEntries(sim, undefined, { outages: outages?.() }))),
    *pieces(sim, _, { outages }) {
      const verdict = yield* judgeInSteps(sim, undefined, { outages: outages?.() });
      yield* runPieces(sim, verdict);
    },
  }),
};

/**
 * The `RunReport` of a simulator as JSON, with long bodies cut. A report is passed on, so every key is masked but those of the
 * default scenario, which everybody knows.
 * @param verdict the verdict of the caller, who may know more of the client
 */
export const runText = (sim: Simulator, verdict: Verdict): string => [...runPieces(sim, verdict)].join('');

/** The same in pieces, a request at a time. */
function* runPieces(sim: Simulator, verdict: Verdict): Generator<string> {
  const redactor = createRedactor(sim, defaultScenario);
  const shown = (value: unknown) => {
    const text = jsonText(value);
    return redactor([text])(text);
  };
  const { banAfter } = sim.settings;
  let separator = `{"format":${jsonText(runFormat)},"entries":[`;
  for (const entry of showEntries(sim, () => true)) {
    yield separator + shown({ ...entry, ...cutBodies(entry), why: explain(entry, banAfter) });
    separator = ',';
  }
  if (separator !== ',') yield separator;
  yield `],"changes":${shown(allChanges(sim))},"answers":{`;
  const answers: Record<string, () => unknown> = {
    '/verdict': () => redactedVerdict(sim, verdict),
    '/keys?limit=100': () => keyOperations.listKeys.run(sim, { limit: 100 }, {}),
    '/faults': () => faultOperations.listFaults.run(sim, {}, {}),
    '/assumptions': () => scenarioOperations.listAssumptions.run(sim, {}, {}),
    '/scenario': () => scenarioOperations.getScenario.run(sim, {}, {}),
    '/clock': () => clockInfo(sim),
  };
  separator = '';
  for (const [path, answer] of Object.entries(answers)) {
    yield `${separator}${jsonText(path)}:${shown(answer())}`;
    separator = ',';
  }
  yield '}}';
}

function cutBodies({ requestBody, responseBody }: JournalEntry): Partial<JournalEntry> {
  return {
    ...(requestBody && { requestBody: cut(requestBody) }),
    ...(responseBody && { responseBody: cut(responseBody) }),
  };
}

const cut = (body: JournalBody): JournalBody =>
  body.text.length <= mostCharacters
    ? body
    : { ...body, text: body.text.slice(0, mostCharacters).toWellFormed(), truncated: true };
