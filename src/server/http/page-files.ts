import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageFiles } from '../../control-api/report-html.js';
import { packageFolder } from '../../scenario/node/shipped-scenarios.js';

/**
 * Reads a built file of the dashboard.
 * @throws {Error} with the system's `code` if the package is not built
 */
export const readPageFile = (file: string): string =>
  readFileSync(join(packageFolder(), 'dist/dashboard', file), 'utf8');

/** Reads the built HTML, script and styles of the dashboard, to embed them in a report. */
export const readPageFiles = (): PageFiles => ({
  html: readPageFile('index.html'),
  script: readPageFile('page/page.js'),
  style: readPageFile('page/page.css'),
});
