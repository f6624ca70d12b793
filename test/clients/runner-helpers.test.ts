import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { cli, startServer } from '../support/command-line.js';
import { codeBlocks, root, userPage } from '../support/markdown.js';
import { newFolder } from '../support/new-folder.js';
import { python } from '../support/programs.js';

const exec = promisify(execFile);
const parent = newFolder();

/** A new folder with a helper and tests that use it, at these paths. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(parent, 'case-'));
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    copyFileSync(join(root, source), join(folder, path));
  }
  return folder;
}

/** Runs a command with this build as the command that starts a server. */
async function run(cwd: string, [file = '', ...args]: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, PETSTORE_SIM_COMMAND: `${process.execPath} ${cli}`, ...more };
  const { code = 0, stdout, stderr } = await exec(file, args, { cwd, env }).catch((error) => error);
  return { code, text: `${stdout}${stderr}` };
}

/** Verdict on a client that retried after a tenth of a second. */
const tooEarly = /early-retry: Retried up to 5\d\.\d s before Retry-After allowed, /;

/** Command of `exec` with a scenario whose key has one request left. A helper must use the server of the run. */
const inExec = (command: readonly string[]) => [
  process.execPath,
  cli,
  'exec',
  '--scenario',
  'minute-wall',
  '--',
  ...command,
];
const noServer = { PETSTORE_SIM_COMMAND: 'no-such-program' };
/** Verdict of `exec` on tests of which one retries too early in its sandbox. */
const failedInSandbox =
  /^FAIL {2}minute-wall\n {2}The client retried too early.*\d sandboxes: 1 failed, \d \w+\. Shown:\s+\S*early/ims;

/** Block of docs/other-languages.md in a language: a complete test file. */
const documented = (language: string) =>
  codeBlocks(userPage('docs/other-languages.md')).find((block) => block.language === language)?.text ?? '';

