import { describe, expect, test } from 'vitest';
import { hunt } from '../../src/entries/hunt.js';
import { retrying, verdictOn } from '../support/client-lab.js';
import { found } from '../support/findings.js';
import { judgeText, site } from './recorded-entries.js';

const startMs = Date.parse('2026-01-01T12:00:00Z');

interface Line {
  /** Time of sending, in seconds since the start. The response arrives 90 ms later. */
  at: number;
  status?: number;
  headers?: Record<string, string | string[]>;
}

/** Judges a recorded client of another service, which ends after these requests with one key to one path. */
function judged(...lines: Line[]) {
  const entries = lines.map(({ at, status = 429, headers = {} }) => ({
    time: new Date(startMs + at * 1_000).toISOString(),
    durationMs: 90,
    method: 'GET',
    baseUrl: site,
    path: '/things/1',
    status,
    requestHeaders: { Authorization: 'token secret' },
    headers: { Date: new Date(startMs + at * 1_000).toUTCString(), ...headers },
  }));
  return judgeText(entries.map((entry) => JSON.stringify(entry)).join('\n'));
}

/** Verdict on a client that receives a Retry-After at 1 s, and retries after a number of seconds, with success. */
const retriedAfter = (waitSeconds: number, text: string | string[], status = 429, more: Record<string, string> = {}) =>
  judged(
    { at: 0, status: 200 },
    { at: 1, status, headers: { 'Retry-After': text, ...more } },
    { at: 1 + waitSeconds, headers: { 'Retry-After': '1' } },
    { at: 4 + waitSeconds, status: 200 },
  );

const untilSeconds = startMs / 1_000 + 31;

describe('a Retry-After of another service', () => {
  test.each<[string, string | string[]]>([
    ['RFC 850', 'Thursday, 01-Jan-26 12:00:31 GMT'],
    ['asctime', 'Thu Jan  1 12:00:31 2026'],
    ['IMF-fixdate', 'Thu, 01 Jan 2026 12:00:31 GMT'],
    ['IMF-fixdate on two equal lines', 'Thu, 01 Jan 2026 12:00:31 GMT, Thu, 01 Jan 2026 12:00:31 GMT'],
    ['seconds on two equal lines', '30, 30'],
    ['seconds as a list of two equal values', ['30', '30']],
    ['seconds between spaces', ' 30 '],
    ['a Unix time', String(untilSeconds)],
    ['a Unix time with decimals', `${untilSeconds}.5`],
    ['a Unix time in milliseconds', String(untilSeconds * 1_000)],
  ])('as %s is a promise, which an impatient client breaks and a patient one keeps', async (_, text) => {
    for (const status of [429, 403, 503]) {
      const early = await retriedAfter(2, text, status);
      expect(early.outcome, String(status)).toBe('fail');
      expect(found(early, 'early-retry')?.text).toContain('before Retry-After allowed');
      expect(found(early, 'early-retry')?.allowed).toMatch(/^at least (?:29|30)\.\d s$/);
      const patient = await retriedAfter(31, text, status);
      expect(patient).toMatchObject({ outcome: 'pass', findings: [] });
      expect(patient.exercised).toContain('early-retry');
    }
  });

  test('as an RFC 850 date of the past century allows a retry at once', async () => {
    expect(await retriedAfter(2, 'Thursday, 01-Jan-98 12:00:31 GMT')).toMatchObject({ outcome: 'pass', findings: [] });
  });

  test('of many seconds stays a wait until it can only be a Unix time', async () => {
    expect(found(await retriedAfter(2, '999999999'), 'early-retry')?.allowed).toBe('at least 11574.1 days');
    expect(found(await retriedAfter(2, '1000000000'), 'early-retry')).toBeUndefined();
  });

  test.each([
    ['30s', 30],
    ['+30', 30],
    ['"30"', 30],
    ['-30', 30],
    ['30, 20', 50],
    ['30 seconds', 30],
    ['30000ms', 30],
    ['2 min', 120],
    ['1h', 3_600],
    ['Thu, 01 Jan 2026 12:00:31 UTC', 29.91],
    ['2026-01-01T12:00:31Z', 29.91],
  ])('as %j cannot be read: a sooner retry is inconclusive, a later one untested', async (text, plausible) => {
    const sooner = await retriedAfter(plausible - 1, text);
    expect(sooner.outcome).toBe('inconclusive');
    expect(sooner.reason).toBe(
      `Expected seconds or an HTTP date in Retry-After, got ${JSON.stringify(text)} in 1 response. A retry came before the end of the wait that it may mean, so it is unknown whether the client waited long enough.`,
    );
    const later = await retriedAfter(plausible + 1, text);
    expect(later).toMatchObject({ outcome: 'pass', findings: [] });
    expect(later.reason).toContain(`got ${JSON.stringify(text)} in 1 response.`);
  });

  test('that cannot be read is untested also after a 403 and a 503', async () => {
    for (const status of [403, 503])
      expect((await retriedAfter(2, '30s', status)).outcome, String(status)).toBe('inconclusive');
  });

  test('that cannot be read leaves the promise of a readable reset', async () => {
    const reset = { 'X-RateLimit-Reset': String(untilSeconds) };
    expect(found(await retriedAfter(2, '30s', 429, reset), 'early-retry')?.text).toContain(
      'before X-RateLimit-Reset allowed',
    );
    const patient = await retriedAfter(31, '30s', 429, reset);
    expect(patient).toMatchObject({ outcome: 'pass', findings: [] });
    expect(patient.exercised).toContain('early-retry');
  });

  test('that cannot be read hides no other failure, and is said beside it', async () => {
    const verdict = await judged(
      { at: 0, headers: { 'Retry-After': 'soon' } },
      { at: 1, headers: { 'Retry-After': '30' } },
      { at: 3, headers: { 'Retry-After': '28' } },
      { at: 40, status: 200 },
    );
    expect(verdict).toMatchObject({ outcome: 'fail', findings: [{ code: 'early-retry', requests: [3] }] });
    expect(verdict.reason).toContain('got "soon" in 1 response.');
  });

  test('that cannot be read is no part of the waits whose growth is judged', async () => {
    const verdict = await judged(...[0, 30.5, 61, 91.5].map((at) => ({ at, headers: { 'Retry-After': '30s' } })), {
      at: 122,
      status: 200,
    });
    expect(verdict).toMatchObject({ outcome: 'pass', findings: [] });
  });
});

