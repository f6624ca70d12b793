import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import type { Certificate } from '../../src/cli/certify/certificate.js';
import { clientProgram, retryingProgram } from '../support/client-program.js';
import { runCommandLine } from '../support/command-here.js';
import { cli, outputOf } from '../support/command-line.js';
import { root } from '../support/markdown.js';
import { newFolder } from '../support/new-folder.js';
import { patience } from '../support/patience.js';
import { withoutBusyMark } from '../support/without-busy-mark.js';

const exec = promisify(execFile);
const parent = newFolder();

const right = retryingProgram('retryAfter * 1000 + 50');
const wrong = retryingProgram('100');

/** A wall that lasts two seconds, and one for a client that creates pets. */
const wall = 'windows: { minute: 2s }\nkeys: { free-key: { usage: { minute: 60 } } }\n';
const posts = `${wall}client: { operation: createPet }\n`;

/** A new folder with an SDK file, its scenarios and a right and a wrong client. */
function folderWith(sdks: string, more: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(parent, 'case-'));
  const files = { 'sdks.yaml': sdks, 'wall.yaml': wall, 'posts.yaml': posts, 'right.mjs': right, 'wrong.mjs': wrong };
  for (const [name, text] of Object.entries({ ...files, ...more })) writeFileSync(join(folder, name), text);
  return folder;
}

