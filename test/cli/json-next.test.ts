import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCommandLine } from '../support/command-here.js';
import { startServer } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';

const cwd = newFolder();

/** Runs a command that another one named in `next`. */
async function follow(command: string) {
  const [npx, first, ...args] = command.split(' ');
  expect([npx, first]).toEqual(['npx', 'petstore-sim']);
  return runCommandLine(args, { cwd });
}

test('state export and import print with --json their result and next commands for the same server', async () => {
  const { baseUrl } = await startServer(['--scenario', 'minute-wall', '--set', 'ids={start: 9007199254740993}']);
  const url = baseUrl.replace(/\/v1$/, '');
  const state = (...args: string[]) => runCommandLine(['state', ...args, '--url', url, '--json'], { cwd });
  const done = JSON.parse((await state('export', 'kept.json')).out);
  expect(done).toEqual({
    file: 'kept.json',
    as: 'state',
    scenario: 'minute-wall',
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    pets: expect.any(Number),
    keys: expect.any(Number),
    next: [`npx petstore-sim state import kept.json --url ${url}`],
  });
  expect(await follow(done.next[0])).toMatchObject({ code: 0 });
  const { out, err } = await state('import', 'kept.json');
  expect({ ...JSON.parse(out), err }).toEqual({
    file: 'kept.json',
    scenario: 'minute-wall',
    pets: done.pets,
    next: [`npx petstore-sim state export FILE --url ${url}`],
    err: '',
  });
  expect(await follow(JSON.parse(out).next[0])).toMatchObject({ code: 0 });

  const printed = (await state('export')).out;
  expect(JSON.parse(printed)).toMatchObject({ state: { version: 1 }, next: [expect.stringContaining('import FILE')] });
  // Digit for digit.
  expect(printed).toContain('"nextId":9007199254740993,');
  expect(readFileSync(join(cwd, 'kept.json'), 'utf8')).toContain('"nextId":9007199254740993,');

  const yaml = JSON.parse((await state('export', 'kept.yaml', '--as', 'scenario')).out);
  expect(yaml.next).toEqual(['npx petstore-sim check kept.yaml', 'npx petstore-sim --scenario kept.yaml']);
  expect(await follow(yaml.next[0])).toMatchObject({ code: 0 });
  expect(JSON.parse((await state('export', '--as', 'scenario')).out)).toMatchObject({
    scenario: expect.stringContaining('\nname: minute-wall'),
    next: ['npx petstore-sim check FILE', 'npx petstore-sim --scenario FILE'],
  });
});

test('calibrate and compare print with --json next commands for the same service', async () => {
  const { baseUrl } = await startServer(['--set', 'assumptions.paging=page']);
  vi.stubEnv('KEY_OF_NEXT', 'free-key');
  const service = `--target ${baseUrl} --key-env KEY_OF_NEXT`;
  const calibrate = (...more: string[]) =>
    runCommandLine(['calibrate', ...service.split(' '), '--patience', '1s', '--json', ...more], { cwd });
  const plan = JSON.parse((await calibrate('--plan', '--budget', '5')).out);
  expect(plan.plan[0]).toBe(`Asks ${baseUrl}, at most 5 requests, one at a time:`);
  const ask = `npx petstore-sim calibrate ${service} --patience 1s --out calibrated.yaml`;
  expect(plan.next).toEqual([`${ask} --budget 5`]);
  expect(JSON.parse((await calibrate('--budget', '5')).out).next).toEqual([
    `${ask} --budget 10`,
    'npx petstore-sim check calibrated.yaml',
    `npx petstore-sim compare ${service} calibrated.yaml`,
  ]);

  const compare = async (...more: string[]) =>
    JSON.parse((await runCommandLine(['compare', '--patience', '1s', '--json', ...more], { cwd })).out);
  const differs = await compare(...service.split(' '), '--budget', '5', '--save', 'kept.jsonl');
  expect([differs.outcome, differs.next]).toEqual([
    'differs',
    ['npx petstore-sim calibrate --from kept.jsonl', `npx petstore-sim calibrate ${service} --plan`],
  ]);
  expect(await follow(differs.next[0])).toMatchObject({ code: 0 });
  const same = await compare('--with', 'kept.jsonl', 'calibrated.yaml');
  expect([same.outcome, same.next]).toEqual([
    'same',
    [
      'npx petstore-sim compare --with kept.jsonl calibrated.yaml',
      'npx petstore-sim exec --scenario calibrated.yaml -- COMMAND',
    ],
  ]);
  const unchecked = await compare('--target', 'http://127.0.0.1:9/v1', '--key-env', 'KEY_OF_NEXT');
  expect([unchecked.outcome, unchecked.next]).toEqual([
    'could not check',
    ['npx petstore-sim compare --target http://127.0.0.1:9/v1 --key-env KEY_OF_NEXT default'],
  ]);
});
