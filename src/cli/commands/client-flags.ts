import { generatePets } from '../../petstore/generate-pets.js';
import { checkWith } from '../../scenario/check-scenario.js';
import { keyText } from '../../scenario/key-schema.js';
import type { ResolvedScenario } from '../../scenario/resolve-scenario.js';
import { type ReadScenario, readScenarioAndFiles } from '../../scenario-files/scenario-files.js';
import { shippedScenarios } from '../../scenario-files/shipped-scenarios.js';
import { UsageError } from '../../validation/usage-error.js';
import { parseDuration } from '../../values/duration.js';
import { printNotes } from '../print-error.js';
import { commandLine, program } from '../program.js';
import { drawBar, eraseLine } from '../progress-bar.js';
import { operationsWith, type RoutesFromFlags } from '../route-flags.js';
import { readOverrides, type ServeFlags } from './serve.js';

/** Flags that all commands that run a client have. */
export interface ScenarioFlags extends Pick<ServeFlags, 'scenario' | 'set' | 'seed' | 'no-limits' | 'key-from'> {
  refused?: string[];
  'api-key'?: string;
  json?: boolean;
}

/** Start of a message about a client's command that sent no request. */
export const expectedRequests =
  'expected requests to the URL in PETSTORE_BASE_URL, with the key in PETSTORE_API_KEY, got none';

/**
 * Checks that the command line contains the command that starts the client.
 * @throws {UsageError} if the command is missing or blank, as from an unset variable of a shell
 */
export function requireCommand(name: string, command: readonly string[]): void {
  const [first] = command;
  if (first?.trim()) return;
  const got = first === undefined ? '' : `, got ${JSON.stringify(first)}`;
  throw new UsageError(`expected a client command, such as ${program} ${name} -- npm test${got}`);
}

/**
 * Throws if the client's command begins with a scenario: its shipped name, or a YAML or JSON file.
 * @param instead returns advice on the scenario, which completes the message
 */
export function refuseScenario(
  name: string,
  [first = '']: readonly string[],
  instead = (scenario: string) => `write ${commandLine(name, '--scenario', scenario)} -- COMMAND`,
): void {
  if (!shippedScenarios().names.includes(first) && !/\.(?:ya?ml|json)$/.test(first)) return;
  throw new UsageError(`${name} takes no SCENARIO, got ${JSON.stringify(first)} as the command; ${instead(first)}`);
}

/**
 * Reads and checks the scenario that the command line selects, with the changes by flags such as `--set` and `--seed`.
 */
export async function scenarioOf(flags: ScenarioFlags, routes?: RoutesFromFlags): Promise<ReadScenario> {
  const overrides = await readOverrides(flags);
  const scenarioFile = await readScenarioAndFiles(flags.scenario ?? 'default', {
    overrides,
    generatePets,
    operations: operationsWith(routes),
  });
  // With --json, standard error must contain only JSON, so notes are not printed.
  if (!flags.json) printNotes(scenarioFile.notes);
  return scenarioFile;
}

/**
 * Reads the API key of the flag `--api-key`; `undefined` without the flag.
 * @throws {ScenarioError} for an invalid API key; {UsageError} for one that the scenario lacks, unless it accepts any
 * key or is about 401s
 */
export function apiKeyOf(
  { 'api-key': given }: ScenarioFlags,
  { scenario, settings }: ResolvedScenario,
): string | undefined {
  if (given === undefined) return undefined;
  const key = checkWith(keyText, given, '--api-key');
  const keys = Object.keys(scenario.keys ?? {});
  if (keys.includes(key) || settings.acceptAnyKey || scenario.expect?.fail?.includes('retried-401')) return key;
  const more = keys.length > maximumKeys ? [`${keys.length - maximumKeys} more`] : [];
  const known = [...keys.slice(0, maximumKeys), ...more].join(', ') || 'none';
  const name = /^[\w-]+$/.test(key) ? key : 'KEY';
  throw new UsageError(
    `expected --api-key to be a key of the scenario (${known}), got ${key}; to add it, --set keys.${name}.plan=free`,
  );
}

/** Maximum number of API keys that a message names. */
const maximumKeys = 8;

/**
 * Parses a duration of a flag, in milliseconds. A unit is required, because a bare number would mean milliseconds,
 * while users usually mean seconds.
 * @throws {UsageError} for an unreadable duration or a missing unit
 */
export function timeoutOf(text = '2m', flag = '--timeout'): number {
  try {
    return parseDuration(text);
  } catch (error) {
    const hint = /^\d+(?:\.\d+)?$/.test(text) ? `; did you mean ${text}s?` : '';
    throw new UsageError(`${flag}: ${(error as Error).message}${hint}`);
  }
}

/** Reports on standard error that the user stopped the command early. */
export function printStopped(done: number, total: number): void {
  const { stderr } = process;
  stderr.write(`${stderr.isTTY ? eraseLine : ''}petstore-sim: stopped after ${done} of ${total} runs\n`);
}

/** Runs per progress line without a terminal. So few runs get no line, because they all run at once. */
const runsALine = 10;

/**
 * Creates a progress display on standard error. On a terminal, this is a bar, which is erased at the end. Otherwise, it
 * is a line for each run that `describe` describes, and without `describe` a line for each ten runs.
 */
export function createRunCounter<Result>(
  total: number,
  describe?: (result: Result) => string,
): (done: number, result: Result) => void {
  const { stderr } = process;
  if (stderr.isTTY) stderr.write(drawBar(0, total, 'runs'));
  return (done, result) => {
    const last = describe === undefined ? '' : ` · ${describe(result)}`;
    if (stderr.isTTY) {
      const bar = drawBar(done, total, 'runs').slice(1) + last;
      stderr.write(done === total ? eraseLine : eraseLine + bar.slice(0, (stderr.columns || 80) - 1));
    } else if (total > runsALine && (last !== '' || done % runsALine === 0 || done === total))
      stderr.write(`${done} of ${total} runs${last}\n`);
  };
}

/** Adds the key of `--api-key` to a scenario as a secret, unless the scenario's file contains the key. */
export async function withSecretKey(
  resolved: ResolvedScenario,
  apiKey: string | undefined,
  { scenario = 'default', set = [] }: ScenarioFlags,
): Promise<ResolvedScenario> {
  if (apiKey === undefined || set.length === 0) return resolved;
  const file = await readScenarioAndFiles(scenario, { generatePets });
  return file.resolved.keys.has(apiKey) ? resolved : { ...resolved, secretKey: apiKey };
}
