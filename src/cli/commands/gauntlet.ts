import { styleText } from 'node:util';
import { readScenario } from '../../node/scenario-files/scenario-files.js';
import { readShippedScenarios } from '../../node/scenario-files/shipped-scenarios.js';
import { UsageError } from '../../node/usage-error.js';
import { type GauntletResult, gauntletLines, runGauntlet, type Station } from '../gauntlet.js';
import { jsonWithNext } from '../json-with-next.js';
import { program } from '../program.js';
import { shellWords } from '../shell-words.js';
import { untilStopped } from '../until-stopped.js';
import { createRunCounter, requireCommand, tellStopped, timeoutOf } from './client-flags.js';

export interface GauntletFlags {
  json?: boolean;
  timeout?: string;
}

/**
 * Runs a client against the scenarios that are named, or else every shipped one that expects something of a client.
 * @param named shipped scenarios and files
 * @returns the exit code: 1 when the client fails one, 130 and 143 when a signal stopped it
 */
export async function gauntlet(
  flags: GauntletFlags,
  named: readonly string[],
  command: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  requireCommand('gauntlet', command);
  if (named.length === 0) checkIsNoScenario(command);
  const chosen = named.length > 0 ? await Promise.all(named.map(readStation)) : shippedStations();
  const options = { timeoutMs: timeoutOf(flags.timeout), onDone: createRunCounter(chosen.length) };
  const { result: results, stoppedCode } = await untilStopped((stopped) =>
    runGauntlet(command, chosen, { ...options, stopped }),
  );
  if (stoppedCode !== undefined) tellStopped(results.length, chosen.length);
  if (flags.json) print(jsonWithNext({ results }, nextCommands(results, command)));
  else print(`${gauntletLines(results, command, (format, text) => styleText(format, text)).join('\n')}\n`);
  return stoppedCode ?? (results.some(({ outcome }) => outcome === 'fail') ? 1 : 0);
}

/** What stands without `--` is all a command. */
function checkIsNoScenario([first = '', ...rest]: readonly string[]): void {
  if (process.argv.includes('--') || !Object.hasOwn(readShippedScenarios(), first)) return;
  const words = rest.length > 0 ? shellWords(rest) : 'COMMAND';
  throw new UsageError(
    `expected -- between the scenarios and the command of a client, such as ${program} gauntlet ${first} -- ${words}`,
  );
}

const readStation = async (name: string): Promise<Station> => ({ name, scenario: await readScenario(name) });

const shippedStations = (): Station[] =>
  Object.entries(readShippedScenarios())
    .map(([name, scenario]) => ({ name, scenario }))
    .filter(({ scenario }) => scenario.expect !== undefined);

/** A closer look at the first failures, and the same again once they are mended. */
function nextCommands(results: readonly GauntletResult[], command: readonly string[]): string[] {
  const words = shellWords(command);
  const failed = results.filter(({ outcome }) => outcome === 'fail').map(({ scenario }) => scenario);
  if (failed.length === 0) return [`${program} matrix --json -- ${words}`];
  return [
    ...failed.slice(0, 3).map((name) => `${program} exec --json --scenario ${shellWords([name])} -- ${words}`),
    `${program} gauntlet --json ${shellWords(failed)} -- ${words}`,
  ];
}
