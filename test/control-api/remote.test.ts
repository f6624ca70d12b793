import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { version } from '../../src/control-api/run-report.js';
import { type Control, ControlError, createControl, type JournalEntry } from '../../src/entries/control.js';
import { startBackend } from '../support/start-backend.js';
import { outcome, send, stageOfEachTest } from './both-controls.js';

const stage = stageOfEachTest({}, { controlToken: 'the-token' });

describe('createControl with a URL', () => {
  test.each(['', '/', '/__sim', '/__sim/', '/v1', '/v1/'])('accepts the origin followed by %j', async (path) => {
    const url = stage.server.controlUrl.replace('/__sim', path);
    expect(await createControl(url, { token: 'the-token' }).getHealth()).toEqual({ status: 'ok', scenario: 'default' });
    expect(await createControl(new URL(url), { token: 'the-token' }).getClock()).toMatchObject({ mode: 'frozen' });
  });

  test('accepts the URL of a sandbox, and controls that sandbox', async () => {
    for (const name of ['box', 'v1', 's']) {
      const { controlUrl, baseUrl } = await stage.there.createSandbox({ name, scenario: 'tiny' });
      for (const url of [controlUrl, baseUrl]) {
        expect(await createControl(url, { token: 'the-token' }).getHealth()).toMatchObject({ scenario: 'tiny' });
      }
    }
  });

  test.each(['', 'localhost:4010', '4010', 'ftp://localhost', '/__sim'])('rejects %j at once', (url) => {
    expect(() => createControl(url)).toThrow(TypeError);
    expect(() => createControl(url)).toThrow('expected one such as "http://127.0.0.1:4010/__sim"');
  });

  test("fails with the server's message: without a token, without a sandbox", async () => {
    const { controlUrl } = stage.server;
    const refusal = createControl(controlUrl).reset();
    await expect(refusal).rejects.toBeInstanceOf(ControlError);
    await expect(refusal).rejects.toMatchObject({ name: 'ControlError', status: 401, code: 'unauthorized' });
    expect(await outcome(() => createControl(controlUrl, { token: 'wrong' }).reset())).toMatchObject({ status: 401 });
    await expect(createControl(controlUrl).watchRequests().next()).rejects.toMatchObject({ status: 401 });
    expect(await outcome(() => stage.there.sandbox('none').reset())).toMatchObject({ status: 404 });
  });

  test('fails with the message of fetch if no server listens, and describes another server', async () => {
    await expect(createControl('http://127.0.0.1:9').getHealth()).rejects.toThrow('fetch failed');
    const other = await startBackend((_request, response) => response.writeHead(502).end('<html>'));
    const found = outcome(() => createControl(other.url).getHealth());
    expect(await found).toEqual({
      status: 502,
      code: 'unreadable',
      message: 'expected the control API, got "<html>"',
    });
  });

  test('returns plain objects with exact whole numbers', async () => {
    await send(stage.sim, { body: '{"name":"Big","categoryId":9223372036854775807}' });
    const state = await stage.there.exportState();
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype);
    expect(state.pets.at(-1)).toStrictEqual({
      id: 41,
      name: 'Big',
      categoryId: 9223372036854775807n,
      status: 'available',
    });
  });

  test('closes its connection when a loop over requests ends', async () => {
    const { there, sim, server } = stage;
    for (let n = 0; n < 25; n++) {
      const next = n + 1;
      setTimeout(() => send(sim), 5);
      for await (const entry of there.watchRequests({ since: n })) {
        expect(entry.id).toBe(next);
        break;
      }
    }
    // It waits for a connection that is in use.
    await server.close({ graceMs: 600_000 });
  });

  test('has types for inputs, results, promises and optional fields', () => {
    const { here, there } = stage;
    expectTypeOf(here.banKey).parameters.toEqualTypeOf<[input: { key: string; for: string | number }]>();
    expectTypeOf(here.changeClock).parameters.toEqualTypeOf<
      [input: { advance: string | number } | { set: string | number | Date } | { freeze: true } | { resume: true }]
    >();
    expectTypeOf(here.changeClock).returns.toEqualTypeOf<{ now: string; mode: 'real' | 'frozen' }>();
    expectTypeOf(there.changeClock).returns.resolves.toEqualTypeOf<{ now: string; mode: 'real' | 'frozen' }>();
    expectTypeOf(here.getHealth).toBeCallableWith();
    expectTypeOf(there.queryJournal).toBeCallableWith({ operation: 'createPet', status: 201 });
    expectTypeOf(there.queryJournal).returns.resolves.toHaveProperty('entries').toEqualTypeOf<JournalEntry[]>();
    expectTypeOf(here.waitForRequests).returns.resolves.toEqualTypeOf<{ met: boolean; count: number }>();
    expectTypeOf(there.watchRequests).returns.toEqualTypeOf<AsyncIterableIterator<JournalEntry>>();
    expectTypeOf(there.sandbox('a').getVerdict).returns.resolves.toHaveProperty('outcome');
    expectTypeOf<Control>().not.toHaveProperty('createSandbox');
    // @ts-expect-error a field that there is not
    expect(() => here.changeClock({ advace: '1s' })).toThrow('did you mean advance?');
    // @ts-expect-error an input that is needed
    expect(() => here.getKey()).toThrow('key: expected');
  });
});

test('the version equals that of package.json', () => {
  expect(version).toBe(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version);
});
