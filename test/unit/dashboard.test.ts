import { expect, test, vi } from 'vitest';
import type { EntryRow } from '../../src/control-api/entry-row.js';
import type { ShownChange } from '../../src/control-api/update-stream.js';
import { asCurl, type CopiedEntry } from '../../src/dashboard/copy-as.js';
import { asTest, scenarioBefore } from '../../src/dashboard/copy-as-test.js';
import { arrangeLanes } from '../../src/dashboard/draw-timeline.js';
import { EntryBuffer, rowKindOf } from '../../src/dashboard/entry-buffer.js';
import { filterTest, noFilter } from '../../src/dashboard/filter.js';
import { createThrottles } from '../../src/dashboard/throttle.js';
import { createControl } from '../../src/entries/control.js';
import { createSimulator } from '../../src/entries/index.js';
import { noon } from '../support/frozen.js';

const at = (seconds: number) => new Date(Date.parse(noon) + seconds * 1000).toISOString();

const row = (id: number, seconds: number, more: Partial<EntryRow> = {}): EntryRow =>
  ({
    ...{ id, time: at(seconds), durationMs: 0, method: 'GET', path: '/pets', query: '', status: 200 },
    ...{ strikes: 0, episode: 0, key: 'free-key', keyId: 'key_1', plan: 'free' },
    ...more,
  }) as EntryRow;

const change = (number: number, lastId: number, fromSeconds: number, toSeconds: number, more = {}): ShownChange => ({
  ...{ number, lastId, time: at(fromSeconds), until: at(toSeconds), request: 'POST /clock', input: '', by: 'page' },
  ...more,
});

test('an axis continues after the clock was set back, also if all entries arrive at once', () => {
  const entries = [row(1, 0), row(2, 10), row(3, -500), row(4, -490)];
  const [same, back] = [change(1, 1, 5, 5), change(2, 2, 10, -500)];
  const live = new EntryBuffer();
  live.add(entries.slice(0, 2), [same]);
  live.add(entries.slice(2), [back]);
  const whole = new EntryBuffer();
  whole.add(entries, [same, back]);
  for (const { rows } of [live, whole]) {
    const places = rows.map(({ axisMs }) => axisMs - (rows[0]?.axisMs ?? 0));
    expect(places).toEqual([0, 10_000, 11_000, 21_000]);
  }
});

test.each([
  ['', [1, 2, 3]],
  // A lone hyphen is text, as in `free-key`.
  ['-', [1, 2, 3]],
  ['-429', [1, 3]],
  ['4xx', [2]],
  ['-4xx -5xx', [1]],
  ['#3', [3]],
  ['key:free status:503', [3]],
  ['"/pets" -served', [2, 3]],
])('the filter %s leaves the requests %j', (text, ids) => {
  const buffer = new EntryBuffer();
  buffer.add([row(1, 0), row(2, 1, { status: 429, refusal: 'limit' }), row(3, 2, { status: 503 })], []);
  expect(buffer.rows.filter(filterTest({ ...noFilter, text })).map(({ id }) => id)).toEqual(ids);
});

test('a request without a key has a lane beside those of the keys, and can be chosen', () => {
  const buffer = new EntryBuffer();
  const keyless = { key: undefined, keyId: undefined, status: 401 } as unknown as Partial<EntryRow>;
  buffer.add([row(1, 0, keyless), row(2, 1), row(3, 2, { key: 'pro-key', keyId: 'key_2' })], []);
  const names = (keyId: string | undefined) => arrangeLanes(buffer, false, keyId).lanes.map(({ name }) => name);
  expect(names(undefined)).toEqual(['no key', 'free-key', 'pro-key']);
  expect(names('')).toEqual(['no key']);
  expect(names('key_2')).toEqual(['pro-key']);
});

test('a ban ends when it is lifted, in any order of the entries', () => {
  const banned = row(1, 0, { status: 429, refusal: 'ban', promisedAt: at(120) });
  const lift = change(1, 1, 2, 2, { request: 'POST /keys/{key}/unban', input: 'key free-key' });
  const other = { ...lift, input: 'key pro-key' };
  const bans = (...updates: [EntryRow[], ShownChange[]][]) => {
    const buffer = new EntryBuffer();
    for (const [entries, changes] of updates) buffer.add(structuredClone(entries), changes);
    return buffer.lanes.get('key_1')?.bans.map(({ toMs }) => new Date(toMs).toISOString());
  };
  expect(bans([[banned], []], [[], [lift]])).toEqual([at(2)]);
  expect(bans([[banned], [lift]])).toEqual([at(2)]);
  expect(bans([[banned], [other]])).toEqual([at(120)]);
  const restore = { ...lift, request: 'POST /snapshots/{name}/restore', input: 'name before' };
  expect(bans([[banned], []], [[], [restore]])).toEqual([at(2)]);
});

test.each([
  [{ status: 200 }, 'served'],
  [{ status: 404 }, 'rejected'],
  [{ status: 401 }, 'rejected'],
  [{ status: 429, plan: 'free' }, 'refused'],
  [{ status: 403, refusal: 'ban' as const }, 'banned'],
  [{ status: 500 }, 'failed'],
])('%j is %s', (fields, kind) => {
  expect(rowKindOf(row(1, 0, fields as Partial<EntryRow>))).toBe(kind);
});

