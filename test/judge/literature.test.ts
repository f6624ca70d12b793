import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/judge/judge.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import { journalOf } from '../fidelity/recorded-traffic.js';
import { clients, type Program, ran, sending } from '../support/client-lab.js';
import { found } from '../support/findings.js';
import type { PlainCall } from '../support/plain-call.js';
import { wireRecordings } from '../support/wire-recordings.js';
import { entry, judgeEntries, judgeText, site } from './recorded-entries.js';

/** Verdicts on clients: live, from the simulator's journal, and from a recording of the wire by another program. */
async function verdictsOn(scenario: Scenario, ...programs: Program[]): Promise<[way: string, verdict: Verdict][]> {
  const sim = ran(scenario, ...programs);
  const { expect: expected, client: needs } = scenario;
  const options = { ...(expected && { expect: expected }), ...(needs && { needs }) };
  const texts = [
    ['journal', journalOf(sim).replaceAll('http://petstore.test', site)],
    ...Object.entries(wireRecordings).map(([format, write]) => [format, write(sim, site)]),
  ] as const;
  const recorded = texts.map(
    async ([way, text = '']): Promise<[string, Verdict]> => [way ?? '', await judgeText(text, options)],
  );
  return [['live', judge(sim, { isOver: true })], ...(await Promise.all(recorded))];
}

const failing = (status: number, more: object = {}): Scenario => ({
  faults: [{ then: { respond: { status, headers: {}, ...more }, countsQuota: false } }],
});
/** Lets time pass during the requests, as real ones take some. */
const quick = (retries: number) => sending(Array(retries).fill(2));

async function expectOn(
  code: FindingCode,
  severity: string | undefined,
  scenario: Scenario,
  ...programs: Program[]
): Promise<Verdict[]> {
  const verdicts = await verdictsOn(scenario, ...programs);
  for (const [way, verdict] of verdicts)
    expect([way, found(verdict, code)?.severity], `${way}: ${verdict.reason}`).toEqual([way, severity]);
  return verdicts.map(([, verdict]) => verdict);
}

describe('no-delay', () => {
  test('finds repeats of a 500, and of a refusal without a wait, at once', async () => {
    const [live] = await expectOn('no-delay', 'warn', failing(500), quick(3));
    expect(live && found(live, 'no-delay')).toMatchObject({
      requests: [1, 2, 3, 4],
      measured: '3 retries, each after at most 2 ms',
      text: expect.stringContaining('GET /pets was repeated 3 times without a wait while it got no usable response.'),
    });
    const untold = { status: 429, headers: { 'X-RateLimit-Reset': null, 'X-RateLimit-Remaining': null } };
    await expectOn('no-delay', 'warn', { faults: [{ then: { respond: untold } }] }, quick(2));
  });

  test('fails if the scenario names it', async () => {
    const scenario: Scenario = { ...failing(500), expect: { fail: ['no-delay'] } };
    for (const verdict of await expectOn('no-delay', 'fail', scenario, quick(2))) expect(verdict.outcome).toBe('fail');
  });

  test('finds a client whose connections are fewer than its repeats', async () => {
    const alternating = sending(Array(5).fill(2), (n) => ({ connection: 1 + (n % 2) }));
    await expectOn('no-delay', 'warn', failing(500), alternating);
    await expectOn(
      'no-delay',
      undefined,
      failing(500),
      sending([2, 2, 2], (n) => ({ connection: 1 + (n % 2) })),
    );
  });

  test('spares concurrent callers that take turns on two connections', async () => {
    const sent = [0, 10, 25, 50, 75, 100, 125].map((ms, n) => ({
      ...entry(ms / 1_000, '/pets', 500),
      connection: n === 1 ? '2' : '1',
    }));
    expect(found(await judgeEntries(sent), 'no-delay')).toBeUndefined();
    // The same requests without the second, which overlaps, are those of one caller.
    expect(found(await judgeEntries(sent.filter((_, n) => n !== 1)), 'no-delay')?.severity).toBe('warn');
  });

  test.each<[string, Scenario, Program[]]>([
    ['one repeat at once, as HTTP libraries resend a request', failing(500), [quick(1)]],
    ['waits from 25 ms on, as with jitter', failing(500), [sending([25, 60, 110])]],
    ['one short wait of several', failing(500), [sending([10, 200, 5])]],
    [
      'a wait that is told, which belongs to early-retry',
      failing(503, { headers: { 'Retry-After': '1' } }),
      [quick(3)],
    ],
    ['parallel callers', failing(500), clients(4, () => sending([]))],
    [
      'as many calls as the scenario asks for, none of which is retried',
      { ...failing(500), client: { key: 'free-key', calls: 3 } },
      [quick(2)],
    ],
    ['other calls', failing(500), [sending([2, 2, 2], (n) => ({ query: `limit=${n + 1}` }))]],
    ['a frozen clock', failing(500), [sending([0, 0, 0])]],
    ['responses with a cut body', { faults: [{ then: { truncate: { fraction: 1 } } }] }, [quick(3)]],
  ])('spares %s', async (_, scenario, programs) => {
    await expectOn('no-delay', undefined, scenario, ...programs);
  });
});

