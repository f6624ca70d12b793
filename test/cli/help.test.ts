import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readArguments } from '../../src/cli/arguments.js';
import { commands, commonFlags, type Flag } from '../../src/cli/commands.js';
import { helpOf } from '../../src/cli/help.js';
import { clientProgram } from '../support/client-program.js';
import { runCommandLine } from '../support/command-here.js';
import { cli } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';

afterEach(() => vi.unstubAllEnvs());

const names = Object.keys(commands);
const flagsOf = (name: string) => Object.entries<Flag>(commands[name]?.flags ?? {});
const allFlags = new Map(names.flatMap(flagsOf));

const read = (...args: string[]) => readArguments(args);

/** A flag as typed, with a value if required. */
const typed = ([name, flag]: [string, Flag]) => (typeof flag === 'string' ? [`--${name}`] : [`--${name}`, '1']);

describe('petstore-sim COMMAND --help', () => {
  test.each(names)('%s: lists exactly the accepted flags, in at most 40 lines', (name) => {
    const help = helpOf(name, { columns: 110 });
    const listed = Array.from(help.matchAll(/^ {2}--([a-z-]+)/gm), ([, flag]) => flag);
    expect(listed).toEqual([...flagsOf(name).map(([flag]) => flag), 'json']);
    expect(help.split('\n').length).toBeLessThanOrEqual(40);
    expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    for (const flag of listed) {
      const [, definition = commonFlags.json] = flagsOf(name).find(([other]) => other === flag) ?? [];
      expect(read(...(name === 'serve' ? [] : [name]), ...typed([flag as string, definition]))).toMatchObject({
        command: commands[name],
      });
    }
  });

  test('exec: rejects every flag of another command', () => {
    const own = new Set(flagsOf('exec').map(([flag]) => flag));
    const others = [...allFlags].filter(([flag]) => !own.has(flag));
    expect(others.length).toBeGreaterThan(10);
    for (const other of others) {
      expect(() => read('exec', ...typed(other))).toThrow(`expected no --${other[0]} for exec; see `);
    }
  });

  test.each(names)('%s: its example is a valid command line', (name) => {
    const { example = '' } = commands[name] ?? {};
    const words = example.replace(/ > .*/, '').split(' ');
    expect(read(...words)).toMatchObject({ command: commands[name] });
  });

  test('exec: parses flags as text, lists or true, and only lists may be repeated', () => {
    for (const each of flagsOf('exec')) {
      const [flag, definition] = each;
      const once = () => read('exec', ...typed(each));
      const twice = () => read('exec', ...typed(each), ...typed(each));
      if (typeof definition === 'string') {
        expect(twice()).toMatchObject({ flags: { [flag]: true } });
      } else if (definition[2] === true) {
        expect(twice()).toMatchObject({ flags: { [flag]: ['1', '1'] } });
      } else {
        expect(once()).toMatchObject({ flags: { [flag]: '1' } });
        expect(twice).toThrow(`expected --${flag} once, got it again`);
      }
    }
  });

  test('a flag has the same kind in every command', () => {
    for (const [name, flag] of names.flatMap(flagsOf))
      expect([name, typeof flag]).toEqual([name, typeof allFlags.get(name)]);
  });

  test('the overview lists every command, and is printed without a command or for an unknown one', async () => {
    const { code, out } = await runCommandLine(['--help']);
    expect(code).toBe(0);
    for (const name of names) expect(out).toMatch(new RegExp(`^ {2}\\[?${name}\\b`, 'm'));
    expect((await runCommandLine(['frob', '-h'])).out).toBe(out);
    const exec = await runCommandLine(['exec', '--help', '--', 'npm', 'test']);
    expect([exec.code, exec.out]).toEqual([
      0,
      helpOf('exec').replace(/^ {2}\S+.*? exec --scen/m, '  npx petstore-sim exec --scen'),
    ]);
  });

  test('the overview has the groups of commands in bold, the demo first', () => {
    const help = helpOf(undefined, { style: (format, text) => `<${format}>${text}` });
    const headings = Array.from(help.matchAll(/^<bold>(.+)$/gm), ([, heading]) => heading);
    const groups = ['Run it', 'Judge a client', 'Scenarios', 'The real service', 'State'];
    expect(headings).toEqual([...groups, 'Options', 'Examples']);
    expect(help.split('\n').find((line) => line.startsWith('  '))).toMatch(/^ {2}demo /);
    expect(help).toBe(helpOf(undefined, { style: (format, text) => `<${format}>${text}`, columns: 80 }));
  });

  test.each([60, 80, 110])('every help fits into a terminal of %i columns', (columns) => {
    for (const name of [undefined, ...names]) {
      const lines = helpOf(name, { columns }).split('\n');
      // Usage and example are typed in one line.
      const wrapped = lines.filter((line) => !/^ {2}(petstore-sim|\S+ (\S*dist\S*|petstore-sim)) /.test(line));
      expect(Math.max(...wrapped.map(({ length }) => length)), name).toBeLessThanOrEqual(columns);
    }
    const widths = helpOf('serve', { columns })
      .split('\n')
      .map(({ length }) => length);
    expect(Math.max(...widths)).toBeGreaterThan(columns - 20);
  });

  test('help and help COMMAND print the same as --help', async () => {
    expect((await runCommandLine(['help'])).out).toBe((await runCommandLine(['--help'])).out);
    expect((await runCommandLine(['help', 'help'])).out).toBe((await runCommandLine(['--help'])).out);
    for (const name of names)
      expect(await runCommandLine(['help', name])).toEqual({ code: 0, out: helpOf(name), err: '' });
    expect((await runCommandLine(['help'])).out).toMatch(/^ {2}help \[COMMAND\] /m);
  });

  test.each([
    [['help', 'exce'], 'got "exce"; did you mean exec?'],
    [['hlep'], 'got "hlep"; did you mean help?'],
    [['help', 'exec', 'serve'], 'expected no further argument for help exec, got "serve"'],
  ])('%j is a mistake', async (args, message) => {
    const { code, err } = await runCommandLine(args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test('-p is the short form of --port, in every command that has it', () => {
    expect(read('-p', '5055')).toMatchObject({ flags: { port: '5055' } });
    expect(read('replay', 'run.jsonl', '--serve', '-p', '0')).toMatchObject({ flags: { port: '0' } });
    expect(() => read('exec', '-p', '1', '--', 'true')).toThrow('expected no --port for exec');
    for (const name of ['serve', 'demo', 'replay']) expect(helpOf(name)).toMatch(/^ {2}--port, -p N /m);
  });

  test("flags after -- belong to the client's command", () => {
    expect(read('exec', '--', 'npm', 'test', '--help', '--bogus')).toMatchObject({
      rest: ['npm', 'test', '--help', '--bogus'],
      argumentsBeforeSeparator: 0,
    });
    expect(read('gauntlet', 'minute-wall', '--', 'a')).toMatchObject({
      rest: ['minute-wall', 'a'],
      argumentsBeforeSeparator: 1,
    });
  });

  test("defaults in the help are the command's defaults", async () => {
    vi.stubEnv('HELP_KEY', 'x');
    const service = ['--target', 'http://127.0.0.1:9/v1', '--key-env', 'HELP_KEY'];
    const { out } = await runCommandLine(['calibrate', '--plan', '--json', ...service]);
    const { plan, next } = JSON.parse(out);
    const help = helpOf('calibrate');
    expect(plan[0]).toContain(`at most ${/--budget N.*default: (\d+)/.exec(help)?.[1]} requests`);
    expect(next[0]).toContain(`--out ${/--out FILE.*default: ([\w.]+)/.exec(help)?.[1]}`);
  });
});

test.each([
  [
    ['exec', '--timeout', '5', '--', 'true'],
    '--timeout: expected a duration such as "500ms", "2s", "5m" or "1d", got "5"; did you mean 5s?',
  ],
  [['matrix', '--timeout', '0.5', '--', 'true'], 'got "0.5"; did you mean 0.5s?'],
  [['demo', '--timeout', '5'], 'did you mean 5s?'],
  [['demo', '--port', 'x'], 'expected --port to be a whole number from 0 to 65535, got "x"'],
  [['compare', '--with', 'a', '--target', 'b'], 'compare --help'],
])('%j is answered with exit code 2 and the remedy', async (args, message) => {
  const { code, err } = await runCommandLine(args);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

test.each([['scenarios'], ['assumptions'], ['help']])('%s wraps at 80 columns without a terminal', async (command) => {
  const { out } = await runCommandLine([command]);
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

/** Output of a shell command in a terminal of 70 columns. */
async function inTerminal(command: string, env: Record<string, string> = {}): Promise<string> {
  const script = `stty cols 70; ${command}; true`;
  // Node chooses colors by these.
  const { NO_COLOR, FORCE_COLOR, CI, ...inherited } = process.env;
  const { stdout } = await promisify(execFile)('script', ['-qec', script, '/dev/null'], {
    env: { ...inherited, TERM: 'xterm-256color', ...env },
  });
  return stdout.replaceAll('\r', '');
}

describe('on a terminal', () => {
  const command = `${process.execPath} ${cli}`;
  const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
  const red = (text: string) => `\u001b[31m${text}\u001b[39m`;

  test('help is as wide as the terminal, with bold headings', async () => {
    const [help, plain] = await Promise.all([
      inTerminal(`${command} --help`),
      inTerminal(`${command} --help`, { NO_COLOR: '1' }),
    ]);
    expect(help).toContain(`\n${bold('Judge a client')}\n`);
    expect(plain).toBe(stripVTControlCharacters(help));
    const widths = plain.split('\n').map(({ length }) => length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(70);
    expect(Math.max(...widths)).toBeGreaterThan(65);
  });

  test.each([
    ['exce', 'petstore-sim:'],
    ['--scenario package.json', 'package.json:3:3:'],
    ['check package.json', 'package.json:3:3:'],
  ])('the error of %s starts red, and only there', async (args, start) => {
    // Standard output is no terminal, which decides nothing for standard error.
    const [error, plain, piped] = await Promise.all([
      inTerminal(`${command} ${args} >/dev/null`),
      inTerminal(`${command} ${args} >/dev/null`, { NO_COLOR: '1' }),
      inTerminal(`${command} ${args} 2>&1 | cat`),
    ]);
    expect(error).toContain(`${bold(red(start))} `);
    expect(plain).toBe(stripVTControlCharacters(error));
    // Lines wrap on a terminal alone.
    expect(piped).toBe(plain.replace(/\n {2}/g, ' '));
  });

  test('hunt wraps what it prints, also the commands that repeat what it found', async () => {
    const folder = newFolder();
    const client = join(folder, 'hasty.mjs');
    writeFileSync(client, clientProgram('for (let n = 0; n < 4; n++) await list();'));
    const out = await inTerminal(
      `${command} hunt --runs 4 --out ${folder} -- ${process.execPath} ${client} 2>/dev/null`,
    );
    expect(out).toMatch(/exec --scenario[ \\\n]+\S+\.yaml/);
    const lines = stripVTControlCharacters(out).split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(70);
  });

  test('the verdict of exec has colors though standard output is no terminal', async () => {
    expect(await inTerminal(`${command} exec -- true >/dev/null`)).toContain('\u001b[1m\u001b[33mINCONCLUSIVE');
  });
});
