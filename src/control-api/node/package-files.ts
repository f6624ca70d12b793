import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PageFiles } from '../report-html.js';

/**
 * Returns the folder of this package. Searches for package.json, because the bundled command line is at another depth
 * than this file.
 */
export function packageFolder(folder = import.meta.dirname): string {
  return existsSync(join(folder, 'package.json')) ? folder : packageFolder(dirname(folder));
}

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
