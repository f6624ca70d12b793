import { styleText } from 'node:util';
import { type AssumptionId, assumptions } from '../../contract/assumptions.js';
import { UsageError } from '../../node/usage-error.js';
import { jsonWithNext } from '../json-with-next.js';
import { type MatrixResult, matrixCases, matrixLines, runMatrix } from '../matrix.js';
import { program } from '../program.js';
import { shellWords } from '../shell-words.js';
import { untilStopped } from '../until-stopped.js';
import {
  apiKeyOf,
  createRunCounter,
  requireCommand,
  type ScenarioFlags,
  scenarioOf,
  tellStopped,
  timeoutOf,
} from './client-flags.js';

export interface MatrixFlags extends ScenarioFlags {
  only?: string;
  json?: boolean;
  timeout?: string;
}

/**
 * Runs a client with the defaults and with every alternative of every assumption.
 * @returns the exit code: 1 when an alternative breaks the client, or when it fails with the defaults already, 130 and
 * 143 when a signal stopped it
 */
export async function matrix(
  flags: MatrixFlags,
  command: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  requireCommand('matrix', command);
  const only = readIds(flags.only);
  const apiKey = apiKeyOf(flags);
  const read = await scenarioOf(flags);
  const onDone = createRunCounter(1 + matrixCases(only).length);
  const timeoutMs = timeoutOf(flags.timeout);
  const { result: results, stoppedCode } = await untilStopped((stopped) =>
    runMatrix(command, read, { only, timeoutMs, apiKey, stopped, onDone }),
  );
  if (stoppedCode !== undefined) {
    tellStopped(results.length, 1 + matrixCases(only).length);
    return stoppedCode;
  }
  const [baseline] = results;
  const isBroken = results.some(({ breaks }) => breaks) || baseline?.code !== 0;
  if (flags.json) print(jsonWithNext({ results }, nextCommands(results, command)));
  else if (baseline?.code !== 0) {
    print(
      `The command fails with the defaults already (exit code ${baseline?.code}); mend that first.\n${baseline?.output}`,
    );
  } else print(`${matrixLines(results, (format, text) => styleText(format, text)).join('\n')}\n`);
  return isBroken ? 1 : 0;
}

/** @throws {UsageError} for an id that is none */
function readIds(text: string | undefined): AssumptionId[] | undefined {
  const ids = text?.split(',').map((id) => id.trim());
  const unknown = ids?.find((id) => !Object.hasOwn(assumptions, id));
  if (unknown !== undefined) {
    throw new UsageError(
      `expected --only to name assumptions, got ${JSON.stringify(unknown)}; see ${program} assumptions`,
    );
  }
  return ids as AssumptionId[] | undefined;
}

/** The client under the first choices that break it. */
function nextCommands(results: readonly MatrixResult[], command: readonly string[]): string[] {
  const broken = results.flatMap(({ id, value, breaks }) => (breaks && id !== undefined ? [{ id, value }] : []));
  const words = shellWords(command);
  if (broken.length === 0) return [`${program} gauntlet --json -- ${words}`];
  return broken.slice(0, 3).map(({ id, value }) => {
    const set = shellWords([`assumptions.${id}=${typeof value === 'string' ? value : JSON.stringify(value)}`]);
    return `${program} exec --json --set ${set} -- ${words}`;
  });
}
