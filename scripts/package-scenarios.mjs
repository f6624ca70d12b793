import { join } from 'node:path';
import { root } from './repository.mjs';
import { source } from './source.mjs';

const { readScenarioAndFiles, shippedScenarios } = await source(`
  export { readScenarioAndFiles } from './scenario-files/scenario-files.js';
  export { shippedScenarios } from './scenario-files/shipped-scenarios.js';
`);

const shipped = shippedScenarios(join(root, 'scenarios/'), '.yaml');

/** Names of the scenarios in scenarios/. */
export const { names } = shipped;

/**
 * Reads a scenario of scenarios/, and checks it.
 * @throws {ScenarioError} for mistakes in the file
 */
export const readPackageScenario = async (name) =>
  (await readScenarioAndFiles(join(root, `scenarios/${name}.yaml`), { shipped })).scenario;
