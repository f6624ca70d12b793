import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../support/command-here.js';
import { newFolder } from '../support/new-folder.js';

let cwd: string;
beforeEach(() => {
  cwd = newFolder();
});

const run = (...args: string[]) => runCommandLine(args, { cwd });
const manifest = (content: object) => writeFileSync(join(cwd, 'package.json'), JSON.stringify(content));

test('init asks no question, writes a valid scenario with comments, and prints the next step', async () => {
  const { code, out, err } = await run('init');
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('Wrote petstore.scenario.yaml.');
  expect(out).toContain('"petstore": "petstore-sim --scenario petstore.scenario.yaml --watch"');
  expect(out).toContain('npx petstore-sim exec --scenario petstore.scenario.yaml -- npm test');
  const text = readFileSync(join(cwd, 'petstore.scenario.yaml'), 'utf8');
  expect(text.split('\n').filter((line) => line.startsWith('#')).length).toBeGreaterThan(10);
  expect(await run('check', 'petstore.scenario.yaml')).toMatchObject({ code: 0 });
});

test.each([
  ['', './node_modules/petstore-sim/schema.json'],
  ['app', '../node_modules/petstore-sim/schema.json'],
  ['packages/app', '../../node_modules/petstore-sim/schema.json'],
])('in the folder "%s" of a project the scenario names the schema by a relative path', async (folder, path) => {
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(join(import.meta.dirname, '../..'), join(cwd, 'node_modules/petstore-sim'));
  const inside = join(cwd, folder);
  mkdirSync(inside, { recursive: true });
  await runCommandLine(['init'], { cwd: inside });
  const [line] = readFileSync(join(inside, 'petstore.scenario.yaml'), 'utf8').split('\n');
  expect(line).toBe(`# yaml-language-server: $schema=${path}`);
});

test('the commented examples of the scenario are valid too', async () => {
  await run('init');
  const file = join(cwd, 'petstore.scenario.yaml');
  const isExample = /^(\s*)# ((?:revoked-key|banned-key|faults|pets|clock):.*|\s{2,}.*)$/;
  const lines = readFileSync(file, 'utf8').split('\n');
  const shown = lines.filter((line) => isExample.test(line));
  expect(shown).toHaveLength(9);
  writeFileSync(file, lines.map((line) => line.replace(isExample, '$1$2')).join('\n'));
  expect(await run('check', 'petstore.scenario.yaml')).toMatchObject({ code: 0, err: '' });
});

test('an existing scenario is unchanged', async () => {
  writeFileSync(join(cwd, 'petstore.scenario.yaml'), 'seed: 7\n');
  const { code, out } = await run('init');
  expect(code).toBe(0);
  expect(out).toContain('petstore.scenario.yaml exists and was not changed.');
  expect(readFileSync(join(cwd, 'petstore.scenario.yaml'), 'utf8')).toBe('seed: 7\n');
});

test.each([
  ['vitest', 'Vitest', "import { expect, test } from 'petstore-sim/vitest';"],
  ['jest', 'Jest', "const { test } = require('petstore-sim/jest');"],
  ['@playwright/test', 'Playwright', "import { expect, test } from 'petstore-sim/playwright';"],
])('in a project with %s it shows a test for it', async (name, title, line) => {
  manifest({ devDependencies: { [name]: '*' } });
  const { out } = await run('init');
  expect(out).toContain(`A test for ${title}:`);
  expect(out).toContain(line);
  const { tests, isNew, next } = JSON.parse((await run('init', '--json')).out);
  expect(tests).toMatchObject([{ lines: expect.stringContaining(line) }]);
  expect([isNew, next[0]]).toEqual([false, 'npx petstore-sim check --json petstore.scenario.yaml']);
});

test('in a project whose tests run with node --test it shows a test for it', async () => {
  manifest({ type: 'module', scripts: { test: 'node --test test/' } });
  const { out } = await run('init');
  expect(out).toContain("A test for node:test:\n\n  import { test } from 'petstore-sim/node-test';");
  expect(out).not.toContain('expect(');
});

test.each([{ type: 'module', devDependencies: { jest: '*' } }, { devDependencies: { jest: '*', 'ts-jest': '*' } }])(
  'prints a test with modules for a Jest that supports them: %j',
  async (content) => {
    manifest(content);
    expect((await run('init')).out).toContain("import { test } from 'petstore-sim/jest';");
  },
);

test('an unreadable package.json is ignored', async () => {
  writeFileSync(join(cwd, 'package.json'), '{');
  expect(await run('init')).toMatchObject({ code: 0, out: expect.stringContaining('No test runner found.') });
});

test.each([
  [['--scenaro', 'x'], "Unknown option '--scenaro'; did you mean --scenario?"],
  [['exec', '--jsn', '--', 'true'], 'did you mean --json?'],
  [['serv'], 'got "serv"; did you mean serve?'],
  [['--qqqqqqqqq'], "Unknown option '--qqqqqqqqq'; see npx petstore-sim --help"],
])('petstore-sim %j says what was meant', async (args, message) => {
  expect(await run(...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});

// The right client waits up to ten seconds, which the run outlasts.
test('demo says what it is, and shows a wrong and a right client', async () => {
  const [{ code, out, err }, json] = await Promise.all([
    run('demo', '--timeout', '13s'),
    run('demo', '--json', '--timeout', '13s'),
  ]);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^Two clients meet the rate limit.*\n.*\n {2}Dashboard {2}http:\/\/127\.0\.0\.1:\d+\/__sim\/$/m);
  expect(out).toMatch(/^FAIL {2}wrong-client$/m);
  expect(out).toMatch(/^ {2}early-retry$/m);
  expect(out).toMatch(/^PASS {2}right-client$/m);
  const { results } = JSON.parse(json.out);
  expect(results).toMatchObject([{ outcome: 'fail' }, { outcome: 'pass', findings: [] }]);
});
