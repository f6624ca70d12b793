import type { JournalEntry } from './journal-entry.js';
import type { ShownChange } from './update-stream.js';

/** Tells what the file is; raised when one that was written before can no longer be read. */
export const runFormat = 'petstore-sim-run-1';

/** A run as a file holds it: its requests, and what the control API answered at its end, by path. */
export interface RunReport {
  format: typeof runFormat;
  entries: JournalEntry[];
  changes: ShownChange[];
  answers: Record<string, unknown>;
}

/** The files of the page. */
export interface PageFiles {
  html: string;
  script: string;
  style: string;
}

/** The element of a report that holds the run. */
export const runElementId = 'petstore-sim-run';

/**
 * The page as one file that needs nothing else, with a run inside it. What the run says cannot end its element: every `<`
 * is written as `\u003c`.
 * @param run a `RunReport` as JSON
 */
export function reportHtml({ html, script, style }: PageFiles, run: string): string {
  const policy = /<meta name="report-policy" content="([^"]*)">/.exec(html)?.[1] ?? '';
  const data = run.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  // With functions, because a text may hold "$&".
  return html
    .replace(
      /<meta name="report-policy"[^>]*>/,
      () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    )
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(/<script type="module"[^>]*><\/script>/, () => '')
    .replace(
      '</body>',
      () =>
        `<script type="application/json" id="${runElementId}">${data}</script>\n<script type="module">${script}</script>\n</body>`,
    );
}
