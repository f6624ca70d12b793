import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../control-api/node/package-files.js';

/** Version of this package, from its package.json. */
export const packageVersion = (): string =>
  JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')).version;
