import { scenarioRules } from './scenario.js';

/** Schemas of the Petstore's scenarios and fault rules. */
export const { schema: scenarioSchema, faultSchema } = scenarioRules;
