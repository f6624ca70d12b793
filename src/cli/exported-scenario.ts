import type { ExportedState } from '../control-api/state-schema.js';
import { generatePets } from '../petstore/generate-pets.js';
import { stateAsScenario } from '../petstore/state-as-scenario.js';
import { readYaml } from '../scenario/read-yaml.js';
import { scenarioYaml } from '../scenario-files/write-scenario.js';
import { UsageError } from '../validation/usage-error.js';
import { formatInteger } from '../values/format-integer.js';

/** Maximum size of a scenario file, in bytes. */
const maximumBytes = 1024 * 1024;

/**
 * Converts an exported state to the YAML of a scenario.
 * @throws {UsageError} for a state that a scenario file cannot contain: too many pets, or data of another service
 */
export function exportedScenario(state: ExportedState): string {
  const [other] = Object.keys(state.services ?? {});
  if (other !== undefined)
    throw new UsageError(
      `expected only Petstore data for --as scenario, got data of the service ${other} too; omit --as scenario`,
    );
  const text = scenarioYaml(
    stateAsScenario(state, generatePets),
    `State of a simulator at ${new Date(state.clock.nowMs).toISOString()} of its clock, from petstore-sim state export --as scenario.
Contains API keys. \`state\` is exact and overrides \`usage\` and \`bannedFor\`; a key that \`state.keys\` lacks does not exist.`,
  );
  const { issues } = readYaml(text);
  if (Buffer.byteLength(text) <= maximumBytes && issues.length === 0) return text;
  const pets = formatInteger(state.pets.length);
  throw new UsageError(
    `expected a state for a scenario file of at most 1 MiB, got one with ${pets} pets; omit --as scenario, and restore the file with petstore-sim state import`,
  );
}
