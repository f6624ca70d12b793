import { stateAsScenario } from '../control-api/state-as-scenario.js';
import type { ExportedState } from '../control-api/state-schema.js';
import { readYaml } from '../node/scenario-files/read-yaml.js';
import { scenarioYaml } from '../node/scenario-files/write-scenario.js';
import { UsageError } from '../node/usage-error.js';
import { generatePets } from '../scenario/generate-pets.js';
import { grouped } from '../values/grouped.js';

/** What a scenario file may take. */
const maximumBytes = 1024 * 1024;

/**
 * An exported state as the YAML of a scenario.
 * @throws {UsageError} when it has more pets than a scenario file may list
 */
export function exportedScenario(state: ExportedState): string {
  const text = scenarioYaml(
    stateAsScenario(state, generatePets),
    `A simulator as it was at ${new Date(state.clock.nowMs).toISOString()} of its clock, by petstore-sim state export --as scenario.
It has API keys in it. \`state\` is exact and goes before \`usage\` and \`bannedFor\`; a key that \`state.keys\` lacks is not there.`,
  );
  const { issues } = readYaml(text);
  if (Buffer.byteLength(text) <= maximumBytes && issues.length === 0) return text;
  const pets = grouped(state.pets.length);
  throw new UsageError(
    `expected a state that a scenario file can hold, at most 1 MiB, got one with ${pets} pets; leave out --as scenario, and put it back with petstore-sim state import`,
  );
}
