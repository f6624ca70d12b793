import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readReport } from '../../src/dashboard/read-file.js';
import { createSimulator, serveRoute } from '../../src/entries/index.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { fileOf, journalOf } from '../fidelity/recorded-traffic.js';
import { runCommandLine } from '../support/command-here.js';
import { newFolder } from '../support/new-folder.js';
import { type IssueClient, issueUrl, type Read, type ResetForm, recordIssues, uuidPath } from './issue-service.js';

const folder = newFolder();

const isRefused = ({ status }: Read) => status === 403 || status === 429;

/** Opens four issues; the fourth is refused, and the client retries every two seconds. */
async function hurried({ send, sleep }: IssueClient) {
  for (const title of ['One', 'Two', 'Three', 'Four']) {
    for (let attempt = 1; attempt <= 4; attempt++) {
      const read = await send('POST', '/repos/o/r/issues', { title });
      if (!isRefused(read)) break;
      sleep(2_000);
    }
  }
}

/** Opens four issues, and waits until the reset after a refusal. */
async function patient({ send, sleep, now }: IssueClient) {
  for (const title of ['One', 'Two', 'Three', 'Four']) {
    while (true) {
      const read = await send('POST', '/repos/o/r/issues', { title });
      if (!isRefused(read)) break;
      const combined = read.headers.get('ratelimit')?.match(/(?:"burst";r=0;t|reset)=(\d+)/)?.[1];
      const reset = read.headers.get('x-ratelimit-reset') ?? read.headers.get('ratelimit-reset') ?? combined ?? '';
      sleep(waitOf(reset, now()) + 300);
    }
  }
  await send('GET', '/repos/o/r/issues/1');
  await send('GET', uuidPath());
}

function waitOf(reset: string, nowMs: number): number {
  if (reset.includes('T')) return Date.parse(reset) - nowMs;
  const value = Number(reset);
  return value > 1e11 ? value - nowMs : value > 1e8 ? value * 1000 - nowMs : value * 1000;
}

let files = 0;
async function judged(text: string, ...flags: string[]) {
  const file = join(folder, `traffic-${++files}`);
  writeFileSync(file, text);
  const { code, out, err } = await runCommandLine(['judge', file, '--json', ...flags]);
  return { code, err, verdict: JSON.parse(out || '{}') as Verdict & { next: string[] } };
}
const ofService = ['--base-url', issueUrl, '--refused', '403', '--ended'];

let hurriedHar: string;
let patientHar: string;
beforeAll(async () => {
  hurriedHar = await recordIssues(hurried);
  patientHar = await recordIssues(patient);
});

describe('a client of a service with 403 refusals', () => {
  test('that retries before the reset fails early-retry and gives up', async () => {
    const { code, verdict } = await judged(hurriedHar, ...ofService);
    expect(verdict).toMatchObject({ outcome: 'fail', scenario: 'api.github.com', counts: { refused: 4, served: 3 } });
    const [first] = verdict.findings;
    expect(first).toMatchObject({ code: 'early-retry', severity: 'fail', measured: '2.0 s waited' });
    expect(first?.text).toMatch(
      /before X-RateLimit-Reset allowed.*wait until X-RateLimit-Reset: \d{10}, Unix seconds\./,
    );
    expect(verdict.findings.map((each) => each.code)).toContain('lost-write');
    expect(code).toBe(1);
  });

  test('that waits until the reset passes, and the reason names the host', async () => {
    const { code, verdict } = await judged(patientHar, ...ofService);
    expect(verdict).toMatchObject({ outcome: 'pass', reason: 'The client did what api.github.com asked.' });
    expect(verdict.counts).toMatchObject({ requests: 7, served: 6, refused: 1 });
    expect(code).toBe(0);
  });

  test('is inconclusive without --refused, because a 403 can mean anything', async () => {
    const { verdict } = await judged(hurriedHar, '--base-url', issueUrl);
    const reason =
      'No request was refused and no response was lost, so nothing was put to the test. Record the client while api.github.com refuses its requests. 4 responses with status 403 look like refusals: --refused 403 counts them as such.';
    expect(verdict).toMatchObject({ outcome: 'inconclusive', reason, counts: { refused: 0 } });
  });

  test('is not blamed for a 403 that is no refusal by a limit', async () => {
    const har = await recordIssues(async ({ send, sleep }) => {
      for (let attempt = 0; attempt < 2; attempt++) {
        await send('DELETE', '/repos/o/r/issues/1');
        sleep(100);
      }
    });
    const { verdict } = await judged(har, ...ofService);
    expect(verdict).toMatchObject({ outcome: 'inconclusive', counts: { refused: 0 } });
  });

  test('is blamed for a 403 with Retry-After, by its time', async () => {
    const har = await recordIssues(hurried, { hasRetryAfter: true });
    const { verdict } = await judged(har, ...ofService);
    expect(verdict.findings[0]?.text).toContain('before Retry-After allowed');
  });

  test('that never repeats one of two refused writes fails to store it, although the other was stored', async () => {
    const har = await recordIssues(async ({ send, sleep, now }) => {
      for (let read = 0; read < 3; read++) await send('GET', '/repos/o/r/issues');
      const refused = await send('POST', '/repos/o/r/issues', { title: 'Lost' });
      sleep(waitOf(refused.headers.get('x-ratelimit-reset') ?? '', now()) + 300);
      await send('POST', '/repos/o/r/issues', { title: 'Other' });
      await send('GET', '/repos/o/r/issues');
    });
    const { verdict } = await judged(har, ...ofService);
    const [lost] = verdict.findings.filter(({ code }) => code === 'lost-write');
    expect(lost?.text).toMatch(/^POST \/repos\/o\/r\/issues was refused with 403 and then given up/);
  });
});

