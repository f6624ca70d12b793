import { afterEach, beforeEach, expect, test } from 'vitest';
import { listen, type RunningServer } from '../../src/node.js';
import { createSimulator } from '../../src/petstore/create-simulator.js';
import type { Simulator } from '../../src/simulator/simulator.js';

let sim: Simulator;
let server: RunningServer;

beforeEach(async () => {
  sim = createSimulator({ scenario: { clock: { start: '2026-01-01T12:00:00Z', mode: 'frozen' } } });
  server = await listen(sim, { port: 0 });
});
afterEach(() => server.close());

async function control(method: string, path: string, body?: unknown) {
  const response = await fetch(`${server.controlUrl}${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

test('health shows that the server is up, and its scenario', async () => {
  expect(await control('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok', scenario: 'default' } });
});

test('the description of the service is served', async () => {
  const { status, body } = await control('GET', '/service.json');
  expect(status).toBe(200);
  expect(body.openapi).toMatch(/^3\.1/);
});

test('reset goes back to the start of the scenario, without a body too', async () => {
  sim.pets.add({ name: 'Extra', categoryId: 1 });
  sim.clock.advance('5m');
  sim.keys.setUsage('free-key', { minute: 60 });
  const { status, body } = await control('POST', '/reset');
  expect(status).toBe(200);
  expect(body).toEqual({ scenario: 'default', clock: { now: '2026-01-01T12:00:00.000Z', mode: 'frozen' } });
  expect(sim.pets.size).toBe(40);
  expect(sim.keys.get('free-key').minute.remaining).toBe(60);
});

test('the clock is shown, advanced, set, resumed and frozen', async () => {
  expect((await control('GET', '/clock')).body).toEqual({ now: '2026-01-01T12:00:00.000Z', mode: 'frozen' });
  expect((await control('POST', '/clock', { advance: '61s' })).body.now).toBe('2026-01-01T12:01:01.000Z');
  expect((await control('POST', '/clock', { advance: 500 })).body.now).toBe('2026-01-01T12:01:01.500Z');
  expect((await control('POST', '/clock', { set: '2030-12-05T00:00:00Z' })).body.now).toBe('2030-12-05T00:00:00.000Z');
  expect((await control('POST', '/clock', { resume: true })).body.mode).toBe('real');
  expect((await control('POST', '/clock', { freeze: true })).body.mode).toBe('frozen');
});

test.each([
  {},
  { advance: '61' },
  { advance: -1 },
  { advance: null },
  { advance: '1s', freeze: true },
  { freeze: false },
  { set: 'tomorrow' },
  { set: '9999-12-31' },
  { advance: '99999999d' },
  { __proto__: 1 },
  [],
])('a clock request %j gets 400 with a message and leaves the clock alone', async (body) => {
  const answer = await control('POST', '/clock', body);
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual({ status: 400, code: 'invalid_request', message: expect.stringContaining('expected') });
  expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1, 12));
});

test('other methods get 405 with Allow, other paths 404', async () => {
  const wrongMethod = await control('POST', '/health', {});
  expect(wrongMethod.status).toBe(405);
  expect(wrongMethod.headers.get('allow')).toBe('GET');
  expect((await control('GET', '/nothing')).status).toBe(404);
});

test('a control request is never limited and uses no quota', async () => {
  for (let n = 0; n < 70; n++) expect((await control('GET', '/clock')).status).toBe(200);
  expect(sim.keys.get('free-key').minute.remaining).toBe(60);
});
