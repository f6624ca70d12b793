import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runCommandLine } from '../support/command-here.js';
import { cli, startCommandLine, startServer } from '../support/command-line.js';
import { freePort } from '../support/free-port.js';
import { listenLocally } from '../support/listen-locally.js';
import { newFolder } from '../support/new-folder.js';
import { patience } from '../support/patience.js';

const withKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

describe('petstore-sim serve --log json', () => {
  test('prints the listening event first, then one object per request', async () => {
    const { listening, nextEvent } = await startServer();
    expect(listening).toEqual({
      event: 'listening',
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      controlUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/__sim$/),
      keys: [
        { key: 'free-key', plan: 'free' },
        { key: 'pro-key', plan: 'pro' },
        { key: 'business-key', plan: 'business' },
        { key: 'enterprise-key', plan: 'enterprise' },
        { key: 'revoked-key', plan: 'free', state: 'revoked' },
      ],
      next: expect.arrayContaining([expect.stringMatching(/^npx petstore-sim exec --json /)]),
    });
    expect((await fetch(`${listening.baseUrl}/pets?limit=1`, withKey('pro-key'))).status).toBe(200);
    expect(await nextEvent()).toEqual({
      event: 'request',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      method: 'GET',
      target: '/v1/pets?limit=1',
      status: 200,
      operation: 'listPets',
      key: 'pro-key',
      plan: 'pro',
      remaining: 299,
      durationMs: expect.any(Number),
    });
  });

  test('warns once that getPet is deprecated', async () => {
    const { baseUrl, nextEvent } = await startServer();
    for (const id of [1, 2]) await fetch(`${baseUrl}/pets/${id}`, withKey('free-key'));
    const events = [await nextEvent(), await nextEvent(), await nextEvent()];
    expect(events.map(({ event }) => event)).toEqual(['request', 'warning', 'request']);
    expect(events[1].message).toContain('5 December 2030');
  });

  test('listens on localhost too', async () => {
    const { baseUrl } = await startServer();
    const { status } = await fetch(`${baseUrl.replace('127.0.0.1', 'localhost')}/pets`, withKey('free-key'));
    expect(status).toBe(200);
  });
});

/** Reads the start message, and the commands that it shows, as printed. */
async function readBanner(nextLine: () => Promise<string>) {
  const banner: string[] = [];
  while (!banner.at(-1)?.includes('{"advance":"61s"}')) banner.push(await nextLine());
  return {
    banner,
    commands: banner
      .join('\n')
      .split(/(?=curl )/)
      .slice(1),
  };
}

describe('petstore-sim serve --log pretty', () => {
  test('prints URLs, keys and three curl lines that work when pasted', { tags: 'needs/curl' }, async () => {
    const { nextLine } = startCommandLine(['--port', '0']);
    const { banner, commands } = await readBanner(nextLine);
    expect(banner.join('\n')).toMatch(/API +http:\/\/127\.0\.0\.1:\d+\/v1/);
    expect(banner.join('\n')).toMatch(/Control +http:\/\/127\.0\.0\.1:\d+\/__sim/);
    expect(banner.join('\n')).toMatch(/free-key +free +60 a minute, 1,000 a day/);
    expect(banner.join('\n')).toMatch(/revoked-key +free +revoked/);
    const outputs = [];
    for (const command of commands) {
      const shell = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] });
      let out = '';
      shell.stdout.on('data', (chunk) => {
        out += chunk;
      });
      await once(shell, 'close');
      outputs.push(out);
    }
    expect(outputs[0]).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(outputs[1]).toMatch(/^HTTP\/1\.1 201 Created/);
    expect(JSON.parse(outputs[2] as string)).toMatchObject({ mode: 'real' });
  });

  test("quotes a scenario's key for the shell, and replaces control characters in names", {
    tags: 'needs/curl',
  }, async () => {
    const folder = newFolder();
    const key = "x'$(>made)`>made`'";
    const scenario = { name: 'a\u001b]0;title\u0007b\u009b31m', keys: { [key]: {} } };
    writeFileSync(join(folder, 'mine.json'), JSON.stringify(scenario));
    const { nextLine } = startCommandLine(['--port', '0', '--scenario', 'mine.json'], { cwd: folder });
    const { banner, commands } = await readBanner(nextLine);
    expect(stripVTControlCharacters(banner[0] as string)).toBe(
      'petstore-sim  scenario a\ufffd]0;title\ufffdb\ufffd31m',
    );
    const shell = spawn('bash', ['-c', commands[0] as string], { cwd: folder });
    const [[chunk]] = await Promise.all([once(shell.stdout, 'data'), once(shell, 'close')]);
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(readdirSync(folder)).toEqual(['mine.json']);
  });

  test('prints a readable line per request, without terminal control sequences', async () => {
    const { nextLine } = startCommandLine(['--port', '0']);
    const { banner } = await readBanner(nextLine);
    const url = /http:\S+\/v1/.exec(banner.join('\n'))?.[0];
    await nextLine();
    await fetch(`${url}/pets/%1b%5b2J%0aFAKE`, withKey('free-key'));
    expect(await nextLine()).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} {2}404 {2}getPet +free +free-key +59 left +[\d.]+ ms +GET \/v1\/pets\/%1b%5b2J%0aFAKE {2}not_found: There is no pet with this petId\.$/,
    );
  });
});

