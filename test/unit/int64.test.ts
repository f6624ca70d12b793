import { expect, test } from 'vitest';
import { compareInt64, isInt64, nextInt64, normalizeInteger, parseInt64 } from '../../src/values/int64.js';
import { jsonText } from '../../src/values/json.js';
import { frozen } from '../support/frozen.js';
import { code, message, send } from '../support/plain-call.js';

const withCategory = (number: string) => `{"name":"Rex","categoryId":${number}}`;

const accepted: [sent: string, answered: string][] = [
  ['0', '0'],
  ['-0', '0'],
  ['-0.0', '0'],
  ['0e5', '0'],
  ['7', '7'],
  ['-7', '-7'],
  ['9007199254740991', '9007199254740991'],
  ['-9007199254740991', '-9007199254740991'],
  ['9007199254740992', '9007199254740992'],
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['9223372036854775807', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['1.0', '1'],
  ['1.50e1', '15'],
  ['1e3', '1000'],
  ['1E+3', '1000'],
  ['120e-1', '12'],
  ['1e18', '1000000000000000000'],
  ['9.223372036854775807e18', '9223372036854775807'],
];

test.each(accepted)('categoryId %s is stored and returned as %s', (sent, answered) => {
  const sim = frozen();
  const created = send(sim, { body: withCategory(sent) });
  expect(created.status).toBe(201);
  const pet = `{"id":41,"name":"Rex","categoryId":${answered},"status":"available"}`;
  expect(created.body).toBe(pet);
  expect(send(sim, { path: '/pets/41' }).body).toBe(pet);
  expect(send(sim, { query: 'limit=100' }).body).toContain(pet);
});

test.each([
  '18446744073709551616',
  '1e19',
  '1e30',
  '-1e400',
  '-0.5',
  '1e-1',
  '1e-400',
  '1.00000000000000000001',
  '4503599627370496.3',
  '{}',
])('categoryId %s is rejected with a 400 that names the field or the number', (sent) => {
  const sim = frozen();
  const answer = send(sim, { body: withCategory(sent) });
  expect(answer.status).toBe(400);
  expect(code(answer)).toBe('invalid_request');
  expect(message(answer)).toMatch(/categoryId|number at position/);
  expect(sim.pets.size).toBe(40);
});

test.each(['01', '+1', '.5', '1.', '0x10', '1_000', '--1', '1e', 'NaN', 'Infinity', '１'])(
  'categoryId %s is not JSON and rejected with 400',
  (sent) => {
    const answer = send(frozen(), { body: withCategory(sent) });
    expect(answer.status).toBe(400);
    expect(message(answer)).toMatch(/^The body is not valid JSON: /);
  },
);

const malformedIds = [
  '01',
  '+1',
  '-0',
  '1.0',
  '1e0',
  '%31',
  '1%20',
  ' 1',
  '0x1',
  '１',
  '١',
  'abc',
  '9223372036854775808',
  '-9223372036854775809',
  '12345678901234567890',
  '-12345678901234567890',
  '9'.repeat(5000),
  '__proto__',
];

test.each(malformedIds)('the path id %s gets a 400 under malformedPetId: reject', (id) => {
  const answer = send(frozen({ assumptions: { malformedPetId: 'reject' } }), { path: `/pets/${id}` });
  expect(answer.status).toBe(400);
  expect(message(answer)).toContain('petId');
});

test.each(['-1', '999', '9223372036854775807'])('the path id %s gets a 404 if no pet has it', (id) => {
  const answer = send(frozen({ assumptions: { malformedPetId: 'reject' } }), { path: `/pets/${id}` });
  expect(answer.status).toBe(404);
});

test('identifiers cross 2^53 without a gap or a repetition', () => {
  const sim = frozen({ ids: { start: 9007199254740990 }, pets: [] });
  const ids = Array.from({ length: 5 }, () => /"id":(\d+)/.exec(send(sim, { body: withCategory('1') }).body)?.[1]);
  expect(ids).toEqual([
    '9007199254740990',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9007199254740994',
  ]);
  expect(send(sim).body).toContain('"id":9007199254740993');
  expect(send(sim, { path: '/pets/9007199254740993' }).body).toContain('"id":9007199254740993');
});

test('a JSON text has the same fields with a bigint as without one', () => {
  const value = { pets: [1], absent: undefined, header() {} };
  expect(jsonText({ ...value, id: 1 })).toBe('{"pets":[1],"id":1}');
  expect(jsonText({ ...value, id: 2n ** 53n })).toBe('{"pets":[1],"id":9007199254740992}');
});

test('a whole number has one stored form: a number if safe, otherwise a bigint', () => {
  expect(normalizeInteger(7n)).toBe(7);
  expect(normalizeInteger(-0)).toBe(0);
  expect(normalizeInteger(2n ** 53n - 1n)).toBe(2 ** 53 - 1);
  expect(normalizeInteger(2n ** 53n)).toBe(2n ** 53n);
  expect(normalizeInteger(-(2n ** 53n))).toBe(-(2n ** 53n));
});

test('a number that may already be rounded is not an int64', () => {
  expect(isInt64(2 ** 53)).toBe(false);
  expect(isInt64(2n ** 53n)).toBe(true);
  expect(isInt64(2n ** 63n)).toBe(false);
  expect(isInt64(-(2n ** 63n))).toBe(true);
  expect(isInt64(1.5)).toBe(false);
  expect(isInt64(Number.NaN)).toBe(false);
  expect(isInt64('1')).toBe(false);
});

test('canonical text is parsed exactly and everything else is rejected', () => {
  expect(parseInt64('123456789012345')).toBe(123456789012345);
  expect(parseInt64('-99999999999999')).toBe(-99999999999999);
  expect(parseInt64('9007199254740991')).toBe(9007199254740991);
  expect(parseInt64('9007199254740993')).toBe(9007199254740993n);
  expect(parseInt64('')).toBeUndefined();
  expect(parseInt64('1\n')).toBeUndefined();
});

test('the greatest int64 has no next', () => {
  expect(nextInt64(2 ** 53 - 2)).toBe(2 ** 53 - 1);
  expect(nextInt64(2 ** 53 - 1)).toBe(2n ** 53n);
  expect(nextInt64(2n ** 63n - 2n)).toBe(2n ** 63n - 1n);
  expect(nextInt64(2n ** 63n - 1n)).toBe(2n ** 63n - 1n);
  expect(nextInt64(-1)).toBe(0);
});

test('numbers and bigints sort in one order', () => {
  const sorted = [-(2n ** 63n), -1, 0, 1, 2 ** 53 - 1, 2n ** 53n, 2n ** 63n - 1n];
  expect([...sorted].reverse().sort(compareInt64)).toEqual(sorted);
});
