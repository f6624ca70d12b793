// @module-tag extended
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { readReport } from '../../src/dashboard/read-file.js';
import { createSimulator } from '../../src/entries/index.js';
import { checkAfterLostWrite, harOf, recordTraffic } from '../fidelity/recorded-traffic.js';
import { chromiumArguments, chromiumPath } from '../support/chromium.js';
import { runCommandLine, startServer } from '../support/command-line.js';
import { listenLocally } from '../support/listen-locally.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';

const folder = newFolder();
const inFolder = (name: string) => join(folder, name);

const secret = 'sk-live-0123456789abcdef';
const wall = {
  keys: { [secret]: { plan: 'free', usage: { minute: 60 } } },
  windows: { minute: '2s' },
  ban: 'off',
} as const;

/** Recording by Chromium and Playwright of a page that runs the code. */
async function recordPage(code: string, har: { mode?: 'full' | 'minimal' } = {}): Promise<string> {
  const sim = createSimulator({ scenario: wall });
  const { baseUrl } = await openServer(sim);
  const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>'));
  const { url } = await listenLocally(site);
  const browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumArguments });
  const path = inFolder(`page-${Math.random()}.har`);
  try {
    const context = await browser.newContext({ recordHar: { path, ...har } });
    const page = await context.newPage();
    await page.goto(url);
    await page.evaluate(`(async () => {
      const list = () => fetch('${baseUrl}/pets?limit=1', { headers: { authorization: 'Bearer ${secret}' } });
      const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      ${code}
    })()`);
    await context.close();
  } finally {
    await browser.close();
  }
  return path;
}

describe('a recording of Chromium, by Playwright', { tags: 'needs/chromium' }, () => {
  test('reports a page that retries too early', async () => {
    const har = await recordPage('await list(); await wait(200); await list(); await wait(200); await list();');
    const report = inFolder('page.html');
    const { code, out, err } = await runCommandLine(['judge', har, '--json', '--report', report]);
    expect(JSON.parse(out)).toMatchObject({ outcome: 'fail', findings: [{ code: 'early-retry' }] });
    expect([code, err]).toEqual([1, '']);
    expect(readFileSync(har, 'utf8')).toContain(secret);
    expect(readFileSync(report, 'utf8') + out).not.toContain(secret);
    expect(readFileSync(report, 'utf8')).toContain('early-retry');
  });

  test('passes a page that waits for Retry-After', async () => {
    const har = await recordPage(
      "const first = await list(); await wait(Number(first.headers.get('retry-after')) * 1000); await list();",
    );
    const { code, out } = await runCommandLine(['judge', har, '--json', '--fail-on', 'early-retry']);
    expect(JSON.parse(out)).toMatchObject({ outcome: 'pass', exercised: expect.arrayContaining(['early-retry']) });
    expect(code).toBe(0);
  });

  test('in minimal mode, without times, is inconclusive with the reason', async () => {
    const har = await recordPage('await list(); await wait(200); await list();', { mode: 'minimal' });
    const { code, out } = await runCommandLine(['judge', har, '--json', '--require-conclusive']);
    expect(JSON.parse(out)).toMatchObject({
      outcome: 'inconclusive',
      reason: expect.stringContaining('without times'),
    });
    expect(code).toBe(1);
  });
});

const span = (startMs: number, status: number, headers: Record<string, string> = {}) => ({
  kind: 3,
  startTimeUnixNano: String(BigInt(startMs) * 1_000_000n),
  endTimeUnixNano: String(BigInt(startMs + 20) * 1_000_000n),
  attributes: [
    { key: 'http.request.method', value: { stringValue: 'GET' } },
    { key: 'url.full', value: { stringValue: 'https://api.example/v1/pets?limit=1' } },
    { key: 'http.response.status_code', value: { intValue: String(status) } },
    ...Object.entries(headers).map(([name, value]) => ({
      key: `http.response.header.${name}`,
      value: { arrayValue: { values: [{ stringValue: value }] } },
    })),
  ],
});

