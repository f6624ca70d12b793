import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Scenario } from '../scenario-schema.js';

/** Folder of a package's scenarios, with one file `NAME` plus `ending` per scenario. */
export interface Shipped {
  folder: string;
  ending: string;
  names: readonly string[];
}

/**
 * Returns the folder of this package. Searches for package.json, because the bundled command line is at another depth
 * than this file.
 */
export function packageFolder(folder = import.meta.dirname): string {
  return existsSync(join(folder, 'package.json')) ? folder : packageFolder(dirname(folder));
}

/** Folder of the scenarios as JSON, which scripts/build-scenarios.mjs builds from scenarios/*.yaml. */
const builtFolder = join(packageFolder(), 'dist/scenarios');

/** Lists the scenarios of the package. */
export function shippedScenarios(folder = builtFolder, ending = '.json'): Shipped {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .sort();
  return { folder, ending, names };
}

/** Reads a shipped scenario by its name. */
export function readShipped(name: string): Scenario {
  return JSON.parse(readFileSync(join(builtFolder, `${name}.json`), 'utf8'));
}

/** Reads the original YAML text of a shipped scenario. */
export function shippedText(name: string): string {
  return JSON.parse(readFileSync(join(packageFolder(), 'dist/scenario-texts.json'), 'utf8'))[name];
}

/** Reads all scenarios of the package, by name. */
export const readShippedScenarios = (): Record<string, Scenario> =>
  Object.fromEntries(shippedScenarios().names.map((name) => [name, readShipped(name)]));
