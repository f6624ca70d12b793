import { describe, expect, test } from 'vitest';
import { type Scenario, serveRoute } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { frozen } from '../support/frozen.js';
import { brief } from './recorded-entries.js';

interface Attempt {
  /** Default: POST. */
  method?: 'GET';
  path?: string;
  body?: string;
  headers?: Record<string, string>;
}

interface Run {
  attempts: readonly Attempt[];
  /** Response of the service to the n-th request that reaches it, from 1. */
  respond: (count: number, key: string | null) => Response;
  scenario?: Scenario;
}

/** The response to the first request is lost, after the service has handled the request. */
const firstLost: Scenario = { faults: [{ when: { nth: 1 }, then: { reset: true, phase: 'after' } }] };

/** Judges a client of a custom service by its attempts, a second apart. */
async function judged({ attempts, respond, scenario = firstLost }: Run) {
  const sim = frozen(scenario);
  let count = 0;
  for (const { method = 'POST', path = '/v1/orders', body = '{"sku":7}', headers } of attempts) {
    const request = new Request(`http://petstore.test${path}`, {
      method,
      headers: { authorization: 'Bearer free-key', 'content-type': 'application/json', ...headers },
      ...(method === 'POST' && { body }),
    });
    await serveRoute(sim, request, () => respond(++count, request.headers.get('idempotency-key')));
    sim.clock.advance('1s');
  }
  return judge(sim, { isOver: true });
}

const json = (value: unknown, status = 201) => Response.json(value, { status });
const withKey = (key: string, name = 'Idempotency-Key'): Attempt => ({ headers: { [name]: key } });

describe('a write that is repeated after a lost response', () => {
  test('fails if the responses have two different ids', async () => {
    const verdict = await judged({ attempts: [{}, {}], respond: (count) => json({ id: `order-${count}` }) });
    expect(brief(verdict)).toBe('fail duplicate-write:fail');
    expect(verdict.findings[0]).toMatchObject({ measured: '2 resources stored (order-1, order-2)', requests: [1, 2] });
  });

  test('fails if the responses name two resources by Location', async () => {
    const respond = (count: number) =>
      new Response(null, { status: 201, headers: { Location: `/v1/orders/${count}` } });
    expect(brief(await judged({ attempts: [{}, {}], respond }))).toBe('fail duplicate-write:fail');
  });

  test('passes if both responses have one id', async () => {
    const verdict = await judged({ attempts: [{}, {}], respond: () => json({ id: 'cus_1' }) });
    expect(brief(verdict)).toBe('pass');
    expect(verdict.exercised).toContain('duplicate-write');
  });

  test.each<[string, (count: number) => Response]>([
    ['an empty 204', () => new Response(null, { status: 204 })],
    ['the same words', () => json({ ok: true })],
    ['nothing but a time', (count) => json({ ok: true, at: `2026-01-01T12:00:0${count}Z` })],
    ['an id within an object', (count) => json({ data: { id: count } }, 200)],
    ['an id in the second response only', (count) => json(count === 1 ? {} : { id: 2 })],
    ['the id of the request, as JSON-RPC has', (count) => json({ jsonrpc: '2.0', id: count, result: null }, 200)],
    ['the id of the request at the end', (count) => json({ result: 'ok', jsonrpc: '2.0', id: count }, 200)],
  ])('is inconclusive if the responses have %s', async (_, respond) => {
    const verdict = await judged({ attempts: [{}, {}], respond });
    expect(brief(verdict)).toBe('inconclusive');
    expect(verdict.reason).toMatch(/^POST \/orders was sent again .*no id .*--reads 'POST \/orders'\.$/);
  });

  test('is inconclusive for one call name without ids, too', async () => {
    const named = { headers: { 'X-Sim-Call': 'a' } };
    expect(brief(await judged({ attempts: [named, named], respond: () => json({}) }))).toBe('inconclusive');
  });
});

