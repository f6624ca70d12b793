import { scenarioRules } from './scenario.js';

/** Schemas for scenarios and fault rules of the Petstore. */
export const { schema: scenarioSchema, faultSchema } = scenarioRules;

/** Names of the fields of scenarios. */
export const scenarioFields = Object.keys(scenarioSchema.entries ?? {});
