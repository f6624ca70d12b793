import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../control-api/node/package-files.js';
import type { Scenario } from '../scenario/scenario-schema.js';

/** Folder of a package's scenarios, with one file `NAME` plus `ending` per scenario. */
export interface Shipped {
  folder: string;
  ending: string;
  names: readonly string[];
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
