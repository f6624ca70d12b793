import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isInside } from '../node/scenario-files/is-inside.js';
import { packageFolder } from '../node/scenario-files/shipped-scenarios.js';

/**
 * The first line of a scenario file, by which editors find the schema: by a path from the folder of the file where this
 * package is installed below it, else by an address.
 */
export function schemaLine(folder: string): string {
  const file = join(packageFolder(), 'schema.json');
  const address = isInside(folder, file)
    ? `./${relative(folder, file).split(sep).join('/')}`
    : pathToFileURL(file).href;
  return `# yaml-language-server: $schema=${address}`;
}
