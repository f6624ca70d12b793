import { styleText } from 'node:util';
import { readShippedScenarios } from '../../node/scenario-files/shipped-scenarios.js';
import { UsageError } from '../../node/usage-error.js';
import { type GauntletResult, gauntletLines, runGauntlet } from '../gauntlet.js';
import { jsonWithNext } from '../json-with-next.js';
import { shellWords } from '../shell-words.js';
import { createRunCounter, requireCommand, timeoutOf } from './client-flags.js';

export interface GauntletFlags {
  only?: string;
  json?: boolean;
  timeout?: string;
}

/**
 * Runs a client against every shipped scenario that expects something of one.
 * @returns the exit code: 1 when the client fails one
 */
export async function gauntlet(
  flags: GauntletFlags,
  command: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  requireCommand('gauntlet', command);
  const expecting = Object.values(readShippedScenarios()).filter(({ expect }) => expect !== undefined);
  const only = flags.only?.split(',').map((name) => name.trim());
  const unknown = only?.find((name) => !expecting.some((scenario) => scenario.name === name));
  if (unknown !== undefined) {
    throw new UsageError(
      `expected --only to name scenarios that expect something of a client, got ${JSON.stringify(unknown)}`,
    );
  }
  const chosen = expecting.filter(({ name = '' }) => only === undefined || only.includes(name));
  const options = { timeoutMs: timeoutOf(flags.timeout), onDone: createRunCounter(chosen.length) };
  const results = await runGauntlet(command, chosen, options);
  if (flags.json) print(jsonWithNext({ results }, nextCommands(results, command)));
  else print(`${gauntletLines(results, command, (format, text) => styleText(format, text)).join('\n')}\n`);
  return results.some(({ outcome }) => outcome === 'fail') ? 1 : 0;
}

/** A closer look at the first failures, and the same again once they are mended. */
function nextCommands(results: readonly GauntletResult[], command: readonly string[]): string[] {
  const words = shellWords(command);
  const failed = results.filter(({ outcome }) => outcome === 'fail').map(({ scenario }) => scenario);
  if (failed.length === 0) return [`petstore-sim matrix --json -- ${words}`];
  return [
    ...failed.slice(0, 3).map((name) => `petstore-sim exec --json --scenario ${name} -- ${words}`),
    `petstore-sim gauntlet --json --only ${failed.join(',')} -- ${words}`,
  ];
}
