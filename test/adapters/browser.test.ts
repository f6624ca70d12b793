import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import type { RunningServer } from '../../src/entries/node.js';
import { chromiumArguments, chromiumPath } from '../support/chromium.js';
import { listenLocally } from '../support/listen-locally.js';
import { openServer } from '../support/open-server.js';
import { mswFolder } from '../support/package-copy.js';
import type { BrowserPage } from './browser-page.js';
import { callsScenario, makeCalls } from './calls.js';

const root = join(import.meta.dirname, '../..');

/** A small site: one page with its script and the worker of msw. Other requests are recorded in `hits`. */
interface Site {
  port: number;
  hits: string[];
}

async function openSite(major: 2 | 3): Promise<Site> {
  const msw = await mswFolder(major);
  const { outputFiles } = await build({
    entryPoints: [join(root, 'test/adapters/browser-page.ts')],
    plugins: [fromFolder(msw)],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  const script = outputFiles[0]?.text ?? '';
  const worker = await readFile(join(msw, 'lib/mockServiceWorker.js'), 'utf8');
  const html = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>';
  const files: Record<string, [type: string, content: string]> = {
    '/': ['text/html', html],
    '/page.js': ['text/javascript', script],
    '/mockServiceWorker.js': ['text/javascript', worker],
  };
  const hits: string[] = [];
  const server = createServer(({ method, url = '' }, response) => {
    const file = files[url];
    if (file === undefined) hits.push(`${method} ${url}`);
    response.writeHead(file === undefined ? 500 : 200, { 'Content-Type': file?.[0] ?? 'text/plain' }).end(file?.[1]);
  });
  return { ...(await listenLocally(server)), hits };
}

/** Resolves `msw` and its entries as a file in its folder would: an alias of a path does not read `exports`. */
const fromFolder = (folder: string): Plugin => ({
  name: 'msw',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^msw(\/|$)/ }, ({ path, kind, pluginData }) =>
      pluginData === 'resolving' ? undefined : resolve(path, { resolveDir: folder, kind, pluginData: 'resolving' }),
    );
  },
});

/** The functions of browser-page.ts, called in the page. */
const inPage = (page: Page) => ({
  makeCallsThroughWorker: () => page.evaluate(() => petstore.makeCallsThroughWorker()),
  call: (...args: Parameters<BrowserPage['call']>) => page.evaluate((args) => petstore.call(...args), args),
  callByXhr: (...args: Parameters<BrowserPage['callByXhr']>) =>
    page.evaluate((args) => petstore.callByXhr(...args), args),
});

declare const petstore: BrowserPage;

