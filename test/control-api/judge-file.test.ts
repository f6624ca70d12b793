import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/control-api/run-report.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import { documentedPlans } from '../../src/petstore/document.js';
import type { KeyInfo } from '../../src/simulator/keys.js';
import { fnv1a } from '../../src/values/mask-key.js';
import { runCommandLine } from '../support/command-here.js';
import { newFolder } from '../support/new-folder.js';
import { send, stageOfEachTest } from './both-controls.js';

const stage = stageOfEachTest({
  keys: { 'free-key': { usage: { minute: documentedPlans.free.minute - 2 } }, 'pro-key': { plan: 'pro' } },
});
const verdictOf = ({ answers }: RunReport) => answers['/verdict'] as Verdict & { notes?: string[] };
const keysOf = ({ answers }: RunReport) => (answers['/keys?limit=100'] as { keys: KeyInfo[] }).keys;

/** Four requests too many, of which three are strikes, and one with another key. */
async function makeStorm() {
  for (let sent = 0; sent < 6; sent++) {
    await send(stage.sim);
    stage.sim.clock.advance('2s');
  }
  await send(stage.sim, { key: 'pro-key' });
}

test('a server handles other requests while it judges recordings, one after another', async () => {
  await makeStorm();
  const [line = ''] = stage.here.exportJournal().split('\n');
  const text = Array.from({ length: 4_000 }, (_, index) => line.replace('"id":1,', `"id":${index + 1},`)).join('\n');
  const counts: number[] = [];
  const judged = ['one', 'two'].map(async (name) => {
    const report = await stage.there.judgeFile({ name, text });
    counts.push(verdictOf(report).counts.requests);
  });
  let answered = 0;
  for (; counts.length < judged.length; answered++)
    expect((await fetch(`${stage.server.controlUrl}/clock`)).status).toBe(200);
  expect(counts).toEqual([4_000, 4_000]);
  expect(answered).toBeGreaterThan(10);
});

test('a file is sent as it is, of any media type, with the other fields in the query', async () => {
  const entries = stage.here.exportJournal() + lineWith({ requestBody: { text: '"é😀"' } });
  const sent = { method: 'POST', body: entries, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
  const { controlUrl } = stage.server;
  const response = await fetch(`${controlUrl}/judge?name=a%20b.jsonl&baseUrl=https://api.test&ended=true`, sent);
  const input = { name: 'a b.jsonl', text: entries, baseUrl: 'https://api.test', ended: true } as const;
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(await stage.there.judgeFile(input))));
  const wrong = await fetch(`${controlUrl}/judge?name=a&text=b`, sent);
  expect([wrong.status, (await wrong.json()).message]).toEqual([400, 'text: expected it once, got it twice']);
  const nameless = await fetch(`${controlUrl}/judge`, sent);
  expect([nameless.status, (await nameless.json()).message]).toEqual([400, expect.stringContaining('name: ')]);
});

test('characters of several bytes stay whole between the pieces of a file', async () => {
  const whole = '😀'.repeat(20_000);
  for (const start of ['', 'a']) {
    const text = lineWith({ requestBody: { text: start + whole } });
    const { entries } = await stage.there.judgeFile({ name: 'run', text, baseUrl: 'https://api.test' });
    const hash = fnv1a(new TextEncoder().encode(start + whole));
    expect([...entries].map(({ requestBody }) => requestBody?.hash)).toEqual([hash]);
  }
});

const lineWith = (more: object) =>
  JSON.stringify({
    ...{ time: '2026-01-01T12:00:00Z', durationMs: 9, method: 'POST', baseUrl: 'https://api.test', path: '/items' },
    ...{ status: 200, ...more },
  });

