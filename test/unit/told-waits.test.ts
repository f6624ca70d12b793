import { describe, expect, test } from 'vitest';
import { readTold, statesWait, type Told } from '../../src/values/told-waits.js';

const nowMs = Date.parse('2026-01-01T12:00:00Z');
const nowSeconds = nowMs / 1_000;

const told = (headers: Record<string, string>, body = '', status = 429): Told =>
  readTold({ headers, status, answeredAtMs: nowMs, responseBody: body });

/** Waits in seconds: the explicit one, the reset and the unsure one. */
function waits({ retry, reset, unsure }: Told) {
  const secondsOf = (wait: Told['retry']) => wait && (wait.untilMs - nowMs) / 1_000;
  return { retry: secondsOf(retry), reset: secondsOf(reset), unsure: secondsOf(unsure) };
}

const none = { retry: undefined, reset: undefined, unsure: undefined };

describe('an explicit wait', () => {
  test.each([
    ['Retry-After', '30', 'seconds', 30],
    ['retry-after', '30.5', 'seconds', 30.5],
    ['RETRY-AFTER', ' 30, 30 ', 'seconds', 30],
    ['X-Retry-After', '30', 'seconds', 30],
    ['Retry-After', String(nowSeconds + 30), 'Unix seconds', 30],
    ['Retry-After', String(nowMs + 30_000), 'Unix milliseconds', 30],
    ['Retry-After', 'Thu, 01 Jan 2026 12:00:30 GMT', 'date', 30],
    ['Retry-After', 'Thu, 01 Jan 2026 11:59:30 GMT', 'date', -30],
    ['retry-after-ms', '29500', 'milliseconds', 29.5],
    ['x-ms-retry-after-ms', '30000', 'milliseconds', 30],
  ] as const)('%s: %s is read as %s', (name, value, form, seconds) => {
    const read = told({ [name]: value });
    expect(read).toMatchObject({ retry: { name, value: value.trim().split(', 30')[0], form }, isAsking: true });
    expect(waits(read)).toEqual({ ...none, retry: seconds });
  });

  test('is the earliest of several', () => {
    expect(waits(told({ 'Retry-After': '30', 'Retry-After-Ms': '29500' })).retry).toBe(29.5);
  });

  test.each([
    ['30s', 30],
    ['30000ms', 30],
    ['"30"', 30],
    ['+30', 30],
    ['-30', 30],
    ['30, 20', 50],
    ['1 minute, 30 seconds', 90],
    ['1h30m', 5_400],
    ['2 min', 120],
    ['1 day', 86_400],
    ['6m0s', 360],
    ['2026-01-01T12:00:30Z', 30],
    ['2026-01-01 12:00:30', 30 + 14 * 3_600],
    ['01/01/2026 12:00:30 PM', 30 + 14 * 3_600],
    ['Thu, 01 Jan 2026 12:00:30 UTC', 30],
    ['soon', Number.POSITIVE_INFINITY],
    ['0x1E', Number.POSITIVE_INFINITY],
    ['1e3', Number.POSITIVE_INFINITY],
    ['', Number.POSITIVE_INFINITY],
    ['25:99:99', Number.POSITIVE_INFINITY],
  ])('Retry-After: %s is unreadable, and may mean a wait', (value, seconds) => {
    const read = told({ 'Retry-After': value });
    expect(waits(read)).toEqual({ ...none, unsure: seconds });
    expect(read).toMatchObject({ isAsking: true, unsure: { name: 'Retry-After', value, form: undefined } });
  });

  test('unreadable stays unsure beside a reset, and hides a hint', () => {
    const headers = { 'Retry-After': '30s', 'x-amz-retry-after': '90000', 'X-RateLimit-Reset': '60' };
    expect(waits(told(headers))).toEqual({ retry: undefined, reset: 60, unsure: 30 });
  });

  test.each(['Retry-After', 'retry-after-ms'])('%s after more than a century is unsure', (name) => {
    const read = told({ [name]: '999999999999999' });
    expect(read.retry).toBeUndefined();
    expect(read.unsure?.untilMs).toBe(999_999_999_999_999);
  });
});

