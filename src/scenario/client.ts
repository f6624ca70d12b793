import type { Scenario } from './scenario-schema.js';

/** The client of a scenario, with defaults filled in. */
export interface ScenarioClient {
  key: string;
  operation: string;
  calls: number;
  /** Number of concurrent calls. */
  parallel: number;
}

/**
 * Client settings for a command, a test kit or a driver. The key is that of `client`, else the scenario's first key,
 * else `free-key`; in any state.
 * @param scenario as written, or as a simulator returns it with its own keys before the default keys
 */
export function clientOf({ client = {}, keys = {} }: Pick<Scenario, 'client' | 'keys'>): ScenarioClient {
  const { key = Object.keys(keys)[0] ?? 'free-key', operation = 'listPets', calls = 1, parallel = 1 } = client;
  return { key, operation, calls, parallel };
}
