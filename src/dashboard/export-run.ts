import { reportHtml } from '../control-api/report-html.js';
import type { Session } from './session.js';

// The page loads this module when the user exports a run. Reports lack it.

/**
 * Saves the run as a file: HAR, JSON Lines, or a report, which is this page with the run embedded.
 * @param start URL fragment with the selection that the report opens with
 */
export async function exportRun(session: Session, what: 'har' | 'jsonl' | 'report', start = ''): Promise<void> {
  const { source } = session;
  const name = session.state.scenario.replace(/[^\w.-]+/g, '-') || 'run';
  if (what !== 'report') return download(`${name}.${what}`, new Blob([await source.text(`/journal.${what}?why=true`)]));
  const file = async (path: string) => (await fetch(path)).text();
  const [html, script, style, run] = await Promise.all([
    fetch('.', { headers: { Accept: 'text/html' } }).then((response) => response.text()),
    file('page/page.js'),
    file('page/page.css'),
    source.text('/run.json'),
  ]);
  const opening = html.replace('<title>', () => `<meta name="start" content="${start}"><title>`);
  const report = reportHtml({ html: opening, script, style }, run);
  download(`${name}${start.replace(/\W+/g, '-')}.html`, new Blob([report]));
}

/** Saves a file in the folder of the browser's downloads. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Frees the exported file's memory after ten seconds, because the browser needs it until the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
