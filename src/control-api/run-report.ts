import type { JournalEntry } from './journal-entry.js';
import type { ShownChange } from './update-stream.js';

/** Identifies the format of a report; changed when older reports can no longer be read. */
export const runFormat = 'petstore-sim-run-1';

/** A run in a file: its requests, and the responses of the control API at its end, by path. */
export interface RunReport {
  format: typeof runFormat;
  entries: JournalEntry[];
  changes: ShownChange[];
  answers: Record<string, unknown>;
}

/** Files of the dashboard. */
export interface PageFiles {
  html: string;
  script: string;
  style: string;
}

/** Id of the HTML element with the run. */
export const runElementId = 'petstore-sim-run';

/**
 * Creates the dashboard as one self-contained file with a run. Writes every `<` as `\u003c`, so that the run cannot close its
 * element.
 * @param run a `RunReport` as JSON
 */
export function reportHtml({ html, script, style }: PageFiles, run: string): string {
  const policy = /<meta name="report-policy" content="([^"]*)">/.exec(html)?.[1] ?? '';
  const data = run.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  // Replacement functions, because a text may contain "$&".
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
