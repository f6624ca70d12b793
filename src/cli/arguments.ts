import { parseArgs } from 'node:util';
import { hintFor } from '../validation/nearest.js';
import { UsageError } from '../validation/usage-error.js';
import type { CliInput } from './cli-input.js';
import { type CliCommand, commands, commonFlags, type Flag, shortFlags } from './commands.js';
import { program } from './program.js';

/** The request that the command line makes: help, the version or a command with its flags. */
export type ParsedArguments =
  | { help: string | undefined }
  | { version: true }
  | ({ command: CliCommand } & Omit<CliInput<object>, 'print'>);

const flagsOf = ({ flags }: CliCommand): Readonly<Record<string, Flag>> => flags;

/**
 * Parses the arguments of a command line, which start with the command's name.
 * @throws {UsageError} for an unknown command, flag or argument, with the nearest known name
 */
export function readArguments(args: readonly string[]): ParsedArguments {
  const { values, positionals, tokens } = parse(args);
  const [name = 'serve', ...rest] = positionals;
  if (values.help) return { help: positionals[0] };
  if (values.version) return { version: true };
  if (name === 'help') return { help: readHelpTopic(rest) };
  const command = commandOf(name);
  const known = flagsOf(command);
  const flags = Object.entries(values).map(([flag, value]) => {
    if (flag !== 'json' && !Object.hasOwn(known, flag))
      throw new UsageError(`expected no --${flag} for ${name}; see ${program} ${name} --help`);
    if (!Array.isArray(value) || known[flag]?.[2] === true) return [flag, value];
    if (value.length > 1) throw new UsageError(`expected --${flag} once, got it again`);
    return [flag, value[0]];
  });
  const { maximumArguments = 0 } = command;
  if (rest.length > maximumArguments) {
    const hint = Object.hasOwn(known, 'scenario') ? asScenario(rest[maximumArguments] as string) : '';
    throw new UsageError(
      `expected no further argument for ${name}, got ${JSON.stringify(rest[maximumArguments])}${hint}`,
    );
  }
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index;
  const beforeSeparator = tokens.filter(({ kind, index }) => kind === 'positional' && index < (end ?? 0)).length;
  return {
    command,
    flags: Object.fromEntries(flags),
    rest,
    argumentsBeforeSeparator: end === undefined ? undefined : Math.max(0, beforeSeparator - 1),
  };
}

/** @throws {UsageError} for an unknown command, with the nearest known name */
function commandOf(name: string): CliCommand {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command;
  const names = [...Object.keys(commands), 'help'];
  throw new UsageError(
    `expected a command (${names.join(', ')}), got ${JSON.stringify(name)}${hintFor(name, names, asScenario(name))}; see ${program} --help`,
  );
}

/** Reads the command that `help` explains; `undefined` for the overview. */
function readHelpTopic([topic, further]: readonly string[]): string | undefined {
  if (further !== undefined)
    throw new UsageError(`expected no further argument for help ${topic}, got ${JSON.stringify(further)}`);
  if (topic === undefined || topic === 'help') return undefined;
  commandOf(topic);
  return topic;
}

function parse(args: readonly string[]) {
  const all: Record<string, Flag> = Object.assign({}, commonFlags, ...Object.values(commands).map(flagsOf));
  const options = Object.fromEntries(
    Object.entries(all).map(([name, flag]) => [
      name,
      {
        ...(typeof flag === 'string' ? { type: 'boolean' as const } : { type: 'string' as const, multiple: true }),
        ...(shortFlags[name] !== undefined && { short: shortFlags[name] }),
      },
    ]),
  );
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options, tokens: true });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const said = message.replace(/\.? To specify a positional argument.*/s, '').replaceAll('\n', ' ');
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new UsageError(said);
    const [, written = ''] = /'--?([^']*)'/.exec(message) ?? [];
    const hint = hintFor(written, Object.keys(all)).replace('mean ', 'mean --');
    throw new UsageError(`${said}${hint}; see ${program} --help`);
  }
}

/** Suggestion for a user who typed the name of a scenario file as an argument: `--scenario FILE`. */
const asScenario = (written: string) =>
  /\.(?:ya?ml|json)$/.test(written) ? `; to serve that scenario, write --scenario ${written}` : '';
