import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, serveRoute } from '../../src/entries/index.js';
import { runCommandLine } from '../support/command-here.js';
import { newFolder } from '../support/new-folder.js';

const folder = newFolder();

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content));
  return file;
}

const entry = {
  startedDateTime: '2026-01-01T12:00:00Z',
  time: 5,
  request: { method: 'GET', url: 'https://api.example.test/items', headers: [] },
  response: { status: 200, headers: [], content: {} },
  timings: { send: 0, wait: 5, receive: 0 },
};
const har = { log: { version: '1.2', entries: [entry] } };
const mappings = { mappings: [{ request: {}, response: { status: 429 } }], meta: { total: 1 } };

/** Files, and how every command describes them that does not read them. */
const files: readonly (readonly [name: string, content: unknown, is: string])[] = [
  [
    'openapi.json',
    { openapi: '3.1.0', info: { title: 'a', version: '1' }, paths: {} },
    'an OpenAPI document; no command',
  ],
  ['openapi.yaml', 'swagger: "2.0"\ninfo:\n  title: a\npaths: {}\n', 'an OpenAPI document; no command'],
  ['empty.har', { log: { version: '1.2', entries: [] } }, 'a HAR file without entries'],
  ['trace.json', { resourceSpans: [] }, 'an OpenTelemetry trace; petstore-sim judge --trace FILE'],
  ['pino.log', '{"level":30,"msg":"a"}\n{"level":30,"msg":"b"}\n', 'a log as JSON Lines, which lacks'],
  ['access.log', '127.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 2', 'a log in text form; record'],
  ['verdict.json', { scenario: 'a', outcome: 'pass', findings: [] }, 'a verdict of petstore-sim; judge reads'],
  ['page.html', '<!doctype html><title>a</title>', 'an HTML page'],
  ['client.har.gz', gzipSync('{}'), 'a file compressed by gzip; decompress'],
  ['utf-16.json', Buffer.from('\ufeff{"log":{}}', 'utf16le'), 'text in UTF-16; save it in UTF-8'],
];

async function expectDescribed(reader: readonly string[], [name, content, is]: (typeof files)[number]) {
  const { code, err, out } = await runCommandLine([
    ...reader,
    write(name, content),
    ...(reader[0] === 'exec' ? ['--', 'true'] : []),
  ]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(`got ${is}`);
  expect(err.trim().split('\n')).toHaveLength(1);
}

describe.each([['judge'], ['check']])('%s describes', (command) => {
  test.each(files)('%s', (...file) => expectDescribed([command], file));
});

test.each([
  ['judge', '--trace'],
  ['calibrate', '--from'],
  ['compare', '--with'],
  ['scenario', '--from'],
  ['replay'],
  ['state', 'import'],
  ['exec', '--scenario'],
  ['serve', '--scenario'],
])('%s %s describes another file', async (...words: string[]) => {
  const reader = words.filter(Boolean);
  for (const file of files.slice(0, 2)) await expectDescribed(reader, file);
});

test.each([
  ['cut.har', JSON.stringify(har).slice(0, 90), 'JSON that breaks off at line 1, column 91', ':1:91: '],
  ['cut.json', '{\n  "mappings": [\n    { "ok": fal', 'JSON that breaks off at line 3, column 13', ':3:13: '],
  ['bad.har', '{"log":{\n"entries":[{"a" 1}]}}', 'invalid JSON at line 2, column 17: expected ":"', ':2:17: '],
])('%s is reported with line and column', async (name, text, is, place) => {
  const file = write(name, text);
  for (const reader of [['judge'], ['calibrate', '--from'], ['scenario', '--from'], ['replay'], ['state', 'import']]) {
    const { code, err } = await runCommandLine([...reader, file]);
    expect([reader, code, err]).toEqual([reader, 2, expect.stringContaining(is)]);
  }
  const { code, err } = await runCommandLine(['check', file]);
  expect([code, err]).toEqual([2, expect.stringMatching(new RegExp(`${name}${place}expected valid JSON: `))]);
});

describe('a recording that breaks off after whole entries', () => {
  const entryOf = (url: string, status: number) => ({
    ...entry,
    request: { ...entry.request, url, headers: [{ name: 'Authorization', value: 'Bearer a' }] },
    response: { ...entry.response, status, headers: [{ name: 'Retry-After', value: '9' }] },
  });
  const harOf = (host: string) =>
    JSON.stringify({ log: { entries: [200, 429].map((status) => entryOf(`https://${host}/v1/pets`, status)) } });

  test.each([
    ['behind an entry', -3, 'the file breaks off, after 2 complete entries.'],
    ['within an entry', -20, 'the file ends within an entry, after 1 complete entry.'],
  ])('%s is judged, with a note and advice about its end', async (_where, end, note) => {
    const { code, out, err } = await runCommandLine(['judge', write('cut.har', harOf('a.test').slice(0, end))]);
    expect(err.replace(/\s+/g, ' ')).toContain(note);
    expect(out.replace(/\s+/g, ' ')).toContain(
      'The recording breaks off, and later requests are missing: save it again',
    );
    expect([code, out]).toEqual([0, expect.not.stringContaining('run longer')]);
  });

  test('names --base-url if its requests are to another service', async () => {
    const text = harOf('a.test').replaceAll('/pets', '/items');
    const { code, err } = await runCommandLine(['judge', write('cut-other.har', text.slice(0, -20))]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('ends within an entry; most are to https://a.test: --base-url'),
    ]);
  });
});

