import type { Scenario } from './scenario-schema.js';

/** Calls that a scenario expects from the client under test, with defaults filled in. */
export interface ScenarioClient {
  key: string;
  operation: string;
  calls: number;
  /** Number of calls that the client sends concurrently. */
  parallel: number;
}

/**
 * Returns the `client` settings of a scenario, with default values for missing settings. The default API key is the
 * scenario's first key, even if revoked, or `free-key` if the scenario has no keys.
 * @param scenario content of a scenario file, or the scenario of a simulator
 */
export function clientOf({ client = {}, keys = {} }: Pick<Scenario, 'client' | 'keys'>): ScenarioClient {
  const { key = Object.keys(keys)[0] ?? 'free-key', operation = 'listPets', calls = 1, parallel = 1 } = client;
  return { key, operation, calls, parallel };
}
