import { defaultScenario } from '../scenario/default-scenario.js';
import { createRedactor } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import { jsonText } from '../values/json.js';
import type { Verdict } from '../verdict/judge-run.js';
import { createControl } from './create-control.js';
import type { JournalBody } from './journal-entry.js';
import { redactedVerdict } from './redacted-verdict.js';
import type { RunReport } from './run-report.js';
import { allChanges } from './update-stream.js';

/** Characters of a body in a report. */
const mostCharacters = 4_000;

/**
 * The run of a simulator as a report holds it: what the control API tells of it, with long bodies cut. A report is passed
 * on, so every key is masked but those of the default scenario, which everybody knows.
 * @param verdict as whoever ran the client judged it
 */
export function collectRun(sim: Simulator, verdict: Verdict): RunReport {
  const control = createControl(sim);
  const lines = control.exportJournal({ why: true }).split('\n').filter(Boolean);
  const run = jsonText({
    format: 'petstore-sim-run-1',
    entries: lines.map((line) => {
      const entry = JSON.parse(line);
      return { ...entry, ...cut('requestBody', entry.requestBody), ...cut('responseBody', entry.responseBody) };
    }),
    changes: allChanges(sim),
    answers: {
      '/verdict': redactedVerdict(sim, verdict),
      '/keys?limit=100': control.listKeys(),
      '/faults': control.listFaults(),
      '/assumptions': control.listAssumptions(),
      '/scenario': control.getScenario(),
      '/clock': control.getClock(),
    },
  });
  const redact = createRedactor({ keys: sim.keys, journal: sim.journal, scenario: defaultScenario })(run);
  return JSON.parse(redact(run));
}

const cut = (name: string, body: JournalBody | undefined) =>
  body !== undefined && body.text.length > mostCharacters
    ? { [name]: { ...body, text: body.text.slice(0, mostCharacters).toWellFormed(), truncated: true as const } }
    : {};