describe('petstore-sim serve', () => {
  test('--log silent prints nothing', async () => {
    const port = await freePort();
    const { child } = startCommandLine(['--port', `${port}`, '--log', 'silent']);
    let out = '';
    child.stdout?.on('data', (chunk) => {
      out += chunk;
    });
    const isServed = () =>
      fetch(`http://127.0.0.1:${port}/v1/pets`).then(
        ({ status }) => status === 401,
        () => false,
      );
    await vi.waitUntil(isServed, patience);
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(out).toBe('');
  });

  test('--no-limits accepts more requests than the limit, with the headers', async () => {
    const { baseUrl } = await startServer(['--no-limits']);
    for (let n = 0; n < 70; n++) {
      const response = await fetch(`${baseUrl}/pets?limit=1`, withKey('free-key'));
      expect(response.status).toBe(200);
      expect(response.headers.get('x-ratelimit-remaining')).toBe('60');
    }
  });

  test('completes the pending answer on each signal, and exits within 2 s', async () => {
    const exitCodeOn = async (signal: NodeJS.Signals) => {
      const { child, baseUrl, nextEvent } = await startServer();
      // A keep-alive connection that is idle, and a request whose body is still on its way.
      await fetch(`${baseUrl}/pets`, withKey('free-key'));
      const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };
      const late = request(`${baseUrl}/pets`, { method: 'POST', headers: { ...headers, expect: '100-continue' } });
      late.flushHeaders();
      const answer = once(late, 'response');
      await Promise.all([once(late, 'continue'), nextEvent()]);
      late.write('{"name":"Late",');
      const end = once(child, 'close');
      child.kill(signal);
      const isClosing = () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
          socket.once('connect', () => socket.destroy() && resolve(false)).once('error', () => resolve(true));
        });
      await vi.waitUntil(isClosing, patience);
      late.end('"categoryId":1}');
      const [{ statusCode }] = await answer;
      const [code] = await end;
      return { signal, statusCode, code };
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
    expect(await Promise.all(signals.map(exitCodeOn))).toEqual([
      { signal: 'SIGINT', statusCode: 201, code: 0 },
      { signal: 'SIGTERM', statusCode: 201, code: 0 },
      { signal: 'SIGHUP', statusCode: 201, code: 129 },
      { signal: 'SIGQUIT', statusCode: 201, code: 131 },
    ]);
  });

  test('continues if the reader of its log closes', async () => {
    const { child, baseUrl } = await startServer();
    child.stdout?.destroy();
    for (let n = 0; n < 3; n++) expect((await fetch(`${baseUrl}/pets`, withKey('free-key'))).status).toBe(200);
  });
});

describe('output that cannot be written', () => {
  const good = join(import.meta.dirname, '../../scenarios/minute-wall.yaml');
  /** Runs the command line with a full device as its standard output or error. */
  async function runFull(
    args: readonly string[],
    full: 'out' | 'err',
    whileRunning?: (child: ChildProcess) => Promise<void>,
  ) {
    const device = openSync('/dev/full', 'w');
    const stdio: StdioOptions = full === 'out' ? ['ignore', device, 'pipe'] : ['ignore', 'pipe', device];
    const child = spawn(process.execPath, [cli, ...args], { stdio });
    closeSync(device);
    let text = '';
    let running: Promise<void> | undefined;
    (full === 'out' ? child.stderr : child.stdout)?.on('data', (chunk) => {
      text += chunk;
      running ??= whileRunning?.(child);
    });
    const [code] = await once(child, 'close');
    await running;
    return { code, text };
  }
  const failed = 'petstore-sim: failed to write the output: ENOSPC: no space left on device, write\n';

  const commands = [
    ['scenarios'],
    ['scenarios', 'minute-wall'],
    ['check', good],
    ['assumptions'],
    ['--help'],
    ['--version'],
  ];
  test.each(commands)('petstore-sim %s %s reports it in one line and exits with 2', async (...args) => {
    expect(await runFull(args, 'out')).toEqual({ code: 2, text: failed });
  });

  test('keeps the exit code of a mistake', async () => {
    const { code, text } = await runFull(['check', good, 'nowhere.yaml'], 'out');
    expect(code).toBe(2);
    expect(text).toContain('nowhere.yaml: expected a file');
    expect(text).not.toMatch(/^ +at /m);
    expect(await runFull(['check', 'nowhere.yaml'], 'err')).toEqual({ code: 2, text: '' });
  });

  test('does not stop a server, which reports it once', async () => {
    const port = await freePort();
    const list = async () => (await fetch(`http://127.0.0.1:${port}/v1/pets`, withKey('free-key'))).status;
    const stop = async (child: ChildProcess) => {
      // Each response is a line of the log, which cannot be written either.
      await vi.waitFor(async () => expect(await list()).toBe(200), patience);
      expect(await list()).toBe(200);
      child.kill('SIGTERM');
    };
    const { code, text } = await runFull(['--port', String(port), '--log', 'json'], 'out', stop);
    expect([code, text]).toEqual([2, failed]);
  });

  test('is no error if the reader closes early', async () => {
    const line = `set -o pipefail; "${process.execPath}" "${cli}" assumptions --json | head -c 1`;
    const shell = spawn('bash', ['-c', line], { stdio: ['ignore', 'ignore', 'pipe'] });
    let err = '';
    shell.stderr.on('data', (chunk) => {
      err += chunk;
    });
    expect(await once(shell, 'close')).toEqual([0, null]);
    expect(err).toBe('');
  });
});