async function run(cwd: string, args: readonly string[]) {
  const child = spawn(process.execPath, [cli, ...args], { cwd });
  const output = outputOf(child);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

const certify = (folder: string, ...args: string[]) => run(folder, ['certify', 'sdks.yaml', ...args]);

const textOf = (folder: string, name: string) => readFileSync(join(folder, 'certificate', name), 'utf8');
const certificateOf = (folder: string): Certificate => JSON.parse(textOf(folder, 'certificate.json'));

/** `{ right: { 'wall.yaml': 'pass' } }` */
const outcomesOf = ({ sdks }: Certificate) =>
  Object.fromEntries(
    sdks.map(({ name, results }) => [
      name,
      Object.fromEntries(results.map(({ scenario, outcome }) => [scenario, outcome])),
    ]),
  );

const every = `
sdks:
  right: { command: node right.mjs, version: node --version }
  "wrong | <b>": node wrong.mjs
  gone: [no-such-program, "a b"]
  crash: [node, -e, "throw new TypeError('no <config>')"]
  silent: [node, -e, ""]
  hang: [node, -e, "setInterval(() => {}, 1000)"]
  stuck: { command: node stuck.mjs, version: no-such-program }
scenarios: [wall.yaml, posts.yaml]
`;
/** Hangs after its first request. */
const stuck = `${right.replace('if (response.ok) break;', 'setInterval(() => {}, 1000); await new Promise(() => {});')}`;

describe.concurrent('petstore-sim certify', () => {
  test('has the sentence of the finding and the error of the command in each failed row', async () => {
    const crash = clientProgram(`for (let n = 0; n < 2; n++) await list();
      throw new RangeError('no <seconds> in \`\`\`\`');`);
    const folder = folderWith('', { 'crash.mjs': crash });
    const path = join(folder, 'crash.mjs');
    writeFileSync(
      join(folder, 'sdks.yaml'),
      `sdks: { crash: [node, ${JSON.stringify(path)}] }\nscenarios: [minute-wall]\n`,
    );
    const { code, out } = await certify(folder, '--junit', 'junit.xml');
    expect(code).toBe(1);
    // A path below the folder is that of others, too.
    expect(certificateOf(folder).sdks[0]?.command).toBe('node crash.mjs');
    for (const file of ['certificate.html', 'certificate.md', 'certificate.json'])
      expect(textOf(folder, file)).not.toContain(folder);
    const [failure] = certificateOf(folder).sdks[0]?.results ?? [];
    const sentence = failure?.findings[0]?.text ?? '';
    expect(sentence.length).toBeGreaterThan(20);
    expect(failure).toMatchObject({ outcome: 'fail', detail: 'gave-up' });
    expect(failure?.errorLines?.at(-1)).toBe('RangeError: no <seconds> in ````');
    // A picture for somebody who has only the certificate.
    expect(failure?.timeline?.join('\n')).toMatch(/^ {2}free-key +free +•\n.*×/);
    expect(textOf(folder, 'certificate.html')).toMatch(/<pre class="timeline"[^>]*> {2}free-key/);
    expect(textOf(folder, 'certificate.md')).toContain('````text\n  free-key');

    // Sentences wrap at the width of the terminal.
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      ` minute-wall: fail, gave-up gave-up: ${sentence} output of the command: `,
    );
    expect(out).toContain('RangeError: no <seconds> in ````\n');
    expect(textOf(folder, 'certificate.md')).toContain('RangeError: no \\<seconds\\> in \\`\\`\\`\\`\n');
    expect(textOf(folder, 'certificate.html')).toContain('RangeError: no &lt;seconds&gt; in ````</pre>');
    expect(readFileSync(join(folder, 'junit.xml'), 'utf8')).toMatch(
      /<failure type="gave-up" .*<system-out>[^<]*RangeError: no &lt;seconds&gt; in ````<\/system-out>/s,
    );
  });

  test('has the requests per call of each run, and the most of each SDK', async () => {
    const folder = folderWith('sdks: { wrong: node wrong.mjs }\nscenarios: [wall.yaml]\n');
    await certify(folder);
    const { overall = 0 } = certificateOf(folder).sdks[0]?.results[0]?.amplification ?? {};
    expect(overall).toBeGreaterThan(1);
    for (const file of ['certificate.md', 'certificate.html'])
      expect(textOf(folder, file)).toMatch(new RegExp(`[ >]${overall} per call.* \\(wall\\.yaml\\)`));
  });

  test('fails an inconclusive run with --require-conclusive, also against an earlier certificate', async () => {
    const folder = folderWith('sdks: { mine: node client.mjs }\nscenarios: [minute-wall, calm.yaml]\n', {
      'client.mjs': clientProgram('await list();'),
      'calm.yaml': 'keys: { free-key: { plan: free } }\n',
    });
    const lenient = await certify(folder);
    expect(lenient.out).toContain('1 inconclusive, 1 not reached');
    expect(lenient.code).toBe(0);
    const strict = ['--junit', 'junit.xml', '--require-conclusive'];
    const { code, out } = await certify(folder, ...strict, '--against', 'certificate/certificate.json');
    expect(out).toContain('\nFailed by --require-conclusive: mine calm.yaml\n');
    expect(code).toBe(1);
    const junit = readFileSync(join(folder, 'junit.xml'), 'utf8');
    expect(junit).toContain('tests="2" failures="1"');
    expect(junit).toMatch(/name="calm.yaml"[^>]*><failure type="inconclusive" message="[^"]+">/);
  });

  test('writes one table of right, wrong, missing, crashed, silent and hanging clients', {
    tags: 'extended',
  }, async () => {
    const folder = folderWith(every, { 'stuck.mjs': stuck });
    const { code, out } = await certify(folder, '--timeout', '20s', '--junit', 'junit.xml');
    expect(code).toBe(1);

    const certificate = certificateOf(folder);
    const both = (outcome: string) => ({ 'wall.yaml': outcome, 'posts.yaml': outcome });
    expect(outcomesOf(certificate)).toEqual({
      right: { 'wall.yaml': 'pass', 'posts.yaml': 'not met' },
      'wrong | <b>': both('fail'),
      gone: both('error'),
      crash: both('error'),
      silent: both('error'),
      hang: both('error'),
      stuck: { 'wall.yaml': expect.stringMatching(/inconclusive|fail/), 'posts.yaml': expect.anything() },
    });
    expect(certificate).toMatchObject({ node: process.version, date: expect.stringMatching(/^20\d\d-.*Z$/) });
    const versions = certificate.sdks.map(({ version }) => version);
    expect([versions[0], versions.at(-1)]).toEqual([
      expect.stringMatching(/^v\d+\.\d+\.\d+$/),
      'not known (no-such-program cannot be started)',
    ]);
    const [failure] = certificate.sdks[1]?.results ?? [];
    expect(failure?.findings[0]).toEqual({
      code: 'early-retry',
      requests: expect.stringMatching(/^requests? \d/),
      text: expect.stringContaining('Retry-After allowed'),
    });

    expect(certificate.sdks[1]?.remedies).toMatchObject([{ client: 'fetch', isCertain: false }]);

    const reasons = [
      'the command does not exist',
      'exit code 1: TypeError: no <config>',
      'No requests received.',
      'No requests received. (stopped by the time limit)',
      'needs a POST /pets',
    ];
    for (const reason of reasons) expect(out).toContain(reason);

    const markdown = withoutBusyMark(textOf(folder, 'certificate.md'));
    expect(markdown).toMatch(/\*\*8%: 1 of 12 passed, .*not run\.\*\*/);
    expect(markdown).toMatch(/^\| wall\.yaml \| ✓ \| ✗ early-retry.* \| ! \| ! \| ! \| ! \| /m);
    expect(markdown).toContain('### wrong \\| \\<b\\>: wall.yaml');
    expect(markdown).toContain('no \\<config\\>');

    const page = textOf(folder, 'certificate.html');
    expect(page).not.toMatch(/<b>:|<config>|<script|https?:\/\//);
    expect(page).toContain('wrong | &lt;b&gt;');
    expect(page).toContain('prefers-color-scheme: dark');
    expect(textOf(folder, 'badge.svg')).toContain('aria-label="petstore-sim: 8% passed"');

    const junit = withoutBusyMark(readFileSync(join(folder, 'junit.xml'), 'utf8'));
    expect(junit).toContain('<testsuite name="crash" tests="2" failures="0" errors="2" skipped="0"');
    expect(junit).toMatch(/<testcase classname="petstore-sim\.right" name="wall\.yaml" time="\d+\.\d+"><\/testcase>/);
    expect(junit).toContain('<skipped message="not reached: needs a POST /pets"/>');
    expect(junit).toMatch(/<failure type="early-retry" message="early-retry.*">early-retry \(requests? /);
  });

  test('prints the command that repeats a failure, from the current folder', { tags: 'extended' }, async () => {
    const folder = folderWith('sdks: {}');
    mkdirSync(join(folder, 'my sdk'));
    writeFileSync(join(folder, 'my sdk/client.mjs'), wrong);
    const sdk = 'sdks: { own: { command: node client.mjs, folder: my sdk } }\nscenarios: [wall.yaml]';
    writeFileSync(join(folder, 'sdks.yaml'), sdk);
    const { code } = await certify(folder, '--seed', '5');
    const { seed, sdks } = certificateOf(folder);
    const { repeat = '' } = sdks[0]?.results[0] ?? {};
    expect([code, seed, repeat]).toEqual([
      1,
      5,
      "cd 'my sdk' && npx petstore-sim exec --scenario ../wall.yaml --seed 5 -- node client.mjs",
    ]);
    const here = repeat.replace('npx petstore-sim', `${process.execPath} ${cli}`);
    await expect(exec('bash', ['-c', here], { cwd: folder })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('FAIL    early-retry'),
    });
  });

  test('with --against, exits with 1 only if something became worse', { tags: 'extended' }, async () => {
    const folder = folderWith(`
sdks: { mends: node one.mjs, breaks: node two.mjs, stays: node wrong.mjs }
scenarios: [wall.yaml]
`);
    const write = (one: string, two: string) => {
      writeFileSync(join(folder, 'one.mjs'), one);
      writeFileSync(join(folder, 'two.mjs'), two);
    };
    write(wrong, right);
    expect((await certify(folder, '--out', 'before')).code).toBe(1);

    // The same again: two SDKs fail as before.
    const same = await certify(folder, '--against', 'before/certificate.json');
    expect([same.code, same.out]).toEqual([0, expect.stringContaining(': 0 worse, 0 better\n')]);

    write(right, wrong);
    const { code, out } = await certify(folder, '--against', 'before/certificate.json');
    expect(code).toBe(1);
    expect(out).toContain('  worse   breaks: wall.yaml: pass -> fail, early-retry');
    expect(withoutBusyMark(out)).toMatch(/^ {2}better {2}mends: wall\.yaml: fail -> pass$/m);
    expect(out).not.toMatch(/(worse|better) +stays/);
    expect(textOf(folder, 'certificate.md')).toContain('**Worse**\n\n| SDK | Scenario | Before | Now |  |');
    expect(textOf(folder, 'certificate.html')).toMatch(/<td class="pass">better<\/td><td>mends<\/td>/);

    write(right, right);
    const mended = await certify(folder, '--against', 'certificate/certificate.json', '--json');
    expect(mended.code).toBe(0);
    const { changes, next } = JSON.parse(mended.out);
    expect(changes).toMatchObject({ worse: [], better: [{ sdk: 'breaks', before: 'fail', now: 'pass' }] });
    expect(next.at(-1)).toBe('npx petstore-sim certify --json sdks.yaml --against certificate/certificate.json');

    // An SDK that is new fails, but nothing became worse; one that is gone is named.
    writeFileSync(join(folder, 'sdks.yaml'), 'sdks: { new: node wrong.mjs }\nscenarios: [wall.yaml]');
    const other = await certify(folder, '--against', 'certificate/certificate.json');
    expect([other.code, other.out]).toEqual([0, expect.stringContaining('0 worse, 0 better, 1 new, 3 no longer run')]);
  });

  test('stops its clients on SIGINT, and writes no certificate', async () => {
    const folder = folderWith('sdks: { right: node right.mjs, hang: node hang.mjs }\nscenarios: [wall.yaml]', {
      'hang.mjs':
        "import { writeFileSync } from 'node:fs'; writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000);",
    });
    const child = spawn(process.execPath, [cli, 'certify', 'sdks.yaml', '--parallel', '1'], { cwd: folder });
    const output = outputOf(child);
    // With one run at a time, the second client starts after the verdict on the first.
    await vi.waitUntil(() => existsSync(join(folder, 'pid')), patience);
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(130);
    expect(output.err).toContain('petstore-sim: stopped after 1 of 2 runs');
    expect(output.out).toContain('right: 1 of 1 passed');
    expect(readdirSync(folder)).not.toContain('certificate');
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('a mistake for certify', () => {
  test.each<[file: string, messages: string[]]>([
    ['', ['sdks.yaml:1:1: expected a map, got null']],
    ['a: b', ['sdks.yaml:1:1: sdks: expected a map, got none', 'sdks.yaml:1:1: a: expected a known field']],
    ['sdk:\n  node: node x.mjs', ['sdks.yaml:1:1: sdk: expected a known field; did you mean sdks?']],
    ['sdks: {}', ['sdks.yaml:1:7: sdks: expected at least one SDK with its command']],
    ['sdks:\n  node: 3', ['sdks.yaml:2:9: sdks.node: expected a command, a list of words or a map, got 3']],
    [
      'sdks:\n  node:\n    comand: node',
      ['sdks.yaml:3:5: sdks.node.comand: expected a known field; did you mean command?'],
    ],
    [
      'sdks:\n  node: cd x && node y',
      ['sdks.yaml:2:9: sdks.node: expected one command, got &; quote it, or run a shell'],
    ],
    ['sdks:\n  node: { command: [] }', ['sdks.yaml:2:20: sdks.node.command: expected at least one word, got a list']],
    [
      'sdks: { a: x }\nscenarios: [minute-wal]',
      [
        'sdks.yaml:2:13: scenarios[0]: expected a file or a shipped scenario, got "minute-wal"; did you mean minute-wall?',
      ],
    ],
    ['sdks: { a: x }\nscenarios: [missing, missing]', ['sdks.yaml:2:12: scenarios: expected each scenario once']],
    ['sdks: { a: x }\nscenarios: [bad.yaml]', ['bad.yaml:1:1: limit: expected a known field; did you mean limits?']],
    ['sdks: { a: { command: x, folder: none } }', ['sdks.yaml:1:34: sdks.a.folder: expected a folder, got "none"']],
    ['sdks: [', ['sdks.yaml:1:8: expected valid YAML']],
  ])('%j is refused with the place of the mistake', async (file, messages) => {
    const folder = folderWith(file, { 'bad.yaml': 'limit: off' });
    const { code, err, out } = await runCommandLine(['certify', 'sdks.yaml'], { cwd: folder });
    for (const message of messages) expect(err).toContain(message);
    expect([code, out, existsSync(join(folder, 'certificate'))]).toEqual([2, '', false]);
  });

  test.each<[args: string[], message: string]>([
    [['certify'], 'expected a file with the commands of SDKs, such as npx petstore-sim certify sdks.yaml'],
    [['certify', 'none.yaml'], 'none.yaml: expected a file that exists'],
    [
      ['certify', 'sdks.yaml', '--against', 'none.json'],
      'expected --against to name a certificate.json, got "none.json": ENOENT',
    ],
    [['certify', 'sdks.yaml', '--against', 'odd.json'], 'sdks[0].results[0].outcome: expected "pass", "fail"'],
    [['certify', 'sdks.yaml', '--timeout', '30'], 'did you mean 30s?'],
    [['certify', 'sdks.yaml', '--parallel', 'many'], 'expected --parallel to be a whole number'],
    [['certify', 'sdks.yaml', '--out', '/dev/null/x'], 'expected --out to name a writable file'],
  ])('%j is answered with exit code 2 and a clear line', async (args, message) => {
    const odd = { date: 'x', sdks: [{ name: 'a', results: [{ scenario: 's', outcome: 'passed' }] }] };
    const folder = folderWith('sdks: { a: node right.mjs }\nscenarios: [wall.yaml]', {
      'odd.json': JSON.stringify(odd),
    });
    const { code, err } = await runCommandLine(args, { cwd: folder });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('examples/clients/sdks.yaml', () => {
  const text = readFileSync(join(root, 'examples/clients/sdks.yaml'), 'utf8');

  test('lists each client of the folder', () => {
    const files = readdirSync(join(root, 'examples/clients')).filter((name) =>
      /^(client|Client|[a-z]+-[a-z]+)\./.test(name),
    );
    expect(files).toHaveLength(10);
    for (const file of files) expect(text).toContain(` ${file},`);
  });

  const languages = ['go', 'java', 'curl', 'python-requests', 'python-httpx', 'ruby-faraday', 'php-guzzle'];

  test('certifies the clients of seven languages', {
    timeout: 300_000,
    tags: [...languages.map((name) => `needs/${name}`), 'extended'],
  }, async () => {
    const folder = folderWith(
      `${text.replaceAll(' python3 ', ' /usr/bin/python3 ').replaceAll('version: python3', 'version: /usr/bin/python3').replaceAll(' }', `, folder: ${root}/examples/clients }`)}\nscenarios: [wall.yaml, posts.yaml]`,
    );
    const { code, out, err } = await certify(folder);
    const { counts, sdks } = certificateOf(folder);
    expect([code, counts], out + err).toEqual([0, { pass: 20, fail: 0, inconclusive: 0, 'not met': 0, error: 0 }]);
    for (const { name, version } of sdks) expect(version, name).toMatch(/\d+\.\d+/);
  });
});
