import { type RunReport, reportHtml } from '../control/run-report.js';
import type { Session } from './session.js';

/** Saves the run as a file: HAR, JSON Lines, or a report, which is this page with the run inside it. */
export async function exportRun(session: Session, what: 'har' | 'jsonl' | 'report'): Promise<void> {
  const { source } = session;
  const name = session.state.scenario.replace(/[^\w.-]+/g, '-') || 'run';
  if (what === 'har') return save(`${name}.har`, await source.text('/journal.har?why=true'), 'application/json');
  if (what === 'jsonl')
    return save(`${name}.jsonl`, await source.text('/journal.jsonl?why=true'), 'application/x-ndjson');
  const file = async (path: string) => (await fetch(path)).text();
  const [html, script, style, run] = await Promise.all([
    fetch('.', { headers: { Accept: 'text/html' } }).then((response) => response.text()),
    file('page/page.js'),
    file('page/page.css'),
    readRun(session),
  ]);
  save(`${name}.html`, reportHtml({ html, script, style }, run), 'text/html');
}

/** The run as the control API tells it. */
async function readRun({ source, entries }: Session): Promise<RunReport> {
  const get = <Result>(path: string) => source.send<Result>('GET', path);
  const lines = (await source.text('/journal.jsonl?why=true')).split('\n').filter(Boolean);
  const paths = ['/verdict', '/keys?limit=100', '/faults', '/assumptions', '/scenario', '/clock'];
  const answers = await Promise.all(paths.map((path) => get<unknown>(path)));
  return {
    format: 'petstore-sim-run-1',
    entries: lines.map((line) => JSON.parse(line)),
    changes: entries.changes,
    answers: Object.fromEntries(paths.map((path, index) => [path, answers[index]])),
  };
}

function save(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Once the browser has begun to save it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