describe('the command line', () => {
  const mistakes: [args: string[], message: string][] = [
    [['--port', 'x'], 'expected --port to be a whole number from 0 to 65535, got "x"'],
    [['--port', '65536'], 'expected --port to be a whole number from 0 to 65535, got "65536"'],
    [['--seed', '1.5'], 'expected --seed to be a whole number'],
    [['frob'], 'expected a command (demo, serve, exec, judge, gauntlet, '],
    [['serve', 'extra'], 'expected no further argument for serve, got "extra"'],
    [['serve', 'own.yaml'], 'got "own.yaml"; to serve that scenario, write --scenario own.yaml'],
    [['./own.json'], 'got "./own.json"; to serve that scenario, write --scenario ./own.json; see'],
    [['--log', 'loud'], 'expected --log pretty, json, silent, got "loud"'],
    [['--scenario', 'nope'], 'expected a file or a shipped scenario'],
    [['--scenario', 'package.json'], 'version: expected a known field; the fields are'],
    [['--scenario', 'README.md'], 'README.md:'],
    [['--scenario', 'fixtures'], 'fixtures: expected a file'],
    [['--watch'], 'expected a file with --watch, got the shipped scenario default'],
    [['--reseed'], 'expected --watch with --reseed, got no --watch'],
    [['check'], 'expected a file to check'],
    [['scenarios', 'minute-wal'], 'did you mean minute-wall?'],
    [['scenarios', 'a', 'b'], 'expected no further argument for scenarios, got "b"'],
    [['--host', '0.0.0.0'], 'pass --control-token TOKEN, @FILE or env:NAME'],
    [['--port', '0', '--control-token', ''], 'expected a control token of visible ASCII characters, got an empty text'],
    [
      ['--host', '203.0.113.1', '--control-token', 'x'],
      'expected --host to be an address of this machine, got 203.0.113.1',
    ],
  ];

  test.each(mistakes)('%j exits with 2 and a clear message without a stack', async (args, message) => {
    const { code, out, err } = await runCommandLine(args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(message);
    expect(err).not.toMatch(/^ +at /m);
  });

  test('rejects a path of 30,000 steps in one line', async () => {
    const { code, err } = await runCommandLine(['serve', '--set', `${'a.'.repeat(30_000)}a=5`]);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^petstore-sim: --set a\.a.{0,200}…: expected a path of at most 64 steps, got 30001\n$/),
    ]);
  });

  test('reports an occupied port in one line', async () => {
    const { port } = await listenLocally(createServer());
    const { code, err } = await runCommandLine(['--port', String(port)]);
    expect(code).toBe(2);
    expect(err).toBe(
      `petstore-sim: port ${port} is in use; stop the process that uses it, or pass --port 0 for a free port\n`,
    );
  });

  test("serve --help lists the command's flags, --help the common ones, --version the version, assumptions every assumption", async () => {
    const { assumptions } = await import('../../src/petstore/assumptions.js');
    const helped = await runCommandLine(['serve', '--help']);
    expect(helped.out).toContain('--control-token');
    expect((await runCommandLine(['--help'])).out).toContain('--version');
    expect((await runCommandLine(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    const table = await runCommandLine(['assumptions']);
    for (const id of Object.keys(assumptions)) expect(table.out).toContain(`\n${id}: `);
    expect([helped.code, table.code]).toEqual([0, 0]);
  });
});

test('a server with --until-eof ends when its standard input closes', async () => {
  const child = spawn(process.execPath, [cli, '--port', '0', '--log', 'json', '--until-eof']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  const { baseUrl } = JSON.parse(String(line));
  expect((await fetch(`${baseUrl}/pets`)).status).toBe(401);
  child.stdin.end();
  expect(await once(child, 'close')).toEqual([0, null]);
});
