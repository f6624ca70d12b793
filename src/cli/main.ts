#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError } from '../node/usage-error.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { ExecFlags } from './commands/exec.js';
import type { GauntletFlags } from './commands/gauntlet.js';
import type { MatrixFlags } from './commands/matrix.js';
import type { ReplayFlags } from './commands/replay.js';
import type { ServeFlags } from './commands/serve.js';
import type { StateFlags } from './commands/state.js';
import { reportOutputErrors } from './output-errors.js';

const help = `petstore-sim: a stateful stand-in for the Petstore service, with plans, rate limits, bans and a clock you control

Usage
  petstore-sim [serve] [options]     start the HTTP server
  petstore-sim scenarios             list the shipped scenarios
  petstore-sim scenarios NAME        print one: what it is about, and its file
  petstore-sim check FILE...         look for mistakes in scenario files; exit code 2 when there are any
  petstore-sim exec [options] -- COMMAND...
                                     run a client's command against a simulator of its own, and judge the client
  petstore-sim matrix [--only IDS] -- COMMAND...
                                     find the undocumented choices of the service that would break the client
  petstore-sim gauntlet [--only NAMES] -- COMMAND...
                                     run the client against every shipped scenario that expects something of it
  petstore-sim replay FILE           do a recorded run again, and compare every answer; exit code 1 when one differs
  petstore-sim state export [FILE]   write the state of a running server, as JSON or with --as scenario as YAML to start with
  petstore-sim state import FILE     put an exported state back into a running server
  petstore-sim assumptions [--json]  print what the simulator does where the interface document leaves a choice

Options of serve
  --port N               port, 0 for a free one (default 4010)
  --host HOST            address to listen on (default: 127.0.0.1 and ::1)
  --scenario NAME|FILE   what to start with: a shipped scenario, or a YAML or JSON file (default: default)
  --set PATH=VALUE       sets one field of the scenario, VALUE as in YAML; may be repeated:
                         --set keys.free-key.usage.minute=60 --set limits=off --set 'pets={generate: {sold: 5}}'
  --seed N               the same as --set seed=N
  --no-limits            the same as --set limits=off
  --watch                loads the scenario file again when it is saved; the pets stay as they are
  --reseed               with --watch: starts with the pets of the file again, too
  --handlers FILE        a module that exports msw handlers of your own, asked before the API
  --data FOLDER          keeps everything in a folder, so that the server can be stopped or killed and goes on
  --record FILE          writes down everything beside the run, for petstore-sim replay
  --data-reset           with --data: begins anew
  --fsync                with --data: an answer goes out only when it would outlive a power loss
  --log FORMAT           pretty, json or silent (default pretty)
  --allowed-host NAME    another host name that clients may use; may be repeated
  --control-token TOKEN  what control requests must bring; needed on a host that is not loopback

Options of exec, matrix and gauntlet (the command finds PETSTORE_BASE_URL, PETSTORE_SIM_URL and
PETSTORE_API_KEY, PETSTORE_OPERATION, PETSTORE_CALLS, PETSTORE_PARALLEL)
  --scenario, --set, --seed, --no-limits   as above (not with gauntlet)
  --record FILE          exec: writes down the run, for petstore-sim replay
  --verdict FILE         exec: writes the verdict as JSON
  --report FILE.html     exec: writes a report with a picture of the run
  --junit FILE.xml       exec: writes the verdict for a CI server
  --json                 prints JSON instead of text
  --fail-on CODES        exec: fails on these findings alone, separated by commas
  --require-conclusive   exec: fails when nothing was put to the test
  --only IDS             matrix: these assumptions; gauntlet: these scenarios; separated by commas
  --api-key NAME         exec, matrix: the API key for the command (default: the one that the scenario names)
  --timeout DURATION     how long one run may take (default 2m; exec: no limit)

Options of replay (of a file of --record, or the folder of --data)
  --until N|INSTANT      up to this entry of it, or this instant of the machine
  --judge                judges the client as exec did, with --json as JSON; exit code 1 when it failed
  --serve                goes on from there, with --port, --host, --log, --allowed-host and --control-token of serve

Options of state
  --url URL              the server (default: http://127.0.0.1:4010)
  --sandbox NAME         one of its sandboxes
  --control-token TOKEN  the token that it was started with
  --as scenario          export: a scenario file that starts exactly there
  --from FILE, --until   export: of a recorded run, at its end or as of replay

  --help                 print this
  --version              print the version
`;

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
  data: { type: 'string' },
  record: { type: 'string' },
  'data-reset': { type: 'boolean' },
  fsync: { type: 'boolean' },
} as const;

/** How to listen. */
const listenOptions = ['port', 'host', 'log', 'allowed-host', 'control-token'];

/** What sets the scenario of a command that runs a client. */
const scenarioOptions = ['scenario', 'set', 'seed', 'no-limits'];

/** Each command with the options that it takes and the number of arguments. */
const commands = {
  serve: { options: Object.keys(serveOptions), most: 0 },
  exec: {
    options: [
      ...scenarioOptions,
      'record',
      'verdict',
      'report',
      'junit',
      'json',
      'fail-on',
      'require-conclusive',
      'api-key',
      'timeout',
    ],
    most: Number.POSITIVE_INFINITY,
  },
  matrix: { options: [...scenarioOptions, 'only', 'json', 'api-key', 'timeout'], most: Number.POSITIVE_INFINITY },
  gauntlet: { options: ['only', 'json', 'timeout'], most: Number.POSITIVE_INFINITY },
  scenarios: { options: [], most: 1 },
  check: { options: [], most: Number.POSITIVE_INFINITY },
  assumptions: { options: ['json'], most: 0 },
  replay: { options: [...listenOptions, 'until', 'judge', 'serve', 'json'], most: 1 },
  state: { options: ['url', 'sandbox', 'control-token', 'as', 'from', 'until'], most: 2 },
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
    case 'replay': {
      const { replay } = await import('./commands/replay.js');
      return exitWith(await replay(values as ReplayFlags, rest, print));
    }
    case 'state': {
      const { state } = await import('./commands/state.js');
      return state(values as StateFlags, rest, print);
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
        verdict: { type: 'string' },
        report: { type: 'string' },
        junit: { type: 'string' },
        'fail-on': { type: 'string' },
        'require-conclusive': { type: 'boolean' },
        only: { type: 'string' },
        url: { type: 'string' },
        sandbox: { type: 'string' },
        as: { type: 'string' },
        from: { type: 'string' },
        until: { type: 'string' },
        judge: { type: 'boolean' },
        serve: { type: 'boolean' },
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
