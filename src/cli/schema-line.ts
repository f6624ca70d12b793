import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isInside } from '../scenario/node/is-inside.js';
import { packageFolder } from '../scenario/node/shipped-scenarios.js';

/** Creates the first line of a scenario file in `folder`, from which editors learn the path of the scenario schema. */
export function schemaLine(folder: string): string {
  const file = join(packageFolder(), 'schema.json');
  const address = isInside(folder, file)
    ? `./${relative(folder, file).split(sep).join('/')}`
    : pathToFileURL(file).href;
  return `# yaml-language-server: $schema=${address}`;
}