describe('a page in headless Chromium', { tags: 'needs/chromium' }, () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: chromiumPath,
      args: [
        ...chromiumArguments,
        // Only this machine is reachable: a call that msw passes through fails.
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      ],
    });
  });
  afterAll(() => browser?.close());

  /** Opens the page in a new context, without a worker of an earlier test. */
  async function open(site: Site, hostname: string) {
    const context = await browser.newContext();
    page = await context.newPage();
    await page.goto(`http://${hostname}:${site.port}/`);
    await page.waitForFunction(() => 'petstore' in globalThis);
    return inPage(page);
  }
  afterEach(() => page?.context().close());

  describe.each([2, 3] as const)('with setupWorker(...handlers(sim)) of msw %s', (major) => {
    let site: Site;
    beforeAll(async () => {
      site = await openSite(major);
    });
    beforeEach(() => {
      site.hits.length = 0;
    });

    test('gets for every call of the table the status, headers and body that sim.fetch gives in Node', async () => {
      const { makeCallsThroughWorker } = await open(site, '127.0.0.1');
      const sim = createSimulator({ scenario: callsScenario });
      expect(await makeCallsThroughWorker()).toEqual(await makeCalls(sim.fetch, sim));
    });

    test('receives the 404 of the API for unknown paths under /v1 of the same origin, and reaches its own server at other paths', async () => {
      const { makeCallsThroughWorker, call } = await open(site, '127.0.0.1');
      await makeCallsThroughWorker();
      for (const path of ['/v1', '/v1/orders', '/v1/%ff']) {
        expect(await call(path, 'free-key')).toMatchObject({
          status: 404,
          headers: { 'x-ratelimit-limit': '60' },
          body: expect.stringContaining('"code":"not_found"'),
        });
      }
      expect(site.hits).toEqual([]);
      expect(await call('/v1extra?x=1', 'free-key')).toMatchObject({ status: 500 });
      expect(site.hits).toEqual(['GET /v1extra?x=1']);
    });

    test('keeps the state of the simulator when it is loaded again, also what changed without a request', async () => {
      const start = () => page.evaluate(() => petstore.startPersistent());
      const { call } = await open(site, '127.0.0.1');
      const startAgain = async () => {
        await page.reload();
        await page.waitForFunction(() => 'petstore' in globalThis);
        await start();
      };
      await start();
      expect(await call('/v1/pets', 'tight-key')).toMatchObject({ status: 200 });
      expect(await call('/v1/pets', 'tight-key')).toMatchObject({ status: 429 });
      await page.evaluate("kept.keys.ban('free-key', '1h')");
      await startAgain();
      expect(await call('/v1/pets', 'tight-key')).toMatchObject({ status: 429 });
      expect(await call('/v1/pets', 'free-key')).toMatchObject({ body: expect.stringContaining('key_banned') });
      await page.evaluate('kept.reset()');
      await startAgain();
      expect(await call('/v1/pets', 'tight-key')).toMatchObject({ status: 200 });
    });

    test('reads the headers of a 429 by XMLHttpRequest too', async () => {
      const { makeCallsThroughWorker, callByXhr } = await open(site, '127.0.0.1');
      await makeCallsThroughWorker();
      expect(await callByXhr('https://api.petstore.example/v1/pets', 'tight-key')).toMatchObject({
        status: 429,
        headers: { 'retry-after': '60', 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' },
      });
    });
  });

  describe('on another origin than the HTTP server', () => {
    let site: Site;
    let sim: Simulator;
    let server: RunningServer | undefined;
    beforeAll(async () => {
      site = await openSite(2);
    });

    async function openWithServer(assumptions: Scenario['assumptions'] = {}, allowedOrigins: string[] = []) {
      sim = createSimulator({ scenario: { ...callsScenario, assumptions } });
      server = await openServer(sim, { allowedOrigins });
      return { ...(await open(site, 'localhost')), pets: `${server.baseUrl}/pets` };
    }

    const limitHeaders = ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

    test('calls it with a bearer key and reads the X-RateLimit headers, of which preflights use nothing', async () => {
      const { call, pets } = await openWithServer();
      expect(await call(`${pets}?limit=1`, 'free-key')).toMatchObject({
        status: 200,
        headers: { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59', 'x-ratelimit-reset': '1767268860' },
        body: '[{"id":1,"name":"Rex","categoryId":1,"status":"available"}]',
      });
      for (const remaining of ['58', '57']) {
        const answer = await call(`${pets}?limit=${remaining}`, 'free-key');
        expect(answer).toMatchObject({ headers: { 'x-ratelimit-remaining': remaining } });
      }
    });

    test('creates a pet with an int64 digit for digit', async () => {
      const { call, pets } = await openWithServer();
      const body = '{"name":"Žofie","categoryId":9223372036854775807}';
      expect(await call(pets, 'free-key', { method: 'POST', body })).toMatchObject({
        status: 201,
        body: '{"id":9007199254740992,"name":"Žofie","categoryId":9223372036854775807,"status":"available"}',
      });
    });

    test('reads Retry-After of a 429 and is served after that time', async () => {
      const { call, pets } = await openWithServer();
      expect(await call(pets, 'tight-key')).toMatchObject({ status: 200, headers: { 'x-ratelimit-remaining': '0' } });
      expect(await call(pets, 'tight-key')).toMatchObject({
        status: 429,
        headers: { 'retry-after': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767268860' },
        body: expect.stringContaining('"code":"rate_limit_exceeded"'),
      });
      sim.clock.advance('60s');
      expect(await call(pets, 'tight-key')).toMatchObject({ status: 200 });
    });

    test('reads a 401, a 404 and a 405 with their headers', async () => {
      const { call, pets } = await openWithServer();
      const rate = { 'x-ratelimit-limit': '60' };
      expect(await call(pets, 'nobody')).toMatchObject({ status: 401, headers: rate });
      expect(await call(`${pets}/7`, 'free-key')).toMatchObject({ status: 404, headers: rate });
      expect(await call(`${pets}/1`, 'free-key', { method: 'POST' })).toMatchObject({ status: 405, headers: rate });
      expect(await call(pets, 'free-key', { method: 'HEAD' })).toMatchObject({ status: 200, headers: rate });
    });

    test('reads the response but no rate-limit headers with cors: hidden', async () => {
      const { call, pets } = await openWithServer({ cors: 'hidden' });
      await call(pets, 'tight-key');
      const answer = await call(pets, 'tight-key');
      expect(answer).toMatchObject({ status: 429, body: expect.stringContaining('"code":"rate_limit_exceeded"') });
      const names = typeof answer === 'string' ? [] : Object.keys(answer.headers);
      expect(names).toContain('content-type');
      expect(names.filter((name) => limitHeaders.includes(name))).toEqual([]);
    });

    test('is given nothing at all with cors: off', async () => {
      const { call, pets } = await openWithServer({ cors: 'off' });
      expect(await call(pets, 'free-key')).toBe('TypeError');
    });

    test('drives the control API where the server allows its origin', async () => {
      const { call } = await openWithServer({}, [`http://localhost:${site.port}`]);
      const clock = `${server?.controlUrl}/clock`;
      expect(await call(clock, 'free-key', { method: 'POST', body: '{"advance":"61s"}' })).toMatchObject({
        status: 200,
      });
      expect(sim.clock.now()).toBe(Date.parse('2026-01-01T12:01:01Z'));
      expect(await call(`${server?.controlUrl}/faults/none`, 'free-key', { method: 'DELETE' })).toMatchObject({
        status: 404,
      });
    });

    test('cannot use the control API otherwise, and can read the reason', async () => {
      const { call } = await openWithServer();
      const reset = `${server?.controlUrl}/reset`;
      await call(`${server?.baseUrl}/pets`, 'free-key');
      expect(await call(reset, 'free-key', { method: 'POST', body: '{}' })).toMatchObject({
        status: 403,
        body: expect.stringContaining(`start the server with --allowed-origin http://localhost:${site.port}`),
      });
      expect(await call(reset, 'free-key', { method: 'POST', mode: 'no-cors' })).not.toMatchObject({ status: 200 });
      expect(sim.keys.get('free-key').minute.remaining).toBe(59);
    });
  });
});
