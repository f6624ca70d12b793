import { readWire } from './second-reader.js';
import { judgeRun, type RecordedRun } from './second-reader-runs.js';

/** A run on which the judge and the reader differ. */
export interface Difference {
  client: string;
  scenario: string;
  judge: string;
  reader: string;
  /** Whether the judge accuses a client that obeyed, as read from the wire: of that the reader has no finding. */
  accuses: boolean;
  run: string;
  /** Reason of the judge's outcome. */
  reason: string;
}

export interface Agreement {
  runs: number;
  clients: number;
  scenarios: number;
  /** Runs with the same outcome, and with the same findings. */
  outcome: number;
  findings: number;
  differences: Difference[];
}

const said = ({ outcome, findings }: { outcome: string; findings: readonly string[] }) =>
  [outcome, ...findings].join(' ');

/** Judges runs with both, and counts how often they agree. */
export function compare(runs: Iterable<RecordedRun>): Agreement {
  const agreement: Agreement = { runs: 0, clients: 0, scenarios: 0, outcome: 0, findings: 0, differences: [] };
  const [clients, scenarios] = [new Set<string>(), new Set<string>()];
  for (const run of runs) {
    const judge = judgeRun(run);
    const reader = readWire(run.sent, run.ending, run.expects);
    const isSameOutcome = judge.outcome === reader.outcome;
    const isSameFindings = judge.findings.join() === reader.findings.join();
    clients.add(run.client);
    scenarios.add(run.scenario);
    agreement.runs++;
    if (isSameOutcome) agreement.outcome++;
    if (isSameFindings) agreement.findings++;
    if (isSameOutcome && isSameFindings) continue;
    agreement.differences.push({
      client: run.client,
      scenario: run.scenario,
      judge: said(judge),
      reader: said(reader),
      accuses: judge.findings.length > 0 && reader.findings.length === 0,
      run: describe(run),
      reason: judge.reason,
    });
  }
  return { ...agreement, clients: clients.size, scenarios: scenarios.size };
}

/** Arrival in seconds and status of the first requests, and how the command ended. */
function describe({ sent, ending }: RecordedRun): string {
  const startMs = sent[0]?.atMs ?? ending.atMs;
  const at = (ms: number) => ((ms - startMs) / 1_000).toFixed(2);
  const steps = sent.slice(0, 16).map((each) => {
    const lasted = each.doneMs - each.atMs > 400 ? `-${at(each.doneMs)}` : '';
    return `${at(each.atMs)}${lasted} ${each.code === 'key_banned' ? 'ban' : each.isLeft ? 'left' : each.status}`;
  });
  const more = sent.length > 16 ? `, and ${sent.length - 16} more` : '';
  const end = ending.isStopped ? 'stopped' : `exit code ${ending.exitCode}`;
  return `${steps.join(', ')}${more}; ${end} at ${at(ending.atMs)}`;
}
