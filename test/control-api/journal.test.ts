import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Har } from '../../src/control-api/har.js';
import { perform } from '../../src/control-api/perform.js';
import type { Fault } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { controlOperations } from '../../src/petstore/served-petstore.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { keyId } from '../../src/values/mask-key.js';
import { patience } from '../support/patience.js';
import { send, stageOfEachTest } from './both-controls.js';

const stage = stageOfEachTest({ keys: { 'free-key': { usage: { minute: documentedPlans.free.minute - 1 } } } });
beforeEach(() => {
  for (const key of ['other-secret-1234', 'third-secret-1234']) stage.sim.keys.add(key);
});

test('one request equals the request in an export with steps, in any context', async () => {
  const { sim, here } = stage;
  for (const key of ['free-key', 'free-key', 'pro-key', 'nobody', 'free-key']) await send(sim, { key });
  sim.clock.advance('2s');
  for (const path of ['/pets', '/nothing', '/pets/1']) await send(sim, { path });
  await send(sim, { key: 'pro-key' });
  sim.clock.advance('1m');
  for (const path of ['/pets', '/nothing', '/pets/1']) await send(sim, { path });
  const exported = here.exportJournal({ why: 'true' }).trimEnd().split('\n');
  expect(exported).toHaveLength(12);
  expect(exported.filter((line) => line.includes('"after"')).length).toBeGreaterThan(2);
  expect(exported.map((_, at) => here.getRequest({ id: at + 1 }))).toEqual(exported.map((line) => JSON.parse(line)));
});

describe('an entry', () => {
  test('shows what was promised, and whether the client waited', async () => {
    const { sim, here } = stage;
    await send(sim);
    await send(sim);
    sim.clock.advance('2s');
    await send(sim);
    sim.clock.advance('60s');
    await send(sim);
    await send(sim);
    const { entries } = here.queryJournal();
    expect(entries[0]).toMatchObject({ status: 200, window: 'minute', remaining: 0, strikes: 0, episode: 0 });
    const promisedAt = '2026-01-01T12:01:00.000Z';
    expect(entries[1]).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      refusal: 'limit',
      promisedAt,
      episode: 1,
    });
    expect(entries[2]).toMatchObject({ sincePromiseMs: -58_000, strikes: 1, strike: true, promisedAt });
    expect(entries[3]).toMatchObject({ status: 200, sincePromiseMs: 2_000 });
    expect(entries[0]).not.toHaveProperty('code');
    await send(sim, { key: 'pro-key', query: 'limit=0' });
    expect(here.queryJournal().entries[5]).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(entries[0]).not.toHaveProperty('sincePromiseMs');
    expect(entries[4]).not.toHaveProperty('sincePromiseMs');
  });

  test('has an id that distinguishes keys with equal endings, and is searchable by it', async () => {
    const { sim, here } = stage;
    await send(sim, { key: 'other-secret-1234' });
    await send(sim, { key: 'third-secret-1234' });
    const { entries } = here.queryJournal({ key: '1234' });
    expect(entries.map(({ key }) => key)).toEqual(['…1234~ar5f', '…1234~17po']);
    expect(entries.map((entry) => entry.keyId)).toEqual([keyId('other-secret-1234'), keyId('third-secret-1234')]);
    expect(here.countRequests({ key: keyId('third-secret-1234') }).count).toBe(1);
    expect(here.countRequests({ key: '…1234' }).count).toBe(2);
  });

  test('has bodies with size and hash, and a mark for truncated ones', async () => {
    const { sim, here } = stage;
    const small = '{"name":"Smol","categoryId":1}';
    const large = `{"name":"${'x'.repeat(70_000)}","categoryId":1}`;
    for (const body of [small, small, large]) await send(sim, { key: 'pro-key', body });
    const [first, second, third] = here.queryJournal().entries;
    expect(first?.requestBody).toEqual({ bytes: 30, hash: '02a85f1ccfe48e3b', text: small });
    expect(second?.requestBody).toEqual(first?.requestBody);
    expect(third?.requestBody).toMatchObject({ bytes: 65_536, truncated: true });
    expect(third?.requestBody?.text.length).toBeLessThan(65_536);
    expect(third?.status).toBe(413);
  });

  test('of a disconnected client contains its fault', async () => {
    const { sim, here } = stage;
    here.addFault({ name: 'lost', then: { reset: true, phase: 'after' } });
    await send(sim, { key: 'pro-key' });
    expect(here.queryJournal().entries[0]).toMatchObject({ fault: 'lost', unreadable: true });
  });
});

