import { parseArgs } from 'node:util';
import { UsageError } from '../node/usage-error.js';
import { nearest } from '../schema/nearest.js';
import { program } from './program.js';

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
  'allowed-origin': { type: 'string', multiple: true },
  'control-token': { type: 'string' },
  open: { type: 'boolean' },
  data: { type: 'string' },
  'data-reset': { type: 'boolean' },
  fsync: { type: 'boolean' },
  record: { type: 'string' },
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
const verdictOptions = ['verdict', 'report', 'junit', 'fail-on', 'require-conclusive'];

/** How to listen. */
const listenOptions = ['port', 'host', 'log', 'allowed-host', 'control-token'];

/** Each command with the options that it takes, `--json` beside, and the number of arguments. */
const commands = {
  serve: { options: Object.keys(serveOptions), most: 0 },
  exec: {
    options: [...scenarioOptions, ...verdictOptions, 'api-key', 'timeout', 'record'],
    most: Number.POSITIVE_INFINITY,
  },
  matrix: { options: [...scenarioOptions, 'only', 'api-key', 'timeout'], most: Number.POSITIVE_INFINITY },
  gauntlet: { options: ['timeout'], most: Number.POSITIVE_INFINITY },
  calibrate: { options: Object.keys(calibrateOptions), most: 0 },
  compare: {
    options: ['target', 'key-env', 'budget', 'write', 'patience', 'save', 'with', 'junit'],
    most: 1,
  },
  judge: {
    options: [...verdictOptions, 'scenario', 'trace', 'base-url', 'one-key', 'ended'],
    most: Number.POSITIVE_INFINITY,
  },
  scenario: { options: ['from', 'base-url', 'out'], most: 0 },
  scenarios: { options: [], most: 1 },
  check: { options: [], most: Number.POSITIVE_INFINITY },
  assumptions: { options: [], most: 0 },
  init: { options: [], most: 0 },
  replay: { options: [...listenOptions, ...verdictOptions, 'until', 'judge', 'serve'], most: 1 },
  state: { options: ['url', 'sandbox', 'control-token', 'as', 'from', 'until'], most: 2 },
  demo: { options: ['port', 'timeout'], most: 0 },
} satisfies Record<string, { options: string[]; most: number }>;

/** All options, with `--json`, which every command takes. */
const allOptions = {
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
  until: { type: 'string' },
  judge: { type: 'boolean' },
  serve: { type: 'boolean' },
  timeout: { type: 'string' },
  'api-key': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

export type CommandName = keyof typeof commands;

/** What the command line asks for. */
export type Request = { help: true } | { version: true } | CommandRequest;

export interface CommandRequest {
  command: CommandName;
  flags: { json?: boolean };
  rest: string[];
  /** How many of `rest` stood before `--`. */
  before: number;
}

/**
 * Reads the arguments of the command line.
 * @throws {UsageError} for what no command takes, with the name that was probably meant
 */
export function readArguments(): Request {
  const { values, positionals, tokens } = parse();
  requireOnce(tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : [])));
  if (values.help) return { help: true };
  if (values.version) return { version: true };
  const [command = 'serve', ...rest] = positionals;
  if (!isCommand(command)) {
    const names = Object.keys(commands);
    throw new UsageError(
      `expected a command (${names.join(', ')}), got ${JSON.stringify(command)}${meant(command, names) || asScenario(command)}; see ${program} --help`,
    );
  }
  const { options, most } = commands[command];
  const stray = Object.keys(values).find((name) => name !== 'json' && !(options as string[]).includes(name));
  if (stray !== undefined) throw new UsageError(`expected no --${stray} with ${command}; see ${program} --help`);
  if (rest.length > most) {
    const hint = (options as string[]).includes('scenario') ? asScenario(rest[most] as string) : '';
    throw new UsageError(`expected no further argument of ${command}, got ${JSON.stringify(rest[most])}${hint}`);
  }
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? 0;
  const before = tokens.filter(({ kind, index }) => kind === 'positional' && index < end).length;
  return { command, flags: values, rest, before: Math.max(0, before - 1) };
}

function parse() {
  try {
    return parseArgs({ allowPositionals: true, options: allOptions, tokens: true });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const said = message.replace(/\.? To specify a positional argument.*/s, '').replaceAll('\n', ' ');
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new UsageError(said);
    const [, written = ''] = /'--?([^']*)'/.exec(message) ?? [];
    const names = Object.keys(allOptions);
    throw new UsageError(`${said}${meant(written, names, '--')}; see ${program} --help`);
  }
}

/** @throws {UsageError} where one of several values of an option would be left out without a word */
function requireOnce(names: readonly string[]): void {
  const again = names.find((name, at) => {
    const option = allOptions[name as keyof typeof allOptions];
    return option.type === 'string' && !('multiple' in option) && names.indexOf(name) < at;
  });
  if (again !== undefined) throw new UsageError(`expected --${again} once, got it again`);
}

function meant(written: string, names: readonly string[], before = ''): string {
  const name = nearest(written, names);
  return name === undefined ? '' : `; did you mean ${before}${name}?`;
}

/** The name of a file is meant for its option. */
const asScenario = (written: string) =>
  /\.(?:ya?ml|json)$/.test(written) ? `; to serve that scenario, write --scenario ${written}` : '';

const isCommand = (text: string): text is CommandName => Object.hasOwn(commands, text);
