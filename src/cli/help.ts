import { type CliCommand, commands, commonFlags, type Flag, shortFlags } from './commands.js';
import { program } from './program.js';

const columns = 110;

/** Formats the help text of a command, or an overview of all commands. */
export function helpOf(name: string | undefined): string {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  return `${(command === undefined ? overview() : details(command)).join('\n')}\n`;
}

function overview(): string[] {
  const forms = Object.values(commands).flatMap(({ usage }) => Object.entries(usage));
  return [
    'petstore-sim: a stateful simulator of the Petstore service, with plans, rate limits, bans and a clock you control',
    '',
    'Commands',
    ...table([...forms, ['help [COMMAND]', 'prints this overview, or help for a command']]),
    '',
    'Options',
    ...table(flagRows(commonFlags)),
    '',
    'Examples',
    ...['--scenario minute-wall', 'exec --scenario minute-wall -- npm test', 'exec --help'].map(exampleLine),
  ];
}

function details({ usage, about, flags, example, exitCodes }: CliCommand): string[] {
  return [
    'Usage',
    ...Object.keys(usage).map((form) => `  petstore-sim ${form}`),
    '',
    ...wrapped(about, columns),
    '',
    'Options',
    ...table(flagRows({ ...flags, json: commonFlags.json })),
    '',
    'Example',
    exampleLine(example),
    ...(exitCodes === undefined ? [] : ['', ...wrapped(`Exit code: ${exitCodes}.`, columns)]),
  ];
}

const exampleLine = (example: string) => `  ${program} ${example}`;

const flagRows = (flags: Readonly<Record<string, Flag>>): [string, string][] =>
  Object.entries(flags).map(([name, flag]) => {
    const short = shortFlags[name];
    const written = short === undefined ? `--${name}` : `--${name}, -${short}`;
    if (typeof flag === 'string') return [written, flag];
    const [value, about, isRepeatable] = flag;
    return [`${written} ${value}`, `${about}${isRepeatable ? '; may be repeated' : ''}`];
  });

/** Formats rows of two columns. The second column is aligned, and its text is wrapped. */
function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.flatMap(([first, text]) =>
    wrapped(text, columns - width - 4).map((line, index) => `  ${(index === 0 ? first : '').padEnd(width)}  ${line}`),
  );
}

/** Wraps a text after at most `length` characters. A longer word gets a line of its own. */
const wrapped = (text: string, length: number): string[] =>
  text.match(new RegExp(`\\S.{0,${length - 1}}(?=\\s|$)|\\S+`, 'g')) ?? [];
