import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setupServer } from 'msw/node';
import { expect, onTestFinished, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Simulator } from '../../src/entries/index.js';
import { handlers } from '../../src/entries/msw.js';
import { type ListenOptions, type ServedData, serve } from '../../src/entries/node.js';
import { replayRecording } from '../../src/fidelity/deduce/replay-recording.js';
import { captureSimulator } from '../../src/persistence/capture-simulator.js';
import { restoreSimulator, type SimulatorParts } from '../../src/persistence/restore-simulator.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { createHeaderRecorder, recordHeaders } from '../../src/requests/recorded-headers.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';

const secrets = {
  authorization: 'Bearer unlisted-secret-9876',
  'x-api-key': 'secret-of-a-gateway',
  'x-auth-token': 'secret-of-a-session',
  'x-functions-key': 'secret-of-a-function',
  'x-identity': 'eyJhbGciOiJub25lIn0.secret.',
  cookie: 'id=secret-of-a-cookie',
};
const open = {
  accept: 'application/json',
  'content-type': 'application/json',
  'idempotency-key': 'c0ffee-1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'user-agent': 'shop/1.2',
  'x-idempotency-key': 'c0ffee-2',
  'x-author': 'Ada',
  'x-request-id': 'r-1',
};
const recorded = {
  ...open,
  authorization: 'Bearer …',
  'x-api-key': '…',
  'x-auth-token': '…',
  'x-functions-key': '…',
  'x-identity': '…',
};
const sent = { ...open, ...secrets };
const create = (url: string, headers: Record<string, string> = sent) =>
  fetch(`${url}/pets`, { method: 'POST', headers, body: '{"name":"Rex","categoryId":1}' });

const serveFor = async (sim: Simulator, options?: ListenOptions) => (await openServer(sim, options)).baseUrl;

const headersOf = (sim: Simulator) => sim.journal.query().map(({ requestHeaders }) => requestHeaders);

test('server, fetch and msw record the same headers, and no secrets', async () => {
  const served = createSimulator();
  await create(await serveFor(served));
  const fetched = createSimulator();
  await fetched.fetch('/v1/pets', { method: 'POST', headers: sent, body: '{"name":"Rex","categoryId":1}' });
  const mocked = createSimulator();
  const server = setupServer(...handlers(mocked));
  server.listen({ onUnhandledRequest: 'error' });
  onTestFinished(() => server.close());
  await create('https://api.petstore.example/v1');
  for (const sim of [served, fetched, mocked]) {
    expect(headersOf(sim)).toEqual([recorded]);
    expect(JSON.stringify(sim.journal.query()).replaceAll('unlisted-secret-9876', '')).not.toContain('secret');
  }
});

test('a route of the own and a backend record them too', async () => {
  const sim = createSimulator();
  const backend = await serveFor(createSimulator());
  const url = await serveFor(sim, { upstream: new URL(backend).origin });
  await fetch(`${url}/owners`, { headers: sent });
  expect(headersOf(sim)).toEqual([recorded]);
});

test('a request that its client gives up keeps its headers', async () => {
  const sim = createSimulator({ scenario: { faults: [{ name: 'slow', then: { delay: '60s' } }] } });
  const given = new AbortController();
  const request = sim
    .fetch('/v1/pets', { headers: { ...open, authorization: 'Bearer free-key' }, signal: given.signal })
    .catch(() => {});
  await expect.poll(() => coreOf(sim).state.delayed.length).toBe(1);
  given.abort();
  await request;
  expect(headersOf(sim)).toEqual([{ ...open, authorization: 'Bearer …' }]);
});

test('caps: 16 headers x-, names of 64 and values of 256 characters', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`x-${n}`, 'v']));
  const headers = {
    ...many,
    [`x-${'n'.repeat(64)}`]: 'v',
    accept: 'a'.repeat(257),
    'idempotency-key': 'k'.repeat(256),
  };
  const found = recordHeaders(headers) ?? {};
  expect(Object.keys(found).filter((name) => name.startsWith('x-'))).toHaveLength(16);
  expect(found.accept).toBe(`${'a'.repeat(255)}…`);
  expect(found['idempotency-key']).toBe('k'.repeat(256));
  expect(recordHeaders(found)).toEqual(found);
  expect(recordHeaders({ host: 'localhost', cookie: 'a', 'content-length': '2' })).toBeUndefined();
});

test.each([
  ['sk_live_1234', '…'],
  ['secret with-a-space', '…'],
  ['bearer sk_live', 'bearer …'],
  ['Basic dXNlcjpwYXNz', 'Basic …'],
])('of Authorization: %s only the scheme is recorded', (authorization, shown) => {
  expect(recordHeaders({ authorization })).toEqual({ authorization: shown });
});

test('records of equal headers share them, and others have their own, also in a packed journal', async () => {
  const recordOf = createHeaderRecorder();
  const one = recordOf({ accept: '*/*', 'x-a': '1' });
  expect(recordOf({ accept: '*/*', 'x-a': '1' })).toBe(one);
  expect(recordOf({ accept: '*/*' })).toEqual({ accept: '*/*' });
  expect(recordOf({ accept: '*/*', 'x-a': '1', 'x-b': '' })).toEqual({ accept: '*/*', 'x-a': '1', 'x-b': '' });
  const sim = createSimulator({ scenario: { limits: 'off' } });
  const url = await serveFor(sim);
  for (let n = 0; n < 20; n++)
    await (
      await create(url, { ...open, authorization: 'Bearer free-key', 'idempotency-key': `call-${n % 15}` })
    ).text();
  expect(headersOf(sim).map((headers) => headers?.['idempotency-key'])).toEqual(
    Array.from({ length: 20 }, (_, n) => `call-${n % 15}`),
  );
});

