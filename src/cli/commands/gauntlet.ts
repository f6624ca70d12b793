import { styleText } from 'node:util';
import { readShippedScenarios } from '../../node/scenario-files/shipped-scenarios.js';
import { UsageError } from '../../node/usage-error.js';
import { gauntletLines, runGauntlet } from '../gauntlet.js';
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
  if (flags.json) print(`${JSON.stringify(results, null, 2)}\n`);
  else print(`${gauntletLines(results, command, (format, text) => styleText(format, text)).join('\n')}\n`);
  return results.some(({ outcome }) => outcome === 'fail') ? 1 : 0;
}
