import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../src/judge/finding.js';
import { clientCommand } from '../support/client-program.js';
import { runCommandLine } from '../support/command-here.js';
import { newFolder } from '../support/new-folder.js';

const folder = newFolder();

/** Puts a file in the place of the report's folder. */
const exit = (code: number, gone: string) => [
  '--',
  process.execPath,
  '-e',
  `const { rmdirSync, writeFileSync } = require('node:fs'); const gone = ${JSON.stringify(gone)};
   rmdirSync(gone); writeFileSync(gone, ''); process.exit(${code})`,
];

test.each([
  ['keeps the exit code of the command', 7, 7],
  ['ends with 2 where the command ended well', 0, 2],
])('exec with a report that cannot be written any more %s, and writes the others', async (_, code, expected) => {
  const junit = join(folder, `junit-${code}.xml`);
  const gone = join(folder, `reports-${code}`);
  mkdirSync(gone);
  const missing = join(gone, 'report.html');
  const result = await runCommandLine(['exec', '--report', missing, '--junit', junit, ...exit(code, gone)]);
  expect(result.code).toBe(expected);
  expect(result.err).toContain(`petstore-sim: expected --report to name a writable file, got "${missing}"`);
  expect(result.err).not.toMatch(/\n\s+at /);
  expect(existsSync(junit)).toBe(true);
  expect(readFileSync(junit, 'utf8')).toContain('<testsuite');
});

test('exec checks before the run that a report can be written', async () => {
  const left = join(folder, 'left-by-the-client');
  const command = ['--', process.execPath, '-e', 'fs.writeFileSync(process.argv[1], "")', left];
  writeFileSync(join(folder, 'file'), '');
  for (const report of [join(folder, 'file/verdict.json'), folder, '']) {
    const { code, err } = await runCommandLine(['exec', '--verdict', report, ...command]);
    expect([code, existsSync(left)]).toEqual([2, false]);
    expect(err).toContain('expected --verdict to name a writable file');
  }
});

test('exec creates the folder of a report', async () => {
  const junit = join(folder, 'made/by/exec.xml');
  await runCommandLine(['exec', '--junit', junit, '--', process.execPath, '-e', '0']);
  expect(readFileSync(junit, 'utf8')).toContain('<testsuite');
});

/** Program of a client that lists, retries at once after a rejection, and ends with the given script. */
const hasty = (end: string) =>
  clientCommand(
    `await list(); await list(); await new Promise((resolve) => setTimeout(resolve, 1500)); await list(); ${end}`,
  );
const idle = (end: string) => [process.execPath, '-e', end];
const stay = 'setInterval(() => {}, 1000)';

