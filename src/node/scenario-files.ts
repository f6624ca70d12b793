import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { JsonError, parseJson } from '../interface/json.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { Scenario } from '../scenario/schema.js';

const shippedFolder = new URL('../../scenarios/', import.meta.url);

/** The names of the scenarios that come with the package. */
export function shippedScenarioNames(): string[] {
  return readdirSync(shippedFolder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

/** Every scenario that comes with the package, by name. */
export const readShippedScenarios = (): Record<string, Scenario> =>
  Object.fromEntries(shippedScenarioNames().map((name) => [name, readScenario(name)]));

/**
 * Reads a scenario: a shipped one by its name, or a JSON file by its path.
 * @throws {ScenarioError} when there is no such scenario, or the file is not JSON
 */
export function readScenario(nameOrFile: string): Scenario {
  const names = shippedScenarioNames();
  const isShipped = names.includes(nameOrFile);
  if (!isShipped && !existsSync(nameOrFile)) {
    const message = `expected a file or a shipped scenario (${names.join(', ')}), got ${JSON.stringify(nameOrFile)}`;
    throw new ScenarioError([{ path: '', steps: [], message }]);
  }
  const text = readFileSync(isShipped ? new URL(`${nameOrFile}.json`, shippedFolder) : nameOrFile, 'utf8');
  try {
    return parseJson(text) as Scenario;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ScenarioError([{ path: '', steps: [], message: `${nameOrFile} is not JSON: ${error.message}` }]);
  }
}
