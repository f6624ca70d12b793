import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readListenFlags } from '../../src/cli/listen-flags.js';
import { runCommandLine } from '../support/command-here.js';
import { startCommandLine, startServer } from '../support/command-line.js';
import { freePort } from '../support/free-port.js';
import { listenLocally } from '../support/listen-locally.js';
import { newFolder } from '../support/new-folder.js';
import { rawRequest, statusOf } from '../support/raw-request.js';

afterEach(() => vi.unstubAllEnvs());

/** Starts the server and returns its first lines of standard output. */
async function banner(args: readonly string[]) {
  const server = startCommandLine(args);
  const lines = [await server.nextLine(), await server.nextLine(), await server.nextLine(), await server.nextLine()];
  return { lines, errors: server.errors() };
}

describe('PORT and HOST of the environment', () => {
  test('select the address, and the banner and the JSON line say so', async () => {
    const port = await freePort();
    vi.stubEnv('PORT', String(port));
    vi.stubEnv('HOST', '127.0.0.1');
    const { lines } = await banner(['--log', 'pretty']);
    expect(lines[0]).toBe('petstore-sim  scenario default, port from PORT, host from HOST');
    expect(lines[3]).toContain(`http://127.0.0.1:${port}/v1`);
  });

  test('yield to flags, of which -p is the short form of --port', async () => {
    vi.stubEnv('PORT', '1');
    vi.stubEnv('HOST', '0.0.0.0');
    const port = await freePort();
    const { lines } = await banner(['-p', String(port), '--host', '127.0.0.1', '--log', 'pretty']);
    expect(lines[0]).toBe('petstore-sim  scenario default');
    expect(lines[3]).toContain(`http://127.0.0.1:${port}/v1`);
  });

  test('are in the JSON line only if they were used', async () => {
    vi.stubEnv('PORT', '0');
    const used = startCommandLine(['--json']);
    expect(JSON.parse(await used.nextLine())).toMatchObject({ addressFrom: { port: 'PORT' } });
    vi.stubEnv('PORT', '');
    const { listening } = await startServer();
    expect(listening).not.toHaveProperty('addressFrom');
  });

  test.each(['abc', '70000', '-1', '80.5', ' 80'])(
    'a PORT of %j is a mistake that names the variable',
    async (port) => {
      vi.stubEnv('PORT', port);
      const { code, err } = await runCommandLine(['serve']);
      expect([code, err]).toEqual([
        2,
        `petstore-sim: expected the environment variable PORT to be a whole number from 0 to 65535, got ${JSON.stringify(port)}\n`,
      ]);
    },
  );

  test('a port in use, and a host without a token, name the variable', async () => {
    const { port } = await listenLocally(createServer());
    vi.stubEnv('PORT', String(port));
    const inUse = await runCommandLine(['serve']);
    expect([inUse.code, inUse.err]).toEqual([
      2,
      expect.stringContaining(`port ${port} (from the environment variable PORT) is in use`),
    ]);
    vi.stubEnv('PORT', '0');
    vi.stubEnv('HOST', '0.0.0.0');
    const { code, err } = await runCommandLine(['serve']);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(
        'Failed to listen on 0.0.0.0 (from the environment variable HOST): expected a control token',
      ),
    ]);
  });

  test.each(['my-machine', 'x86_64-conda-linux-gnu'])(
    'a HOST of %s, as shells set it, is ignored with a note',
    (name) => {
      const { options, addressFrom } = readListenFlags({}, { HOST: name });
      expect([options.host, addressFrom]).toEqual([undefined, {}]);
      expect(readListenFlags({ host: 'localhost' }, { HOST: '::1' })).toMatchObject({
        options: { host: 'localhost' },
        addressFrom: {},
      });
      expect(readListenFlags({}, { HOST: '::1' })).toMatchObject({
        options: { host: '::1' },
        addressFrom: { host: 'HOST' },
      });
    },
  );

  test('exec takes a free port, whatever PORT is', async () => {
    vi.stubEnv('PORT', '1');
    const file = join(newFolder(), 'url');
    const { code } = await runCommandLine(['exec', '--', 'sh', '-c', `echo $PETSTORE_BASE_URL > ${file}`]);
    expect([code, new URL(readFileSync(file, 'utf8').trim()).port === '1']).toEqual([0, false]);
  });
});