describe('a reset time of another service', () => {
  test.each([
    ['an HTTP date', 'Thursday, 01-Jan-26 12:00:31 GMT'],
    ['two equal lines', `${untilSeconds}, ${untilSeconds}`],
  ])('as %s is a promise', async (_, text) => {
    const waiting = (seconds: number) =>
      judged(
        { at: 1, headers: { 'X-RateLimit-Reset': text } },
        { at: 1 + seconds, headers: { 'Retry-After': '1' } },
        { at: 4 + seconds, status: 200 },
      );
    expect((await waiting(2)).outcome).toBe('fail');
    expect(await waiting(31)).toMatchObject({ outcome: 'pass', findings: [] });
  });
});

test.each(['asctime', 'RFC 850'])('a Date of the form %s corrects the clock of the recording machine', async (form) => {
  // The service's clock is ten minutes ahead, and its reset counts by that clock.
  const date = (at: number) => {
    const [, day, month, year, time] = new Date(startMs + 600_000 + at * 1_000).toUTCString().split(' ');
    return form === 'asctime'
      ? `Thu ${month} ${day?.replace(/^0/, ' ')} ${time} ${year}`
      : `Thursday, ${day}-${month}-26 ${time} GMT`;
  };
  const reset = String(untilSeconds + 600);
  const verdict = await judged(
    { at: 0, status: 200, headers: { Date: date(0) } },
    { at: 1, headers: { Date: date(1), 'X-RateLimit-Reset': reset } },
    { at: 32, status: 200, headers: { Date: date(32) } },
  );
  expect(verdict).toMatchObject({ outcome: 'pass', findings: [] });
});

describe('in runs of the simulator', () => {
  test('a Retry-After that cannot be read keeps its verdict', () => {
    const garbage = {
      keys: { 'free-key': { usage: { minute: 'all' } } },
      hostileHeaders: { retryAfter: 'garbage' },
    } as const;
    const verdict = verdictOn(
      garbage,
      retrying(() => 61_000),
    );
    expect(verdict).toMatchObject({ outcome: 'pass', reason: 'The client did what the service asked.' });
  });

  test('hunt accuses no client that reads a Retry-After as the Unix time that it is', async () => {
    const scenario = {
      windows: { minute: '10s' },
      plans: { free: { minute: 1 } },
      client: { key: 'free-key' },
      ban: 'off',
      background: { 'free-key': 1 },
      hostileHeaders: { retryAfter: 'epoch', reset: 'missing' },
    } as const;
    const statuses: number[] = [];
    const { found: finds } = await hunt(
      async ({ baseUrl, apiKey, fetch, sleep }) => {
        for (let attempt = 0; attempt < 6; attempt++) {
          const { status, headers } = await fetch(`${baseUrl}/pets`, {
            headers: { authorization: `Bearer ${apiKey}` },
          });
          statuses.push(status);
          const untilMs = Number(headers.get('Retry-After')) * 1_000;
          await sleep(Math.max(0, untilMs - Date.parse(headers.get('Date') ?? '')) + 1_500 * 2 ** attempt);
        }
      },
      { runs: 1, scenario },
    );
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(2);
    expect(finds).toEqual([]);
  });
});
