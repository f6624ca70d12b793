import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Scenario } from '../../scenario/scenario-schema.js';

/** Where shipped scenarios are: `folder` has one file for each, `NAME` followed by `ending`. */
export interface Shipped {
  folder: string;
  ending: string;
  names: readonly string[];
}

/** The folder of this package. Found by its package.json, because the bundled command line is not as deep as this file. */
export function packageFolder(folder = import.meta.dirname): string {
  return existsSync(join(folder, 'package.json')) ? folder : packageFolder(dirname(folder));
}

/** Written by scripts/build-scenarios.mjs from scenarios/*.yaml. */
const builtFolder = join(packageFolder(), 'dist/scenarios');

/** The scenarios that come with the package. */
export function shippedScenarios(folder = builtFolder, ending = '.json'): Shipped {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .sort();
  return { folder, ending, names };
}

/** A shipped scenario by its name. */
export function readShipped(name: string): Scenario {
  return JSON.parse(readFileSync(join(builtFolder, `${name}.json`), 'utf8'));
}

/** The YAML text of a shipped scenario, as its author wrote it. */
export function shippedText(name: string): string {
  return readFileSync(join(packageFolder(), 'scenarios', `${name}.yaml`), 'utf8');
}

/** Every scenario that comes with the package, by name. */
export const readShippedScenarios = (): Record<string, Scenario> =>
  Object.fromEntries(shippedScenarios().names.map((name) => [name, readShipped(name)]));