test('a throttle ignores the round-trip time, and responds to waiting callers at once', async () => {
  const createThrottle = createThrottles();
  vi.useFakeTimers();
  try {
    let runs = 0;
    const throttle = createThrottle(async () => {
      runs++;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }, 400);
    throttle.ask();
    await vi.advanceTimersByTimeAsync(100);
    throttle.ask();
    await vi.advanceTimersByTimeAsync(500);
    throttle.ask();
    // Of the second run, only the time beyond the first counts.
    await vi.advanceTimersByTimeAsync(500);
    expect(runs).toBe(3);
    throttle.hurry();
    await vi.advanceTimersByTimeAsync(100);
    throttle.ask();
    throttle.hurry();
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toBe(4);
    // During a run.
    throttle.ask();
    throttle.hurry();
    await vi.advanceTimersByTimeAsync(100);
    expect(runs).toBe(5);
    throttle.stop();
  } finally {
    vi.useRealTimers();
  }
});

const entry = (more: Partial<CopiedEntry>): CopiedEntry => ({ ...row(1, 0), headers: {}, ...more }) as CopiedEntry;
const present = { scenario: { name: 'default', keys: {} }, known: [{ name: 'default', changed: [] }], faults: [] };

test('a copied command uses the same URL, and states what it lacks', () => {
  const copied = (more: Partial<CopiedEntry>) => asCurl(entry(more), 'http://127.0.0.1:1/v1');
  expect(copied({})).toBe(`curl -i 'http://127.0.0.1:1/v1/pets' -H 'authorization: Bearer free-key'`);
  expect(copied({ query: 'api_key=…1234~abcd&limit=3' })).toContain(`?api_key='"$API_KEY"'&limit=3'`);
  expect(copied({ query: 'limit=[1-3]' })).toContain('--globoff --path-as-is');
  expect(copied({ path: '/pets/../pets/1' })).toContain('--globoff --path-as-is');
  expect(copied({ query: 'name=a.b' })).not.toContain('--');
  const { headers: _, ...dropped } = entry({ method: 'POST' });
  expect(asCurl(dropped, '')).toMatch(/^# The journal no longer contains its body/);
  const requestBody = { bytes: 100_000, hash: '', text: '{"name":"x', truncated: true as const };
  expect(copied({ method: 'POST', requestBody })).toMatch(/^# The journal contains only the start/);
});

test('a copied test expects the response as cut by the rule, and names a rule that no longer exists', () => {
  const before = (faults: { name: string; then?: object }[]) =>
    scenarioBefore(entry({ fault: 'out' }), { ...present, faults });
  const cut = asTest(entry({ fault: 'out', status: 0 }), before([{ name: 'out', then: { reset: true } }]));
  expect(cut).toContain('rejects.toThrow()');
  expect(cut).not.toContain('response.status');
  const gone = asTest(entry({ fault: 'out', status: 503 }), before([]));
  expect(gone).toContain('// Its fault rule "out" is no longer present');
  expect(gone).toContain('expect(response.status).toBe(503)');
});

test('a changed scenario is copied with its changes', () => {
  const scenario = { name: 'minute-wall', keys: {}, plans: { free: { minute: 5 } } };
  const before = (known: { name: string; changed?: string[] }[]) =>
    scenarioBefore(entry({}), { scenario, known, faults: [] });
  expect(before([{ name: 'minute-wall', changed: [] }])).toMatchObject({ extends: 'minute-wall' });
  expect(before([{ name: 'minute-wall', changed: [] }])).not.toHaveProperty('plans');
  const { plans } = scenario;
  expect(before([{ name: 'minute-wall', changed: ['plans'] }])).toMatchObject({ extends: 'minute-wall', plans });
  expect(before([{ name: 'default' }])).toMatchObject({ plans });
  expect(before([{ name: 'default' }])).not.toHaveProperty('extends');
});

test('a copied request has its own headers, and variables for those that the journal masked', async () => {
  const sim = createSimulator();
  const headers = {
    authorization: 'Bearer unlisted-secret-9876',
    'content-type': 'text/plain',
    'idempotency-key': "it's-1",
    'x-api-key': 'secret',
    'x-$`id`': 'v',
    accept: '*/*',
    'user-agent': 'shop/1',
  };
  await sim.fetch('http://petstore.test/v1/pets', { method: 'POST', headers, body: '{}' });
  const control = createControl(sim);
  const entry = await control.getRequest({ id: 1 });
  const command = asCurl({ ...entry, requestHeaders: { ...entry.requestHeaders, 'x-$(id)': '…' } }, '');
  expect(command.split(' -H ').slice(1).sort()).toEqual(
    [
      `'authorization: Bearer '"$API_KEY"`,
      `'content-type: text/plain'`,
      `'idempotency-key: it'\\''s-1'`,
      `'x-$(id): '"$X___ID_"`,
      `'x-$\`id\`: v'`,
      `'x-api-key: '"$X_API_KEY"`,
    ]
      .sort()
      .map((each) => expect.stringContaining(each)),
  );
  expect(command).not.toContain('secret');
  const text = asTest(entry, {});
  expect(text).toContain(`'idempotency-key': "it's-1"`);
  expect(text).toContain("'content-type': 'text/plain'");
  expect(text).not.toMatch(/x-api-key|user-agent/);
  const [read] = (await control.exportHar()).log.entries;
  const sent = read?.request.headers.map(({ name, value }) => [name.toLowerCase(), value]) ?? [];
  expect(Object.fromEntries(sent)).toEqual(entry.requestHeaders);
});
