// @module-tag extended
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import type { RunningServer } from '../../src/entries/node.js';
import { readShippedScenarios } from '../../src/scenario-files/shipped-scenarios.js';
import { chromiumPath } from '../support/chromium.js';
import { listenLocally } from '../support/listen-locally.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';

/** Result of a test in inner/playwright.inner.ts. */
interface Result {
  status: 'passed' | 'failed' | 'skipped';
  errors: { message: string }[];
  attachments: { name: string; body: string }[];
}

/** Answers for the service, as msw does. */
const worker = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  if (event.request.url.includes('/v1/')) event.respondWith(new Response('the worker'));
});`;

const results = new Map<string, Result>();
let server: RunningServer;

beforeAll(async () => {
  server = await openServer(createSimulator({ scenarios: readShippedScenarios }));
  const page = createServer(({ url }, response) => {
    if (url !== '/worker.js') return response.end('<!doctype html><link rel="icon" href="data:,">');
    return response.setHeader('Content-Type', 'text/javascript').end(worker);
  });
  const { url } = await listenLocally(page);
  const config = join(import.meta.dirname, 'inner/playwright.config.ts');
  const env = {
    ...process.env,
    PETSTORE_SIM_URL: server.controlUrl,
    PAGE_URL: `${url}/`,
    ...(chromiumPath !== '' && { CHROMIUM_PATH: chromiumPath }),
  };
  const run = ['playwright', 'test', '--config', config, '--reporter', 'json', '--output', newFolder()];
  const stdout = await new Promise<string>((resolve) => {
    const options = { cwd: import.meta.dirname, env, timeout: 400_000, maxBuffer: 2 ** 24 };
    execFile('npx', run, options, (_error, stdout, stderr) => resolve(stdout || stderr));
  });
  if (!stdout.includes('{')) throw new Error(`Failed to run Playwright: ${stdout}`);
  collect(JSON.parse(stdout.slice(stdout.indexOf('{'))));
}, 420_000);

interface Suite {
  suites?: Suite[];
  specs?: { title: string; tests: { results: Result[] }[] }[];
}

function collect({ suites = [], specs = [] }: Suite): void {
  for (const { title, tests } of specs) results.set(title, tests[0]?.results.at(-1) as Result);
  suites.forEach(collect);
}

const attachment = (title: string, name: string) => {
  const body = results.get(title)?.attachments.find((attached) => attached.name === name)?.body;
  return body === undefined ? undefined : JSON.parse(Buffer.from(body, 'base64').toString());
};

test.each([1, 2, 3, 4])('a test has a separate sandbox: %i', (number) => {
  expect(results.get(`has a separate service ${number}`)).toMatchObject({ status: 'passed', errors: [] });
});

test('a test that passes fails when its client misbehaved, and carries the verdict and the requests', () => {
  const { status, errors } = results.get('passes and misbehaves') as Result;
  expect(status).toBe('failed');
  expect(errors).toHaveLength(1);
  expect(errors[0]?.message).toMatch(
    /^VerdictError: expected that the client had behaved\. The client .*retried too early.*early-retry: Retried .* \(requests 2–4/s,
  );
  expect(attachment('passes and misbehaves', 'petstore-verdict')).toMatchObject({ outcome: 'fail' });
  expect(attachment('passes and misbehaves', 'petstore-journal').entries).toHaveLength(9);
});

test('with `verdict: ignore` it passes, and still carries the verdict', () => {
  expect(results.get('misbehaves and is not failed for it')).toMatchObject({ status: 'passed' });
  expect(attachment('misbehaves and is not failed for it', 'petstore-verdict')).toMatchObject({ outcome: 'fail' });
});

test('a failure by less than the lag of the test says so, unless the test moved the clock', () => {
  const mark = /\n {2}machine was busy \(lag \d+(\.\d)? m?s\): run the test again, alone\n/;
  const busy = results.get('is early by less than its lag') as Result;
  expect(busy.errors).toHaveLength(1);
  expect(busy.errors[0]?.message).toMatch(/early-retry: Retried .* before Retry-After/);
  expect(busy.errors[0]?.message).toMatch(mark);
  expect(attachment('is early by less than its lag', 'petstore-verdict').lagMs).toBeGreaterThan(700);
  const moved = results.get('is early where it moves the clock') as Result;
  expect(moved.errors[0]?.message).toMatch(/early-retry: Retried .* before Retry-After/);
  expect(moved.errors[0]?.message).not.toMatch(mark);
});

test('a page reaches the sandbox at the address that it expects', { tags: 'needs/chromium' }, () => {
  for (const title of ['answers for another address in a page', 'answers for a path of the page itself']) {
    expect(results.get(title)).toMatchObject({ status: 'passed', errors: [] });
  }
  expect(results.get('answers for no such address')?.errors[0]?.message).toContain(
    'Failed to read the base URL: expected an address such as "https://api.example.com/v1", or a path such as "/v1", got "localhost:3000/v1"',
  );
});

test('an address may be answered for twice', { tags: 'needs/chromium' }, () => {
  for (const title of ['answers for it once more', 'answers for it in all pages as well']) {
    expect(results.get(title)).toMatchObject({ status: 'passed', errors: [] });
  }
});

test('a connection that the server cuts is cut for the page', { tags: 'needs/chromium' }, () => {
  expect(results.get('cuts the page off as the server does')).toMatchObject({ status: 'passed', errors: [] });
});

test.each([
  ['is answered by the worker of its page', "Block it with test.use({ serviceWorkers: 'block' })"],
  ['has a page that sends nothing', 'expected the page to send a request to https://api.petstore.example/v1'],
  ['answers for it in another page, which sends nothing', 'expected the page to send a request to https://api'],
])('a test that would pass without the sandbox fails: %s', { tags: 'needs/chromium' }, (title, message) => {
  expect(results.get(title)).toMatchObject({
    status: 'failed',
    errors: [{ message: expect.stringContaining(message) }],
  });
});

test.each(['is answered by the sandbox', 'is answered from the archive of another run'])(
  'the inner test "%s" passes',
  { tags: 'needs/chromium' },
  (title) => {
    expect(results.get(title)).toMatchObject({ status: 'passed', errors: [] });
  },
);

test('a test that takes a sandbox and sends nothing there fails', () => {
  const message = expect.stringContaining(
    'expected the client to send a request to the sandbox of its test, and none arrived',
  );
  expect(results.get('uses its control alone')).toMatchObject({ status: 'failed', errors: [{ message }] });
  expect(results.get('sends nothing, as expected')).toMatchObject({ status: 'failed', errors: [{ message }] });
  expect(results.get('sends to the wrong address, as expected')).toMatchObject({
    status: 'failed',
    errors: [
      { message: expect.stringMatching(/1 request went to \/s\/[\w.-]+\/pets; the API is under \/s\/[\w.-]+\/v1\./) },
    ],
  });
});

test.each(['sends nothing and need not', 'takes no sandbox', 'has sent something that waits'])(
  'the inner test "%s" passes as well',
  (title) => {
    expect(results.get(title)).toMatchObject({ status: 'passed', errors: [] });
  },
);

test('a test that is skipped may send nothing', { tags: 'needs/chromium' }, () => {
  expect(results.get('is skipped before it sends anything')).toMatchObject({ status: 'skipped', errors: [] });
});

test.each([
  ['lists the verdict options', "Failed to read the option verdict: expected 'check' or 'ignore', got 'checked'"],
  ['lists the known scenarios', 'expected a scenario, got "minute-wal"; did you mean minute-wall?'],
  [
    'names the command to start',
    'expected a petstore-sim server at http://127.0.0.1:9, got no response. Start the server as',
  ],
])('a test that cannot have a sandbox %s', (title, message) => {
  expect(results.get(title)?.errors[0]?.message).toContain(message);
});

test('no sandbox is left', () => {
  expect(server.sandboxes.list()).toEqual([]);
});