test('the HAR has every required field of HAR 1.2', async () => {
  const { sim, here } = stage;
  await send(sim, { key: 'pro-key', query: 'limit=2&status=sold' });
  await send(sim, { key: 'pro-key', body: '{"name":"Bello","categoryId":1}' });
  await send(sim, { key: 'unknown-key' });
  const { log } = here.exportHar();
  expect(log.entries[0]?.request.url).toBe('http://petstore.test/v1/pets?limit=2&status=sold');
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'petstore-sim', version: expect.any(String) } });
  for (const entry of log.entries) {
    expect(entry.startedDateTime).toBe(new Date(entry.startedDateTime).toISOString());
    expect(entry.time).toBe(entry.timings.send + entry.timings.wait + entry.timings.receive);
    const { request, response } = entry;
    expect(new URL(request.url).pathname).toMatch(/^\/v1\/pets/);
    for (const half of [request, response]) {
      expect(half).toMatchObject({
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headersSize: -1,
        bodySize: expect.any(Number),
      });
      for (const header of half.headers)
        expect(header).toEqual({ name: expect.any(String), value: expect.any(String) });
    }
    expect(response).toMatchObject({ statusText: expect.any(String), redirectURL: '' });
    expect(response.content).toMatchObject({
      size: expect.any(Number),
      mimeType: 'application/json',
      text: expect.any(String),
    });
    expect(entry.cache).toEqual({});
  }
  expect(log.entries[0]?.request.queryString).toEqual([
    { name: 'limit', value: '2' },
    { name: 'status', value: 'sold' },
  ]);
  expect(log.entries[1]?.request).toMatchObject({
    method: 'POST',
    postData: { text: '{"name":"Bello","categoryId":1}' },
  });
  expect(log.entries.map(({ response }) => [response.status, response.statusText])).toEqual([
    [200, 'OK'],
    [201, 'Created'],
    [401, 'Unauthorized'],
  ]);
});

test('the HAR has responses as far as they were sent, and our readers see the whole ones', async () => {
  const { sim, here } = stage;
  const all = (await send(sim, { key: 'pro-key', query: 'limit=1' })).body;
  here.clearJournal();
  const mismatch = 'net::ERR_CONTENT_LENGTH_MISMATCH';
  const cases: [Fault['then'], status: number, bodySize: number, error?: string][] = [
    [{ reset: true, phase: 'after' }, 0, -1, 'net::ERR_CONNECTION_RESET'],
    [{ close: true }, 0, -1, 'net::ERR_EMPTY_RESPONSE'],
    [{ hang: true }, 0, -1, 'net::ERR_ABORTED'],
    [{ truncate: { bytes: 4 } }, 200, 4, mismatch],
    [{ truncate: { bytes: 0 } }, 200, 0, mismatch],
    [{ truncate: { bytes: 9_999 } }, 200, all.length],
    [{ contentLength: 9_999 }, 200, all.length, mismatch],
    [{ contentLength: 7 }, 200, 7],
    [{ drip: { bytes: 9, every: '0s' } }, 200, all.length],
    [{ drip: { bytes: all.length, every: '1s' } }, 200, all.length],
    [{ drip: { bytes: 9, every: '1s' } }, 200, 9, mismatch],
    [{ respond: { status: 204 } }, 204, 0],
  ];
  for (const [then] of cases) here.addFault({ when: { times: 1 }, then });
  for (const _ of cases) await send(sim, { key: 'pro-key', query: 'limit=1' });
  const har = here.exportHar();
  expect(
    har.log.entries.map(({ response: { status, bodySize, content, ...response } }) => ({
      ...{ status, bodySize, error: '_error' in response ? response._error : undefined },
      ...{ size: content.size, text: content.text, type: content.mimeType, hasHeaders: response.headers.length > 0 },
    })),
  ).toEqual(
    cases.map(([, status, bodySize, error]) => {
      const size = Math.max(0, bodySize);
      const type = status === 200 ? 'application/json' : 'x-unknown';
      return { status, bodySize, error, size, text: all.slice(0, size), type, hasHeaders: status > 0 };
    }),
  );
  await expectSameRecords(har);
});

test('the HAR has a cut character of a sent part left out, and no lost part of a response to HEAD', async () => {
  const { sim, here } = stage;
  const { body } = await send(sim, { key: 'pro-key', body: '{"name":"Bär","categoryId":1}' });
  const path = `/pets/${JSON.parse(body).id}`;
  const place = new TextEncoder().encode(body.slice(0, body.indexOf('ä'))).length;
  for (const bytes of [place + 1, place + 2]) {
    here.addFault({ when: { times: 1 }, then: { truncate: { bytes } } });
    await send(sim, { key: 'pro-key', path });
  }
  here.addFault({ then: { contentLength: 9_999 } });
  await send(sim, { key: 'pro-key', path, method: 'HEAD' });
  const responses = here.exportHar().log.entries.map(({ response }) => response);
  expect(responses.slice(1)).toMatchObject([
    { bodySize: place + 1, content: { size: place + 1, text: expect.stringMatching(/B$/) } },
    { bodySize: place + 2, content: { size: place + 2, text: expect.stringMatching(/Bä$/) } },
    { bodySize: 0, content: { size: 0, text: '' } },
  ]);
  expect(responses[3]).not.toHaveProperty('_error');
});