describe('--public-url', () => {
  const publicUrl = 'https://team.example/petstore';
  const secret = { authorization: 'Bearer s3cret', 'content-type': 'application/json' };

  test('begins every URL that the server tells', async () => {
    const token = ['--host', '0.0.0.0', '--control-token', 's3cret'];
    const { listening, stop } = await startServer([...token, '--public-url', `${publicUrl}/`]);
    expect(listening).toMatchObject({ baseUrl: `${publicUrl}/v1`, controlUrl: `${publicUrl}/__sim` });
    expect(await stop()).toBe(0);

    const port = await freePort();
    const { lines } = await banner(['-p', String(port), '--log', 'pretty', '--public-url', publicUrl]);
    expect(lines.slice(2)).toEqual([
      expect.stringContaining(`${publicUrl}/__sim/`),
      expect.stringContaining(`${publicUrl}/v1`),
    ]);
    const local = `http://127.0.0.1:${port}`;
    const told = async (path: string, init: RequestInit = {}) =>
      (await fetch(local + path, { headers: secret, ...init })).json();
    expect(await told('/__sim/sandboxes', { method: 'POST', body: '{"name":"alice"}' })).toMatchObject({
      baseUrl: `${publicUrl}/s/alice/v1`,
      controlUrl: `${publicUrl}/__sim/sandboxes/alice`,
    });
    expect(await told('/__sim/sandboxes')).toMatchObject([{ baseUrl: `${publicUrl}/s/alice/v1` }]);
    expect(await told('/__sim/')).toMatchObject({ api: `${publicUrl}/v1`, page: `${publicUrl}/__sim/` });
    expect((await told('/__sim/service.json')).servers[0].url).toBe(`${publicUrl}/v1`);

    const pets = await fetch(`${local}/v1/pets?limit=1`, { headers: { authorization: 'Bearer free-key' } });
    expect(pets.status).toBe(200);
    await fetch(`${local}/s/alice/v1/pets?limit=1`, { headers: { authorization: 'Bearer free-key' } });
    expect(await told('/__sim/journal/1')).toMatchObject({ baseUrl: `${publicUrl}/v1` });
    expect(await told('/__sim/sandboxes/alice/journal/1')).toMatchObject({ baseUrl: `${publicUrl}/s/alice/v1` });
    const page = await fetch(`${local}/__sim/`, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain(`<meta name="public-url" content="${publicUrl}">`);
  });

  test('allows its host name, and its pages to use the control API', async () => {
    const port = await freePort();
    const options = ['--log', 'json', '-p', String(port), '--public-url', 'https://team.example:8443/petstore'];
    expect(JSON.parse(await startCommandLine(options).nextLine()).baseUrl).toBe(
      'https://team.example:8443/petstore/v1',
    );
    const post = (host: string, origin: string) =>
      rawRequest(
        port,
        `POST /__sim/reset HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
      );
    const origin = 'https://team.example:8443';
    for (const host of ['team.example', 'team.example:8443', 'localhost', `127.0.0.1:${port}`])
      expect(statusOf(await post(host, origin)), host).toBe(200);
    for (const [host, other] of [
      ['other.example', origin],
      ['team.example', 'https://team.example'],
      ['team.example', 'https://team.example.evil:8443'],
      ['localhost', 'null'],
    ] as const)
      expect(statusOf(await post(host, other)), other).toBe(403);
  });

  test.each([
    ['team.example', 'expected a public URL such as "https://team.example/petstore", got "team.example"'],
    ['ftp://team.example', 'expected a public URL such as'],
    ['https://team.example/?a=1', 'expected a public URL such as'],
    ['https://u:p@team.example/', 'expected a public URL such as'],
    ['', 'expected a public URL such as "https://team.example/petstore", got ""'],
    [
      'https://team.example/v1',
      'expected a public URL without /v1, which the server appends, got "https://team.example/v1"',
    ],
    ['https://team.example/a/__sim/', 'expected a public URL without /__sim'],
  ])('%j is a mistake', async (url, message) => {
    const { code, err } = await runCommandLine(['serve', '--port', '0', '--public-url', url]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

test.each([
  ['0.0.0.0', 'http://127.0.0.1:'],
  ['::', 'http://[::1]:'],
  ['0', 'http://127.0.0.1:'],
])('a server on the wildcard address %s tells its loopback address', async (host, start) => {
  const { listening, baseUrl } = await startServer(['--host', host, '--control-token', 's3cret']);
  expect([baseUrl, listening.controlUrl].map((url) => url.startsWith(start))).toEqual([true, true]);
  expect((await fetch(`${baseUrl}/pets`, { headers: { authorization: 'Bearer free-key' } })).status).toBe(200);
});

describe('the control token', () => {
  const secret = 'from-elsewhere';
  const read = (token?: string) =>
    readListenFlags(
      { log: 'silent', ...(token !== undefined && { 'control-token': token }) },
      { CONTROL_TOKEN: secret, EMPTY: '' },
    ).options.controlToken;
  const folder = newFolder();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return `@${join(folder, name)}`;
  };

  test('comes from a file or an environment variable, so that process lists do not show it', () => {
    expect(read(file('token', `${secret}\n`))).toBe(secret);
    expect(read('env:CONTROL_TOKEN')).toBe(secret);
    expect(read('typed')).toBe('typed');
    expect(read()).toBeUndefined();
  });

  test('is a mistake without a value or in a missing file', () => {
    for (const name of ['EMPTY', 'MISSING'])
      expect(() => read(`env:${name}`)).toThrow(
        `expected a control token in the environment variable ${name}, got none`,
      );
    expect(() => read(file('empty', '\n'))).toThrow(
      `expected a control token in ${join(folder, 'empty')}, got an empty`,
    );
    expect(() => read(`@${join(folder, 'none')}`)).toThrow('expected --control-token @FILE to name a readable file');
  });

  test('of a server is also read by state export, and its source shown in the next command', async () => {
    vi.stubEnv('CONTROL_TOKEN', secret);
    const { baseUrl } = await startServer(['--control-token', 'env:CONTROL_TOKEN']);
    const url = new URL(baseUrl).origin;
    const refused = await runCommandLine(['state', 'export', '--url', url]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('The control API needs')]);
    const exported = await runCommandLine([
      'state',
      'export',
      '--json',
      '--url',
      url,
      '--control-token',
      'env:CONTROL_TOKEN',
    ]);
    expect(exported.code).toBe(0);
    const { state, next } = JSON.parse(exported.out);
    expect(state).toHaveProperty('keys');
    expect(next[0]).toContain('--control-token env:CONTROL_TOKEN');
  });
});

test('a server behind a proxy on a free port tells the local address', async () => {
  const { listening } = await startServer(['--public-url', 'https://team.example/petstore']);
  expect(listening).toMatchObject({
    controlUrl: 'https://team.example/petstore/__sim',
    localUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  });
});

test('an allowed host that no request can have is a mistake', async () => {
  const { code, err } = await runCommandLine(['serve', '--port', '0', '--allowed-host', 'http://team.example']);
  expect([code, err]).toEqual([
    2,
    'petstore-sim: Failed to listen: expected an allowed host name such as "petstore", without scheme, port, path and wildcard, got "http://team.example"\n',
  ]);
});
