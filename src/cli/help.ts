import { styleText } from 'node:util';
import type { Style } from '../judge/report/style.js';
import { groupBy } from '../values/group-by.js';
import { wrap } from '../values/wrap.js';
import { type CliCommand, commands, commonFlags, type Flag, shortFlags } from './commands.js';
import { program } from './program.js';
import { textColumns, twoColumns } from './terminal.js';

interface HelpOptions {
  /** Width of the text, in characters. Default: the terminal's width. */
  columns?: number;
  /** Function that styles headings. Default: bold on a terminal with colors. */
  style?: Style;
}

/** Formats the help text of a command, or an overview of all commands. */
export function helpOf(
  name: string | undefined,
  { columns = textColumns(), style = styleText }: HelpOptions = {},
): string {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  const heading = (text: string) => style('bold', text);
  const lines = command === undefined ? overview(columns, heading) : details(command, columns, heading);
  return `${lines.join('\n')}\n`;
}

function overview(columns: number, heading: (text: string) => string): string[] {
  const groups = groupBy(Object.values(commands), ({ group }) => group);
  const help = ['help [COMMAND]', 'prints this overview, or help for a command'] as const;
  const formsOf = (members: readonly CliCommand[]) => members.flatMap(({ usage }) => Object.entries(usage));
  const width = Math.max(...formsOf(Object.values(commands)).map(([form]) => form.length));
  return [
    ...wrap(
      'petstore-sim: a stateful simulator of the Petstore service, with plans, rate limits, bans and a clock you control',
      columns,
    ),
    '',
    ...[...groups].flatMap(([group, members]) => [heading(group), ...twoColumns(formsOf(members), columns, width), '']),
    heading('Options'),
    ...twoColumns([help, ...flagRows(commonFlags)], columns, width),
    '',
    heading('Examples'),
    ...['demo', 'exec --scenario minute-wall -- npm test', 'exec --help'].map(exampleLine),
  ];
}

function details(
  { usage, about, flags, example, exitCodes }: CliCommand,
  columns: number,
  heading: (text: string) => string,
): string[] {
  return [
    heading('Usage'),
    ...Object.keys(usage).map((form) => `  petstore-sim ${form}`),
    '',
    ...wrap(about, columns),
    '',
    heading('Options'),
    ...twoColumns(flagRows({ ...flags, json: commonFlags.json }), columns),
    '',
    heading('Example'),
    exampleLine(example),
    ...(exitCodes === undefined ? [] : ['', ...wrap(`Exit code: ${exitCodes}.`, columns)]),
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
