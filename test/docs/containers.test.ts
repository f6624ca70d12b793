// @module-tag needs/unshare
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../support/free-port.js';
import { packPackage } from '../support/installed.js';
import { codeBlocks, userPage } from '../support/markdown.js';
import { patience } from '../support/patience.js';
import { findCommand } from '../support/programs.js';
import { rawRequest, statusOf } from '../support/raw-request.js';

const exec = promisify(execFile);
const blocks = codeBlocks(userPage('docs/containers.md'));
const blockOf = (language: string) => blocks.find((block) => block.language === language)?.text ?? '';

const [publicUrlBlock = '', tlsUrlBlock = ''] = blocks
  .filter(({ language, text }) => language === 'text' && text.includes('--public-url'))
  .map(({ text }) => text);

/** Instructions of the page's Dockerfile, in order. */
const instructions = blockOf('dockerfile')
  .trim()
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .map((line) => /^([A-Z]+) (.*)$/.exec(line)?.slice(1) as [name: string, value: string]);
const valuesOf = (name: string) => instructions.filter(([each]) => each === name).map(([, value]) => value);
/** Command of an instruction in shell form, without its options. */
const commandOf = (name: string) => (valuesOf(name).at(-1) as string).replace(/^(?:--\S+ )*(?:CMD )?/, '');
const settings = Object.fromEntries(
  valuesOf('ENV').flatMap((text) => text.split(' ').map((each) => each.split('=') as [string, string])),
);
const authorization = { authorization: 'Bearer free-key', 'content-type': 'application/json' };

/** Folder of the image's WORKDIR. */
let folder: string;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-sim-container-'));
  const outside = await mkdtemp(join(tmpdir(), 'petstore-sim-packed-'));
  const { tarball } = await packPackage(outside);
  for (const text of valuesOf('COPY')) {
    const [file = ''] = text.split(' ');
    expect(basename(tarball)).toBe(file);
    await copyFile(tarball, join(folder, file));
  }
  await rm(outside, { recursive: true });
  environment = { ...process.env, ...settings, CONTROL_TOKEN: 's3cret' };
  for (const command of valuesOf('RUN')) await exec('sh', ['-c', command], { cwd: folder, env: environment });
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const running = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }
  running.clear();
});

/** Runs CMD as process 1 of a PID namespace, as a container does. Its end ends all processes of the namespace. */
async function startContainer(port: number) {
  const namespace = ['--pid', '--fork', '--mount-proc', '--kill-child'];
  const child = spawn('unshare', [...namespace, 'sh', '-c', commandOf('CMD')], {
    cwd: folder,
    env: { ...environment, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('/__sim/clock')) break;
  }
  child.stdout.resume();
  // `unshare` forwards no signals, and its only child is process 1 of the namespace.
  const [pid = ''] = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).split(' ');
  const stop = async (signal: NodeJS.Signals) => {
    const closed = once(child, 'close');
    process.kill(Number(pid), signal);
    return (await closed) as [code: number | null, signal: string | null];
  };
  return { banner: lines.join('\n'), pid, stop };
}

const health = (port: number) =>
  exec('sh', ['-c', commandOf('HEALTHCHECK')], { cwd: folder, env: { ...environment, PORT: String(port) } }).then(
    () => 0,
    ({ code }) => code,
  );

