import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const exec = promisify(execFile);
const root = new URL('../../', import.meta.url).pathname;
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-readme-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The fenced blocks of the README in one language, in order. */
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, text]) => text as string);

/** The commands of a console block, each with the output printed under it. */
const steps = (block: string) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...output] = step.split('\n');
      return { command, output: output.join('\n').trim() };
    });

/** What changes from run to run: instants, and a wait whose second has begun. */
const withoutInstants = (text: string) =>
  text
    .replaceAll('\r', '')
    .replace(/^Date: .*$/m, 'Date: *')
    .replace(/^X-RateLimit-Reset: \d+$/m, 'X-RateLimit-Reset: *')
    .replace(/"now":"[^"]+"/, '"now":"*"')
    .replace('retry in 9 seconds', 'retry in 10 seconds')
    .trim();

/** A file that the README asks to save: its name, and its text. */
const savedFile = /Save this as `([^`]+)`[^`]*```\w+\n(.*?)```/gs;

const cli = join(root, 'dist/cli/main.js');

async function serve(args: string[]) {
  const child = spawn(process.execPath, [cli, ...args, '--port', '0', '--log', 'json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const origin = JSON.parse(first.value).baseUrl.replace(/\/v1$/, '');
  return {
    origin,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

test.each(blocks('console').map((block) => [steps(block)[0]?.command, block]))(
  'the transcript that begins with %j is what a terminal shows',
  async (_name, block) => {
    for (const [, name, text] of readme.matchAll(savedFile))
      writeFileSync(join(folder, name as string), text as string);
    const all = steps(block as string);
    const start = all.find(({ command }) => command.startsWith('npx petstore-sim'));
    const server = await serve(start?.command.split(' ').slice(2) ?? []);
    try {
      for (const { command, output } of all.filter((step) => step !== start)) {
        const here = command
          .replaceAll('http://127.0.0.1:4010', server.origin)
          .replaceAll('npx petstore-sim', `${process.execPath} ${cli}`)
          .replace(/^curl /, 'curl -s ');
        const { stdout } = await exec('bash', ['-c', `(${here}) 2>&1 || true`], { cwd: folder });
        const shown = stdout.replaceAll(server.origin, 'http://127.0.0.1:4010');
        expect(withoutInstants(shown)).toBe(withoutInstants(output));
      }
    } finally {
      await server.stop();
    }
  },
);

test('the test in the README passes as printed', async () => {
  const [code] = blocks('ts').filter((block) => block.includes("from 'msw/node'"));
  // Inside the repository, where the package can import itself by name; the folder is in .gitignore.
  const scratch = join(root, 'test/readme-scratch');
  mkdirSync(scratch, { recursive: true });
  try {
    writeFileSync(join(scratch, 'quick-start.test.ts'), code as string);
    const { stdout } = await exec('npx', ['vitest', 'run', 'test/readme-scratch', '--reporter', 'json'], { cwd: root });
    expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toMatchObject({ numPassedTests: 1, numFailedTests: 0 });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});

test('the other code of the README names only what the package exports', async () => {
  const names = [...readme.matchAll(/import \{ (\w+) \} from '(petstore-sim[\w/]*)'/g)];
  expect(names.length).toBeGreaterThan(4);
  for (const [, name, entry] of names)
    expect(await import(entry as string), `${name} of ${entry}`).toHaveProperty(name as string);
});
