import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isInside } from '../node/scenario-files/is-inside.js';
import { packageFolder } from '../node/scenario-files/shipped-scenarios.js';

/**
 * First line of a scenario file, which gives editors the path of the schema. The path is relative if this package is
 * installed below the folder; otherwise it is a file URL.
 */
export function schemaLine(folder: string): string {
  const file = join(packageFolder(), 'schema.json');
  const address = isInside(folder, file)
    ? `./${relative(folder, file).split(sep).join('/')}`
    : pathToFileURL(file).href;
  return `# yaml-language-server: $schema=${address}`;
}
