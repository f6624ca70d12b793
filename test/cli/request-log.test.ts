import { stripVTControlCharacters } from 'node:util';
import { HttpResponse, http } from 'msw';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRequestLog } from '../../src/cli/request-log.js';
import type { Scenario, Simulator } from '../../src/entries/index.js';
import type { ListenOptions } from '../../src/entries/node.js';
import { frozen } from '../support/frozen.js';
import { openServer } from '../support/open-server.js';
import { patience } from '../support/patience.js';
import { rawClient, rawRequestText } from '../support/raw-client.js';
import { rawRequest } from '../support/raw-request.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A server that logs in both forms. */
async function open(scenario: Scenario = {}, options: ListenOptions = {}, more?: ListenOptions['onAnswer']) {
  const sim: Simulator = frozen(scenario);
  const [lines, pretty]: [Record<string, unknown>[], string[]] = [[], []];
  const logs = [
    createRequestLog('json', (line) => lines.push(JSON.parse(line))),
    createRequestLog('pretty', (line) => pretty.push(stripVTControlCharacters(line))),
    more,
  ];
  const running = await openServer(sim, {
    onAnswer: (...args) => logs.forEach((log) => void log?.(...args)),
    ...options,
  });
  const origin = running.baseUrl.replace('/v1', '');
  const call = async (target: string, { key = 'free-key', ...init }: RequestInit & { key?: string } = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...init.headers };
    const { status } = await fetch(`${origin}${target}`, { ...init, headers });
    // A control request is logged when its connection is done with it.
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0), patience);
    return status;
  };
  return { sim, running, lines, pretty, call };
}

test('a successful health probe is in the JSON log only', async () => {
  const { lines, pretty, call } = await open();
  for (const target of ['/__sim/health', '/__sim/clock', '/__sim/health?verbose=1']) await call(target);
  await vi.waitFor(() => expect(lines).toHaveLength(3), patience);
  expect(pretty.map((line) => /\/__sim\S+/.exec(line)?.[0])).toEqual(['/__sim/clock', '/__sim/health?verbose=1']);
});

describe('a key in the log', () => {
  test("is complete for the scenario's keys, and masked for added or unknown ones", async () => {
    const { sim, lines, pretty, call } = await open({ keys: { 'alice-key': { plan: 'pro' } } });
    sim.keys.add('added-secret-1234');
    for (const key of ['free-key', 'alice-key', 'revoked-key', 'added-secret-1234', 'unknown-secret-9']) {
      await call('/v1/pets?limit=1', { key });
    }
    expect(lines.map(({ key }) => key)).toEqual(['free-key', 'alice-key', 'revoked-key', '…1234~kps3', '…et-9~eive']);
    expect(pretty.join('\n')).toMatch(/alice-key.*\n.*revoked-key.*\n.*…1234.*\n.*…et-9/);
  });

  test('is masked in the target, in an error message and in the path of a control operation', async () => {
    const { sim, lines, pretty, call } = await open();
    sim.keys.add('added-secret-1234');
    await call('/v1/pets?k=added-secret-1234&own=sent-secret-5678', { key: 'sent-secret-5678' });
    await call('/v1/pets?status=added-secret-1234');
    await call('/v1/pets?k=free-key');
    await call('/nowhere/sent-secret-5678', { key: 'sent-secret-5678' });
    await call('/__sim/keys/guessed-secret-0', { key: '' });
    await vi.waitFor(() => expect(lines).toHaveLength(5), patience);
    expect(lines.map(({ target }) => target)).toEqual([
      '/v1/pets?k=…1234~kps3&own=…5678~rvht',
      '/v1/pets?status=…1234~kps3',
      '/v1/pets?k=free-key',
      '/nowhere/…5678~rvht',
      '/__sim/keys/…et-0~lfhb',
    ]);
    expect(lines[1]?.message).toContain('status is "…1234~kps3"');
    expect(JSON.stringify([lines, pretty])).not.toMatch(/secret-\d{4}|guessed-secret/);
  });
});

