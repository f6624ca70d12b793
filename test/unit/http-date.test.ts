import { describe, expect, test } from 'vitest';
import { parseHttpDate } from '../../src/values/http-date.js';
import { singleValue } from '../../src/values/single-value.js';

const now = Date.UTC(2026, 10, 27);
const parsed = (text: string, nowMs = now) => {
  const ms = parseHttpDate(text, nowMs);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

describe('an HTTP date', () => {
  test.each([
    ['IMF-fixdate', 'Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['asctime, always UTC', 'Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
    ['asctime with a day of two digits', 'Wed Nov 16 08:49:37 1994', '1994-11-16T08:49:37.000Z'],
    ['a leap second', 'Sat, 31 Dec 2016 23:59:60 GMT', '2017-01-01T00:00:00.000Z'],
    ['29 February', 'Saturday, 29-Feb-20 00:00:00 GMT', '2020-02-29T00:00:00.000Z'],
    ['a day of the week that does not fit', 'Mon, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
  ])('is read as %s', (_, text, expected) => {
    expect(parsed(text)).toBe(expected);
  });

  test.each([
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'sun, 06 nov 1994 08:49:37 gmt',
    'Sun, 31 Feb 2026 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:00 GMT',
    'Sun Nov  6 08:49:37 1994 GMT',
    'Sunday, 29-Feb-25 00:00:00 GMT',
    '1994-11-06T08:49:37Z',
    '784111777',
    '',
  ])('is not %j', (text) => {
    expect(parseHttpDate(text, now)).toBeUndefined();
  });

  test.each([
    ['76', '2026-11-27T00:00:00Z', 2076],
    ['77', '2026-11-27T00:00:00Z', 1977],
    ['99', '2026-11-27T00:00:00Z', 1999],
    ['00', '2026-11-27T00:00:00Z', 2000],
    ['00', '2099-12-31T23:59:00Z', 2100],
    ['99', '2100-01-01T00:00:00Z', 2099],
    ['10', '1995-01-01T00:00:00Z', 2010],
  ])('of the year %s, seen at %s, is in %i', (year, seen, expected) => {
    expect(parsed(`Friday, 02-Jan-${year} 00:00:00 GMT`, Date.parse(seen))?.slice(0, 4)).toBe(String(expected));
  });
});

test('equal lines of a header are one value, other lines are not', () => {
  const date = 'Thu, 01 Jan 2026 12:00:31 GMT';
  expect(singleValue(' 30 ')).toBe('30');
  expect(singleValue('30, 30')).toBe('30');
  expect(singleValue('30,30,30')).toBe('30');
  expect(singleValue(date)).toBe(date);
  expect(singleValue(`${date}, ${date}`)).toBe(date);
  expect(singleValue(`${date},${date}`)).toBe(date);
  expect(singleValue('30, 60')).toBe('30, 60');
  expect(singleValue('30, 30, 60')).toBe('30, 30, 60');
});