describe('an idempotency key', () => {
  const replaying = () => {
    const stored = new Map<string | null, number>();
    return (count: number, key: string | null) => {
      if (!stored.has(key)) stored.set(key, count);
      return json({ id: stored.get(key) });
    };
  };

  test('makes one write of attempts with one id or one response', async () => {
    const attempts = [withKey('a'), withKey('a')];
    expect(brief(await judged({ attempts, respond: replaying() }))).toBe('pass');
    expect(brief(await judged({ attempts, respond: () => json({ number: 'A-1017' }) }))).toBe('pass');
    const nested = () => json({ data: { order: { id: '20260117' } } }, 200);
    expect(brief(await judged({ attempts, respond: nested }))).toBe('pass');
  });

  test.each(['Idempotency-Key', 'X-Idempotency-Key', 'PayPal-Request-Id'])('is read from %s', async (name) => {
    const attempts = [withKey('a', name), withKey('a', name)];
    expect(brief(await judged({ attempts, respond: () => json({ number: 'A-1017' }) }))).toBe('pass');
  });

  test('is inconclusive if the response is the same for every resource', async () => {
    const verdict = await judged({ attempts: [withKey('a'), withKey('a')], respond: () => json({ ok: true }) });
    expect(brief(verdict)).toBe('inconclusive');
  });

  test('is named if it was another one for each attempt', async () => {
    const attempts = [withKey('a'), withKey('b')];
    const verdict = await judged({ attempts, respond: replaying() });
    expect(brief(verdict)).toBe('fail duplicate-write:fail');
    expect(verdict.findings[0]?.text).toMatch(
      /Each attempt had another idempotency key: send one key with all attempts/,
    );
    const unnamed = await judged({ attempts, respond: () => json({ number: 'A-1017' }) });
    expect(brief(unnamed)).toBe('inconclusive');
    expect(unnamed.reason).toContain('Each attempt had another idempotency key');
  });

  test('is no fault of the client if the service ignores it', async () => {
    const verdict = await judged({ attempts: [withKey('a'), withKey('a')], respond: (count) => json({ id: count }) });
    expect(brief(verdict)).toBe('inconclusive');
    expect(verdict.reason).toBe(
      'POST /orders was stored twice (1, 2) although the idempotency key was the same: the service does not honor the key.',
    );
  });

  test('does not excuse a client of the Petstore, which has none', async () => {
    const sim = frozen(firstLost);
    const post = () =>
      sim.fetch('/v1/pets', {
        method: 'POST',
        headers: { authorization: 'Bearer free-key', 'content-type': 'application/json', 'idempotency-key': 'a' },
        body: '{"name":"Rex","categoryId":1}',
      });
    await expect(post()).rejects.toThrow();
    await post();
    const verdict = judge(sim, { isOver: true });
    expect(brief(verdict)).toBe('fail duplicate-write:fail');
    expect(verdict.findings[0]?.text).toContain('it does not honor the key');
  });

  test('proves the retry of a write that was not stored', async () => {
    const scenario: Scenario = { faults: [{ when: { nth: 1 }, then: { respond: { status: 500 } } }] };
    const respond = () => json({ id: 1 });
    expect(brief(await judged({ attempts: [withKey('a'), withKey('a')], respond, scenario }))).toBe('pass');
  });
});

describe("headers of SDKs that name a call's attempts", () => {
  const sdk = (name: string, value: string): Attempt => ({ headers: { [name]: value } });
  const respond = (count: number) => json({ id: count });

  test('show retries and new calls: amz-sdk-invocation-id', async () => {
    const call = (id: string) => sdk('amz-sdk-invocation-id', id);
    expect(brief(await judged({ attempts: [call('a'), call('a')], respond }))).toBe('fail duplicate-write:fail');
    expect((await judged({ attempts: [call('a'), call('b')], respond })).findings).toEqual([]);
  });

  test('show retries and new calls: x-stainless-retry-count', async () => {
    const attempt = (count: number) => sdk('x-stainless-retry-count', String(count));
    expect(brief(await judged({ attempts: [attempt(0), attempt(1)], respond }))).toBe('fail duplicate-write:fail');
    expect((await judged({ attempts: [attempt(0), attempt(0)], respond })).findings).toEqual([]);
  });

  test('name nothing if no retry is counted, as with a fetch that retries by itself', async () => {
    const first = sdk('x-stainless-retry-count', '0');
    const refusal = { status: 429, headers: { 'Retry-After': '1' } };
    const scenario: Scenario = { faults: [{ when: { nth: 1 }, then: { respond: refusal } }], expect: { served: true } };
    expect(brief(await judged({ attempts: [first, first], respond, scenario }))).toBe('pass');
    const read: Attempt = { ...first, method: 'GET' };
    expect(brief(await judged({ attempts: [read, read], respond, scenario }))).toBe('pass');
  });

  test('name nothing if a retry may belong to two calls', async () => {
    const attempt = (count: number) => sdk('x-stainless-retry-count', String(count));
    const scenario: Scenario = { faults: [{ when: {}, then: { reset: true, phase: 'after' } }] };
    const verdict = await judged({ attempts: [attempt(0), attempt(0), attempt(1)], respond, scenario });
    expect(verdict.findings[0]).toMatchObject({ requests: [1, 2, 3] });
  });
});