test('own files are described by the commands that do not read them, with the command that does', async () => {
  const sim = createSimulator();
  const state = write('state.json', JSON.stringify(await createControl(sim).exportState()));
  const scenario = write('scenario.yaml', 'keys: { a: { plan: free } }\n');
  const recording = write('run.har', har);
  const record = join(folder, 'run.log');
  await runCommandLine(['exec', '--record', record, '--', 'true']);
  const cases: [string[], string][] = [
    [['judge', state], 'got an exported state; petstore-sim state import'],
    [['check', state], 'got an exported state; petstore-sim state import'],
    [['replay', state], 'got an exported state; petstore-sim state import'],
    [['judge', scenario], 'got a scenario; petstore-sim check FILE'],
    [['state', 'import', scenario], 'got a scenario; petstore-sim check FILE'],
    [['check', recording], 'got a HAR file; petstore-sim judge FILE'],
    [['judge', '--trace', recording], 'got a HAR file; petstore-sim judge FILE'],
    [['judge', record], 'got a recording of --record; petstore-sim replay FILE --judge'],
    [['check', record], 'got a recording of --record; petstore-sim replay FILE --judge'],
  ];
  for (const [command, is] of cases) {
    const { code, err } = await runCommandLine(command);
    expect([command, code, err]).toEqual([command, 2, expect.stringContaining(is)]);
  }
});

test('a HAR file larger than a scenario may be is described too', async () => {
  const file = write('large.har', { log: { entries: Array.from({ length: 8_000 }, () => entry) } });
  const { code, err } = await runCommandLine(['check', file]);
  expect([code, err]).toEqual([2, expect.stringContaining('got a HAR file; petstore-sim judge FILE')]);
});

test('a scenario with unknown fields is a scenario with mistakes, whose fields are listed once', async () => {
  const file = write(
    'typos.yaml',
    'fautls: []\nkyes: {}\nfirst: 1\nsecond: 2\nfaults: [{ wen: {}, xxxxx: 1, yyyyy: 1 }]\n',
  );
  const { code, err } = await runCommandLine(['check', file]);
  expect(code).toBe(2);
  expect(err).toContain('fautls: expected a known field; did you mean faults?');
  expect(err).toContain('kyes: expected a known field; did you mean keys?');
  expect(err.match(/the fields are \$schema/g)).toHaveLength(1);
  expect(err).toMatch(/second: expected a known field$/m);
  expect(err.match(/the fields are name, when/g)).toHaveLength(1);
});

