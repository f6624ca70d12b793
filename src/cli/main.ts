#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError } from '../node/usage-error.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { CalibrateFlags } from './commands/calibrate.js';
import type { CompareFlags } from './commands/compare.js';
import type { ExecFlags } from './commands/exec.js';
import type { GauntletFlags } from './commands/gauntlet.js';
import type { JudgeFlags } from './commands/judge.js';
import type { MatrixFlags } from './commands/matrix.js';
import type { ScenarioFromFlags } from './commands/scenario.js';
import type { ServeFlags } from './commands/serve.js';
import type { StateFlags } from './commands/state.js';
import { help } from './help.js';
import { reportOutputErrors } from './output-errors.js';

const serveOptions = {
  port: { type: 'string' },
  host: { type: 'string' },
  scenario: { type: 'string' },
  set: { type: 'string', multiple: true },
  seed: { type: 'string' },
  'no-limits': { type: 'boolean' },
  watch: { type: 'boolean' },
  reseed: { type: 'boolean' },
  handlers: { type: 'string' },
  log: { type: 'string' },
  'allowed-host': { type: 'string', multiple: true },
  'control-token': { type: 'string' },
  open: { type: 'boolean' },
} as const;

const calibrateOptions = {
  from: { type: 'string', multiple: true },
  'base-url': { type: 'string' },
  target: { type: 'string' },
  'key-env': { type: 'string' },
  budget: { type: 'string' },
  out: { type: 'string' },
  write: { type: 'boolean' },
  'allow-exhaust': { type: 'boolean' },
  'allow-ban': { type: 'boolean' },
  patience: { type: 'string' },
  plan: { type: 'boolean' },
} as const;

/** What sets the scenario of a command that runs a client. */
const scenarioOptions = ['scenario', 'set', 'seed', 'no-limits'];

/** What becomes of a verdict. */
const verdictOptions = ['verdict', 'report', 'junit', 'json', 'fail-on', 'require-conclusive'];

/** Each command with the options that it takes and the number of arguments. */
const commands = {
  serve: { options: Object.keys(serveOptions), most: 0 },
  exec: {
    options: [...scenarioOptions, ...verdictOptions, 'api-key', 'timeout'],
    most: Number.POSITIVE_INFINITY,
  },
  matrix: { options: [...scenarioOptions, 'only', 'json', 'api-key', 'timeout'], most: Number.POSITIVE_INFINITY },
  gauntlet: { options: ['only', 'json', 'timeout'], most: Number.POSITIVE_INFINITY },
  calibrate: { options: Object.keys(calibrateOptions).concat('json'), most: 0 },
  compare: {
    options: ['target', 'key-env', 'budget', 'write', 'patience', 'save', 'with', 'junit', 'json'],
    most: 1,
  },
  judge: {
    options: [...verdictOptions, 'scenario', 'trace', 'base-url', 'one-key', 'ended'],
    most: Number.POSITIVE_INFINITY,
  },
  scenario: { options: ['from', 'base-url', 'out'], most: 0 },
  scenarios: { options: [], most: 1 },
  check: { options: [], most: Number.POSITIVE_INFINITY },
  assumptions: { options: ['json'], most: 0 },
  state: { options: ['url', 'sandbox', 'control-token', 'as'], most: 2 },
} satisfies Record<string, { options: string[]; most: number }>;

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [command = 'serve', ...rest] = positionals;
  if (values.help) return print(help);
  if (values.version) return print(`${version()}\n`);
  if (!isCommand(command)) {
    const expected = Object.keys(commands).join(', ');
    throw new UsageError(`expected a command (${expected}), got ${JSON.stringify(command)}; see petstore-sim --help`);
  }
  const { options, most } = commands[command];
  const stray = Object.keys(values).find((name) => !(options as string[]).includes(name));
  if (stray !== undefined) throw new UsageError(`expected no --${stray} with ${command}; see petstore-sim --help`);
  if (rest.length > most) {
    throw new UsageError(`expected no further argument of ${command}, got ${JSON.stringify(rest[most])}`);
  }
  await run(command, values, rest);
}

/** Loads only the command that runs, so that a server starts soon. */
async function run(command: keyof typeof commands, values: object, rest: string[]): Promise<void> {
  switch (command) {
    case 'serve': {
      const { serve } = await import('./commands/serve.js');
      return serve(values as ServeFlags);
    }
    case 'assumptions': {
      const { printAssumptions } = await import('./commands/assumptions.js');
      return print(printAssumptions('json' in values));
    }
    case 'scenarios': {
      const { printScenarios } = await import('./commands/scenarios.js');
      return print(printScenarios(rest[0]));
    }
    case 'check': {
      const { check } = await import('./commands/check.js');
      return check(rest, print);
    }
    case 'calibrate': {
      const { calibrate } = await import('./commands/calibrate.js');
      return exitWith(await calibrate(values as CalibrateFlags, print));
    }
    case 'compare': {
      const { compare } = await import('./commands/compare.js');
      return exitWith(await compare(values as CompareFlags, rest[0], print));
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
      return exitWith(await gauntlet(values as GauntletFlags, rest, print));
    }
  }
}

const exitWith = (code: number) => {
  process.exitCode = code;
};

const isCommand = (text: string): text is keyof typeof commands => Object.hasOwn(commands, text);

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        ...serveOptions,
        ...calibrateOptions,
        save: { type: 'string' },
        with: { type: 'string' },
        trace: { type: 'string' },
        'one-key': { type: 'boolean' },
        ended: { type: 'boolean' },
        verdict: { type: 'string' },
        report: { type: 'string' },
        junit: { type: 'string' },
        'fail-on': { type: 'string' },
        'require-conclusive': { type: 'boolean' },
        only: { type: 'string' },
        url: { type: 'string' },
        sandbox: { type: 'string' },
        as: { type: 'string' },
        timeout: { type: 'string' },
        'api-key': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(message.replace(/ To specify a positional argument.*/s, '').replaceAll('\n', ' '));
  }
}

const print = (text: string) => {
  process.stdout.write(text);
};

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

reportOutputErrors();
main().catch((error) => {
  const isMistake = error instanceof UsageError || error instanceof ScenarioError;
  // What names its file is printed as compilers do it, so that editors and terminals find the place.
  const hasPlace = error instanceof ScenarioError && error.issues.every(({ file }) => file !== undefined);
  if (isMistake) process.stderr.write(`${hasPlace ? '' : 'petstore-sim: '}${error.message}\n`);
  else console.error(error);
  process.exitCode = isMistake ? 2 : 1;
});
