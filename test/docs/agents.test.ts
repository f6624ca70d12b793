import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../support/command-here.js';
import { startCommandLine } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';

const root = join(import.meta.dirname, '../..');
const pages = ['SKILL.md', 'llms.txt'];
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

const cwd = newFolder();
beforeAll(() => {
  writeFileSync(join(cwd, 'sdks.yaml'), 'sdks: { quick: node quick.mjs }\nscenarios: [minute-wall]\n');
  writeFileSync(join(cwd, 'quick.mjs'), quickClient);
  writeFileSync(join(cwd, 'wrong.mjs'), client('1_000'));
  writeFileSync(
    join(cwd, 'right.mjs'),
    client("1_000 * response.headers.get('retry-after') * (1 + 0.1 * Math.random())"),
  );
});

/** Program of a client that makes the required calls, and waits a fixed time after a rejection. */
const client = (waitMs: string) => `
const { PETSTORE_BASE_URL, PETSTORE_API_KEY, PETSTORE_CALLS } = process.env;
for (let call = 0; call < PETSTORE_CALLS; call++) {
  for (let attempt = 0; attempt < 4; attempt++) {
    const response = await fetch(PETSTORE_BASE_URL + '/pets', { headers: { authorization: 'Bearer ' + PETSTORE_API_KEY } });
    await response.text();
    if (response.status !== 429) break;
    await new Promise((resolve) => setTimeout(resolve, ${waitMs}));
  }
}`;

/** Program of a client that gives up at the first rejection. */
const quickClient = `
const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
const { ok } = await fetch(PETSTORE_BASE_URL + '/pets', { headers: { authorization: 'Bearer ' + PETSTORE_API_KEY } });
process.exitCode = ok ? 0 : 1;`;

const command = (name: string) => [process.execPath, join(cwd, name)];

/** Every command of the pages, once. */
const commands = [
  ...new Set(
    pages.flatMap((page) => [...textOf(page).matchAll(/npx (petstore-sim [^`\n]*)/g)].map(([, line = '']) => line)),
  ),
];

test('the pages for agents are short, and link only to files of the package', () => {
  expect(pages.reduce((sum, page) => sum + statSync(join(root, page)).size, 0)).toBeLessThanOrEqual(8_000);
  const { files } = JSON.parse(textOf('package.json'));
  expect(files).toEqual(expect.arrayContaining(pages));
  for (const [, link = ''] of textOf('llms.txt').matchAll(/\]\(([^)]+)\)/g))
    expect(statSync(join(root, link)).isFile()).toBe(true);
});

describe('every command of the pages', () => {
  test('there is one for each way to run a client', () => {
    for (const name of ['exec', 'gauntlet', 'hunt', 'certify'])
      expect(commands).toContainEqual(expect.stringContaining(` ${name} `));
  });

  test.each(commands)('%s', { timeout: 240_000 }, async (line) => {
    const [shell = '', target] = line.split(' > ');
    const [, ...written] = shell.split(' ');
    // The client is irrelevant here, and an empty one is fast. `hunt` rejects one without requests.
    const client = written[0] === 'hunt' ? command('quick.mjs') : ['true'];
    const args = written.flatMap((word) => (word === 'COMMAND' ? client : [word]));
    // A few runs instead of 40, and those against a server that does not respond end after 5 s instead of 45 s.
    if (written[0] === 'hunt') args.splice(1, 0, '--runs', '4', '--timeout', '5s');
    if (line.includes('--port 0')) {
      const server = startCommandLine(args, { cwd });
      expect(JSON.parse(await server.nextLine())).toMatchObject({ event: 'listening', next: expect.any(Array) });
      return;
    }
    const { code, out, err } = await runCommandLine(args, { cwd });
    expect(code, err).toBe(0);
    if (target !== undefined) writeFileSync(join(cwd, target), out);
    else expect(JSON.parse(out || err).next).not.toHaveLength(0);
  });
});

test('every control request of the pages succeeds without a token', async () => {
  const written = pages.flatMap((page) => [
    ...textOf(page).matchAll(/`(GET|POST|PUT|DELETE) (\/\S+?)(?: (\{.*?\}))?`/gs),
  ]);
  expect(written.length).toBeGreaterThanOrEqual(6);
  const server = startCommandLine(['--json', '--port', '0'], { cwd });
  const { controlUrl } = JSON.parse(await server.nextLine());
  for (const [text, method = '', path = '', body] of written) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(new URL(path, controlUrl), { method, ...(body !== undefined && { body }), headers });
    expect(response.status, text).toBe(200);
  }
});

describe.concurrent('an agent with only the package learns in three commands whether a client respects the limits', () => {
  const exec = (...more: string[]) =>
    runCommandLine(['exec', '--json', '--scenario', 'minute-wall', '--', ...more], { cwd });

  test('reports a right client in at most 2 kB', async () => {
    const { code, err } = await exec(...command('right.mjs'));
    expect(JSON.parse(err)).toMatchObject({
      outcome: 'pass',
      exercised: expect.arrayContaining(['early-retry']),
      untested: expect.arrayContaining(['duplicate-write']),
      next: [expect.stringMatching(/^npx petstore-sim gauntlet --json -- /)],
    });
    expect(code).toBe(0);
    expect(Buffer.byteLength(err)).toBeLessThanOrEqual(2_000);
  });

  test('reports a wrong client with its mistakes and a command that repeats them', async () => {
    const { code, err } = await exec(...command('wrong.mjs'));
    const { outcome, findings, next } = JSON.parse(err);
    expect([code, outcome]).toEqual([1, 'fail']);
    expect(findings).toContainEqual(expect.objectContaining({ code: 'early-retry', severity: 'fail' }));
    expect(next).toEqual([
      `npx petstore-sim exec --report report.html --scenario minute-wall -- ${command('wrong.mjs').join(' ')}`,
      `npx petstore-sim exec --record run.jsonl --scenario minute-wall -- ${command('wrong.mjs').join(' ')}`,
    ]);
  });

  test('reports a client without calls as not judged', async () => {
    const { code, err } = await exec('true');
    expect(JSON.parse(err)).toMatchObject({
      outcome: 'inconclusive',
      reason: 'No requests received.',
      next: [expect.stringContaining('scenarios --json')],
    });
    expect(code).toBe(0);
  });
});

test.each(['AI_AGENT', 'AGENT'])('a server prints no banner if %s is set', async (name) => {
  process.env[name] = 'somebody';
  try {
    const server = startCommandLine(['--port', '0'], { cwd });
    expect(JSON.parse(await server.nextLine())).toMatchObject({ event: 'listening' });
  } finally {
    delete process.env[name];
  }
});