describe('a recording of the simulator', () => {
  test.each(['HAR', 'JSON Lines'])(
    'is judged as the live run, with its keys, waits, ban and steps: %s',
    async (form) => {
      await makeStorm();
      const { here, there } = stage;
      const text = form === 'HAR' ? JSON.stringify(here.exportHar()) : here.exportJournal();
      const report = await there.judgeFile({ name: 'run', text });
      const { counts, outcome, reason, findings } = here.getVerdict();
      expect(verdictOf(report)).toMatchObject({ scenario: 'run', counts, outcome, reason });
      expect(verdictOf(report).findings.map(({ code }) => code)).toEqual(findings.map(({ code }) => code));
      const live = here.exportRun().entries;
      const shown = ({ inShort, strike, toldUntil, bannedUntil, usage, window, why }: (typeof live)[number]) => {
        const results = why?.map(({ result }) => result);
        return { inShort, strike, toldUntil, bannedUntil, usage, window, results };
      };
      expect(report.entries.map(shown)).toEqual(live.map(shown));
      const [banned, other] = here.listKeys().keys.filter(({ key }) => ['free-key', 'pro-key'].includes(key));
      const { bannedUntil, servedAgain } = banned as KeyInfo;
      expect(keysOf(report)).toMatchObject([
        { plan: 'free', state: 'banned', strikes: 3, bannedUntil, servedAgain },
        { plan: 'pro', state: 'active', strikes: 0, minute: { limit: 300, remaining: other?.minute.remaining } },
      ]);
      // The last response, of a ban, has the end of the ban in place of the reset.
      expect(keysOf(report)[0]?.minute.resetAtSeconds).toBe(banned?.minute.resetAtSeconds);
      const verdicts = keysOf(report).map(({ id }) => (report.answers[`/verdict?key=${id}`] as Verdict).outcome);
      expect(verdicts).toEqual(['fail', 'inconclusive']);
    },
  );

  test('changes nothing: no request, no change, no state', async () => {
    await makeStorm();
    const { here, there, sim } = stage;
    const before = { state: here.exportState(), verdict: here.getVerdict(), count: sim.changes.count };
    await there.judgeFile({ name: 'run.har', text: JSON.stringify(here.exportHar()) });
    expect({ state: here.exportState(), verdict: here.getVerdict(), count: sim.changes.count }).toEqual(before);
  });
});

const entry = (seconds: number, status: number, more: object = {}) => ({
  startedDateTime: `2026-01-01T12:00:0${seconds}.000Z`,
  time: 90,
  request: {
    method: 'POST',
    url: 'https://user:pw@api.example.com/login?api_key=QUERY-SECRET&page=2',
    headers: [
      { name: 'Authorization', value: 'Bearer HEADER-SECRET' },
      { name: 'Cookie', value: 'sid=COOKIE-SECRET' },
      { name: 'X-Api-Key', value: 'OTHER-SECRET' },
    ],
    postData: { text: '{"user":"eve","password":"BODY-SECRET","author":"eve"}' },
  },
  response: {
    status,
    headers: [
      { name: 'Set-Cookie', value: 'sid=SET-SECRET' },
      ...(status === 429 ? [{ name: 'Retry-After', value: '30' }] : []),
    ],
    content: { text: '{"access_token":"ANSWER-SECRET","n":1}' },
  },
  ...more,
});
const har = (...entries: object[]) => JSON.stringify({ log: { creator: { name: 'test' }, entries } });

describe('a recording of another service', () => {
  const text = har(entry(0, 200), entry(1, 429), entry(3, 429), entry(4, 200, { _fromCache: 'disk' }));

  test('needs its base URL, and is then judged as by the command line', async () => {
    const { there } = stage;
    const folder = newFolder();
    writeFileSync(join(folder, 'client.har'), text);
    await expect(there.judgeFile({ name: 'client.har', text })).rejects.toMatchObject({
      status: 400,
      message:
        'client.har: expected requests to an address that ends in /v1/pets, got 4 entries without one; most are to https://api.example.com: --base-url https://api.example.com judges a client of that service',
    });
    const report = await there.judgeFile({ name: 'client.har', text, baseUrl: 'https://api.example.com/' });
    const args = ['judge', 'client.har', '--base-url', 'https://api.example.com', '--verdict', 'verdict.json'];
    await runCommandLine(args, { cwd: folder });
    const { default: known } = await import(join(folder, 'verdict.json'), { with: { type: 'json' } });
    expect(verdictOf(report)).toMatchObject(known);
    expect(verdictOf(report)).toMatchObject({
      scenario: 'api.example.com',
      outcome: 'fail',
      leftOut: [{ reason: 'answered from a cache', count: 1 }],
      unknown: expect.arrayContaining(['ban-tripped']),
    });
    expect(report.entries.map(({ inShort, toldUntil }) => [inShort, toldUntil])).toEqual([
      [undefined, undefined],
      ['limit used up, wait 30 s', '2026-01-01T12:00:31.090Z'],
      ['limit used up, wait 30 s', '2026-01-01T12:00:33.090Z'],
    ]);
    expect(keysOf(report)).toMatchObject([{ key: 'key-1', servedAgain: { at: '2026-01-01T12:00:33.090Z' } }]);
  });

  test('shows no secret: no key, cookie, password or token', async () => {
    const report = await stage.there.judgeFile({ name: 'client.har', text, baseUrl: 'https://api.example.com' });
    const shown = JSON.stringify(report);
    expect(shown).not.toMatch(/SECRET|pw@/);
    expect(report.entries[0]).toMatchObject({
      key: 'key-1',
      query: 'api_key=…&page=2',
      requestBody: { text: '{"user":"eve","password":"…","author":"eve"}' },
      responseBody: { text: '{"access_token":"…","n":1}' },
    });
  });

  test('names the gaps of a file that breaks off, and of keys that are missing', async () => {
    const { there } = stage;
    const cut = text.slice(0, text.indexOf('12:00:04'));
    const baseUrl = 'https://api.example.com';
    const report = await there.judgeFile({ name: 'cut.har', text: cut, baseUrl });
    expect(verdictOf(report).notes).toEqual(['cut.har: the file ends within an entry, after 3 complete entries.']);
    const keyless = text.replaceAll(/Authorization|X-Api-Key|api_key/g, 'X-Other');
    expect(verdictOf(await there.judgeFile({ name: 'a.har', text: keyless, baseUrl }))).toMatchObject({
      outcome: 'inconclusive',
      reason: expect.stringContaining('--one-key'),
    });
    const oneKey = await there.judgeFile({ name: 'a.har', text: keyless, baseUrl, oneKey: true });
    expect(verdictOf(oneKey).outcome).toBe('fail');
    await expect(there.judgeFile({ name: 'a.har', text, baseUrl: 'nowhere' })).rejects.toMatchObject({
      message: 'baseUrl: expected the base URL of the service, such as https://api.github.com, got "nowhere"',
    });
  });
});

