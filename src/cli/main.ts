#!/usr/bin/env node
import { UsageError } from '../node/usage-error.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { readArguments } from './arguments.js';
import { reportOutputErrors } from './output-errors.js';
import { packageVersion } from './package-version.js';
import { printError } from './print-error.js';

async function main(): Promise<void> {
  const request = readArguments();
  if ('help' in request) return print((await import('./help.js')).helpOf(request.help));
  if ('version' in request) return print(`${packageVersion()}\n`);
  const run = await request.command.load();
  const code = await run({ ...request, print });
  if (typeof code === 'number') process.exitCode = code;
}

const print = (text: string) => {
  process.stdout.write(text);
};

reportOutputErrors();
main().catch((error) => {
  const isMistake = error instanceof UsageError || error instanceof ScenarioError;
  // Formats mistakes in a file as compilers do (FILE:LINE:COLUMN), so that editors and terminals link to the position.
  const hasPlace = error instanceof ScenarioError && error.issues.every(({ file }) => file !== undefined);
  if (isMistake) printError(`${hasPlace ? '' : 'petstore-sim: '}${error.message}`);
  else console.error(error);
  process.exitCode = isMistake ? 2 : 1;
});
