import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEntryView, type EntryJson } from '../../src/control-api/entry-view.js';
import { journalEntrySchema } from '../../src/control-api/journal-entry.js';
import { createSimulator } from '../../src/entries/index.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import { createInstantText } from '../../src/values/instant-text.js';
import { noon } from '../support/frozen.js';
import { fuzz } from '../support/prove.js';

const textOf = ({ start, body, end }: EntryJson) => start + new TextDecoder().decode(body) + end;

const noonMs = Date.parse(noon);
const secret = 'unknown-secret-9999';
const few = <Value>(...values: Value[]) => fc.constantFrom(...values);

/** Records as an adapter could make them, in their own ways alike: so that some are like the one before. */
const record: fc.Arbitrary<RequestRecord> = fc.record({
  id: fc.integer({ min: 1, max: 30 }),
  arrivedAtMs: few(noonMs, noonMs + 1, noonMs + 999, noonMs + 61_000, -1, 0.5),
  answeredAtMs: few(noonMs, noonMs + 1, noonMs + 62_000),
  finishedAtMs: few(noonMs, noonMs + 70_000),
  isAbandoned: fc.boolean(),
  lastArrivedId: fc.integer({ min: 1, max: 40 }),
  isLost: few(undefined, false, true),
  heldMs: few(0, 7),
  token: few(undefined, '', 'free-key', secret),
  operation: few(undefined, 'listPets', 'createPet'),
  isWrite: fc.boolean(),
  method: few('GET', 'POST', 'M-"-SEARCH'),
  baseUrl: few('http://127.0.0.1:4010/v1', 'http://"é"/v1'),
  path: few('/pets', '/pets/"\\1', `/pets/${secret}`),
  query: few('', 'limit=20', 'q=žluťoučký😀\u2028\ud800'),
  status: few(0, 200, 201, 401, 404, 429, 503),
  requestBody: few<RequestRecord['requestBody']>(undefined, '', '{"name":"Žofie \\"x\\" 😀"}', { base64: '/wBB' }),
  responseBody: few(
    '',
    '[{"id":1,"name":"Zoë \\"x\\""}]',
    '{"code":"x_y"}',
    `é${'a'.repeat(70_000)}`,
    `\ud800 ${secret}`,
  ),
  headers: few<Record<string, string>>(
    {},
    { 'X-RateLimit-Remaining': '59', Date: 'x' },
    { 'X-RateLimit-Remaining': '58', 'Retry-After': '7' },
    { 'X-RateLimit-Remaining': 'soon', 'X-Note': `"${secret}"` },
  ),
  requestHeaders: few<RequestRecord['requestHeaders']>(
    undefined,
    { authorization: 'Bearer …', 'user-agent': 'curl/8 "x"' },
    { authorization: '…', 'idempotency-key': `"${secret}"` },
    { accept: '*/*' },
  ),
  connection: few(undefined, 1, 2),
  client: few(undefined, `curl/8 "x" ${secret}`),
  call: few(undefined, '', 'call-"1"'),
  plan: few(undefined, 'free'),
  window: few(undefined, 'minute', 'day'),
  refusal: few(undefined, 'limit', 'ban'),
  rate: few(
    undefined,
    { limit: 60, remaining: 0, resetAtSeconds: noonMs / 1000 },
    { limit: 60, remaining: 5, resetAtSeconds: 1e20 },
  ),
  promisedAtMs: few(undefined, noonMs + 60_000, 1e300),
  bannedUntilMs: few(undefined, noonMs + 30_000, 1e300),
  strikes: few(0, 2),
  isStrike: fc.boolean(),
  isLimited: fc.boolean(),
  cost: few(undefined, 5),
  episode: few(0, 1),
  storedId: few(undefined, '9007199254740993'),
  fault: few(undefined, 'a "fault"'),
  isUnreadable: fc.boolean(),
  assumption: few(undefined, 'unknownRoute'),
  wire: few<RequestRecord['wire']>(undefined, { kind: 'reset' }, { kind: 'drip', bytes: 4, everyMs: 50 }),
  refusedBy: few(undefined, 'backend', 'handler', 'backend-without-key'),
});

test('the JSON of an entry equals JSON.stringify of the shown entry, in any order of entries', () => {
  const fields = new Set<string>();
  const check = (records: RequestRecord[]) => {
    const sim = createSimulator();
    const shown = createEntryView(sim);
    const written = createEntryView(sim);
    for (const each of records) {
      const entry = shown.show(each);
      const text = textOf(written.write(each));
      expect(text).toBe(JSON.stringify(entry));
      // Also where the same text was shown before it was known that this is a key.
      if (each.token === secret) expect(text).not.toContain(secret);
      for (const field of Object.keys(entry)) fields.add(field);
      for (const value of Object.values(entry)) expect(value).not.toBe(undefined);
    }
  };
  fc.assert(fc.property(fc.array(record, { maxLength: 12 }), check), fuzz(80, 3_000));
  expect([...fields].sort()).toEqual(
    Object.keys(journalEntrySchema.entries ?? {})
      .filter((field) => field !== 'why')
      .sort(),
  );
});

test('writes times like Date.toISOString', () => {
  const text = createInstantText();
  const ms = fc.oneof(
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
    fc.integer({ min: -3_000, max: 3_000 }),
    few(0.5, -0.5, 999.9),
  );
  fc.assert(
    fc.property(ms, (each) => {
      expect(text(each)).toBe(new Date(each).toISOString());
    }),
    fuzz(1_000, 10_000),
  );
});