test('the HAR has the chunks that a client received before it disconnected', async () => {
  const { sim, here, server } = stage;
  here.addFault({ then: { drip: { bytes: 9, every: '1s' } } });
  const controller = new AbortController();
  const { signal } = controller;
  const headers = { authorization: 'Bearer pro-key' };
  const response = await fetch(`${server.baseUrl}/pets?limit=1`, { headers, signal });
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  let received = '';
  for (let chunk = 1; chunk <= 3; chunk++) {
    while (received.length < chunk * 9) received += new TextDecoder().decode((await reader.read()).value);
    if (chunk < 3) {
      await vi.waitUntil(() => coreOf(sim).state.clock.sleepers === 1, patience);
      sim.clock.advance('1s');
    }
  }
  controller.abort();
  await vi.waitUntil(() => sim.journal.query()[0]?.isAbandoned, patience);
  const har = here.exportHar();
  expect(har.log.entries).toMatchObject([
    { response: { status: 200, bodySize: 27, content: { size: 27, text: received }, _error: 'net::ERR_ABORTED' } },
  ]);
  await expectSameRecords(har);
});

/** Checks that the reader of recordings restores the journal's records from a HAR, not what the client received. */
async function expectSameRecords(har: Har): Promise<void> {
  const records = stage.sim.journal.query();
  const pieces = [new TextEncoder().encode(JSON.stringify(har))];
  const { exchanges } = await readRecording([{ name: 'x.har', pieces }], recordedPetstore);
  const factsOf = (record: RequestRecord) => {
    const { status, responseBody, isUnreadable, isAbandoned, finishedAtMs, headers } = record;
    return { status, responseBody, isUnreadable, isAbandoned, finishedAtMs, date: headers.Date };
  };
  expect(exchanges.map(factsOf)).toEqual(records.map(factsOf));
}

test('JSON Lines contain one entry per line', async () => {
  const { sim, here, there, server } = stage;
  for (let n = 0; n < 3; n++) await send(sim, { key: 'pro-key', body: '{"name":"two\\nlines","categoryId":1}' });
  const lines = here.exportJournal().trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(here.queryJournal().entries);
  expect(await there.exportJournal()).toBe(here.exportJournal());
  const response = await fetch(`${server.controlUrl}/journal.jsonl`);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
});

describe('waiting for requests', () => {
  test.each(['here', 'there'] as const)('ends when enough requests have arrived (%s)', async (adapter) => {
    const { sim } = stage;
    const waiting = stage[adapter].waitForRequests({ operation: 'listPets', status: 200, count: 2, timeout: '10s' });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await send(sim, { key: 'unknown-key' });
    await send(sim, { key: 'pro-key', body: '{"name":"Bello","categoryId":1}' });
    await send(sim, { key: 'pro-key' });
    await send(sim, { key: 'pro-key' });
    expect(await waiting).toEqual({ met: true, count: 2 });
    expect(coreOf(sim).state.journal.listeners).toBe(0);
  });

  test.each(['here', 'there'] as const)('ends after its timeout, even if the clock is frozen (%s)', async (adapter) => {
    const startMs = performance.now();
    expect(await stage[adapter].waitForRequests({ count: 1, timeout: '40ms' })).toEqual({ met: false, count: 0 });
    expect(performance.now() - startMs).toBeGreaterThan(30);
  });

  test('counts only requests after an id', async () => {
    const { sim, here } = stage;
    await send(sim, { key: 'pro-key' });
    const waiting = here.waitForRequests({ since: 1, timeout: '10s' });
    await send(sim, { key: 'pro-key' });
    expect(await waiting).toEqual({ met: true, count: 1 });
  });

  test('releases a waiting client that has disconnected', async () => {
    const gone = new AbortController();
    const waiting = perform(controlOperations.waitForRequests, stage.sim, { timeout: '30s' }, { signal: gone.signal });
    gone.abort();
    expect(await waiting).toEqual({ met: false, count: 0 });
  });

  test('ends when the server closes', async () => {
    const { server } = stage;
    const look = async () => (await fetch(`${server.controlUrl}/clock`)).text();
    await look();
    const patient = fetch(`${server.controlUrl}/journal/wait?timeout=30s`);
    // It is under way on the connection that is open, so the server has it before it answers on a new one.
    await look();
    await server.close();
    // Long before its timeout: the test itself would run into its own.
    expect(await (await patient).json()).toEqual({ met: false, count: 0 });
  });
});
