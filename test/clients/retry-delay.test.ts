import { describe, expect, test, vi } from 'vitest';

// @ts-expect-error plain JavaScript
const { retryDelayMs } = await import('./programs/node/retry-delay.mjs');

const date = 'Thu, 01 Jan 2026 12:00:00 GMT';
const unix = Date.parse(date) / 1000;
const refusal = (headers: Record<string, string>) => ({ status: 429, headers: new Headers({ date, ...headers }) });
/** The delay after the first attempt without its random part, which is less than half a second; then the longest one. */
const rangeOf = (...args: unknown[]) =>
  [0, 1 - Number.EPSILON].map((random) => {
    const spy = vi.spyOn(Math, 'random').mockReturnValue(random);
    const delayMs = retryDelayMs(...args);
    spy.mockRestore();
    return Math.round(delayMs);
  });

describe('delay in the code of the page', () => {
  test.each([
    ['whole seconds', { 'retry-after': '7' }, 7000],
    ['a fraction of a second', { 'retry-after': '1.5' }, 1500],
    ['an HTTP date', { 'retry-after': 'Thu, 01 Jan 2026 12:00:07 GMT' }, 7000],
    ['an obsolete HTTP date', { 'retry-after': 'Thursday, 01-Jan-26 12:00:07 GMT' }, 7000],
    ['the longest wait', { 'retry-after': '60' }, 60_000],
    ['no Retry-After', {}, 1000],
    ...['-5', '1.', 'soon', '1e3', '0', '', 'Thu, 01 Jan 2026 11:59:59 GMT', '1767268805', '10000'].flatMap(
      (text): [string, Record<string, string>, number][] => [
        [`"${text}", from X-RateLimit-Reset`, { 'retry-after': text, 'x-ratelimit-reset': `${unix + 5}` }, 5000],
      ],
    ),
    ...['-5', '1.', 'soon', '0'].map((text) => [`"${text}" alone`, { 'retry-after': text }, 1000] as const),
    ['a reset in milliseconds', { 'x-ratelimit-reset': `${unix + 5}000` }, 5000],
    ['a reset in seconds left', { 'x-ratelimit-reset': '5' }, 5000],
    ['a reset that is no number', { 'x-ratelimit-reset': 'soon' }, 1000],
  ] as const)('is right for %s', (_title, headers, delayMs) => {
    expect(rangeOf(1, 'POST', refusal(headers))).toEqual([delayMs, delayMs + 500]);
  });

  test('doubles, with a growing random part, and ends after five attempts', () => {
    const ranges = [1, 2, 3, 4].map((attempt) => rangeOf(attempt, 'GET', { status: 500, headers: new Headers() }));
    expect(ranges).toEqual([
      [1000, 1500],
      [2000, 3000],
      [4000, 6000],
      [8000, 12_000],
    ]);
    expect(retryDelayMs(5, 'GET', refusal({ 'retry-after': '1' }))).toBeUndefined();
  });

  test.each([
    ['a wait beyond a minute', 'GET', refusal({ 'retry-after': '61', 'x-ratelimit-reset': `${unix + 61}` })],
    ['a wait beyond a minute without X-RateLimit-Reset', 'GET', refusal({ 'retry-after': '86400' })],
    [
      'a wait beyond a minute with a reset in the past',
      'GET',
      refusal({ 'retry-after': '1767268805', 'x-ratelimit-reset': `${unix - 3600}` }),
    ],
    ['a 401', 'GET', { status: 401, headers: new Headers({ 'retry-after': '1' }) }],
    ['a POST after a 503', 'POST', { status: 503, headers: new Headers({ 'retry-after': '1' }) }],
    ['a POST after a network error', 'POST', undefined],
    ['a success', 'GET', { status: 200, headers: new Headers() }],
  ])('gives up after %s', (_title, method, response) => {
    expect(retryDelayMs(1, method, response)).toBeUndefined();
  });

  test('repeats a GET after a network error, and reads the headers of clients with plain objects', () => {
    expect(rangeOf(1, 'GET')).toEqual([1000, 1500]);
    expect(rangeOf(1, 'POST', { statusCode: 429, headers: { date, 'retry-after': '3' } })).toEqual([3000, 3500]);
  });
});
