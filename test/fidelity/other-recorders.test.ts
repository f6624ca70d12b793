import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Learner } from '../../src/fidelity/deduce/learner.js';
import { judgeRecording } from '../../src/judge/judge-recording.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { fileOf } from './recorded-traffic.js';

// The recordings of mitmproxy are from its own export (savehar), between python-requests and a server with a minute of
// six seconds. The recording of Charles has the form of its export (4.6).
const file = (name: string) => readFileSync(join(import.meta.dirname, 'recordings', `${name}.har`), 'utf8');
const read = (text: string) => readRecording([fileOf(text, 700)], recordedPetstore);

test.each([
  ['mitmproxy-patient', 'pass', [200, 429, 201], []],
  ['mitmproxy-hasty', 'fail', [200, 429, 429, 429, 429], ['early-retry']],
  ['charles', 'fail', [200, 429, 429], ['early-retry']],
])('judges %s.har: %s', async (name, outcome, statuses, failed) => {
  const { exchanges, notes } = await read(file(name));
  expect(exchanges.map(({ status }) => status)).toEqual(statuses);
  expect(exchanges.flatMap(({ missing }) => missing)).toEqual([]);
  expect(notes).toEqual([]);
  const verdict = judgeRecording(exchanges, { name, isOver: true });
  expect(verdict.outcome).toBe(outcome);
  expect(verdict.findings.filter(({ severity }) => severity === 'fail').map(({ code }) => code)).toEqual(failed);
});

test('reads recordings of Charles with times of another zone and base64 bodies, and hides the key', async () => {
  const { exchanges, baseUrls } = await read(file('charles'));
  expect(baseUrls).toEqual(['https://api.example.com/v1']);
  const [first, second] = exchanges;
  expect(first?.responseBody).toBe('[{"id":1,"name":"Rex","categoryId":1,"status":"available"}]');
  // After the look-up and the connection, which are the client's.
  expect(new Date(first?.arrivedAtMs ?? 0).toISOString()).toBe('2026-11-22T08:41:06.637Z');
  expect(second).toMatchObject({ token: 'key-1', client: 'okhttp/4.12.0', operation: 'createPet' });
  expect(second?.requestBody).toBe('{"name":"Zoë","categoryId":1}');
  expect(second?.requestHeaders).toEqual({
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'okhttp/4.12.0',
    authorization: 'Bearer …',
  });
  expect(JSON.stringify(exchanges)).not.toContain('secret');
  const learner = new Learner();
  for (const exchange of exchanges) learner.add(exchange);
  expect(learner.contradictions).toEqual([]);
  expect(learner.about('retryAfterForm')).toMatchObject({ state: 'certain', value: 'seconds' });
});

test.each([{ _failureText: 'net::ERR_ABORTED' }, { _error: 'NS_BINDING_ABORTED' }])(
  'a request that its page aborted is abandoned: %j',
  async (aborted) => {
    const har = JSON.parse(file('mitmproxy-patient'));
    Object.assign(har.log.entries[0].response, aborted);
    const { exchanges } = await read(JSON.stringify(har));
    expect(exchanges.map(({ isAbandoned }) => isAbandoned)).toEqual([true, false, false]);
  },
);

test("counts mitmproxy's connection to the service once, within the wait", async () => {
  const slow = { connect: 900, ssl: 400, send: 1, receive: 2, wait: 1_500 };
  const text = file('mitmproxy-patient').replace(/"timings": \{[^}]*\}/, `"timings": ${JSON.stringify(slow)}`);
  const [first] = (await read(text)).exchanges;
  const [same] = (await read(file('mitmproxy-patient'))).exchanges;
  expect(first?.arrivedAtMs).toBe(same?.arrivedAtMs);
  expect((first?.answeredAtMs ?? 0) - (first?.arrivedAtMs ?? 0)).toBeCloseTo(1_501, 3);
  expect((first?.finishedAtMs ?? 0) - (first?.answeredAtMs ?? 0)).toBeCloseTo(2, 3);
});

describe('explains how to export other formats', () => {
  test.each([
    ['a session of Charles', '[{"status":"COMPLETE","method":"GET"}]', 'export it there as HTTP Archive'],
    ['flows of mitmproxy', '4321:9:websocket;0:~', 'mitmdump --set hardump=FILE.har'],
    ['a compressed HAR of mitmproxy', 'x\xda\xed\x5d', 'let it write FILE.har'],
  ])('%s', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

test('one key at two base URLs has two names, also in headers, and a masked one between them has none', async () => {
  const line = (ms: number, host: string, key: string) =>
    JSON.stringify({
      ...{ time: new Date(Date.UTC(2026, 0, 1) + ms).toISOString(), durationMs: 5, method: 'GET', status: 200 },
      ...{ baseUrl: `http://${host}/v1`, path: '/pets', headers: {} },
      requestHeaders: { authorization: `Bearer ${key}`, 'x-trace': `of ${key}` },
    });
  const text = ['one', 'two', 'one'].map((host, at) => line(at, host, 'secret-of-mine')).join('\n');
  const { exchanges } = await read(`${text}\n${line(3, 'one', '***')}\n${line(4, 'one', 'secret-of-mine')}\n`);
  expect(exchanges.map(({ token, requestHeaders }) => [token, requestHeaders['x-trace']])).toEqual([
    ['key-1', 'of key-1'],
    ['key-2', 'of key-2'],
    ['key-1', 'of key-1'],
    [undefined, 'of ***'],
    ['key-1', 'of key-1'],
  ]);
});
