import type { Scenario } from '../scenario/scenario-schema.js';

/** The shipped scenarios by name, as a module: scripts/build-scenarios.mjs writes it, for where there are no files. */
export declare const scenarios: Readonly<Record<string, Scenario>>;
