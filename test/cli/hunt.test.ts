import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { restOfHunt } from '../../src/cli/commands/hunt.js';
import { clientProgram } from '../support/client-program.js';
import { runCommandLine } from '../support/command-here.js';
import { startCommandLine } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';

/** A client that obeys `wait`, as a program. */
const clientOf = (wait: string) =>
  clientProgram(`for (let call = 0; call < process.env.PETSTORE_CALLS; call++) {
  for (let attempt = 0; ; attempt++) {
    const response = await list();
    await response.text();
    if (response.status < 400) break;
    if (response.status !== 429 || attempt === 2) throw new Error('got ' + response.status);
    await new Promise((resolve) => setTimeout(resolve, ${wait}));
  }
}`);

// Command lines that run at the same time have one folder.
const cwd = newFolder();
const run = (...args: string[]) => runCommandLine(args, { cwd });

test.each([
  [false, 0, '0 failures, about 6 s left'],
  [false, 1, '1 failure, about 6 s left'],
  [false, 2, '2 failures, about 6 s left'],
  [true, 2, 'reducing what was found'],
])('the progress, after the last run %s, with %i found', (isLast, found, text) => {
  expect(restOfHunt(isLast, found, 6)).toBe(text);
});

/** Command of a client in a folder of its own. */
function commandOf(text: string) {
  const folder = mkdtempSync(join(cwd, 'client-'));
  writeFileSync(join(folder, 'client.mjs'), text);
  return ['--', process.execPath, join(folder, 'client.mjs')];
}

const everySecond = '1000';