test.each<[string, () => string, 'pass' | 'fail']>([
  ['the hurried client', () => hurriedHar, 'fail'],
  ['the patient client', () => patientHar, 'pass'],
])('no report of %s speaks of pets or of /v1', async (name, har, outcome) => {
  const file = join(folder, `${name}.har`);
  writeFileSync(file, har());
  const at = (ending: string) => join(folder, `${name}.${ending}`);
  const reports = ['--junit', at('xml'), '--verdict', at('json'), '--report', at('html')];
  const { out } = await runCommandLine(['judge', file, ...ofService, ...reports]);
  const run = readReport(readFileSync(at('html'), 'utf8'));
  const texts = [out, readFileSync(at('xml'), 'utf8'), readFileSync(at('json'), 'utf8'), JSON.stringify(run)];
  for (const text of texts) {
    const own = text.replaceAll('petstore-sim', '').replaceAll(file, '');
    expect(own).not.toMatch(/\bpets?\b|petstore|\/v1\b/i);
    expect(own).toContain('api.github.com');
  }
  expect(out).toMatch(new RegExp(`^${outcome.toUpperCase()} +api\\.github\\.com\\n`));
  const operations = ['GET /repos/o/r/issues/{}', 'GET /repos/o/r/issues/{}/events/{}', 'POST /repos/o/r/issues'];
  expect([...new Set(run?.entries.map(({ operation }) => operation))].sort()).toEqual(
    outcome === 'pass' ? operations : operations.slice(2),
  );
});

describe.each<[ResetForm, shown: RegExp]>([
  ['seconds', /\d{10}, Unix seconds/],
  ['milliseconds', /\d{13}, Unix milliseconds/],
  ['seconds left', /61, remaining seconds/],
  ['RFC 3339', /2026-01-01T12:01:01\.000Z, RFC 3339/],
  ['without X-', /RateLimit-Reset: 61, remaining seconds/],
  ['combined', /before RateLimit allowed.*RateLimit: 61, remaining seconds/],
  ['combined, version 7', /before RateLimit allowed.*RateLimit: 61, remaining seconds/],
])('a reset time in the form %s', (form, shown) => {
  test('blames a client that retries before the reset, with its value', async () => {
    const { verdict } = await judged(await recordIssues(hurried, { form }), ...ofService);
    expect(verdict.findings[0]).toMatchObject({ code: 'early-retry', severity: 'fail' });
    expect(verdict.findings[0]?.text).toMatch(shown);
  });

  test('acquits a client that waits until then', async () => {
    const { verdict } = await judged(await recordIssues(patient, { form }), ...ofService);
    expect(verdict).toMatchObject({ outcome: 'pass', findings: [] });
  });
});

test('a reset time that is neither a time nor a wait promises nothing', async () => {
  const { verdict } = await judged(await recordIssues(hurried, { form: 'unclear' }), ...ofService);
  expect(verdict.findings.map(({ code }) => code)).not.toContain('early-retry');
  expect(verdict.exercised).not.toContain('duplicate-write');
});

test('a 429 of another service needs no --refused', async () => {
  const { verdict } = await judged(await recordIssues(hurried, { status: 429 }), '--base-url', issueUrl);
  expect(verdict).toMatchObject({ outcome: 'fail', findings: [{ code: 'early-retry' }] });
});