async function judgeTrace(spans: unknown[], ...more: string[]) {
  const file = inFolder('trace.json');
  writeFileSync(file, JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  return runCommandLine(['judge', '--trace', file, '--json', ...more]);
}

describe('a trace of OpenTelemetry', () => {
  const noon = Date.UTC(2026, 0, 1, 12);

  test('with Retry-After reports a client that retries too early', async () => {
    const spans = [span(noon, 429, { 'retry-after': '30' }), span(noon + 1_000, 429, { 'retry-after': '29' })];
    const { code, out } = await judgeTrace(spans, '--one-key');
    const notes = [expect.stringContaining('A trace has no keys')];
    expect(JSON.parse(out)).toMatchObject({ outcome: 'fail', findings: [{ code: 'early-retry' }], notes });
    expect(code).toBe(1);
  });

  test('reports the deprecated getPet', async () => {
    const used = JSON.parse(JSON.stringify(span(noon, 200)).replace('/v1/pets', '/v1/pets/1'));
    const { out } = await judgeTrace([used]);
    expect(JSON.parse(out).findings).toMatchObject([
      { code: 'deprecated-operation', text: expect.stringContaining('GET /pets/{petId} was used once') },
    ]);
  });

  test('without Retry-After names the setting that records it', async () => {
    const { code, err } = await judgeTrace([span(noon, 429), span(noon + 1_000, 200)], '--one-key');
    expect(err).toMatch(/expected http\.response\.header\.retry-after.*CAPTURE_RESPONSE_HEADERS=retry-after/);
    expect(code).toBe(2);
  });
});

test('a write with a lost response is not given up if a later list in the recording shows the pet', async () => {
  const file = inFolder('lost.har');
  writeFileSync(file, harOf(await checkAfterLostWrite(secret)));
  const { out } = await runCommandLine(['judge', file, '--ended', '--json']);
  expect(JSON.parse(out).findings).toEqual([]);
});

test('a report of recorded traffic contains requests, verdict and keys, but no other state of a simulator', async () => {
  const { har } = await recordTraffic({ keys: { [secret]: {} } }, { seed: 1, count: 5, key: secret });
  const file = inFolder('five.har');
  const report = inFolder('five.html');
  writeFileSync(file, har);
  await runCommandLine(['judge', file, '--report', report]);
  const run = readReport(readFileSync(report, 'utf8'));
  expect(run?.entries.length).toBe(5);
  expect(Object.keys(run?.answers ?? {})).toEqual(['/verdict', '/scenario', '/keys?limit=100', '/clock']);
  expect(run?.answers['/verdict']).toMatchObject({ scenario: file, counts: { requests: 5 } });
});

describe('a file that is not a recording gives a clear error', () => {
  test.each([
    ['text', 'hello', 'expected a HAR file or JSON Lines, got "h"'],
    ['a list', '[1]', 'expected a HAR file or JSON Lines, got a list of 1 item'],
    ['broken JSON', '{"log":{"entries":[{"a":}]}}', 'invalid JSON at line 1, column 25: expected a JSON value'],
    [
      'another service',
      '{"log":{"entries":[{"request":{"url":"https://x.example/v1/t"}}]}}',
      'an address that ends in /v1/pets',
    ],
  ])('%s', async (name, text, message) => {
    const file = inFolder(`${name}.har`);
    writeFileSync(file, text);
    const { code, err } = await runCommandLine(['judge', file]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test('a file that is not there', async () => {
    const { code, err } = await runCommandLine(['judge', inFolder('none.har')]);
    expect([code, err]).toEqual([2, expect.stringContaining('expected a file')]);
  });
});

describe('petstore-sim calibrate and compare, on a server', () => {
  const odd = [
    '--set',
    'assumptions.limitOutOfRange=clamp',
    '--set',
    'assumptions.paging=page',
    '--set',
    `keys.${secret}.plan=pro`,
  ];
  const key = { KEY_OF_TEST: secret };

  test('learn the choices, continue after an interruption, and report the difference to another scenario', async () => {
    const { baseUrl } = await startServer(odd);
    vi.stubEnv('KEY_OF_TEST', key.KEY_OF_TEST);
    const out = inFolder('calibrated.yaml');
    const ask = ['calibrate', '--target', baseUrl, '--key-env', 'KEY_OF_TEST', '--out', out, '--patience', '1s'];
    const first = await runCommandLine([...ask, '--budget', '5']);
    expect(first.err).toContain('The budget of 5 requests is used up.');
    const whole = await runCommandLine([...ask, '--budget', '30']);
    expect(whole.err).toContain('Continues after the 5 requests');
    expect(whole.out).toMatch(/limitOutOfRange +certain +clamp .*: answered with 1 pet$/m);
    const log = readFileSync(out.replace('.yaml', '.jsonl'), 'utf8');
    expect(log + readFileSync(out, 'utf8') + whole.out).not.toContain(secret);
    // No question was repeated, and the judge finds nothing in the log.
    const targets = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ question }) => question !== 'limits');
    expect(new Set(targets.map(({ question }) => question)).size).toBeGreaterThanOrEqual(12);
    const judged = await runCommandLine(['judge', out.replace('.yaml', '.jsonl'), '--json']);
    expect(
      JSON.parse(judged.out).findings.filter(
        ({ severity }: { severity: string }) => severity !== 'info' && severity !== 'praise',
      ),
    ).toEqual([]);
    expect((await runCommandLine(['check', out])).code).toBe(0);

    const kept = inFolder('kept.jsonl');
    const compare = ['compare', '--target', baseUrl, '--key-env', 'KEY_OF_TEST', '--patience', '0s'];
    const differing = await runCommandLine([...compare, '--save', kept, '--json']);
    expect(differing.code).toBe(1);
    expect(
      JSON.parse(differing.out).differences.map(({ kind, about }: Record<string, string>) => `${kind} ${about}`),
    ).toEqual(['assumption paging', 'assumption limitOutOfRange']);
    expect(readFileSync(kept, 'utf8')).not.toContain(secret);
    expect((await runCommandLine(['compare', '--with', kept, out])).code).toBe(0);
    expect(
      (await runCommandLine([...compare.slice(0, 2), 'http://127.0.0.1:9/v1', ...compare.slice(3), out])).code,
    ).toBe(2);
    vi.stubEnv('KEY_OF_TEST', 'wrong');
    expect((await runCommandLine([...compare, out])).code).toBe(2);
  });

  test('calibrate learns from a recording without a request', async () => {
    const { har } = await recordTraffic(
      { keys: { [secret]: { plan: 'pro' } }, assumptions: { paging: 'offset' } },
      { seed: 3, count: 120, key: secret },
    );
    const file = inFolder('traffic.har');
    writeFileSync(file, har);
    const out = inFolder('passive.yaml');
    const { out: text } = await runCommandLine(['calibrate', '--from', file, '--out', out]);
    expect(text).toMatch(/paging +certain +offset/);
    expect(readFileSync(out, 'utf8')).not.toContain(secret);
    expect((await runCommandLine(['check', out])).code).toBe(0);
  });
});
