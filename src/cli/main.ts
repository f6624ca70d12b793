#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../node/scenario-files/shipped-scenarios.js';
import { UsageError } from '../node/usage-error.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { readArguments } from './arguments.js';
import { reportOutputErrors } from './output-errors.js';
import { printError } from './print-error.js';

async function main(): Promise<void> {
  const request = readArguments();
  if ('help' in request) return print((await import('./help.js')).helpOf(request.help));
  if ('version' in request) return print(`${version()}\n`);
  const code = await request.command.run({ ...request, print });
  if (typeof code === 'number') process.exitCode = code;
}

const print = (text: string) => {
  process.stdout.write(text);
};

function version(): string {
  return JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')).version;
}

reportOutputErrors();
main().catch((error) => {
  const isMistake = error instanceof UsageError || error instanceof ScenarioError;
  // Issues with a file are printed in the format of compilers, so that editors and terminals link to the position.
  const hasPlace = error instanceof ScenarioError && error.issues.every(({ file }) => file !== undefined);
  if (isMistake) printError(`${hasPlace ? '' : 'petstore-sim: '}${error.message}`);
  else console.error(error);
  process.exitCode = isMistake ? 2 : 1;
});