test.each<[name: string, content: string | Uint8Array]>([
  ['openapi.json', '{"openapi":"3.1.0","paths":{}}'],
  ['openapi.yaml', 'openapi: 3.1.0\npaths: {}\n'],
  ['wiremock.json', '{"mappings":[{"request":{"url":"/"},"response":{}}]}'],
  ['trace.json', '{"resourceSpans":[]}'],
  ['scenario.yaml', 'limits: off\nfaults: []\n'],
  ['verdict.json', '{"outcome":"pass","findings":[]}'],
  ['journal.json', '{"entries":[{"time":"","method":"GET","baseUrl":"","path":"/"}]}'],
  ['empty.har', '{"log":{"entries":[]}}'],
  ['list.json', '[1,2,3]'],
  ['app.log', '2026-01-01 12:00:00 INFO started\n'],
  ['log.jsonl', '{"level":30,"msg":"a"}\n{"level":30,"msg":"b"}\n'],
  ['page.html', '<!doctype html><p>'],
  ['data.xml', '<a/>'],
  ['cut.json', '{"log":{"entr'],
  ['broken.json', '{"log":{"entries":[{"a" 1}]}}'],
  ['nothing.har', ''],
  ['notes.txt', 'hello'],
  ['run.har.gz', gzipSync('{"log":{"entries":[]}}')],
  ['run.zip', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0xff])],
  ['run.har', new Uint8Array([0xff, 0xfe, 0x7b, 0])],
  ['big-endian.har', new Uint8Array([0xfe, 0xff, 0, 0x7b])],
])('%s has the sentence of the command line', async (name, content) => {
  const folder = newFolder();
  writeFileSync(join(folder, name), content);
  const { code, err } = await runCommandLine(['judge', name], { cwd: folder });
  expect(code).toBe(2);
  // The page sends the text of the file.
  const text = await new Blob([content as string]).text();
  const { message } = await stage.there.judgeFile({ name, text }).then(
    () => ({ message: 'judged' }),
    (error: Error) => error,
  );
  expect(err).toBe(`petstore-sim: ${message}\n`);
});

test('a file above the maximum size is refused with advice, and an empty name with the expected one', async () => {
  const { controlUrl } = stage.server;
  const response = await fetch(`${controlUrl}/judge`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'large.har', text: ' '.repeat(48 * 1024 * 1024) }),
  });
  expect([response.status, await response.json()]).toEqual([
    413,
    {
      code: 'payload_too_large',
      message: 'The body is larger than 50331648 bytes; petstore-sim judge FILE judges a file of any size.',
      status: 413,
    },
  ]);
  await expect(stage.there.judgeFile({ name: '', text: '{}' })).rejects.toMatchObject({
    status: 400,
    message: 'name: expected the name of the file, got ""',
  });
});
