import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { sending, verdictOn } from '../support/client-lab.js';
import { brief, entry, type HarEntry, judgeEntries, judgeText, site } from './recorded-entries.js';

/** HAR entry without a response, with the error text of a browser or a library. */
function failed(atSeconds: number, path: string, error: string, where: '_error' | '_failureText' = '_error'): HarEntry {
  const made = entry(atSeconds, path, 0, { durationMs: 80, responseBody: '' });
  return { ...made, response: { ...made.response, headers: [], [where]: error } };
}

const codes = async (entries: readonly unknown[]) => (await judgeEntries(entries)).findings.map(({ code }) => code);

describe('a GET without a response, in a recording', () => {
  const repeated = (error: string, where?: '_error' | '_failureText') => [
    entry(0, '/items', 200),
    failed(1.1, '/items', error, where),
    failed(1.4, '/items', error, where),
    entry(2, '/items', 200),
  ];

  test.each([
    'net::ERR_CONNECTION_RESET',
    'net::ERR_CONNECTION_REFUSED',
    'net::ERR_CONNECTION_CLOSED',
    'net::ERR_EMPTY_RESPONSE',
    'net::ERR_TIMED_OUT',
    'net::ERR_CONNECTION_TIMED_OUT',
    'net::ERR_CONNECTION_ABORTED',
    'net::ERR_NETWORK_CHANGED',
    'net::ERR_HTTP2_PROTOCOL_ERROR',
    'NS_ERROR_NET_RESET',
    'NS_ERROR_CONNECTION_REFUSED',
    'The network connection was lost.',
    'read ECONNRESET',
    'connect ETIMEDOUT 10.0.0.1:443',
    'socket hang up',
  ])('is a lost response, not impatience: %s', async (error) => {
    const verdict = await judgeEntries(repeated(error));
    expect(brief(verdict)).toBe('pass');
    expect(verdict).toMatchObject({ exercised: ['retry-storm', 'gave-up'], counts: { lost: 2 } });
    expect(await codes(repeated(error, '_failureText'))).toEqual([]);
  });

  test.each([
    'net::ERR_ABORTED',
    'NS_BINDING_ABORTED',
    'cancelled',
    'canceled',
    'timeout of 1000ms exceeded',
    'TimeoutError: The operation timed out.',
    'The operation was aborted due to timeout',
    'AbortError: This operation was aborted',
    'The user aborted a request.',
    'Read timed out. (read timeout=1)',
    'NS_ERROR_NET_TIMEOUT',
    'context deadline exceeded',
  ])('is impatience if the client ended it: %s', async (error) => {
    expect(await codes(repeated(error))).toEqual(['impatient']);
  });

  test('is impatience without an error text, as before', async () => {
    expect(await codes(repeated(''))).toEqual(['impatient']);
  });

  test('is a lost response in JSON Lines with an error', async () => {
    const line = (at: number, status: number, error?: string) =>
      JSON.stringify({
        ...{ time: new Date(Date.UTC(2026, 0, 1, 12, 0, 0, 3 + 1_000 * at)).toISOString(), durationMs: 80 },
        ...{ method: 'GET', baseUrl: site, path: '/items', status, error },
        ...{ requestHeaders: { Authorization: 'Bearer a' }, headers: { 'Content-Type': 'text/plain' } },
      });
    const judged = (error?: string) => judgeText([line(0, 0, error), line(1, 200)].join('\n'));
    expect(brief(await judged('ECONNRESET'))).toBe('pass');
    expect((await judged('timeout of 80ms exceeded')).findings).toMatchObject([{ code: 'impatient' }]);
    expect((await judged()).findings).toMatchObject([{ code: 'impatient' }]);
  });
});

test('three addresses are three findings, each with its own address and count', async () => {
  const once = (at: number, path: string) => [failed(at, path, 'net::ERR_ABORTED'), entry(at + 1, path, 200)];
  const { findings } = await judgeEntries([...once(1, '/a'), ...once(4, '/b'), ...once(7, '/c')]);
  expect(
    findings.map(({ code, text, measured }) => [
      code,
      /^GET (\S+) was abandoned.*? (once|twice)/.exec(text)?.slice(1),
      measured,
    ]),
  ).toEqual(
    ['/a', '/b', '/c'].map((path) => ['impatient', [path, 'once'], '1 response abandoned after at most 80 ms']),
  );
});

