import { ScenarioError } from '../scenario/scenario-error.js';
import { UsageError } from '../validation/usage-error.js';
import { readArguments } from './arguments.js';
import { packageVersion } from './package-version.js';
import { printMistake } from './print-error.js';

/**
 * Runs one command line, such as `['check', 'scenario.yaml']`, and prints its output and its errors.
 * @returns the exit code: 0, the command's own, or 2 for any error; 1 would mean that a client failed
 */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  try {
    const request = readArguments(args);
    if ('help' in request) print((await import('./help.js')).helpOf(request.help));
    else if ('version' in request) print(`${packageVersion()}\n`);
    else return ((await (await request.command.load())({ ...request, print })) as number | undefined) ?? 0;
    return 0;
  } catch (error) {
    const isMistake = error instanceof UsageError || error instanceof ScenarioError;
    // Formats mistakes in a file as compilers do (FILE:LINE:COLUMN), so that editors and terminals link to the position.
    const hasPlace = error instanceof ScenarioError && error.issues.every(({ file }) => file !== undefined);
    if (isMistake) printMistake(`${hasPlace ? '' : 'petstore-sim: '}${error.message}`);
    else console.error(error);
    return 2;
  }
}

const print = (text: string) => {
  process.stdout.write(text);
};