describe('the log contains the reason', () => {
  test('of a rejected call: code and message', async () => {
    const { lines, pretty, call } = await open();
    await call('/v1/pets?limit=0');
    await call('/v1/pets', { key: 'nobody-knows' });
    await call('/v1/orders');
    expect(lines.map(({ status, code, message }) => [status, code, message])).toEqual([
      [400, 'invalid_request', 'limit is "0"; it must be a whole number from 1 to 100.'],
      [401, 'unauthorized', expect.stringContaining('API key')],
      [404, 'not_found', expect.stringContaining('There is no such path')],
    ]);
    expect(pretty[0]).toMatch(/ 400 .*GET \/v1\/pets\?limit=0 {2}invalid_request: limit is "0"; it must be/);
  });

  test('of a rate limit: code and time of the next attempt', async () => {
    const { lines, pretty, call } = await open({ keys: { 'free-key': { usage: { minute: 60 } } } });
    await call('/v1/pets');
    expect(lines).toMatchObject([{ status: 429, code: 'rate_limit_exceeded', retryAfter: '60', remaining: 0 }]);
    expect(pretty[0]).toMatch(/GET \/v1\/pets {2}rate_limit_exceeded, retry after 60$/);
  });

  test('of strikes starts again with the next refusal', async () => {
    const { sim, lines, call } = await open({ keys: { 'free-key': { usage: { minute: 60 } } } });
    for (const wait of ['2s', '2s', '61s']) {
      await call('/v1/pets?limit=1');
      sim.clock.advance(wait);
    }
    await call('/v1/pets?limit=1');
    sim.keys.setUsage('free-key', { minute: 60 });
    await call('/v1/pets?limit=1');
    sim.clock.advance('2s');
    await call('/v1/pets?limit=1');
    await vi.waitFor(() => expect(lines).toHaveLength(6), patience);
    expect(lines.map(({ strike }) => strike)).toEqual([undefined, 1, 2, undefined, undefined, 1]);
  });

  test('of strikes and bans, in the words of the dashboard, in red', async () => {
    const colored: string[] = [];
    vi.stubEnv('NO_COLOR', undefined);
    vi.stubEnv('FORCE_COLOR', '1');
    const log = createRequestLog('pretty', (line) => colored.push(line));
    const { sim, pretty, lines, call } = await open(
      { keys: { 'free-key': { usage: { minute: 59 } }, 'pro-key': { plan: 'pro', usage: { minute: 300 } } } },
      {},
      log,
    );
    const steps: [wait: string, key?: string][] = [['0s'], ['0s'], ['2s'], ['2s', 'pro-key'], ['2s'], ['2s'], ['3s']];
    for (const [wait, key = 'free-key'] of steps) {
      sim.clock.advance(wait);
      await call('/v1/pets', { key });
    }
    await vi.waitFor(() => expect(pretty).toHaveLength(steps.length), patience);
    const notes = pretty.map((line) => line.split('/v1/pets')[1]?.trim());
    expect(notes).toEqual([
      '',
      'rate_limit_exceeded, retry after 60',
      'strike 1: retried after 2 s instead of 60 s',
      'rate_limit_exceeded, retry after 56',
      'strike 2: retried after 4 s instead of 58 s',
      'strike 3: banned for 2:00',
      'banned, 1:57 left',
    ]);
    expect(lines.map(({ strike }) => strike)).toEqual([undefined, undefined, 1, undefined, 2, 3, undefined]);
    expect(lines.map(({ waitedMs, waitMs }) => [waitedMs, waitMs])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [2_000, 60_000],
      [undefined, undefined],
      [4_000, 58_000],
      [2_000, 54_000],
      [undefined, undefined],
    ]);
    const paintOf = (line = '') => /\[(\d+)m(?:200|429)/.exec(line)?.[1];
    expect(colored.map(paintOf)).toEqual(['32', '33', '31', '33', '31', '31', '31']);
  });

  test('of a wrong URL: a missing prefix or a foreign host', async () => {
    const { running, lines, pretty, call } = await open();
    await call('/pets');
    await call('/s/a/b');
    await rawRequest(running.port, 'GET /v1/pets HTTP/1.1\r\nHost: evil.test\r\n\r\n');
    expect(lines).toMatchObject([
      { event: 'request', status: 404, target: '/pets', code: 'not_found', message: expect.stringContaining('/v1') },
      { event: 'request', status: 404, target: '/s/a/b' },
      {
        event: 'request',
        status: 403,
        code: 'forbidden',
        message: expect.stringContaining('--allowed-host evil.test'),
      },
    ]);
    expect(pretty[0]).toMatch(/ 404 .*GET \/pets {2}not_found: There is nothing at this address/);
  });

  test.each([
    ['bytes that are not HTTP', 'hello there\r\n\r\n', 400, /not valid HTTP\/1\.1: .*[a-z]/],
    ['a client that speaks TLS', '\x16\x03\x01\x02\x00\x01', 400, /begins with TLS; call this server by http/],
    ['a header that is none', 'GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nA b: c\r\n\r\n', 400, /not valid HTTP/],
    ['headers that are too large', `GET /v1 HTTP/1.1\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, 431, /larger than 16 KiB/],
  ])('%s: one line, though there is no request', async (_what, bytes, status, message) => {
    const { running, lines, pretty, call } = await open();
    const answer = await rawRequest(running.port, Buffer.from(bytes, 'latin1'));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(lines).toEqual([
      {
        event: 'request',
        time: expect.any(String),
        method: '',
        target: '',
        status,
        code: 'invalid_request',
        message: expect.stringMatching(message),
        durationMs: expect.any(Number),
      },
    ]);
    expect(answer).toContain(lines[0]?.message);
    expect(pretty[0]).toMatch(new RegExp(` ${status} .*\\(no request\\) {2}invalid_request: `));
    // The input is not printed, and the server continues.
    expect(await call('/v1/pets?limit=1')).toBe(200);
  });

  test('of a CONNECT request: the server is not a proxy', async () => {
    const { running, lines } = await open();
    await rawRequest(running.port, 'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n\r\n');
    expect(lines).toMatchObject([
      { status: 405, method: 'CONNECT', target: 'example.test:443', message: expect.stringContaining('not a proxy') },
    ]);
  });

  test('of a page that cannot read a response: its origin is not allowed, in the preflight too', async () => {
    const { lines, pretty, call } = await open();
    const asked = { 'Access-Control-Request-Method': 'POST' };
    for (const Origin of ['http://evil.test', 'http://localhost:5173']) {
      await call('/v1/pets?limit=1', { headers: { Origin } });
      await call('/v1/pets', { method: 'OPTIONS', headers: { Origin, ...asked } });
    }
    expect(lines.map(({ event, status, refusedOrigin }) => [event, status, refusedOrigin])).toEqual([
      ['request', 200, 'http://evil.test'],
      ['preflight', 204, 'http://evil.test'],
      ['request', 200, undefined],
      ['preflight', 204, undefined],
    ]);
    expect(pretty[0]).toContain('the page of http://evil.test may not read the response; see the assumption cors');
    expect(pretty[1]).toMatch(/ 204 {2}preflight .*OPTIONS \/v1\/pets/);
  });
});

describe('a response that a fault destroys is not logged as sent', () => {
  test.each([
    ['reset', { reset: true }],
    ['close', { close: true }],
    ['hang', { hang: true }],
  ] as const)('%s', async (kind, effect) => {
    const { sim, running, lines, pretty } = await open({
      faults: [{ name: 'bad', when: { operation: 'createPet' }, then: { ...effect, phase: 'after' } }],
    });
    const client = await rawClient(running.port);
    client.write(rawRequestText('POST', '/pets', '{"name":"Rex","categoryId":1}'));
    await vi.waitFor(() => expect(lines).toHaveLength(1), patience);
    expect(lines).toMatchObject([{ status: 0, wire: kind, unsentStatus: 201, fault: 'bad' }]);
    expect(pretty[0]).toMatch(new RegExp(`  ---  createPet .*fault bad, ${kind} instead of 201$`));
    expect(sim.pets.size).toBe(41);
    client.leave();
  });

  test('a response that is cut in its body is logged with its status and the fault', async () => {
    const { running, lines, pretty, call } = await open({ faults: [{ when: {}, then: { truncate: { bytes: 5 } } }] });
    await expect(call('/v1/pets').then(() => fetch(`${running.baseUrl}/pets`))).resolves.toBeDefined();
    expect(lines[0]).toMatchObject({ status: 200, wire: 'truncate' });
    expect(lines[0]).not.toHaveProperty('unsentStatus');
    expect(pretty[0]).toContain('truncate');
  });

  test('a response whose client disconnected during a delay is not logged as sent', async () => {
    const { sim, running, lines, pretty } = await open({ faults: [{ when: {}, then: { delay: '30s' } }] });
    const client = await rawClient(running.port);
    client.write(rawRequestText('GET', '/pets'));
    await vi.waitUntil(() => sim.journal.pending === 1, patience);
    client.leave();
    await vi.waitFor(() => expect(lines).toHaveLength(1), patience);
    expect(lines).toMatchObject([{ event: 'request', status: 0, target: '/v1/pets' }]);
    expect(pretty[0]).toContain('the connection ended without a response');
  });
});

test('control requests are logged, with the reason of a failure', async () => {
  const { lines, pretty, call } = await open();
  const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
  await call('/__sim/clock', { ...json, body: '{"advance":"61s"}' });
  await call('/__sim/clock', { ...json, body: '{"advance":"-1s"}' });
  await call('/__sim/nothing');
  await call('/__sim/clock', { method: 'POST', body: 'x' });
  await vi.waitFor(() => expect(lines).toHaveLength(4), patience);
  expect(lines.map(({ event, method, target, status, code }) => [event, method, target, status, code])).toEqual([
    ['control', 'POST', '/__sim/clock', 200, undefined],
    ['control', 'POST', '/__sim/clock', 400, 'invalid_request'],
    ['control', 'GET', '/__sim/nothing', 404, 'not_found'],
    ['control', 'POST', '/__sim/clock', 415, 'unsupported_media_type'],
  ]);
  expect(lines[1]?.message).toContain('advance');
  expect(pretty[0]).toMatch(/ 200 {2}control .*POST \/__sim\/clock$/);
});

test('responses of handlers are logged, in a sandbox with the keys and the clock of its scenario', async () => {
  const { running, lines, call } = await open(
    {},
    {
      handlers: [
        http.get('*/v1/own', () => HttpResponse.text('own')),
        http.get('*/v1/cut', () => HttpResponse.error()),
      ],
    },
  );
  await call('/v1/own');
  await call('/v1/cut').catch(() => {});
  const box = running.sandboxes.create('box', {
    keys: { 'box-key-1': {} },
    clock: { start: '2030-01-01T00:00:00Z', mode: 'frozen' },
  });
  await call('/s/box/v1/pets?k=box-key-1', { key: 'box-key-1' });
  await vi.waitFor(() => expect(lines).toHaveLength(3), patience);
  expect(lines).toMatchObject([
    { event: 'request', status: 200, target: '/v1/own' },
    { event: 'request', status: 0, target: '/v1/cut' },
    { status: 200, key: 'box-key-1', target: '/s/box/v1/pets?k=box-key-1', time: '2030-01-01T00:00:00.000Z' },
  ]);
  expect(box.sim.journal.query()).toHaveLength(1);
});

test('an error in the log does not end the server', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const onAnswer = () => {
    throw new Error('full');
  };
  const { running } = await open({}, { onAnswer });
  for (let n = 0; n < 2; n++) {
    const response = await fetch(`${running.baseUrl}/pets`, { headers: { authorization: 'Bearer free-key' } });
    expect(response.status).toBe(200);
  }
  expect(printed).toHaveBeenCalledWith(expect.objectContaining({ message: 'full' }));
  printed.mockRestore();
});

test('a request to a dropped sandbox reports that the sandbox is recreated', async () => {
  // The monotonic time alone, which decides what is idle.
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { lines, pretty, call } = await open();
    await call('/s/mine/v1/pets');
    vi.advanceTimersByTime(660_000);
    await call('/s/mine/v1/pets');
    await call('/s/mine/v1/pets');
    expect(lines.map(({ sandbox }) => sandbox)).toEqual([undefined, 'recreated', undefined]);
    expect(pretty[1]).toContain('new sandbox, because the idle one was dropped');
  } finally {
    vi.useRealTimers();
  }
});
