import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';

/** Output of the inner tests in the format TAP, by the names of the tests. */
let results: Map<string, string>;
beforeAll(async () => {
  const inner = join(import.meta.dirname, 'inner/node-test.mjs');
  const run = ['--test', '--test-reporter', 'tap', inner];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, run, { cwd: import.meta.dirname, timeout: 60_000, env }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  results = new Map(stdout.split(/^ *# Subtest: /m).map((text) => [text.slice(0, text.indexOf('\n')), text]));
});

test.each([
  ['waits, and is served', /^ *ok /ms],
  ['may misbehave', /^ *ok /ms],
  ['goes on', /^ *ok /ms],
  ['is skipped', /^ *ok .*# SKIP/ms],
  ['misbehaves', /^ *not ok .*expected that the client had behaved\..*early-retry/ms],
  ['fails by itself, too', /^ *not ok .*1 !== 2.*expected that the client had behaved\..*early-retry/ms],
  ['sends nothing', /^ *not ok .*none arrived\. Does the client use sim\.fetch, baseUrl/ms],
  [
    'times out during a wait',
    /^ *not ok .*timed out after 1500ms.*# expected the client to finish, but it was told to wait by the 429 of GET \/pets: .*mock\.timers\.tick/ms,
  ],
])('with node:test, a test that %s', (name, said) => {
  expect(results.get(name)).toMatch(said);
});