test.each(['petstore_sim.py', 'petstoresim.go', 'PetstoreSim.java'])('%s is short enough to copy', (file) => {
  const text = readFileSync(join(root, 'examples/clients', file), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(135);
  expect(readFileSync(join(root, 'examples/clients/README.md'), 'utf8')).toContain(`\`${file}\``);
});

describe.concurrent('petstore_sim.py', { tags: ['needs/pytest'], timeout: 240_000 }, () => {
  const files = {
    'petstore_sim.py': 'examples/clients/petstore_sim.py',
    'test_client.py': 'test/clients/helpers/test_client.py',
  };
  const pytest = [python, '-B', '-m', 'pytest', '-p', 'no:cacheprovider', '-rA', '--tb=short'];
  const folderOf = () => {
    const folder = folderWith(files);
    writeFileSync(join(folder, 'conftest.py'), 'pytest_plugins = ["petstore_sim"]\n');
    return folder;
  };

  test('passes tests whose client waits, and fails others with the finding', async () => {
    const { code, text } = await run(folderOf(), pytest);
    expect(code, text).toBe(1);
    expect(text).toContain('4 failed, 4 passed');
    expect(text).not.toContain('ERROR');
    for (const name of ['client_waits', 'client_with_scenario[minute-wall]', 'banned', 'needs_no_sandbox'])
      expect(text).toContain(`PASSED test_client.py::test_${name}`);
    expect(text).toMatch(tooEarly);
    expect(text).toMatch(
      /No requests received\. Give the client petstore\.base_url, http:\S+\/s\/test-sends-nothing-\w+\/v1/,
    );
    expect(text).toMatch(/FAILED test_client\.py::test_fails_by_itself - assert 1 == 2/);
    // Its own failure comes first, then the verdict; the test of a right client shows its failure alone.
    const failuresOf = (name: string) =>
      text.split(/^_+ test_(\w+).* _+$/m)[text.split(/^_+ test_(\w+).* _+$/m).indexOf(name) + 1];
    expect(failuresOf('fails_first')).toMatch(
      /assert 0 == 20.*-+ petstore-sim -+\nThe client retried too early.*early-retry: /s,
    );
    expect(failuresOf('fails_by_itself')).not.toContain('petstore-sim');
    expect(text.match(/^ {2}early-retry: /gm)).toHaveLength(2);
  });

  test('its sandboxes count for the run of exec', async () => {
    const { code, text } = await run(folderOf(), inExec([...pytest, '-k', 'with_scenario or too_early']), noServer);
    expect(text).toContain('1 failed, 1 passed');
    expect(text).toMatch(failedInSandbox);
    expect(code).toBe(1);
  });

  test('passes the test of the documentation', { tags: ['needs/python-requests'] }, async () => {
    const folder = folderOf();
    writeFileSync(join(folder, 'test_documented.py'), documented('python'));
    const { code, text } = await run(folder, [...pytest, 'test_documented.py']);
    expect([code, text]).toEqual([0, expect.stringContaining('1 passed')]);
  });

  test('works in four processes, each with a separate server or with a shared one', async () => {
    const parallel = [...pytest, '-n', '4'];
    const own = await run(folderOf(), parallel);
    expect(own.text).toContain('4 failed, 4 passed');
    const server = await startServer();
    const shared = await run(folderOf(), parallel, {
      PETSTORE_SIM_URL: server.baseUrl.replace('/v1', ''),
      PETSTORE_SIM_COMMAND: 'no-such-program',
    });
    expect(shared.text).toContain('4 failed, 4 passed');
    // Each test has removed its sandbox.
    expect(await (await fetch(server.baseUrl.replace('/v1', '/__sim/sandboxes'))).json()).toEqual([]);
  });

  test('starts the server with npx by default, and stops it', async () => {
    const folder = folderOf();
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    symlinkSync(join(root, 'dist/cli/main.cjs'), join(folder, 'node_modules/.bin/petstore-sim'));
    const { PETSTORE_SIM_COMMAND: _, ...env } = process.env;
    const { stdout } = await exec(pytest[0] as string, [...pytest.slice(1), '-k', 'banned'], { cwd: folder, env });
    expect(stdout).toContain('1 passed');
    const { stdout: running } = await exec('ps', ['-eo', 'args']);
    expect(running.split('\n').filter((line) => line.includes(folder))).toEqual([]);
  });

  test('reports the output of a server that does not start', async () => {
    const broken = `${process.execPath} -e process.exit(console.error("nope")||1)`;
    const { text } = await run(folderOf(), [...pytest, '-k', 'banned'], { PETSTORE_SIM_COMMAND: broken });
    expect(text).toContain('to start a server, see its error above');
  });
});

describe('petstoresim.go', { tags: ['needs/go'], timeout: 240_000 }, () => {
  const files = {
    'petstoresim/petstoresim.go': 'examples/clients/petstoresim.go',
    'client_test.go': 'test/clients/helpers/client_test.go',
  };

  test('passes tests whose client waits, and fails others with the finding', async () => {
    const folder = folderWith(files);
    writeFileSync(join(folder, 'go.mod'), 'module example.com/client\n\ngo 1.19\n');
    const { code, text } = await run(folder, ['go', 'test', '-v', './...']);
    expect(code, text).toBe(1);
    for (const name of ['Waits', 'WaitsForTheEndOfABan']) expect(text).toContain(`--- PASS: Test${name} `);
    for (const name of ['RetriesTooEarly', 'SendsNothing', 'FailsFirst'])
      expect(text).toContain(`--- FAIL: Test${name} `);
    expect(text).toContain('--- SKIP: TestIsSkipped ');
    expect(text).toMatch(tooEarly);
    // A test that failed by itself shows both reasons.
    expect(text).toMatch(
      /=== RUN {3}TestFailsFirst\n.*expected 200, got 429\n.*The client retried too early.*\n +early-retry: /,
    );
    expect(text).toContain('No requests received.');
    const executed = await run(folder, inExec(['go', 'test', '-run', 'Waits|Early', './...']), noServer);
    expect(executed.text).toMatch(failedInSandbox);
    expect(executed.code).toBe(1);
    writeFileSync(join(folder, 'client_test.go'), documented('go'));
    expect(await run(folder, ['go', 'test', './...'])).toMatchObject({ code: 0, text: expect.stringMatching(/^ok /) });
    const formatted = await run(folder, ['gofmt', '-l', '.']);
    expect(formatted.text).toBe('');
    const vetted = await run(folder, ['go', 'vet', './...']);
    expect([vetted.code, vetted.text]).toEqual([0, '']);
  });
});

describe('PetstoreSim.java', { tags: ['needs/java', 'needs/junit5'], timeout: 240_000 }, () => {
  const jars = '/usr/share/java/';
  const classPath = ['junit-jupiter-api', 'junit-platform-commons', 'opentest4j', 'apiguardian-api']
    .map((name) => `${jars}${name}.jar`)
    .join(':');
  const files = {
    'PetstoreSim.java': 'examples/clients/PetstoreSim.java',
    'ClientTest.java': 'test/clients/helpers/ClientTest.java',
  };

  test('passes tests whose client waits, and fails others with the finding', async () => {
    const folder = folderWith(files);
    writeFileSync(join(folder, 'DocumentedTest.java'), documented('java'));
    const compiled = await run(folder, [
      'javac',
      '-Xlint:all',
      '-cp',
      classPath,
      '-d',
      '.',
      ...Object.keys(files),
      'DocumentedTest.java',
    ]);
    expect([compiled.code, compiled.text]).toEqual([0, '']);
    const console = [
      '-jar',
      `${jars}junit-platform-console-standalone.jar`,
      '-cp',
      '.',
      '-c',
      'ClientTest',
      '-c',
      'DocumentedTest',
    ];
    const java = ['java', '-XX:TieredStopAtLevel=1', ...console, '--disable-ansi-colors', '--details-theme=ascii'];
    const executed = await run(folder, inExec(java), noServer);
    expect(executed.text).toMatch(
      /^FAIL {2}minute-wall\n {2}The client retried too early.*\d sandboxes: \d failed, /ms,
    );
    const { code, text } = await run(folder, java);
    expect(code, text).toBe(1);
    expect(text).toMatch(/\b4 tests successful/);
    expect(text).toMatch(/\b3 tests failed/);
    for (const name of ['waits', 'waitsForTheEndOfABan']) expect(text).toMatch(new RegExp(` ${name}\\(.*\\[OK\\]`));
    for (const name of ['retriesTooEarly', 'sendsNothing', 'failsFirst'])
      expect(text).toMatch(new RegExp(` ${name}\\(.*\\[X\\]`));
    expect(text).toMatch(tooEarly);
    expect(text).toMatch(
      /expected: <200> but was: <429>\n.*Suppressed: java\.lang\.AssertionError: The client retried too early.*\n +early-retry: /s,
    );
    expect(text).toContain('No requests received.');
  });
});
