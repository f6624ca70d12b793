import type { KnownOperations } from '../scenario/operations.js';
import type { ReadStart } from '../scenario/read-start.js';
import { type ResolvedScenario, resolveInSteps } from '../scenario/resolve-scenario.js';
import { createScenarioRules, type ScenarioRules } from '../scenario/scenario-rules.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { mapInSteps, runToEnd } from '../values/steps.js';
import { defaultScenario } from './default-scenario.js';
import { basePath, documentedPlans } from './document.js';
import { operationTable } from './operations.js';
import { toStored } from './pet.js';
import { type GeneratePets, resolvePets } from './resolve-pets.js';
import { petConditions, petFields } from './scenario-fields.js';
import { defaultSettings, settingValues } from './settings.js';

/** Schemas and defaults for scenarios of the Petstore. */
export const scenarioRules = /* @__PURE__ */ createScenarioRules({
  base: defaultScenario,
  rows: operationTable.rows,
  basePath,
  plans: documentedPlans,
  settings: settingValues,
  defaults: defaultSettings,
  fields: petFields,
  conditions: petConditions,
  *resolve(checked, { seed, settings, options }, issues) {
    const { ids, categories = [] } = checked;
    const pets = resolvePets(checked, { seed, categories, settings, ...options }, issues);
    return { idStart: ids?.start, categories: new Set(categories), pets: yield* mapInSteps(pets, toStored) };
  },
});

/**
 * Checks a scenario of the Petstore and merges it with the default scenario: maps are merged, all other values
 * replaced.
 * @throws {ScenarioError} with every issue and its path
 */
export const resolveScenario = (
  scenario: Scenario,
  generatePets?: GeneratePets,
  readStart?: ReadStart,
  operations?: KnownOperations,
  rules: ScenarioRules = scenarioRules,
): ResolvedScenario => runToEnd(resolveInSteps(scenario, rules, { generatePets, readStart }, undefined, operations));
