import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { describeOnEveryAdapter, noon, noonSeconds, rate } from '../support/adapters.js';

const { minute: perMinute } = documentedPlans.free;

const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** Headers of the transport, not of the API. */
const ofTheAdapter = ['connection', 'content-length', 'keep-alive', 'transfer-encoding'];

const everyAnswer = [
  [200, 'GET', '/pets', {}],
  [201, 'POST', '/pets', { body: '{"name":"Rex","categoryId":1}' }],
  [400, 'GET', '/pets?limit=0', {}],
  [401, 'GET', '/pets', { key: 'revoked-key' }],
  [404, 'GET', '/pets/999', {}],
  [404, 'GET', '/nowhere', {}],
  [404, 'GET', '', {}],
  [404, 'GET', '/', {}],
  [405, 'DELETE', '/pets', {}],
  [413, 'POST', '/pets', { body: `"${'x'.repeat(64 * 1024)}"` }],
  [429, 'GET', '/pets', { key: 'used-up' }],
  [429, 'GET', '/pets', { key: 'banned' }],
] as const;

const keys = { 'used-up': { usage: { minute: documentedPlans.free.minute } }, banned: { bannedFor: '10s' } };

describeOnEveryAdapter('headers', (open) => {
  test('has no header that the document does not promise', async () => {
    const { call } = await open({ keys });
    const additions: Record<number, string[]> = {
      401: ['www-authenticate'],
      405: ['allow'],
      429: ['cache-control', 'retry-after'],
    };
    for (const [status, method, path, options] of everyAnswer) {
      const answer = await call(method, path, { key: 'free-key', ...options });
      expect(answer.status).toBe(status);
      const own = [...answer.headers.keys()].filter((name) => !ofTheAdapter.includes(name));
      expect(own.sort()).toEqual(['content-type', 'date', ...names, ...(additions[status] ?? [])].sort());
    }
  });

  test('Date follows the clock of the simulator', async () => {
    const { get, sim } = await open();
    expect(Date.parse((await get('/pets')).headers.get('date') ?? '')).toBe(Date.parse(noon));
    sim.clock.advance('1h');
    const answer = await get('/pets');
    expect(answer.headers.get('date')).toBe('Thu, 01 Jan 2026 13:00:00 GMT');
    expect(rate(answer)).toEqual([perMinute, perMinute - 1, noonSeconds + 3600 + 60]);
  });

  test('a HEAD request gets the status and headers of GET, uses the same quota, and has no body', async () => {
    const { call, get, sim } = await open({ keys });
    const withoutRate = ({ status, headers }: { status: number; headers: Headers }) => {
      const fields = [...headers].filter(([name]) => !/^x-ratelimit|content-length|connection|keep-alive/.test(name));
      return { status, fields };
    };
    for (const path of ['/pets', '/pets?limit=1', '/pets/1', '/pets/999', '/orders', '/pets?limit=0']) {
      const head = await call('HEAD', path, { key: 'free-key' });
      expect(head.bodyText).toBe('');
      const answer = await get(path);
      expect(withoutRate(head), path).toEqual(withoutRate(answer));
      expect(rate(answer)[1]).toBe((rate(head)[1] as number) - 1);
    }
    expect(sim.journal.query().filter(({ method, responseBody }) => method === 'HEAD' && responseBody !== '')).toEqual(
      [],
    );
    expect((await call('HEAD', '/pets', { key: 'nobody' })).status).toBe(401);
    sim.keys.setUsage('free-key', { minute: perMinute });
    const refused = await call('HEAD', '/pets', { key: 'free-key' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  });

  test('every error has a code from section 8, and a message of one sentence without a stack or a path', async () => {
    const { call } = await open({ keys });
    const codes = new Set<string>();
    for (const [status, method, path, options] of everyAnswer.filter(([status]) => status >= 400)) {
      const { json } = await call(method, path, { key: 'free-key', ...options });
      codes.add(`${status} ${json.code}`);
      expect(json.message).toMatch(/^[^\n]{8,200}\.$/);
      expect(json.message).not.toMatch(/\bat .*:\d+|node_modules|\/work|\.ts\b/);
    }
    expect([...codes]).toEqual([
      '400 invalid_request',
      '401 unauthorized',
      '404 not_found',
      '405 method_not_allowed',
      '413 payload_too_large',
      '429 rate_limit_exceeded',
      '429 key_banned',
    ]);
  });
});

describe('a bug in the simulator', () => {
  test('responds with 500 and the X-RateLimit headers, and reports its cause only in the log', async () => {
    const told: unknown[] = [];
    const scenario = { clock: { start: noon, mode: 'frozen' } } as const;
    const sim = createSimulator({ scenario, onError: (error) => told.push(error) });
    const cause = new Error('secret');
    const answer = await sim.handle({
      method: 'POST',
      path: '/pets',
      query: '',
      baseUrl: 'http://petstore.test/v1',
      header: (name) => {
        if (name === 'content-type') throw cause;
        return name === 'authorization' ? 'Bearer free-key' : undefined;
      },
      body: undefined,
    });
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.body)).toEqual({
      code: 'internal_error',
      message: 'The simulator failed; this is a bug in the simulator.',
      status: 500,
    });
    expect(answer.headers).toEqual({
      'Content-Type': 'application/json',
      Date: 'Thu, 01 Jan 2026 12:00:00 GMT',
      'X-RateLimit-Limit': String(perMinute),
      'X-RateLimit-Remaining': String(perMinute - 1),
      'X-RateLimit-Reset': String(noonSeconds + 60),
    });
    expect(told).toEqual([cause]);
  });
});
