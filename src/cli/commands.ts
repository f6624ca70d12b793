import type { CliInput } from './cli-input.js';
import type { CalibrateFlags } from './commands/calibrate.js';
import type { CertifyFlags } from './commands/certify.js';
import type { CheckFlags } from './commands/check.js';
import type { ScenarioFlags } from './commands/client-flags.js';
import type { CompareFlags } from './commands/compare.js';
import type { DemoFlags } from './commands/demo.js';
import type { ExecFlags } from './commands/exec.js';
import type { GauntletFlags } from './commands/gauntlet.js';
import type { HuntFlags } from './commands/hunt.js';
import type { JudgeFlags } from './commands/judge.js';
import type { MatrixFlags } from './commands/matrix.js';
import type { ReplayFlags } from './commands/replay.js';
import type { ScenarioFromFlags } from './commands/scenario.js';
import type { ServeFlags } from './commands/serve.js';
import type { StateFlags } from './commands/state.js';
import type { ListenFlags } from './listen-flags.js';
import type { RouteFlags } from './route-flags.js';
import type { VerdictFlags } from './verdict-flags.js';

type TextFlag = readonly [value: string, about: string];
type RepeatableFlag = readonly [value: string, about: string, isRepeatable: true];

/** Help text of a flag: its description or, for a flag with a value, the value's name and the description. */
export type Flag = string | TextFlag | RepeatableFlag;

/** Help text of each flag of a command, except `--json`, which all commands have. */
type FlagsFor<Fields> = {
  readonly [Name in Exclude<keyof Fields, 'json'>]-?: NonNullable<Fields[Name]> extends boolean
    ? string
    : NonNullable<Fields[Name]> extends string[]
      ? RepeatableFlag
      : TextFlag;
};

export interface CliCommand<Fields = object> {
  /** Heading of the command in the overview. */
  group: 'Run it' | 'Judge a client' | 'Scenarios' | 'The real service' | 'State';
  /** Forms of the command with a short description each. Words in capitals represent values. */
  usage: Readonly<Record<string, string>>;
  about: string;
  flags: FlagsFor<Fields>;
  /** Maximum number of the command's arguments, not counting flags. Default: 0. */
  maximumArguments?: number;
  /** Arguments for an example in the help text. They must be valid. */
  example: string;
  exitCodes?: string;
  /** Loads the code of the command. A number that the code's `run` returns is the exit code. */
  load(): Promise<Run<Fields>>;
}

// Uses the type of a method, because TypeScript compares the parameters of methods less strictly than the parameters
// of functions. Commands with different flags can then be in one list.
type Run<Fields> = { run(input: CliInput<Fields>): unknown }['run'];

const routeFlags: FlagsFor<RouteFlags> = {
  handlers: ['FILE', 'module that exports msw handlers, which take precedence over the API'],
  upstream: ['URL', 'backend of what neither the API nor a handler serves: http://127.0.0.1:3000'],
  'upstream-key': ['same|NAME', "key for the backend: the client's, or that of a variable (default: none)"],
  'upstream-host': ['HOST', 'with --upstream: confirms a backend on another machine'],
  'no-api': 'with --upstream: the backend serves the three operations of the API too',
  reads: ["'POST /PATH'", 'with --upstream: a request that only reads by an unsafe method', true],
};

const refused = [
  'STATUS',
  'another status that refuses a request by a limit, such as 403; remaining requests in the response deny it',
  true,
] as const;

const keyFrom = ['PLACE', "place of the key: 'header x-api-key', 'query key', basic, token, signature or one"] as const;

const scenarioFlags: FlagsFor<Omit<ScenarioFlags, 'api-key' | 'refused'>> = {
  scenario: ['NAME|FILE', 'shipped scenario, or a YAML or JSON file (default: default)'],
  set: ['PATH=VALUE', 'sets a field to a YAML value: keys.free-key.usage.minute=60', true],
  seed: ['N', 'same as --set seed=N'],
  'no-limits': 'same as --set limits=off',
  'key-from': keyFrom,
};

const verdictFlags: FlagsFor<VerdictFlags> = {
  verdict: ['FILE', 'writes the verdict as JSON'],
  report: ['FILE.html', 'writes an HTML report with a timeline of the run'],
  junit: ['FILE.xml', 'writes the result as JUnit XML, for a CI server'],
  'fail-on': ['CODES', 'findings that fail the run, separated by commas; others only warn'],
  'require-conclusive': 'fails if the verdict is inconclusive',
};

