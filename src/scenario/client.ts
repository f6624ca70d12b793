import type { Scenario } from './scenario-schema.js';

/** The client of a scenario with every field. */
export interface ScenarioClient {
  key: string;
  operation: string;
  calls: number;
  /** How many of the calls run side by side. */
  parallel: number;
}

/**
 * What a command, a test kit or a driver is given. The key is that of the field `client`, else the first that the
 * scenario itself names, else the first of the default scenario, whatever its state.
 * @param scenario as it was written, or as a simulator shows it: there its own keys stand before those of the default
 */
export function clientOf({ client = {}, keys = {} }: Pick<Scenario, 'client' | 'keys'>): ScenarioClient {
  const { key = Object.keys(keys)[0] ?? 'free-key', operation = 'listPets', calls = 1, parallel = 1 } = client;
  return { key, operation, calls, parallel };
}