test('the control API shows them with the masked key, and HAR and JSON Lines restore them', async () => {
  const sim = createSimulator();
  const control = createControl(sim);
  await sim.fetch('/v1/pets', { headers: { ...open, ...secrets, 'x-note': 'of unlisted-secret-9876' } });
  await sim.fetch('/v1/pets', { headers: { authorization: 'Bearer free-key', 'idempotency-key': 'c0ffee-3' } });
  const shown = { ...recorded, authorization: 'Bearer …9876~zurd', 'x-note': 'of …9876~zurd' };
  const entry = await control.getRequest({ id: 1 });
  expect(entry.requestHeaders).toEqual(shown);
  expect((await control.queryJournal()).entries[0]?.requestHeaders).toEqual(shown);
  const har = await control.exportHar();
  expect(har.log.entries[0]?.request.headers).toEqual(
    expect.arrayContaining([
      { name: 'Authorization', value: 'Bearer …9876~zurd' },
      { name: 'idempotency-key', value: 'c0ffee-1' },
      { name: 'x-api-key', value: '…' },
    ]),
  );
  expect(har.log.entries[1]?.request.headers).toEqual([
    { name: 'Authorization', value: 'Bearer free-key' },
    { name: 'idempotency-key', value: 'c0ffee-3' },
  ]);
  const lines = await control.exportJournal();
  for (const text of [JSON.stringify(har), lines]) {
    expect(text).not.toContain('secret');
    const file = { name: 'run', pieces: [new TextEncoder().encode(text)] };
    const { exchanges } = await readRecording([file], recordedPetstore, { isAnyService: true });
    expect(exchanges.map(({ requestHeaders }) => requestHeaders)).toEqual([
      { ...recorded, 'x-note': 'of …9876~zurd' },
      { authorization: 'Bearer …', 'idempotency-key': 'c0ffee-3' },
    ]);
    expect(exchanges.map(({ token }) => token)).toEqual(['…9876~zurd', 'free-key']);
  }
});

test('a recording by another program has its headers without secrets', async () => {
  const entry = {
    startedDateTime: '2026-01-01T00:00:00Z',
    time: 5,
    request: {
      method: 'GET',
      url: 'https://api.example.com/v1/pets',
      headers: Object.entries(sent).map(([name, value]) => ({ name: name.toUpperCase(), value })),
    },
    response: { status: 200, headers: [], content: { text: '[]' } },
    timings: { send: 0, wait: 5, receive: 0 },
  };
  const text = JSON.stringify({ log: { entries: [entry] } });
  const file = { name: 'run.har', pieces: [new TextEncoder().encode(text)] };
  const { exchanges } = await readRecording([file], recordedPetstore);
  expect(exchanges[0]?.requestHeaders).toEqual(recorded);
  expect(JSON.stringify(exchanges)).not.toContain('secret');
  // Masked values are no values of headers, so that a request with them would fail.
  const { same, compared } = await replayRecording({ keys: { 'key-1': {} } }, exchanges);
  expect([same, compared]).toEqual([1, 1]);
});

test('a server with --data records them, restores them after a restart, and writes no secret but the key', async () => {
  const data = newFolder();
  const shown = async ({ baseUrl }: ServedData) =>
    (await (await fetch(`${new URL(baseUrl).origin}/__sim/journal/1`)).json()).requestHeaders;
  const first = await serve({ data, port: 0 });
  await create(first.baseUrl);
  expect(await shown(first)).toEqual({ ...recorded, authorization: 'Bearer …9876~zurd' });
  await first.close({ graceMs: 0 });
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const text = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('');
  expect(text).toContain('c0ffee-1');
  expect(text.replaceAll('unlisted-secret-9876', '')).not.toContain('secret-of');
  const second = await serve({ data, port: 0 });
  onTestFinished(() => second.close({ graceMs: 0 }));
  expect(await shown(second)).toEqual({ ...recorded, authorization: 'Bearer …9876~zurd' });
});

test('a snapshot restores them, and one of an earlier version has none', async () => {
  const sim = createSimulator();
  await sim.fetch('/v1/pets', { headers: sent });
  const pieces = JSON.parse(JSON.stringify([...captureSimulator(sim, () => 0)]));
  const partOf = (kind: string) => pieces.filter((piece: { kind: string }) => piece.kind === kind);
  const [{ entries }] = partOf('entries');
  const restored = (records: unknown) => {
    const copy = createSimulator();
    const none = { data: new Map(), keys: [], unlistedKeys: [], held: [], delayed: [], running: [], snapshots: [] };
    const parts = { ...none, head: partOf('simulator')[0], entries: records } as SimulatorParts;
    restoreSimulator(copy, parts, () => coreOf(copy).state.resolved);
    return createControl(copy).queryJournal({});
  };
  expect((await restored(entries)).entries[0]).toMatchObject({ requestHeaders: { 'idempotency-key': 'c0ffee-1' } });
  const [{ requestHeaders: _, ...older }] = entries;
  const [old] = (await restored([older])).entries;
  expect(old).toMatchObject({ id: 1, path: '/pets' });
  expect(old).not.toHaveProperty('requestHeaders');
});
