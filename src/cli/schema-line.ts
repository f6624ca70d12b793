import { isAbsolute, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from '../node/scenario-files/shipped-scenarios.js';

/**
 * The first line of a scenario file, by which editors find the schema: by a path from the folder of the file where this
 * package is installed below it, else by an address.
 */
export function schemaLine(folder: string): string {
  const file = join(packageFolder(), 'schema.json');
  const path = relative(folder, file);
  const isBelow = !isAbsolute(path) && !path.startsWith('..');
  return `# yaml-language-server: $schema=${isBelow ? `./${path.split(sep).join('/')}` : pathToFileURL(file).href}`;
}