const listenFlags: FlagsFor<ListenFlags> = {
  port: ['N', 'port; 0 for a free port (default: PORT, or 4010)'],
  host: ['HOST', 'address to listen on (default: HOST, if an IP address, or loopback)'],
  'public-url': ['URL', 'URL of the server for clients, behind a proxy: https://team.example/petstore'],
  log: ['FORMAT', 'pretty, json or silent (default: pretty; json with --json or for an AI agent)'],
  'allowed-host': ['NAME', 'another host name for clients', true],
  'control-token': ['TOKEN', 'bearer token of control requests, @FILE or env:NAME; required beyond loopback'],
  'max-streams': ['N', 'readers of /__sim/events per sandbox (default: 20)'],
};

const serviceFlags = {
  target: ['URL', 'base URL of the service: https://api.example.com/v1'],
  'key-env': ['NAME', 'environment variable that contains the API key'],
  write: 'allows requests that store pets',
  patience: ['DURATION', 'maximum length of a wait, such as 90s (default: 150s)'],
} as const;

const recordingFlags = {
  from: ['FILE', 'recording (HAR, or JSON Lines of a journal)', true],
  'base-url': ['URL', 'service in the recording, if there are several'],
} as const;

const clientEnvironment =
  "The command's environment has PETSTORE_BASE_URL, PETSTORE_SIM_URL, PETSTORE_API_KEY, PETSTORE_OPERATION, PETSTORE_CALLS and PETSTORE_PARALLEL.";
const apiKey = ['NAME', 'API key for the command (default: the key in the scenario)'] as const;
const record = ['FILE', 'records the run, for petstore-sim replay'] as const;
const runTimeout = ['DURATION', 'time limit of one run, such as 30s (default: 2m)'] as const;
const mustConclude = 'fails if a run is inconclusive, or the machine was too busy for it';
const stoppedCodes = '129, 130, 131 or 143 if SIGHUP, SIGINT, SIGQUIT or SIGTERM stopped it';