const post: PlainCall = { method: 'POST', body: '{"name":"Rex"}' };

describe('retried-4xx', () => {
  test.each([400, 405, 410, 413, 415, 422])('finds equal requests that got %d three times', async (status) => {
    const [live] = await expectOn('retried-4xx', 'warn', failing(status), sending([500, 1_000], post));
    expect(live && found(live, 'retried-4xx')?.requests).toEqual([1, 2, 3]);
  });

  test.each([404, 409])('only notes those that got %d', async (status) => {
    const scenario: Scenario = { ...failing(status), expect: { fail: ['retried-4xx'] } };
    await expectOn('retried-4xx', 'info', scenario, sending([500, 1_000]));
  });

  test.each<[string, Scenario, Program[]]>([
    ['two equal requests, as of a form', failing(400), [sending([500], post)]],
    ['corrected requests', failing(400), [sending([500, 500], (n) => ({ ...post, body: `{"name":"Rex${n}"}` }))]],
    ['a retry after a minute', failing(400), [sending([40_000, 40_000], post)]],
    ['requests of several callers', failing(400), clients(3, () => sending([], post))],
    [
      'as many calls as the scenario asks for',
      { ...failing(400), client: { key: 'free-key', calls: 3 } },
      [sending([500, 500], post)],
    ],
    ['a refusal with a wait', failing(400, { headers: { 'Retry-After': '1' } }), [sending([1_000, 2_000, 4_000])]],
  ])('spares %s', async (_, scenario, programs) => {
    await expectOn('retried-4xx', undefined, scenario, ...programs);
  });
});

describe('retried-permanent', () => {
  const quota = {
    headers: { 'X-RateLimit-Reset': null },
    body: { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } },
  };

  test.each<[string, Scenario]>([
    ['insufficient_quota', failing(429, quota)],
    ['a suspended account', failing(403, { headers: { 'Retry-After': '1' }, body: 'Your account is suspended.' })],
    ['an empty balance', failing(429, { ...quota, body: { error: { message: 'Your credit balance is too low' } } })],
  ])('finds growing retries after %s', async (_, scenario) => {
    for (const verdict of await expectOn('retried-permanent', 'warn', scenario, sending([1_000, 2_000, 4_000, 8_000])))
      expect(verdict.outcome).not.toBe('fail');
  });

  test.each(['Stripe-Should-Retry', 'x-should-retry'])('finds one retry in spite of %s: false', async (header) => {
    const [live] = await expectOn(
      'retried-permanent',
      'warn',
      failing(500, { headers: { [header]: 'false' } }),
      quick(1),
    );
    expect(live && found(live, 'retried-permanent')?.text).toContain(`got 500 with ${header}: false`);
    await expectOn('retried-permanent', undefined, failing(500, { headers: { [header]: 'true' } }), sending([900]));
  });

  test('says nothing of a client that gives up at once, neither as a lost write', async () => {
    for (const verdict of await expectOn('retried-permanent', undefined, failing(429, quota), sending([], post))) {
      expect(verdict.findings).toEqual([]);
    }
  });

  test('spares an ordinary limit', async () => {
    const ordinary = failing(429, { body: { error: { code: 'rate_limit_exceeded' } } });
    await expectOn('retried-permanent', undefined, ordinary, sending([1_000, 2_000, 4_000]));
  });
});

