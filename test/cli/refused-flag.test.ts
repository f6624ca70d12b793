import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { retryingProgram } from '../support/client-program.js';
import { runCommandLine } from '../support/command-here.js';
import { newFolder } from '../support/new-folder.js';

const cwd = newFolder();

/** Client that retries each error four times, with the same wait each time. */
writeFileSync(join(cwd, 'client.mjs'), retryingProgram('200'));
/** Refuses by a 403 without a wait, and fails a client whose waits do not grow. */
writeFileSync(
  join(cwd, 'forbidden.yaml'),
  'faults: [{ then: { respond: { status: 403, body: "{}" } } }]\nexpect: { fail: [no-backoff-growth] }\n',
);
const client = [process.execPath, 'client.mjs'];
writeFileSync(join(cwd, 'sdks.yaml'), `sdks: { flat: "${client.join(' ')}" }\nscenarios: [forbidden.yaml]\n`);

const run = async (...args: string[]) => {
  const { code, out, err } = await runCommandLine(args, { cwd });
  const text = out.includes('{') ? out : err;
  return { code, result: JSON.parse(text.slice(text.indexOf('{'))) };
};

const refused = ['--refused', '403'];

test.each<[string, string[], (result: never) => string]>([
  ['exec', ['--scenario', 'forbidden.yaml', '--', ...client], ({ outcome }: { outcome: string }) => outcome],
  [
    'gauntlet',
    ['forbidden.yaml', '--', ...client],
    ({ results }: { results: { outcome: string }[] }) => results[0]?.outcome ?? '',
  ],
  [
    'matrix',
    ['--scenario', 'forbidden.yaml', '--only', 'listOrder', '--', ...client],
    ({ results }: { results: { outcome: string }[] }) => results[0]?.outcome ?? '',
  ],
  [
    'certify',
    ['sdks.yaml'],
    ({ sdks }: { sdks: { results: { outcome: string }[] }[] }) => sdks[0]?.results[0]?.outcome ?? '',
  ],
])('%s --refused 403 counts such responses, and next commands repeat the flag', async (command, args, outcomeOf) => {
  const without = await run(command, '--json', ...args);
  expect(outcomeOf(without.result as never)).toBe('inconclusive');
  const { result } = await run(command, '--json', ...refused, ...args);
  expect(outcomeOf(result as never)).toBe('fail');
  const next = (result as { next: string[] }).next.filter((line) => !line.includes(' replay '));
  expect(next.length).toBeGreaterThan(0);
  for (const line of next) expect(line).toContain('--refused 403');
});

test('hunt --refused 403 names next commands with the flag, and another seed if it found nothing', async () => {
  const { result } = await run('hunt', '--json', ...refused, '--runs', '1', '--seed', '4', '--', ...client);
  const { found, next } = result as { found: object[]; next: string[] };
  expect(next.length).toBeGreaterThan(0);
  for (const line of next) expect(line).toContain('--refused 403 -- ');
  if (found.length === 0) expect(next).toEqual([expect.stringContaining('hunt --json --seed 5 --refused 403 -- ')]);
});

test('commands name the next one with the flag after a pass, too', async () => {
  const right = [process.execPath, '-e', ''];
  const { result } = await run('matrix', '--json', ...refused, '--only', 'listOrder', '--', ...right);
  expect((result as { next: string[] }).next).toEqual([expect.stringMatching(/ gauntlet --json --refused 403 -- /)]);
});