/** All commands by group, in the order in which the help text lists them. */
export const commands: Readonly<Record<string, CliCommand>> = {
  demo: {
    group: 'Run it',
    usage: { demo: 'runs an incorrect and a correct client against a rate limit' },
    about:
      'Runs both clients concurrently and judges them. On a terminal, opens the dashboard and serves until Ctrl+C.',
    flags: {
      port: ['N', 'port (default: a free port)'],
      timeout: ['DURATION', 'duration of the run, such as 30s (default: 20s)'],
    },
    example: 'demo --timeout 30s',
    load: async () => (await import('./commands/demo.js')).demo,
  } satisfies CliCommand<DemoFlags>,
  serve: {
    group: 'Run it',
    usage: { '[serve] [options]': 'starts the HTTP server' },
    about: 'Serves the API, the control API and the dashboard until SIGINT or SIGTERM.',
    flags: {
      ...listenFlags,
      ...scenarioFlags,
      watch: 'reloads the scenario file when it is saved; the pets remain',
      reseed: "with --watch: restarts with the file's pets as well",
      ...routeFlags,
      data: [
        'FOLDER|URL',
        'stores the state in a folder, to survive a restart, or in Redis or Valkey, to share it between servers: redis://127.0.0.1:6379/0?name=staging',
      ],
      'data-reset': 'with --data: discards the stored state',
      advertise: ['HOST:PORT', 'with --data URL: address at which the other servers reach this one'],
      fsync: 'with --data FOLDER: responds only after a flush to disk, to survive a power loss',
      record,
      'allowed-origin': ['URL', 'origin whose pages may use the control API: http://localhost:5173', true],
      open: 'opens the dashboard in the browser',
      'until-eof': 'stops when standard input ends, as when the parent process ends',
    },
    example: '--scenario minute-wall --port 0',
    load: async () => (await import('./commands/serve.js')).serve,
  } satisfies CliCommand<ServeFlags>,
  exec: {
    group: 'Judge a client',
    usage: { 'exec [options] -- COMMAND...': "runs a client's command and judges the client" },
    about: `Runs the command against a separate simulator on a free port, and prints a verdict on the client to standard error. ${clientEnvironment}`,
    flags: {
      ...scenarioFlags,
      'api-key': apiKey,
      timeout: ['DURATION', 'time limit of the command, such as 30s (default: none)'],
      record,
      refused,
      ...routeFlags,
      ...verdictFlags,
    },
    maximumArguments: Number.POSITIVE_INFINITY,
    example: 'exec --scenario minute-wall --timeout 30s -- npm test',
    exitCodes:
      "the command's own (128 + n if signal n ended it), 124 if --timeout stopped it, 1 if it succeeded and the client failed, 2 for a mistake, or a report or recording that cannot be written",
    load: async () => (await import('./commands/exec.js')).exec,
  } satisfies CliCommand<ExecFlags>,
  judge: {
    group: 'Judge a client',
    usage: { 'judge [options] FILE...': 'judges a client by recorded traffic' },
    about:
      'Reads recordings (HAR, or JSON Lines of a journal) or a trace, and prints a verdict. With --base-url, judges clients of any service.',
    flags: {
      scenario: ['NAME|FILE', "scenario of the recording, for the scenario's expectations of a client"],
      trace: ['FILE', 'OpenTelemetry trace (OTLP as JSON) instead of a recording'],
      'base-url': ['URL', 'base URL of the service in the recording, such as https://api.github.com'],
      refused,
      reads: ["'POST /PATH'", 'a request that only reads, although its method is unsafe', true],
      'key-from': keyFrom,
      'one-key': 'counts all requests as those of one API key',
      ended: 'assumes that the client ended with the recording and sent no later requests',
      ...verdictFlags,
    },
    maximumArguments: Number.POSITIVE_INFINITY,
    example: 'judge --ended --report report.html traffic.har',
    exitCodes: '1 if the client failed, 2 for a mistake or a report that cannot be written',
    load: async () => (await import('./commands/judge.js')).judge,
  } satisfies CliCommand<JudgeFlags>,
  gauntlet: {
    group: 'Judge a client',
    usage: { 'gauntlet [SCENARIO...] -- COMMAND...': 'judges a client in many scenarios' },
    about: `Runs the command in each of these scenarios or files, by default in every shipped scenario with expectations of a client. ${clientEnvironment}`,
    flags: {
      classes: 'prints the classes of retry bugs in the literature, each with its result',
      timeout: runTimeout,
      'require-conclusive': mustConclude,
      refused,
      ...routeFlags,
    },
    maximumArguments: Number.POSITIVE_INFINITY,
    example: 'gauntlet minute-wall my.yaml -- npm test',
    exitCodes: `1 if the client fails a scenario, with --require-conclusive also if a run is inconclusive, ${stoppedCodes}`,
    load: async () => (await import('./commands/gauntlet.js')).gauntlet,
  } satisfies CliCommand<GauntletFlags>,
  hunt: {
    group: 'Judge a client',
    usage: { 'hunt [options] -- COMMAND...': 'finds the smallest scenario that breaks a client' },
    about: `Runs the command in many short scenarios, several at once: shipped scenarios and mutations of them. Reduces each failure and writes it as a scenario for exec --scenario. Ctrl-C ends the search and writes what was found. ${clientEnvironment}`,
    flags: {
      runs: ['N', 'number of scenarios (default: 40)'],
      seed: ['N', 'seed of the mutations (default: 1)'],
      timeout: ['DURATION', 'time limit of one run, such as 20s (default: 45s)'],
      out: ['FOLDER', 'folder for the found scenarios (default: hunt)'],
      refused,
      report: ['FILE.html', 'writes an HTML report on the first failure, with a timeline of the run'],
      junit: verdictFlags.junit,
    },
    maximumArguments: Number.POSITIVE_INFINITY,
    example: 'hunt --runs 20 -- npm test',
    exitCodes: `1 if a failure was found, 2 if no run exercised a rule, ${stoppedCodes}`,
    load: async () => (await import('./commands/hunt.js')).hunt,
  } satisfies CliCommand<HuntFlags>,
  matrix: {
    group: 'Judge a client',
    usage: { 'matrix [options] -- COMMAND...': 'finds undocumented choices that break the client' },
    about: `Runs the command with the defaults, and once with each alternative of every assumption. ${clientEnvironment}`,
    flags: {
      ...scenarioFlags,
      'api-key': apiKey,
      only: ['IDS', 'these assumptions only, separated by commas (default: all)'],
      refused,
      timeout: runTimeout,
    },
    maximumArguments: Number.POSITIVE_INFINITY,
    example: 'matrix --only paging,listOrder -- npm test',
    exitCodes: `1 if an alternative breaks the client or the command fails with the defaults, ${stoppedCodes}`,
    load: async () => (await import('./commands/matrix.js')).matrix,
  } satisfies CliCommand<MatrixFlags>,
  certify: {
    group: 'Judge a client',
    usage: { 'certify [options] FILE': 'judges several clients, and writes one table' },
    about: `Runs the gauntlet over the commands of a YAML file (sdks: {NAME: COMMAND}, and optionally scenarios: [SCENARIO]), and writes certificate.html, .md and .json with a badge.svg. ${clientEnvironment}`,
    flags: {
      out: ['FOLDER', 'folder of the files (default: certificate)'],
      against: ['FILE.json', 'earlier certificate.json; reports what became better and worse'],
      junit: ['FILE.xml', 'writes a test case for each SDK and scenario, for a CI server'],
      parallel: ['N', 'number of concurrent runs (default: 10 for each SDK, at most 20 for each processor)'],
      seed: ['N', 'seed of every scenario (default: its own)'],
      timeout: runTimeout,
      'require-conclusive': mustConclude,
      refused,
    },
    maximumArguments: 1,
    example: 'certify sdks.yaml --against certificate/certificate.json',
    exitCodes: `1 if a client fails a scenario or sends no request, with --against only if something became worse, with --require-conclusive also if a run is inconclusive, ${stoppedCodes}, 2 for a mistake`,
    load: async () => (await import('./commands/certify.js')).certify,
  } satisfies CliCommand<CertifyFlags>,
  fix: {
    group: 'Judge a client',
    usage: { 'fix [NAME]': 'prints the code with which an HTTP library obeys the service' },
    about: 'Prints the code of an HTTP library that passes the scenarios. Without NAME, lists the 40 libraries.',
    flags: {},
    maximumArguments: 1,
    example: 'fix ofetch',
    load: async () => (await import('./commands/fix.js')).fix,
  } satisfies CliCommand<object>,
  init: {
    group: 'Scenarios',
    usage: { init: 'writes a first scenario file' },
    about:
      "Writes petstore.scenario.yaml, unless it exists, and prints a test for the project's test runner: Vitest, Jest or Playwright.",
    flags: {},
    example: 'init',
    load: async () => (await import('./commands/init.js')).init,
  } satisfies CliCommand<object>,
  scenarios: {
    group: 'Scenarios',
    usage: { scenarios: 'lists the shipped scenarios', 'scenarios NAME': 'prints a shipped scenario' },
    about:
      'Without a name, lists the shipped scenarios by group. With a name, prints the file, as a start for your own.',
    flags: {},
    maximumArguments: 1,
    example: 'scenarios minute-wall > my.yaml',
    load: async () => (await import('./commands/scenarios.js')).scenarios,
  } satisfies CliCommand<object>,
  check: {
    group: 'Scenarios',
    usage: { 'check [options] FILE...': 'finds mistakes in scenario files' },
    about: 'Reports every mistake in scenario files, with line and column.',
    flags: { handlers: routeFlags.handlers },
    maximumArguments: Number.POSITIVE_INFINITY,
    example: 'check my.yaml',
    exitCodes: '2 if there is a mistake',
    load: async () => (await import('./commands/check.js')).check,
  } satisfies CliCommand<CheckFlags>,
  scenario: {
    group: 'Scenarios',
    usage: { 'scenario --from FILE': 'creates a scenario from recorded traffic' },
    about: 'Writes a scenario with the limits, keys and pets at the start of the recording.',
    flags: { ...recordingFlags, out: ['FILE', 'scenario to write (default: standard output)'] },
    example: 'scenario --from traffic.har --out incident.yaml',
    load: async () => (await import('./commands/scenario.js')).scenarioFrom,
  } satisfies CliCommand<ScenarioFromFlags>,
  assumptions: {
    group: 'Scenarios',
    usage: { assumptions: 'prints the assumptions about undocumented behavior' },
    about:
      'Prints each assumption with its default, its alternatives and the sentence of the document that leaves it open.',
    flags: {},
    example: 'assumptions',
    load: async () => (await import('./commands/assumptions.js')).printAssumptions,
  } satisfies CliCommand<object>,
  calibrate: {
    group: 'The real service',
    usage: {
      'calibrate --target URL --key-env NAME': 'learns undocumented choices of a real service',
      'calibrate --from FILE': 'learns undocumented choices from recordings',
    },
    about:
      'Learns the undocumented choices of a service, and writes them as a scenario. With --from alone, sends nothing. An interrupted run is continued by the same command.',
    flags: {
      ...serviceFlags,
      ...recordingFlags,
      budget: ['N', 'maximum number of requests (default: 40)'],
      out: ['FILE', 'scenario to write (default: calibrated.yaml); logs the requests in a .jsonl file of that name'],
      'allow-exhaust': 'allows requests that exhaust a rate limit',
      'allow-ban': 'allows requests that cause a ban of the key',
      plan: 'prints the requests with their cost, and sends nothing',
    },
    example: 'calibrate --from traffic.har --out calibrated.yaml',
    exitCodes: '1 if responses contradict the document or every assumption, 2 if nothing was learned',
    load: async () => (await import('./commands/calibrate.js')).calibrate,
  } satisfies CliCommand<CalibrateFlags>,
  compare: {
    group: 'The real service',
    usage: { 'compare [options] [SCENARIO]': 'compares a real service with a scenario' },
    about: 'Sends the same requests to a service and to a scenario (default: default), and reports the differences.',
    flags: {
      ...serviceFlags,
      budget: ['N', 'maximum number of requests (default: 30)'],
      save: ['FILE', 'writes the responses, without secrets'],
      with: ['FILE', 'compares with saved responses instead of --target, and sends nothing'],
      junit: verdictFlags.junit,
    },
    maximumArguments: 1,
    example: 'compare --with kept.jsonl calibrated.yaml',
    exitCodes: '0 for no difference, 1 for differences, 2 if the comparison was impossible',
    load: async () => (await import('./commands/compare.js')).compare,
  } satisfies CliCommand<CompareFlags>,
  state: {
    group: 'State',
    usage: {
      'state export [FILE]': 'writes the state of a running server',
      'state import FILE': 'restores an exported state in a running server',
    },
    about: 'Exports or imports pets, keys with their usage, bans, clock and faults. The file contains API keys.',
    flags: {
      url: ['URL', 'server (default: http://127.0.0.1:4010)'],
      sandbox: ['NAME', 'name of a sandbox on the server'],
      'control-token': ['TOKEN', "the server's control token, @FILE or env:NAME"],
      as: ['FORMAT', 'export: state or scenario, a scenario file that starts with this state (default: state)'],
      from: ['FILE|FOLDER', 'export: a run of --record or the folder of --data, instead of a server'],
      until: ['N|INSTANT', 'with --from: stops at this entry, or at this time of the recording machine'],
    },
    maximumArguments: 2,
    example: 'state export --as scenario now.yaml',
    load: async () => (await import('./commands/state.js')).state,
  } satisfies CliCommand<StateFlags>,
  replay: {
    group: 'State',
    usage: { 'replay [options] FILE|FOLDER': 'repeats a recorded run' },
    about: 'Repeats a run of --record, or the folder of --data, and compares every response.',
    flags: {
      until: ['N|INSTANT', 'stops at this entry, or at this time of the recording machine'],
      judge: 'judges the client, as exec did',
      serve: 'serves the resulting state until SIGINT or SIGTERM',
      ...verdictFlags,
      ...listenFlags,
    },
    maximumArguments: 1,
    example: 'replay run.jsonl --judge --report report.html',
    exitCodes: '1 if a response differs or the client failed, 2 if the recording cannot be read to its end',
    load: async () => (await import('./commands/replay.js')).replay,
  } satisfies CliCommand<ReplayFlags>,
};

/** Short forms of flags. */
export const shortFlags: Readonly<Record<string, string>> = { port: 'p', help: 'h', version: 'v' };

/** Flags that every command has. */
export const commonFlags = {
  json: 'prints JSON, with suggested next commands in "next"',
  help: 'prints help for the command, or an overview without one',
  version: 'prints the version',
} as const;