describe.concurrent('petstore-sim hunt', () => {
  test('writes the scenarios that break a client, as exec takes them, and reports them', {
    timeout: 240_000,
  }, async () => {
    const command = commandOf(clientOf(everySecond));
    const reports = ['--junit', 'hunt.xml', '--report', 'hunt.html'];
    const { code, out, err } = await run('hunt', '--runs', '4', '--json', ...reports, ...command);
    expect(code, out + err).toBe(1);
    const { found, runs, seed, exercised, next } = JSON.parse(out);
    expect({ runs, seed }).toEqual({ runs: 4, seed: 1 });
    expect(exercised).toContain('early-retry');
    const [find] = found;
    expect(find).toMatchObject({ code: 'early-retry', file: 'hunt/early-retry.yaml' });
    expect(next[0]).toBe(find.repeat);
    expect(readdirSync(join(cwd, 'hunt'))).toContain('early-retry.yaml');
    const yaml = readFileSync(join(cwd, find.file), 'utf8');
    expect(yaml).toContain(`# Again: ${find.repeat}`);
    const junit = readFileSync(join(cwd, 'hunt.xml'), 'utf8');
    expect(junit).toContain('<failure type="early-retry"');
    const html = readFileSync(join(cwd, 'hunt.html'), 'utf8');
    expect(html).toContain('<!doctype html>');
    expect(html).toContain('"name":"hunt-early-retry"');
    // Which wait the find is about depends on the runs, which are in real time.
    const [, cause = ''] =
      /"description":"all (?:but \d+ )?(requests of the (?:minute|day) are used up)/i.exec(html) ?? [];
    expect(cause).not.toBe('');
    expect(yaml.replace(/\n[# ]*/g, ' ')).toContain(cause);
    expect(html).toContain(JSON.stringify(find.text));

    expect((await run('exec', '--scenario', find.file, '--verdict', 'verdict.json', ...command)).code).toBe(1);
    const verdict = JSON.parse(readFileSync(join(cwd, 'verdict.json'), 'utf8'));
    expect(verdict).toMatchObject({ scenario: 'hunt-early-retry', outcome: 'fail' });
  });

  test('writes only the fields that matter for the requests of the client', { timeout: 240_000 }, async () => {
    const command = commandOf(
      `const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key } = process.env;
const body = '{"name":"Laika","categoryId":3}';
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
const send = () => fetch(base + '/pets', { method: 'POST', headers, body });
const response = await send().catch(send);
if (response.status >= 400) throw new Error('got ' + response.status);`,
    );
    const { code, out, err } = await run('hunt', '--runs', '10', '--json', '--out', 'fields', ...command);
    expect(code, out + err).toBe(1);
    // The fault of the shipped scenario is for createPet alone, and its minute lasts 5 s in a hunt.
    const { found } = JSON.parse(out);
    expect(found.map((find: { code: string; scenario: object }) => [find.code, find.scenario])).toEqual([
      [
        'duplicate-write',
        { client: { operation: 'createPet' }, faults: [{ when: { nth: 1 }, then: { reset: true, phase: 'after' } }] },
      ],
    ]);
  });

  test('finds nothing in a client that gives up loudly', { tags: 'extended', timeout: 240_000 }, async () => {
    const command = commandOf(clientOf('0').replace('attempt === 2', 'true'));
    const { code, out } = await run('hunt', '--runs', '3', '--out', 'nothing', ...command);
    expect(out).toMatch(
      /^Nothing found in 3 scenarios \(seed 1\)\.\n\d+ rules were not put to the test; JSON lists them as "untested"\.\n/,
    );
    expect(code).toBe(0);
    const json = await run('hunt', '--runs', '1', '--json', ...command);
    expect(JSON.parse(json.out).untested).toContain('ban-hammered');
    expect(JSON.parse(json.out).next).toEqual([expect.stringMatching(/ hunt --json --seed 2 -- .*client\.mjs$/)]);
    expect(existsSync(join(cwd, 'nothing'))).toBe(false);
  });

  test('reports no find whose own repetition passes', { timeout: 240_000 }, async () => {
    const note = join(cwd, 'runs.txt');
    // The client is wrong in the run of the search and in its repetition, as one that a busy machine made late.
    const command = commandOf(
      `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(note)}, 'x');
if (readFileSync(${JSON.stringify(note)}, 'utf8').length > 2) {
  await fetch(process.env.PETSTORE_BASE_URL + '/pets', { headers: { authorization: 'Bearer ' + process.env.PETSTORE_API_KEY } });
  process.exit(1);
}
${clientOf(everySecond)}`,
    );
    const { code, out } = await run('hunt', '--runs', '1', '--out', 'passed', ...command);
    expect(out).toContain('Nothing found in 1 scenario (seed 1).');
    expect(code).toBe(0);
    expect(readFileSync(note, 'utf8').length).toBeGreaterThan(2);
    expect(existsSync(join(cwd, 'passed'))).toBe(false);
  });

  test('names the scenarios of the runs that were stopped at the time limit', async () => {
    const command = commandOf(clientProgram('await list(); setInterval(() => {}, 1000);'));
    const hunt = (runs: number, timeout: string, ...more: string[]) =>
      run('hunt', '--runs', `${runs}`, '--timeout', timeout, '--out', 'stopped', ...more, ...command);
    // One run needs its request in time, which a busy machine can delay by seconds.
    const [{ out }, { out: json }] = await Promise.all([hunt(7, '3s'), hunt(1, '12s', '--json')]);
    expect(out).toContain('7 runs reached the time limit (--timeout), which alone is no failure:\n');
    expect(out).toContain('\n  after 3 s: minute-wall\n');
    expect(out).toContain('\n  after 3 s: All requests of the day are used up; ');
    const { stopped } = JSON.parse(json);
    const scenario = expect.objectContaining({ keys: expect.anything() });
    const text = expect.stringMatching(/^All requests of the day are used up; /);
    expect(stopped).toEqual([{ text, limitMs: 12_000, scenario }]);
  });

  test('has tried nothing with a client that sends nothing', async () => {
    const broken = [process.execPath, '-e', 'console.error("no such module"); process.exitCode = 3'];
    const { code, err } = await run('hunt', '--', ...broken);
    expect(err).toMatch(/expected requests to the URL in PETSTORE_BASE_URL.* got none in \d\d? runs\./);
    expect(Number(/got none in (\d+) runs/.exec(err)?.[1])).toBeLessThan(40);
    expect(err).toContain('The command ended with exit code 3. Its output:\nno such module\n');
    expect(code).toBe(2);
  });

  test('reports that a command fails in every run, with its output', { tags: 'extended' }, async () => {
    const command = commandOf(`${clientOf('0')}throw new Error('out of order');`);
    const { out } = await run('hunt', '--runs', '2', '--out', 'failing', ...command);
    expect(out).toContain('The command failed in every run, with exit code 1. Its output:\n');
    expect(out).toMatch(/Error: (out of order|got \d+)/);
  });

  test('gives what was found until Ctrl-C', { tags: 'extended', timeout: 240_000 }, async () => {
    const command = commandOf(clientOf(everySecond));
    const { child, errors } = startCommandLine(['hunt', '--runs', '400', '--out', 'until', ...command], { cwd });
    await expect.poll(errors, { timeout: 200_000 }).toMatch(/of 400 runs, [1-9]\d* failures?, about \d+ s left/);
    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(130);
    expect(errors()).toContain('petstore-sim: stopped after');
  });

  test.each([
    [['hunt'], 'expected a client command'],
    [['hunt', '--runs', '0', '--', 'true'], 'expected --runs to be a whole number, got "0"'],
    [['hunt', '--seed', 'x', '--', 'true'], 'expected --seed to be a whole number, got "x"'],
    [['hunt', '--timeout', '30', '--', 'true'], 'did you mean 30s?'],
    [['hunt', '--', 'no-such-command'], 'the command does not exist'],
  ])('%j is refused', async (args, message) => {
    const { code, err } = await run(...args);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });
});