describe('changed-request', () => {
  const sold: PlainCall = { query: 'status=sold' };
  const once: Scenario = { faults: [{ when: { first: 1 }, then: { respond: { status: 503 } } }] };

  test('finds a retry without its query', async () => {
    const [live] = await expectOn(
      'changed-request',
      'warn',
      once,
      sending([1_000], (n) => (n === 0 ? sold : {})),
    );
    expect(live && found(live, 'changed-request')).toMatchObject({ requests: [1, 2], measured: 'without the query' });
  });

  test('finds a retry without a header, and a named call on another path', async () => {
    const json = { headers: { accept: 'application/json' } };
    await expectOn(
      'changed-request',
      'warn',
      once,
      sending([1_000], (n) => ({ headers: { 'x-sim-call': 'a', ...(n === 0 && json.headers) } })),
    );
    const named = (n: number) => ({ path: n === 0 ? '/pets/1' : '/pets', headers: { 'x-sim-call': 'a' } });
    await expectOn('changed-request', 'warn', once, sending([1_000], named));
  });

  test.each<[string, Program]>([
    ['a retry as at first', sending([1_000, 1_000], sold)],
    ['another call', sending([1_000], (n) => (n === 0 ? sold : { query: 'status=available' }))],
    ['a poller that sent the bare path before', sending([10, 1_000], (n) => (n === 1 ? sold : {}))],
  ])('spares %s', async (_, program) => {
    const every: Scenario = { faults: [{ when: { every: 2 }, then: { respond: { status: 503 } } }] };
    await expectOn('changed-request', undefined, every, program);
  });
});

describe('changed-key', () => {
  const wall: Scenario = { keys: { 'free-key': { usage: { minute: 'all' } }, other: { plan: 'free' } } };

  test('notes a refused call that is sent with another key during the wait', async () => {
    const keys = (n: number) => ({ key: n === 0 ? 'free-key' : 'other' });
    const [live] = await expectOn('changed-key', 'info', wall, sending([500], keys));
    expect(live && found(live, 'changed-key')?.text).toContain('the refused call was sent with another key');
  });

  test.each<[string, Program[]]>([
    ['a retry with the same key', [sending([60_000])]],
    ['another key after the wait', [sending([61_000], (n) => ({ key: n === 0 ? 'free-key' : 'other' }))]],
    ['another call', [sending([500], (n) => ({ key: n === 0 ? 'free-key' : 'other', query: `limit=${n + 1}` }))]],
    ['another client', [sending([]), sending([500], () => ({ key: 'other' }))]],
  ])('spares %s', async (_, programs) => {
    await expectOn('changed-key', undefined, wall, ...programs);
  });
});

describe('amplification', () => {
  const down: Scenario = { ...failing(503), expect: { amplification: 1.3 } };

  test('fails a fleet whose calls all retry', async () => {
    const fleet = clients(30, (n) => sending([1_000, 2_000, 4_000], { query: `limit=${n + 1}` }));
    const [live] = await expectOn('amplification', 'fail', down, ...fleet);
    expect(live && found(live, 'amplification')).toMatchObject({
      measured: '4 requests per call',
      allowed: '1.3 requests per call',
    });
    expect(live?.amplification).toEqual({ overall: 4, worstSecond: 1 });
  });

  test('passes a fleet with a retry budget', async () => {
    const fleet = clients(30, (n) => sending(n < 6 ? [1_000] : [], { query: `limit=${n + 1}` }));
    for (const verdict of await expectOn('amplification', undefined, down, ...fleet))
      expect(verdict.exercised).toContain('amplification');
  });

  test('counts equal concurrent calls apart, and later calls of their own', async () => {
    const equal = clients(10, () => sending([1_000, 1_000, 1_000]));
    const [live] = await expectOn('amplification', 'fail', down, ...equal);
    expect(live?.amplification?.overall).toBe(4);
    const served = await verdictsOn({ expect: { amplification: 1.3 } }, sending(Array(20).fill(100)));
    for (const [, verdict] of served) expect(verdict.amplification).toBeUndefined();
  });
});