test('JSON Lines and a trace of the same traffic get the same findings', async () => {
  const { log } = JSON.parse(hurriedHar) as { log: { entries: HarEntry[] } };
  const lines = log.entries.map(({ startedDateTime, request, response, time }) =>
    JSON.stringify({
      time: startedDateTime,
      durationMs: time,
      method: request.method,
      baseUrl: issueUrl,
      path: new URL(request.url).pathname,
      status: response.status,
      requestHeaders: Object.fromEntries(request.headers.map(({ name, value }) => [name, value])),
      requestBody: { text: request.postData?.text ?? '' },
      headers: Object.fromEntries(response.headers.map(({ name, value }) => [name, value])),
    }),
  );
  const byLines = await judged(lines.join('\n'), ...ofService);
  const spans = log.entries.map(({ startedDateTime, request, response, time }) => ({
    kind: 3,
    startTimeUnixNano: `${Date.parse(startedDateTime)}000000`,
    endTimeUnixNano: `${Date.parse(startedDateTime) + time}000000`,
    attributes: [
      { key: 'url.full', value: { stringValue: request.url } },
      { key: 'http.request.method', value: { stringValue: request.method } },
      { key: 'http.response.status_code', value: { intValue: String(response.status) } },
      ...response.headers
        .filter(({ name }) => name.startsWith('x-ratelimit') || name === 'date')
        .map(({ name, value }) => ({
          key: `http.response.header.${name}`,
          value: { arrayValue: { values: [{ stringValue: value }] } },
        })),
    ],
  }));
  const trace = join(folder, 'trace.json');
  writeFileSync(trace, JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  const { out } = await runCommandLine(['judge', '--trace', trace, '--json', '--one-key', ...ofService]);
  for (const verdict of [byLines.verdict, JSON.parse(out) as Verdict]) {
    expect(verdict).toMatchObject({ outcome: 'fail', scenario: 'api.github.com' });
    expect(verdict.findings[0]).toMatchObject({ code: 'early-retry', requests: [5, 6, 7] });
  }
});

interface HarEntry {
  startedDateTime: string;
  time: number;
  request: { method: string; url: string; headers: Header[]; postData?: { text: string } };
  response: { status: number; headers: Header[] };
}
interface Header {
  name: string;
  value: string;
}

test('the suggested command has the flags of the service', async () => {
  const { verdict } = await judged(hurriedHar, ...ofService);
  expect(verdict.next[0]).toMatch(
    /^npx petstore-sim judge \S+ --base-url https:\/\/api\.github\.com --refused 403 --ended --report report\.html$/,
  );
});

describe('mistakes get a sentence with advice', () => {
  test.each<[string, string[], string]>([
    [
      'no base URL',
      [],
      'most are to https://api.github.com: --base-url https://api.github.com judges a client of that service',
    ],
    [
      'another base URL',
      ['--base-url', 'https://api.example.com'],
      'expected requests to https://api.example.com, got 7 entries without one; most are to https://api.github.com',
    ],
    [
      'a base URL without a scheme',
      ['--base-url', 'api.github.com'],
      'expected --base-url to be the base URL of the service, such as https://api.github.com, got "api.github.com"',
    ],
    [
      'a base URL with a query',
      ['--base-url', 'https://api.github.com/?a=1'],
      'expected --base-url to be the base URL',
    ],
    [
      'a status that is no refusal',
      ['--base-url', issueUrl, '--refused', '199'],
      'expected --refused to be a status from 200 to 599, got "199"',
    ],
    [
      'a status that is no number',
      ['--base-url', issueUrl, '--refused', 'forbidden'],
      'expected --refused to be a status from 200 to 599, got "forbidden"',
    ],
  ])('%s', async (_title, flags, message) => {
    const { code, err } = await judged(hurriedHar, ...flags);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test('a base URL in another case, with a port and a slash, is the same', async () => {
    const { verdict } = await judged(hurriedHar, '--base-url', 'HTTPS://API.GitHub.com:443/', '--refused', '403');
    expect(verdict.outcome).toBe('fail');
  });
});

test('a recording of routes of your own keeps the names of their operations', async () => {
  const sim = createSimulator({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });
  for (let attempt = 0; attempt < 2; attempt++) {
    const request = new Request('http://petstore.test/v1/orders', {
      method: 'POST',
      headers: key,
      body: '{"petId":1}',
    });
    await serveRoute(sim, request, () => Response.json({ id: 1 }, { status: 201 }), { operation: 'placeOrder' });
  }
  const { exchanges, service } = await readRecording([fileOf(journalOf(sim), 1_000)], recordedPetstore);
  const placed = { operation: 'placeOrder', isWrite: true, status: 429 };
  expect([exchanges, service]).toEqual([[expect.objectContaining(placed), expect.objectContaining(placed)], undefined]);
  const { verdict } = await judged(journalOf(sim));
  expect(verdict).toMatchObject({
    outcome: 'fail',
    findings: expect.arrayContaining([expect.objectContaining({ code: 'early-retry' })]),
  });
});

const key = { authorization: 'Bearer free-key' };
