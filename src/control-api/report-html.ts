import { runElementId } from './run-report.js';

/** HTML, script and styles of the dashboard. */
export interface PageFiles {
  html: string;
  script: string;
  style: string;
}

/**
 * Embeds a run report in the dashboard, as one self-contained HTML file. Writes every `<` of the report as `\u003c`, so
 * that no text in the report closes the `script` element that contains the report.
 * @param run a `RunReport` as JSON
 */
export function reportHtml({ html, script, style }: PageFiles, run: string): string {
  const policy = /<meta name="report-policy" content="([^"]*)">/.exec(html)?.[1] ?? '';
  const data = run.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  // The method `replace` would interpret `$&` in a replacement text, but not in a function's result.
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