test('an unrecognized file is described by its fields or items', async () => {
  const list = await runCommandLine(['judge', write('list.json', [{ id: 1 }, { id: 2 }])]);
  expect([list.code, list.err]).toEqual([2, expect.stringContaining('got a list of 2 items')]);
  const { code, err } = await runCommandLine(['judge', write('map.json', { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 })]);
  expect([code, err]).toEqual([2, expect.stringContaining('got a map with the fields a, b, c, d, e and 1 more')]);
});

test('a file of another kind next to a recording is named in a note', async () => {
  const files = [write('one.har', har), write('mappings.json', mappings)];
  const { code, err } = await runCommandLine(['judge', '--base-url', 'https://api.example.test', ...files]);
  expect(code).toBe(0);
  expect(err).toContain('mappings.json: expected requests to the service, got a map with the fields mappings, meta');
});

describe('recordings of another service than the Petstore', () => {
  test.each([['calibrate'], ['scenario']])(
    'are rejected by %s, with the command that reads them',
    async (command: string) => {
      const out = join(folder, 'none.yaml');
      for (const more of [[], ['--base-url', 'https://api.example.test']]) {
        const { code, err } = await runCommandLine([command, '--from', write('other.har', har), '--out', out, ...more]);
        expect([code, err]).toEqual([
          2,
          expect.stringMatching(/are for services with the interface of the Petstore; .*judge/),
        ]);
      }
    },
  );

  test('also if this simulator recorded them, unless one request is to the Petstore', async () => {
    const sim = createSimulator();
    const send = (path: string) =>
      serveRoute(sim, new Request(`http://api.test/v1${path}`, { headers: { authorization: 'Bearer free-key' } }), () =>
        Response.json({ path }),
      );
    for (let count = 0; count < 9; count++) await send(`/items/${count}`);
    const one = write('own.har', JSON.stringify(await createControl(sim).exportHar()));
    const out = join(folder, 'own.yaml');
    for (const command of ['scenario', 'calibrate']) {
      const { code, err } = await runCommandLine([command, '--from', one, '--out', out]);
      expect([code, err]).toEqual([2, expect.stringContaining('services with the interface of the Petstore')]);
    }
    expect(existsSync(out)).toBe(false);
    // One request to the Petstore among nine others is read, and the result says so.
    await sim.fetch('http://api.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
    const mixed = write('mixed.har', JSON.stringify(await createControl(sim).exportHar()));
    const scenario = await runCommandLine(['scenario', '--out', out, '--from', mixed]);
    expect([scenario.code, scenario.err]).toEqual([0, expect.stringContaining('1 of 10 requests, sent again')]);
    const calibrate = await runCommandLine(['calibrate', '--out', out, '--from', mixed]);
    expect([calibrate.code, calibrate.out]).toEqual([0, expect.stringContaining('0 contradicted, in 10 requests')]);
    expect((await runCommandLine(['judge', mixed])).code).toBe(0);
  });

  test('a backend between requests to the Petstore neither teaches nor contradicts anything', async () => {
    const sim = createSimulator();
    const headers = { authorization: 'Bearer free-key' };
    for (let count = 0; count < 20; count++) {
      await sim.fetch('http://api.test/v1/pets', { headers });
      if (count % 2 === 0)
        await serveRoute(sim, new Request('http://api.test/v1/items', { headers }), () =>
          Response.json({ error: 'slow down' }, { status: 429, headers: { 'Retry-After': 'soon' } }),
        );
    }
    const recording = write('backend.har', JSON.stringify(await createControl(sim).exportHar()));
    const out = join(folder, 'backend.yaml');
    const { code, out: text } = await runCommandLine(['calibrate', '--from', recording, '--out', out]);
    expect(text).toContain('0 contradicted, in 30 requests');
    expect(code).toBe(0);
  });
});
