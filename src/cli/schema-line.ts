import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from '../control-api/node/package-files.js';
import { isInside } from '../scenario-files/is-inside.js';

/**
 * Creates the first line of a scenario file in `folder`, from which editors learn the path of the scenario schema. The
 * path is relative if the package is installed for the folder, so that it is valid for every copy of the project.
 */
export function schemaLine(folder: string): string {
  const file = join(packageFolder(), 'schema.json');
  const near =
    installedAbove(folder, file) ?? (isInside(folder, file) || isInside(packageFolder(), folder) ? file : '');
  const path = relative(folder, near).split(sep).join('/');
  const address = near === '' ? pathToFileURL(file).href : path.startsWith('../') ? path : `./${path}`;
  return `# yaml-language-server: $schema=${address}`;
}

/**
 * Finds a file of this package in the `node_modules` of a folder or of a folder above it. A link counts too, as pnpm
 * and workspaces create it.
 */
function installedAbove(folder: string, file: string): string | undefined {
  const installed = join(folder, 'node_modules/petstore-sim', relative(packageFolder(), file));
  if (existsSync(installed) && realpathSync(installed) === realpathSync(file)) return installed;
  return dirname(folder) === folder ? undefined : installedAbove(dirname(folder), file);
}
