import { type ReadScenario, readScenarioAndFiles } from '../../node/scenario-files/scenario-files.js';
import { UsageError } from '../../node/usage-error.js';
import { checkWith } from '../../scenario/check-scenario.js';
import { generatePets } from '../../scenario/generate-pets.js';
import { keyText } from '../../scenario/key-schema.js';
import { parseDuration } from '../../values/duration.js';
import { program } from '../program.js';
import { drawBar, eraseLine } from '../progress-bar.js';
import { tellNotes } from '../tell.js';
import { readOverrides, type ServeFlags } from './serve.js';

/** What the commands that run a client have in common. */
export interface ScenarioFlags extends Pick<ServeFlags, 'scenario' | 'set' | 'seed' | 'no-limits'> {
  'api-key'?: string;
  json?: boolean;
}

/** @throws {UsageError} when there is no command to run */
export function requireCommand(name: string, command: readonly string[]): void {
  if (command.length > 0) return;
  throw new UsageError(`expected the command of a client, such as ${program} ${name} -- npm test`);
}

/** The scenario that the flags name, with what they set on top, read and checked. */
export async function scenarioOf(flags: ScenarioFlags): Promise<ReadScenario> {
  const overrides = await readOverrides(flags);
  const read = await readScenarioAndFiles(flags.scenario ?? 'default', { overrides, generatePets });
  // Standard error has the JSON.
  if (!flags.json) tellNotes(read.notes);
  return read;
}

/** The key that the client is given, where a flag names it. @throws {ScenarioError} when it cannot be an API key */
export const apiKeyOf = ({ 'api-key': key }: ScenarioFlags): string | undefined =>
  key === undefined ? undefined : checkWith(keyText, key, '--api-key');

/**
 * Duration of a flag, in milliseconds. It needs a unit: a bare number would be milliseconds elsewhere, and mostly means seconds.
 * @throws {UsageError}
 */
export function timeoutOf(text = '2m', flag = '--timeout'): number {
  try {
    return parseDuration(text);
  } catch (error) {
    const hint = /^\d+(?:\.\d+)?$/.test(text) ? `; did you mean ${text}s?` : '';
    throw new UsageError(`${flag}: ${(error as Error).message}${hint}`);
  }
}

/** Says that not all was done. */
export function tellStopped(done: number, total: number): void {
  const { stderr } = process;
  stderr.write(`${stderr.isTTY ? eraseLine : ''}petstore-sim: stopped after ${done} of ${total} runs\n`);
}

/** Without a terminal, progress is told after so many runs. */
const runsALine = 10;

/** Says on standard error how many runs are over: a bar on a terminal, which is gone at the end, else a line now and then. */
export function createRunCounter(total: number): (done: number) => void {
  return (done) => {
    const { stderr } = process;
    if (stderr.isTTY) stderr.write(done === total ? eraseLine : drawBar(done, total, 'runs'));
    else if (done % runsALine === 0 || (done === total && total > runsALine))
      stderr.write(`${done} of ${total} runs\n`);
  };
}
