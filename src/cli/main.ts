#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../node/scenario-files/shipped-scenarios.js';
import { UsageError } from '../node/usage-error.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { type CommandRequest, readArguments } from './arguments.js';
import type { CalibrateFlags } from './commands/calibrate.js';
import type { CompareFlags } from './commands/compare.js';
import type { DemoFlags } from './commands/demo.js';
import type { ExecFlags } from './commands/exec.js';
import type { GauntletFlags } from './commands/gauntlet.js';
import type { JudgeFlags } from './commands/judge.js';
import type { MatrixFlags } from './commands/matrix.js';
import type { ReplayFlags } from './commands/replay.js';
import type { ScenarioFromFlags } from './commands/scenario.js';
import type { ServeFlags } from './commands/serve.js';
import type { StateFlags } from './commands/state.js';
import { reportOutputErrors } from './output-errors.js';
import { tell } from './tell.js';

async function main(): Promise<void> {
  const request = readArguments();
  if ('help' in request) return print((await import('./help.js')).help);
  if ('version' in request) return print(`${version()}\n`);
  await run(request);
}

/** Loads only the command that runs, so that a server starts soon. */
async function run({ command, flags: values, rest, before }: CommandRequest): Promise<void> {
  switch (command) {
    case 'serve': {
      const { serve } = await import('./commands/serve.js');
      return serve(values as ServeFlags);
    }
    case 'assumptions': {
      const { printAssumptions } = await import('./commands/assumptions.js');
      return print(printAssumptions(values.json));
    }
    case 'scenarios': {
      const { printScenarios } = await import('./commands/scenarios.js');
      return print(printScenarios(rest[0], values.json));
    }
    case 'check': {
      const { check } = await import('./commands/check.js');
      return check(rest, values.json, print);
    }
    case 'demo': {
      const { demo } = await import('./commands/demo.js');
      return demo(values as DemoFlags, print);
    }
    case 'init': {
      const { init } = await import('./commands/init.js');
      return print(init(process.cwd(), values.json));
    }
    case 'calibrate': {
      const { calibrate } = await import('./commands/calibrate.js');
      return exitWith(await calibrate(values as CalibrateFlags, print));
    }
    case 'compare': {
      const { compare } = await import('./commands/compare.js');
      return exitWith(await compare(values as CompareFlags, rest[0], print));
    }
    case 'replay': {
      const { replay } = await import('./commands/replay.js');
      return exitWith(await replay(values as ReplayFlags, rest, print));
    }
    case 'state': {
      const { state } = await import('./commands/state.js');
      return state(values as StateFlags, rest, print);
    }
    case 'judge': {
      const { judge } = await import('./commands/judge.js');
      return exitWith(await judge(values as JudgeFlags, rest));
    }
    case 'scenario': {
      const { scenarioFrom } = await import('./commands/scenario.js');
      return scenarioFrom(values as ScenarioFromFlags, print);
    }
    case 'exec': {
      const { exec } = await import('./commands/exec.js');
      return exitWith(await exec(values as ExecFlags, rest));
    }
    case 'matrix': {
      const { matrix } = await import('./commands/matrix.js');
      return exitWith(await matrix(values as MatrixFlags, rest, print));
    }
    case 'gauntlet': {
      const { gauntlet } = await import('./commands/gauntlet.js');
      return exitWith(await gauntlet(values as GauntletFlags, rest.slice(0, before), rest.slice(before), print));
    }
  }
}

const exitWith = (code: number) => {
  process.exitCode = code;
};

const print = (text: string) => {
  process.stdout.write(text);
};

function version(): string {
  return JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')).version;
}

reportOutputErrors();
main().catch((error) => {
  const isMistake = error instanceof UsageError || error instanceof ScenarioError;
  // What names its file is printed as compilers do it, so that editors and terminals find the place.
  const hasPlace = error instanceof ScenarioError && error.issues.every(({ file }) => file !== undefined);
  if (isMistake) tell(`${hasPlace ? '' : 'petstore-sim: '}${error.message}`);
  else console.error(error);
  process.exitCode = isMistake ? 2 : 1;
});