describe('the image of docs/containers.md', { timeout: 120_000 }, () => {
  test('runs the server as process 1, which is healthy, and stops in time with 0 after SIGTERM', async () => {
    const port = await freePort();
    expect(await health(port)).toBe(1);
    const { banner, pid, stop } = await startContainer(port);
    expect(banner).toContain('port from PORT, host from HOST');
    expect(banner).toContain(`http://127.0.0.1:${port}/v1`);
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/^NSpid:\s+\d+\s+1$/m);
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8')).toMatch(/^[^\0]*node\0/);
    expect(await health(port)).toBe(0);
    const startMs = performance.now();
    expect(await stop('SIGTERM')).toEqual([0, null]);
    expect(performance.now() - startMs).toBeLessThan(patience.timeout);
    expect(await health(port)).toBe(1);
  });

  test('names CONTROL_TOKEN if it is empty', async () => {
    const env = { ...environment, CONTROL_TOKEN: '' };
    const error = await exec('sh', ['-c', commandOf('CMD')], { cwd: folder, env }).catch((thrown) => thrown);
    expect(error.code).toBeGreaterThan(0);
    expect(error.stderr).toContain('CONTROL_TOKEN: set it with docker run -e');
  });

  test('keeps its state in the folder of the volume, also after docker kill', async () => {
    const port = await freePort();
    const pets = `http://127.0.0.1:${port}/v1/pets`;
    const first = await startContainer(port);
    const created = await fetch(pets, {
      method: 'POST',
      headers: authorization,
      body: '{"name":"Kiwi","categoryId":1}',
    });
    expect(created.status).toBe(201);
    const { id } = await created.json();
    await first.stop('SIGKILL');
    const { banner } = await startContainer(port);
    expect(banner).toContain('resumed from data');
    const found = await fetch(`${pets}/${id}`, { headers: authorization });
    expect(await found.json()).toMatchObject({ name: 'Kiwi' });
  });

  test('responds to the second service of compose.yaml by its name, and to others only with the token', async () => {
    const { services, volumes } = parse(blockOf('yaml'));
    const { petstore, app } = services;
    expect(app.depends_on).toEqual({ petstore: { condition: 'service_healthy' } });
    const [[volume, place]] = petstore.volumes.map((text: string) => text.split(':'));
    expect(Object.keys(volumes)).toEqual([volume]);
    const data = / --data (\S+)/.exec(commandOf('CMD'))?.[1];
    expect(place).toBe(`${valuesOf('WORKDIR')[0]}/${data}`);
    expect(valuesOf('RUN')).toContainEqual(expect.stringContaining(`mkdir ${data}`));
    expect(petstore.environment).toHaveProperty('CONTROL_TOKEN');
    const base = new URL(app.environment.PETSTORE_BASE_URL);
    expect([base.port, base.hostname in services]).toEqual([settings.PORT, true]);

    const port = await freePort();
    await startContainer(port);
    const get = async (path: string, host: string, more = '') =>
      statusOf(await rawRequest(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`));
    const key = `Authorization: Bearer ${app.environment.PETSTORE_API_KEY}\r\n`;
    expect(await get(`${base.pathname}/pets`, base.host, key)).toBe(200);
    expect(await get('/v1/pets', 'other:4010', key)).toBe(403);
    expect(await get('/__sim/health', 'other:4010')).toBe(200);
    expect(await get('/__sim/verdict?ended=true', '127.0.0.1')).toBe(401);
    expect(await get('/__sim/verdict?ended=true', '127.0.0.1', 'Authorization: Bearer s3cret\r\n')).toBe(200);
  });
});

/** Arguments of a command of the page that starts petstore-sim, of which the last is the public URL. */
const wordsOf = (block: string) => {
  const command = block.trim().split(' ').slice(2);
  return { command, told: command.at(-1) as string };
};

const quiet = ['ignore', 'ignore', 'ignore'] as ['ignore', 'ignore', 'ignore'];

test('nginx serves the simulator under the path of the page', { tags: 'needs/nginx' }, async () => {
  const [port, proxyPort] = [await freePort(), await freePort()];
  const { command, told } = wordsOf(publicUrlBlock);
  const configuration = blockOf('nginx')
    .replace('listen 8080', `listen 127.0.0.1:${proxyPort}`)
    .replace('127.0.0.1:4010', `127.0.0.1:${port}`)
    .replace('http {', `http {\n  access_log off;\n`);
  await writeFile(join(folder, 'nginx.conf'), `daemon off;\npid ${folder}/nginx.pid;\n${configuration}`);
  const options = { cwd: folder, stdio: quiet };
  const program = join(folder, 'node_modules/.bin/petstore-sim');
  running.add(spawn(program, [...command, '--port', String(port)], options));
  running.add(
    spawn(
      findCommand('nginx') as string,
      ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
      options,
    ),
  );
  const proxied = `http://127.0.0.1:${proxyPort}${new URL(told).pathname}`;
  const isUp = async () => (await fetch(`${proxied}/__sim/health`)).status === 200;
  await vi.waitUntil(() => isUp().catch(() => false), patience);

  const headers = { authorization: 'Bearer s3cret', 'content-type': 'application/json' };
  const made = await fetch(`${proxied}/__sim/sandboxes`, { method: 'POST', headers, body: '{"name":"alice"}' });
  expect(await made.json()).toMatchObject({ baseUrl: `${told}/s/alice/v1` });
  const pets = await fetch(`${proxied}/s/alice/v1/pets`, { headers: authorization });
  expect([pets.status, pets.headers.get('x-ratelimit-remaining')]).toEqual([200, '59']);
});

/** Sends a request over HTTP/2, as the browser of a team does, and returns the status and the body. */
async function overTls(session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders = {}, body?: string) {
  const stream = session.request({ ':authority': 'team.example:8443', ':path': path, ...headers });
  if (body !== undefined) stream.write(body);
  stream.end();
  // A proxy that is not ready may reset the stream without a response.
  const signal = AbortSignal.timeout(patience.timeout / 4);
  const [response] = (await once(stream, 'response', { signal })) as [{ ':status'?: number }];
  return { status: response[':status'], stream };
}

describe('with TLS, over HTTP/2,', { timeout: 120_000, tags: ['needs/openssl'] }, () => {
  const proxies = { nginx: 'tls.conf', haproxy: 'tls.cfg' };
  for (const [proxy, file] of Object.entries(proxies))
    test(`${proxy} serves thirty dashboards and the API, as the page shows`, { tags: `needs/${proxy}` }, async () => {
      const [port, proxyPort] = [await freePort(), await freePort()];
      const { command, told } = wordsOf(tlsUrlBlock);
      const configuration = (blocks.find(({ saveAs }) => saveAs === file)?.text ?? '')
        .replace('listen 8443', `listen 127.0.0.1:${proxyPort}`)
        .replace('bind :8443', `bind 127.0.0.1:${proxyPort}`)
        .replaceAll('127.0.0.1:4010', `127.0.0.1:${port}`)
        .replace('http {', 'http {\n  access_log off;\n');
      const isNginx = proxy === 'nginx';
      await writeFile(
        join(folder, file),
        isNginx ? `daemon off;\npid ${folder}/tls.pid;\n${configuration}` : configuration,
      );
      const certificate = ['-subj', '/CN=team.example', '-days', '2', '-keyout', 'key.pem', '-out', 'cert.pem'];
      await exec('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...certificate], { cwd: folder });
      const parts = await Promise.all(['cert.pem', 'key.pem'].map((name) => readFile(join(folder, name), 'utf8')));
      await writeFile(join(folder, 'team.pem'), parts.join(''));

      const options = { cwd: folder, stdio: quiet, env: { ...environment, PORT: '', HOST: '' } };
      running.add(spawn(join(folder, 'node_modules/.bin/petstore-sim'), [...command, '--port', String(port)], options));
      const words = isNginx
        ? ['-p', folder, '-c', join(folder, file), '-e', join(folder, 'error.log')]
        : ['-f', join(folder, file)];
      running.add(spawn(findCommand(proxy) as string, words, options));

      const open = async () => {
        const session = connect(`https://127.0.0.1:${proxyPort}`, { rejectUnauthorized: false });
        session.on('error', () => {});
        await once(session, 'connect');
        const { status } = await overTls(session, '/petstore/__sim/health');
        if (status !== 200) throw new Error(`got ${status}`);
        return session;
      };
      let session: ClientHttp2Session | undefined;
      await vi.waitUntil(async () => {
        session = await open().catch(() => undefined);
        return session !== undefined;
      }, patience);
      const client = session as ClientHttp2Session;

      const page = {
        authorization: 'Bearer s3cret',
        origin: 'https://team.example:8443',
        'content-type': 'application/json',
      };
      const made = await overTls(
        client,
        '/petstore/__sim/sandboxes',
        { ...page, ':method': 'POST' },
        '{"name":"alice"}',
      );
      expect(JSON.parse(await text(made.stream))).toMatchObject({ baseUrl: `${told}/s/alice/v1` });
      const dashboards = await Promise.all(
        Array.from({ length: 30 }, () => overTls(client, '/petstore/__sim/sandboxes/alice/updates', page)),
      );
      expect(dashboards.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200));
      const pets = await overTls(client, '/petstore/s/alice/v1/pets', authorization);
      expect(pets.status).toBe(200);
      expect((await overTls(client, '/petstore/__sim/keys', { ...page, authorization: 'bearer wrong' })).status).toBe(
        401,
      );
      client.destroy();
    });
});
