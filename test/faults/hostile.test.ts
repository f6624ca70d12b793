import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { httpAdapter, noonSeconds } from '../support/adapters.js';
import { ofHttpAlone, openUnchecked } from '../support/unchecked.js';

const httpDate = (seconds: number) => new Date(seconds * 1000).toUTCString();

/** Ten seconds past noon, when `spent-key` has fifty seconds to wait, and `banned-key` eighty. */
const nowSeconds = noonSeconds + 10;
const keys: Scenario['keys'] = {
  'spent-key': { usage: { minute: documentedPlans.free.minute, day: 60 } },
  'banned-key': { bannedFor: '90s' },
};

const asked = {
  served: ['GET', '/pets', 'free-key'],
  created: ['POST', '/pets', 'free-key'],
  invalid: ['GET', '/pets?limit=0', 'free-key'],
  notFound: ['GET', '/pets/9', 'free-key'],
  noRoute: ['GET', '/nowhere', 'free-key'],
  unauthorized: ['GET', '/pets', 'no-such-key'],
  refused: ['GET', '/pets', 'spent-key'],
  banned: ['GET', '/pets', 'banned-key'],
} as const;
type Asked = keyof typeof asked;
const everything = Object.keys(asked) as Asked[];
const refusals: Asked[] = ['refused', 'banned'];

interface Answered {
  status: number;
  headers: Record<string, string>;
  body: string;
}

describe('hostile headers', () => {
  async function service(scenario: Scenario) {
    const made = await openUnchecked(httpAdapter, { keys, ...scenario });
    made.sim.clock.advance('10s');
    return async (what: Asked): Promise<Answered> => {
      const [method, path, key] = asked[what];
      const init = method === 'POST' ? { body: '{"name":"Rex","categoryId":1}' } : {};
      const answer = await made.send(method, path, { ...init, headers: { authorization: `Bearer ${key}` } });
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => !ofHttpAlone.test(name)));
      return { status: answer.status, headers, body: await answer.text() };
    };
  }

  /** All responses of a scenario, with and without hostile headers. */
  async function both(hostileHeaders: Scenario['hostileHeaders']) {
    const all = async (scenario: Scenario) => {
      const ask = await service(scenario);
      const answers: Answered[] = [];
      for (const what of everything) answers.push(await ask(what));
      return answers;
    };
    const plain = await all({});
    const hostile = await all({ hostileHeaders });
    return everything.map((what, index) => ({
      what,
      hostile: hostile[index] as Answered,
      plain: plain[index] as Answered,
    }));
  }

  test.each([
    ['past-date', httpDate(nowSeconds - 1), httpDate(nowSeconds - 1)],
    ['fractional', '49.5', '79.5'],
    ['zero', '0', '0'],
    ['missing', undefined, undefined],
    ['huge', '2592000', '2592000'],
    ['epoch', String(noonSeconds + 60), String(noonSeconds + 90)],
    ['milliseconds', '50000', '80000'],
    ['garbage', 'soon', 'soon'],
  ] as const)('retryAfter: %s affects refusals, and nothing else changes', async (form, refused, banned) => {
    for (const { what, hostile, plain } of await both({ retryAfter: form })) {
      const expected = { refused, banned }[what as 'refused'];
      const { 'retry-after': before, ...others } = plain.headers;
      expect(before).toBe({ refused: '50', banned: '80' }[what as 'refused']);
      expect(hostile).toEqual({
        ...plain,
        headers: { ...others, ...(expected !== undefined && { 'retry-after': expected }) },
      });
    }
  });

  test.each([
    ['milliseconds', (reset: number) => reset * 1000],
    ['delta', (reset: number) => reset - nowSeconds],
    ['skewed', (reset: number) => reset - 40],
  ] as const)('reset: %s affects every response, and Retry-After stays correct', async (form, wrong) => {
    for (const { hostile, plain } of await both({ reset: form })) {
      const reset = String(wrong(Number(plain.headers['x-ratelimit-reset'])));
      expect(hostile).toEqual({ ...plain, headers: { ...plain.headers, 'x-ratelimit-reset': reset } });
    }
  });

  test('remaining above 0 affects only refusals', async () => {
    for (const { what, hostile, plain } of await both({ remaining: 12 })) {
      const remaining = refusals.includes(what) ? '12' : plain.headers['x-ratelimit-remaining'];
      expect(hostile).toEqual({ ...plain, headers: { ...plain.headers, 'x-ratelimit-remaining': remaining } });
    }
  });

  test('html turns only refusals into pages without rate-limit headers', async () => {
    for (const { what, hostile, plain } of await both({ html: true })) {
      if (!refusals.includes(what)) {
        expect(hostile).toEqual(plain);
        continue;
      }
      expect(hostile.status).toBe(429);
      expect(hostile.headers).toEqual({
        'content-type': 'text/html',
        date: plain.headers.date,
        'cache-control': 'no-store',
      });
      expect(hostile.body).toMatch(/^<!doctype html>.*429/);
    }
  });

  test('several can be combined', async () => {
    const ask = await service({ hostileHeaders: { retryAfter: 'missing', reset: 'delta', remaining: 3 } });
    const { headers } = await ask('refused');
    expect(headers).toMatchObject({ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '50' });
    expect(headers).not.toHaveProperty('retry-after');
  });

  test('the headers of a fault rule are sent as written', async () => {
    const headers = { 'Retry-After': '2', 'X-RateLimit-Remaining': '8', 'X-RateLimit-Reset': '1' };
    const ask = await service({
      hostileHeaders: { retryAfter: 'garbage', reset: 'delta', remaining: 3, html: true },
      faults: [{ then: { respond: { status: 429, headers } } }],
    });
    const { headers: seen, body } = await ask('served');
    expect(seen).toMatchObject({ 'retry-after': '2', 'x-ratelimit-remaining': '8', 'x-ratelimit-reset': '1' });
    expect(JSON.parse(body)).toMatchObject({ code: 'rate_limit_exceeded' });
  });
});