describe('the reset of a limit', () => {
  test.each([
    ['30', 'remaining seconds'],
    ['30.0', 'remaining seconds'],
    [String(nowSeconds + 30), 'Unix seconds'],
    [`${nowSeconds + 30}.000`, 'Unix seconds'],
    [String(nowMs + 30_000), 'Unix milliseconds'],
    [`${nowMs + 30_000}000`, 'Unix microseconds'],
    [`${nowMs + 30_000}000000`, 'Unix nanoseconds'],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 'date'],
    ['2026-01-01T12:00:30Z', 'RFC 3339'],
    ['2026-01-01T12:00:30.000+00:00', 'RFC 3339'],
    ['2026-01-01T13:00:30+0100', 'RFC 3339'],
    ['Thu Jan 01 2026 13:00:30 GMT+0100 (Central European Standard Time)', 'JavaScript date'],
  ])('%s is read as %s', (value, form) => {
    for (const name of ['X-RateLimit-Reset', 'x-rate-limit-reset', 'X-Ratelimit-Reset', 'RateLimit-Reset']) {
      const read = told({ [name]: value });
      expect(read.reset, name).toMatchObject({ name, value, form });
      expect(Math.round(waits(read).reset ?? 0), name).toBe(30);
      expect(read.isAsking).toBe(false);
    }
  });

  test('without seconds is read', () => {
    expect(waits(told({ 'x-ratelimit-reset': '2026-01-01T12:01Z' })).reset).toBe(60);
  });

  test.each([
    [nowSeconds - 365 * 86_400, true],
    [nowSeconds - 366 * 86_400, false],
    [nowSeconds + 99 * 365.25 * 86_400, true],
    [nowSeconds + 101 * 365.25 * 86_400, false],
  ])('as a Unix time counts from a year ago to a hundred years ahead: %d', (seconds, isRead) => {
    expect(told({ 'X-RateLimit-Reset': String(seconds) }).reset !== undefined).toBe(isRead);
  });

  test('of an unclear unit is unsure', () => {
    expect(waits(told({ 'X-RateLimit-Reset': '2678401' }))).toEqual({ ...none, unsure: 2_678_401 });
  });

  test('after a number of seconds is read', () => {
    expect(told({ 'X-RateLimit-Reset-After': '30.25' }).reset).toMatchObject({ form: 'seconds' });
    const read = told({ 'X-RateLimit-Reset-After': '30', 'X-RateLimit-Reset': `${nowSeconds + 29}.5` });
    expect(waits(read).reset).toBe(29.5);
  });

  test.each([
    ['"burst";r=0;t=1, "day";r=0;t=3000', 3_000],
    ['"burst";r=0;t=1, "day";r=9;t=3000', 1],
    ['"a,b;c";r=0;t=30;pk=:abc:', 30],
    ['"default";a=0;w=30', 30],
    ['limit=60, remaining=0, reset=30', 30],
    ['"burst";t=10, "day";t=30', 10],
    ['"burst";t=10, "day";r=0;t=30', 30],
    ['"burst";r=4;t=10', undefined],
  ])('RateLimit: %s', (value, seconds) => {
    expect(waits(told({ ratelimit: value })).reset).toBe(seconds);
    expect(told({ ratelimit: value }).reset?.name).toBe(seconds && 'ratelimit');
  });

  test('is the earliest of several families', () => {
    const headers = {
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(nowSeconds + 30),
      RateLimit: '"minute";r=0;t=31',
    };
    expect(waits(told(headers)).reset).toBe(30);
  });

  test('with requests left states nothing, except in a response of the simulator', () => {
    const headers = { 'X-RateLimit-Remaining': '4990', 'X-RateLimit-Reset': String(nowSeconds + 1_800) };
    expect(waits(told(headers))).toEqual(none);
    const own = readTold({ headers, status: 429, answeredAtMs: nowMs }, true);
    expect(waits(own).reset).toBe(1_800);
    expect(own.remaining).toBe(4_990);
  });

  test('counts without remaining requests only beside no exhausted limit', () => {
    const exhausted = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '60' };
    expect(waits(told({ ...exhausted, 'RateLimit-Reset': '5' })).reset).toBe(60);
    expect(waits(told({ 'X-RateLimit-Remaining-Minute': '0', 'RateLimit-Reset': '5' })).reset).toBe(5);
  });
});

describe('a wait in a body', () => {
  test.each([
    ['{"retry_after":30}', 30],
    ['{"retryAfter":"30"}', 30],
    ['{"error":{"retry_after":30.5}}', 30.5],
    ['{"ok":false,"error_code":429,"parameters":{"retry_after":30}}', 30],
    ['{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"30.5s"}]}}', 30.5],
    ['[{"error":{"details":[{"retryDelay":"30s"}]}}]', 30],
    ['{"details":[{},{"retryDelay":"1m30s"}]}', 90],
    ['{"retry_after_ms":30000}', 30],
  ])('%s is read', (body, seconds) => {
    expect(waits(told({}, body))).toEqual({ ...none, retry: seconds });
    expect(told({}, body).retry?.name).toMatch(/^retry.* of the body$/);
    expect(waits(told({}, body, 503)).retry).toBe(seconds);
    expect(waits(told({}, body, 200))).toEqual(none);
  });

  test('yields to a header', () => {
    expect(told({ 'Retry-After': '20' }, '{"retry_after":30}').retry).toMatchObject({ value: '20' });
  });

  test.each([
    ['{"retry_after":6457}', 6_457],
    ['{"retry_after":"30s"}', 30],
    ['{"retry_after":"soon"}', Number.POSITIVE_INFINITY],
    ['{"wait_seconds":30}', 30],
  ])('%s is unsure', (body, seconds) => {
    expect(waits(told({}, body))).toEqual({ ...none, unsure: seconds });
  });

  test.each([
    '{"query":{"retry_after":"3600"}}',
    '{"retries":3,"max_retries":5,"retry_count":2,"retry_attempt":1}',
    '{"retryable":true,"should_retry":1,"reset_password_url":"https://x.test/r?id=12","retry_docs":"v2"}',
    '{"message":"Wait 30 seconds, then retry."}',
    '{"retry_after":null,"retry":[30],"wait":{"s":1}}',
    '{"retry_after":30',
    'retry after 30',
    '{"reset":"2 apples"}',
  ])('%s is none', (body) => {
    expect(waits(told({}, body))).toEqual(none);
  });
});

