import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../support/command-here.js';
import { runCommandLine as runProcess } from '../support/command-line.js';
import { startBackend } from '../support/start-backend.js';

const { url: upstream } = await startBackend((request, response) => response.end(`${request.method} ${request.url}`));

/** A client that sends three requests, and ignores refusals. */
const client = (path: string) => [
  process.execPath,
  '-e',
  `(async () => {
    const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key } = process.env;
    for (let n = 0; n < 3; n++) {
      const response = await fetch(base + '${path}', { headers: { authorization: 'Bearer ' + key } });
      console.log(response.status, n === 0 ? await response.text() : '');
    }
  })();`,
];

describe('commands with a backend', () => {
  test('exec judges a client of the backend, and repeats the flags in its advice', async () => {
    const args = ['exec', '--scenario', 'minute-wall', '--upstream', upstream, '--no-api', '--'];
    const { code, out, err } = await runProcess([...args, ...client('/user')]);
    expect(out).toMatch(/^200 GET \/user\n429/);
    expect([code, err]).toEqual([1, expect.stringMatching(/FAIL {4}early-retry[\s\S]*GET \/user was refused/)]);
    expect(err).toContain(`--record run.jsonl --scenario minute-wall --upstream ${upstream} --no-api -- `);
    expect(err).not.toMatch(/\bpets?\b/);
  });

  test('without --no-api, the base URL of the client is that of the API', async () => {
    const { out } = await runProcess(['exec', '--upstream', upstream, '--', ...client('/orders')]);
    expect(out).toMatch(/^200 GET \/v1\/orders\n/);
  });

  test('gauntlet repeats the flags in the command for details', async () => {
    const args = ['gauntlet', 'minute-wall', '--upstream', upstream, '--no-api', '--'];
    const { code, out } = await runCommandLine([...args, ...client('/user')]);
    expect([code, out]).toEqual([
      1,
      expect.stringContaining(`exec --scenario minute-wall --upstream ${upstream} --no-api -- `),
    ]);
  });

  test.each([
    [['--upstream', 'nonsense'], 'expected upstream to be a URL such as "http://127.0.0.1:3000", got "nonsense"'],
    [['--upstream', 'https://api.example.com'], 'to allow that, add --upstream-host api.example.com'],
    [['--upstream-key', 'same'], 'expected --upstream URL with --upstream-key, got no --upstream'],
    [['--no-api'], 'expected --upstream URL with --no-api, got no --upstream'],
    [
      ['--upstream', 'http://127.0.0.1:1', '--upstream-key', 'NO_SUCH_VARIABLE'],
      "an environment variable with the key, or 'header X-Api-Key=VARIABLE', got NO_SUCH_VARIABLE, which is not set",
    ],
    [
      ['--upstream', 'http://127.0.0.1:1', '--upstream-key', 'header X-Api-Key=NO_SUCH_VARIABLE'],
      'got NO_SUCH_VARIABLE, which is not set',
    ],
  ])('exec and serve refuse %s with what to do, and no stack', async (flags, message) => {
    for (const args of [
      ['exec', ...flags, '--', process.execPath, '-e', '0'],
      ['serve', '--port', '0', ...flags],
    ]) {
      const { code, err } = await runCommandLine(args);
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
      expect(err).not.toContain('    at ');
    }
  });

  test.each(['secret-backend', 'AKIAIOSFODNN7EXAMPLE', 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'])(
    'a key instead of the name of a variable is not printed: %s',
    async (key) => {
      for (const args of [
        ['serve', '--port', '0', '--upstream', 'http://127.0.0.1:1', '--upstream-key', key],
        ['calibrate', '--target', 'http://127.0.0.1:1', '--key-env', key],
      ]) {
        const { code, out, err } = await runCommandLine(args);
        expect([code, err]).toEqual([2, expect.stringContaining(`…${key.slice(-4)}`)]);
        expect(out + err).not.toContain(key);
      }
    },
  );

  test('exec without --upstream names it, and repeats it in the commands for the next run', async () => {
    const lost = await runCommandLine(['exec', '--', ...client('/todos')]);
    expect(lost.err).toContain('3 requests got 404: no such path; pass --upstream URL for a backend.');
    const { err } = await runCommandLine(['exec', '--json', '--upstream', upstream, '--', ...client('/todos')]);
    expect(JSON.parse(err).next).toEqual([
      expect.stringContaining(`exec --json --scenario minute-wall --upstream ${upstream} -- `),
    ]);
  });
});