describe('a GET without headers after 0 ms', () => {
  const at = (seconds: number, path: string, status: number): HarEntry => {
    const made = entry(seconds, path, status, { durationMs: 0 });
    return { ...made, response: { ...made.response, headers: [] } };
  };
  const slow = entry(0, '/other', 200);

  test('comes from no cache right after a refusal of the same URL', async () => {
    const entries = [slow, entry(1, '/items', 429, { retryAfter: 2 }), at(3.2, '/items', 200)];
    expect(await judgeEntries(entries)).toMatchObject({ outcome: 'pass', counts: { requests: 3, served: 2 } });
    expect((await judgeEntries(entries)).leftOut).toBeUndefined();
  });

  test('comes from a cache after a success, or after a refusal of another URL', async () => {
    const leftOut = async (...entries: HarEntry[]) => (await judgeEntries([slow, ...entries])).leftOut;
    const cached = [{ reason: 'answered from a cache', count: 1 }];
    const refused = entry(1, '/items', 429, { retryAfter: 2 });
    expect(await leftOut(refused, at(3.2, '/items?page=2', 200))).toEqual(cached);
    expect(await leftOut(refused, entry(3.2, '/items', 200), at(4, '/items', 200))).toEqual(cached);
  });

  test('so that thirteen refusals, each of which was followed by a success, are no storm', async () => {
    const entries = Array.from({ length: 13 }, (_, n) => [
      entry(3 * n, '/items', 429, { retryAfter: 1 }),
      at(3 * n + 1.2, '/items', 200),
    ]).flat();
    expect(await codes([slow, ...entries])).toEqual([]);
  });
});

describe('a retried write of which bodies are not recorded', () => {
  const unread = { postData: undefined, bodySize: 29 };
  const post = (at: number, status: number, method = 'POST') =>
    entry(at, '/items', status, {
      ...{ method, body: '{"name":"Rex","categoryId":1}' },
      ...(status === 429 && { retryAfter: 2 }),
    });
  const bare = (made: HarEntry): HarEntry => ({ ...made, request: { ...made.request, ...unread } as never });

  test.each([
    ['after a refusal, served', 429, 201],
    ['after a refusal, rejected', 429, 400],
    ['after a 500', 500, 201],
  ])('is inconclusive: %s', async (_, first, next) => {
    const verdict = await judgeEntries([bare(post(0, first)), bare(post(2.3, next))]);
    expect(brief(verdict)).toBe('inconclusive');
    expect(verdict.reason).toContain('2 of 2 requests were recorded without the request body');
  });

  test('is inconclusive if one body is missing and the retry was rejected', async () => {
    expect((await judgeEntries([post(0, 429), bare(post(2.3, 400))])).outcome).toBe('inconclusive');
    expect((await judgeEntries([bare(post(0, 429)), post(2.3, 400)])).outcome).toBe('inconclusive');
    expect((await judgeEntries([post(0, 429), bare(post(2.3, 201))])).outcome).toBe('pass');
  });

  test('passes with the bodies, and for a DELETE, which has none', async () => {
    expect((await judgeEntries([post(0, 429), post(2.3, 201)])).outcome).toBe('pass');
    expect((await judgeEntries([bare(post(0, 429, 'DELETE')), bare(post(2.3, 204, 'DELETE'))])).outcome).toBe('pass');
  });

  test.each<[string, object]>([
    ['empty text of a longer body', { postData: { text: '' }, bodySize: 29 }],
    ['form parameters without a text', { postData: { params: [{ name: 'a', value: '1' }] }, bodySize: -1 }],
    ['a Content-Length without a body', { postData: undefined, bodySize: -1 }],
  ])('is recognized by %s', async (_, request) => {
    const made = (at: number, status: number) => {
      const each = post(at, status);
      const headers = [...each.request.headers, { name: 'Content-Length', value: '29' }];
      return { ...each, request: { ...each.request, headers, ...request } };
    };
    expect((await judgeEntries([made(0, 429), made(2.3, 201)])).outcome).toBe('inconclusive');
  });
});

describe('the reason of a run in which responses were lost', () => {
  const failing = (status: number): Scenario => ({ faults: [{ when: { nth: 1 }, then: { respond: { status } } }] });
  const rex = { body: { name: 'Rex', categoryId: 1 } };

  test('names a write that was sent again', () => {
    const verdict = verdictOn(failing(500), sending([500], rex));
    expect([verdict.outcome, verdict.reason]).toEqual([
      'inconclusive',
      'POST /pets got 500 and was sent again. That is right only if the first attempt stored nothing, which its response does not show.',
    ]);
  });

  test('says that nothing was sent again, if only other requests followed', () => {
    const { reason } = verdictOn(failing(500), sending([500], [rex, {}]));
    expect(reason).toBe('Responses were lost, and the client sent none of these requests again.');
  });

  test('says that no request followed, if none did', () => {
    expect(verdictOn(failing(500), sending([], rex)).reason).toBe(
      "Responses were lost, and no request shows the client's reaction.",
    );
  });

  test.each(['PUT', 'DELETE'])('passes a repeated %s, which is idempotent', async (method) => {
    const sent = (at: number, status: number) => entry(at, '/items/7', status, { method, body: '{"n":1}' });
    expect(await judgeEntries([sent(0, 503), sent(0.5, 200)])).toMatchObject({
      outcome: 'pass',
      exercised: ['retry-storm', 'gave-up'],
    });
  });
});
