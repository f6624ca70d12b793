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
 * Returns a scenario's `client` settings with defaults. The default key is the first key of the scenario, even if
 * revoked, or `free-key` if the scenario has no keys.
 * @param scenario the scenario file's content, or a simulator's scenario, in which the file's keys precede the default
 * keys
 */
export function clientOf({ client = {}, keys = {} }: Pick<Scenario, 'client' | 'keys'>): ScenarioClient {
  const { key = Object.keys(keys)[0] ?? 'free-key', operation = 'listPets', calls = 1, parallel = 1 } = client;
  return { key, operation, calls, parallel };
}