describe.concurrent('text, JSON, JUnit, dashboard and exit code of exec agree', () => {
  test.each<
    [
      name: string,
      flags: string[],
      command: string[],
      exitCode: number,
      outcome: string,
      failures: string[],
      headline: string,
    ]
  >([
    ['a success', [], idle(''), 0, 'inconclusive', [], 'INCONCLUSIVE'],
    [
      '--require-conclusive',
      ['--require-conclusive'],
      idle(''),
      1,
      'inconclusive',
      ['inconclusive'],
      'INCONCLUSIVE (client), failed by --require-conclusive',
    ],
    ['a failed verdict', ['--scenario', 'minute-wall'], hasty(''), 1, 'fail', [], 'FAIL'],
    [
      '--fail-on another finding',
      ['--scenario', 'minute-wall', '--fail-on', 'duplicate-write'],
      hasty(''),
      0,
      'inconclusive',
      [],
      'INCONCLUSIVE',
    ],
    [
      '--fail-on its finding',
      ['--scenario', 'minute-wall', '--fail-on', 'early-retry'],
      hasty(''),
      1,
      'fail',
      [],
      'FAIL',
    ],
    [
      'an exit code',
      ['--require-conclusive'],
      idle('process.exitCode = 7'),
      7,
      'inconclusive',
      ['command', 'inconclusive'],
      'INCONCLUSIVE (client), command failed, failed by --require-conclusive',
    ],
    [
      'a time limit',
      ['--timeout', '300ms'],
      idle(stay),
      124,
      'inconclusive',
      ['timeout'],
      'INCONCLUSIVE (client), command stopped',
    ],
    [
      'a time limit of a client that failed',
      ['--scenario', 'minute-wall', '--timeout', '6s'],
      hasty(stay),
      124,
      'fail',
      ['timeout'],
      'FAIL',
    ],
  ])('for %s', async (name, flags, command, exitCode, outcome, failures, headline) => {
    const at = (ending: string) => join(folder, `${name}.${ending}`);
    const files = ['--junit', at('xml'), '--verdict', at('json'), '--report', at('html'), '--record', at('jsonl')];
    const { code, err } = await runCommandLine(['exec', ...flags, ...files, '--', ...command]);
    const result = JSON.parse(readFileSync(at('json'), 'utf8'));
    expect([code, result.exitCode, result.outcome]).toEqual([exitCode, exitCode, outcome]);
    expect(result.failures.map((failure: { code: string }) => failure.code)).toEqual(failures);
    expect(result.headline).toBe(headline);
    expect(err.split('\n')).toContainEqual(expect.stringMatching(`^${headline.replace(/[()]/g, '\\$&')}  [\\w-]+$`));
    const junit = readFileSync(at('xml'), 'utf8');
    expect(junit).toContain(`<property name="headline" value="${headline}"/>`);
    expect(junit).toContain(` time="${(result.command.durationMs / 1000).toFixed(3)}"`);
    if (failures.includes('timeout')) expect(result.command.durationMs).toBeGreaterThanOrEqual(300);
    for (const { text } of result.failures) for (const shown of [err, junit]) expect(shown).toContain(text);
    const failed = new Set(
      result.findings.flatMap(({ severity, code }: Finding) => (severity === 'fail' ? [code] : [])),
    );
    expect(junit).toContain(` failures="${failed.size + failures.length}" errors="0" skipped=`);
    expect(junit).toContain(`<property name="exit-code" value="${exitCode}"/>`);
    expect(failed.size + failures.length > 0).toBe(exitCode !== 0);
    const page =
      /<script type="application\/json"[^>]*>(.*)<\/script>/.exec(readFileSync(at('html'), 'utf8'))?.[1] ?? '';
    expect(JSON.parse(page).answers['/verdict']).toEqual(result);
    // A replay knows nothing of the command's end but whether it failed.
    const options = flags.filter((_, index) => /fail-on|require/.test(flags[index] + (flags[index - 1] ?? '')));
    const replayed = await runCommandLine(['replay', at('jsonl'), '--judge', '--json', ...options]);
    expect(replayed.code).toBe(outcome === 'fail' || options.includes('--require-conclusive') ? 1 : 0);
    expect(JSON.parse(replayed.out)).toMatchObject({ outcome, exitCode: replayed.code });
  });

  test.each(['SIGSEGV', 'SIGTERM'] as const)('for a client that ends by %s', async (signal) => {
    const { code, err } = await runCommandLine(['exec', '--json', '--', 'sh', '-c', `kill -${signal.slice(3)} $$`]);
    const exitCode = 128 + constants.signals[signal];
    expect([code, JSON.parse(err).command]).toMatchObject([exitCode, { exitCode, signal }]);
  });

  test('for a command with keys in its arguments, which are masked', async () => {
    const html = join(folder, 'masked.html');
    const flags = ['--report', html, '--api-key', 'made-up-key-of-mine', '--set', 'keys.made-up-key-of-mine.plan=pro'];
    const script = 'fetch(process.argv[1] + "/pets", { headers: { authorization: "Bearer " + process.argv[2] } })';
    const words = ['made-up-key-of-mine', '--token', 'hunter-2-hunter-2', '--key=free-key'];
    const { code, err } = await runCommandLine([
      ...['exec', '--json', ...flags, '--', 'sh', '-c'],
      `"$0" -e '${script}' $PETSTORE_BASE_URL "$@"`,
      process.execPath,
      ...words,
    ]);
    expect(code).toBe(0);
    const { command } = JSON.parse(err);
    expect(command.line).toMatch(/ …mine~dxqi --token …er-2 --key=free-key$/);
    const page = readFileSync(html, 'utf8');
    for (const secret of ['made-up-key-of-mine', 'hunter-2']) expect(page).not.toContain(secret);
  });

  test("for a failure by the scenario, with the scenario's description", async () => {
    const { err } = await runCommandLine(['exec', '--scenario', 'minute-wall', '--', ...hasty('')]);
    expect(err.replace(/\s+/g, ' ')).toContain('A right client waits for Retry-After and then succeeds.');
    const json = await runCommandLine(['exec', '--scenario', 'minute-wall', '--json', '--', ...hasty('')]);
    expect(JSON.parse(json.err).about).toContain('A right client waits for Retry-After');
  });
});