describe('a hint', () => {
  test.each([
    [{ 'x-ratelimit-reset-requests': '6m0s' }, 360],
    [{ 'x-ratelimit-reset-tokens': '30s', 'x-ratelimit-reset-requests': '12ms' }, 30],
    [{ 'x-ratelimit-reset-tokens': '30s', 'x-ratelimit-remaining-tokens': '7' }, undefined],
    [
      { 'x-ratelimit-reset-requests': '30s', 'x-ratelimit-reset-tokens': '6m', 'x-ratelimit-remaining-requests': '0' },
      30,
    ],
    [{ 'anthropic-ratelimit-requests-reset': '2026-01-01T12:00:30Z' }, 30],
    [
      { 'anthropic-ratelimit-tokens-remaining': '9', 'anthropic-ratelimit-tokens-reset': '2026-01-01T12:00:30Z' },
      undefined,
    ],
    [{ 'x-amz-retry-after': '30000' }, 30],
    [{ 'x-ratelimit-requests-reset': String(nowMs + 30_000) }, 30],
    [{ 'X-Backoff': '30' }, 30],
    [{ 'X-Queue-Wait-Ms': '12' }, 0.012],
    [{ 'X-Retry-Items': '12' }, 12],
  ])('%j is unsure', (headers, seconds) => {
    expect(waits(told(headers as Record<string, string>))).toEqual({ ...none, unsure: seconds });
    expect(told(headers as Record<string, string>).isAsking).toBe(false);
  });

  test('counts only without another wait ahead', () => {
    const hint = { 'x-ratelimit-reset-requests': '6m0s' };
    expect(waits(told({ ...hint, 'Retry-After': '2' }))).toEqual({ ...none, retry: 2 });
    expect(waits(told({ ...hint, 'X-RateLimit-Reset': '9' }))).toEqual({ ...none, reset: 9 });
    expect(waits(told({ ...hint, 'X-RateLimit-Reset': String(nowSeconds - 40) }))).toEqual({
      ...none,
      reset: -40,
      unsure: 360,
    });
  });

  test.each([
    { 'X-Retry-Count': '3' },
    { 'X-Max-Retries': '5' },
    { 'X-Should-Retry': 'true' },
    { 'Stripe-Should-Retry': 'false' },
    { 'X-Retry-Docs': 'https://docs.x.test/v2' },
    { 'X-Request-Attempt-Reset': '3' },
    { 'X-RateLimit-Limit': '60' },
    { 'RateLimit-Policy': '"default";q=100;w=30' },
  ])('%j is none', (headers) => {
    expect(waits(told(headers as unknown as Record<string, string>))).toEqual(none);
  });
});

test('the time zone of the machine does not matter', () => {
  const zone = process.env.TZ;
  try {
    for (const TZ of ['Asia/Tokyo', 'America/New_York']) {
      process.env.TZ = TZ;
      for (const value of ['2026-01-01 12:00:30', '2026-01-01T12:00:30', '01/01/2026 12:00:30 PM'])
        expect(waits(told({ 'Retry-After': value })).unsure, `${TZ} ${value}`).toBe(30 + 14 * 3_600);
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test.each([
  ['retry-after', 'soon', true],
  ['x-foo-reset', '30', true],
  ['X-Rate-Limit-Remaining', '0', true],
  ['RateLimit', '"a";r=0;t=1', true],
  ['x-password-reset-token', 'c2VjcmV0', false],
  ['X-RateLimit-Remaining', 'c2VjcmV0', false],
  ['set-cookie', '30', false],
])('%s: %s is read from a recording: %s', (name, value, isRead) => {
  expect(statesWait(name, value)).toBe(isRead);
});

test('a hostile text takes no time', () => {
  const startMs = performance.now();
  for (const text of ['1'.repeat(60_000), '1 '.repeat(30_000), 'retry'.repeat(12_000), '"retry'.repeat(10_000)])
    told({ 'Retry-After': text, 'X-Foo-Wait': text, RateLimit: text }, text);
  expect(performance.now() - startMs).toBeLessThan(5_000);
});
