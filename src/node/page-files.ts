import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageFiles } from '../control-api/run-report.js';
import { packageFolder } from './scenario-files/shipped-scenarios.js';

/**
 * A file of the page, as `npm run build` made it.
 * @throws {Error} with the system's `code` where the package was not built
 */
export const readPageFile = (file: string): string =>
  readFileSync(join(packageFolder(), 'dist/dashboard', file), 'utf8');

/** Everything that a report is made of. */
export const readPageFiles = (): PageFiles => ({
  html: readPageFile('index.html'),
  script: readPageFile('page/page.js'),
  style: readPageFile('page/page.css'),
});
