import { expect, test } from 'vitest';
import { documentedPlans } from '../../src/petstore/document.js';
import {
  describeOnEveryAdapter,
  describeOverHttp,
  errorOf,
  expectAnswer,
  firstRate,
  invalid,
  noonSeconds,
  rate,
} from '../support/adapters.js';
import { numbersOf } from '../support/check-answer.js';

const { minute: perMinute } = documentedPlans.free;

/** What each field of a NewPet must be. */
const requirements = {
  name: 'a string',
  categoryId: 'a whole number from -2^63 to 2^63-1',
  status: 'one of available, pending, sold',
};

/** Values that a field must not have, as they are written in the body and in the message. */
const wrongValues: Record<keyof typeof requirements, Record<string, string>> = {
  name: { null: 'null', 7: 'the number 7', true: 'true', '["Rex"]': 'an array', '{}': 'an object' },
  categoryId: {
    null: 'null',
    '"1"': 'the string "1"',
    true: 'true',
    1.5: 'the number 1.5',
    '[1]': 'an array',
    '9223372036854775808': 'the number 9223372036854775808',
    '-9223372036854775809': 'the number -9223372036854775809',
  },
  status: { '"lost"': 'the string "lost"', null: 'null', '"Sold"': 'the string "Sold"', '["sold"]': 'an array' },
};

/** Bodies with one such value each, and the message of the response. */
const wrongFields = Object.entries(wrongValues).flatMap(([field, values]) =>
  Object.entries(values).map(([value, shown]): [body: string, message: string] => {
    const fields = Object.entries({ name: '"Rex"', categoryId: '1', [field]: value });
    const body = fields.map(([name, text]) => `"${name}":${text}`).join();
    return [`{${body}}`, `${field} is ${shown}; it must be ${requirements[field as 'name']}.`];
  }),
);

const notJson = (reason: string) => `The body is not valid JSON: ${reason}.`;
const bytes = (...values: number[]) => new Uint8Array(values);
const utf8 = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describeOverHttp('createPet', (open) => {
  test('responds with 201, the created pet and its assigned id', async () => {
    const { post, get } = await open();
    const answer = await post({ name: 'Nala', categoryId: 2, status: 'pending' });
    expect(answer.status).toBe(201);
    expect(answer.bodyText).toBe('{"id":4,"name":"Nala","categoryId":2,"status":"pending"}');
    expect(rate(answer)).toEqual(firstRate);
    expect(answer.headers.has('location')).toBe(false);
    expect((await get('/pets/4')).bodyText).toBe(answer.bodyText);
  });

  test('rejects a pet after the greatest id instead of starting again', async () => {
    const { post, get } = await open({ pets: [], ids: { start: 9223372036854775807n } });
    const last = await post({ name: 'Last', categoryId: 1 });
    expect(last.bodyText).toBe('{"id":9223372036854775807,"name":"Last","categoryId":1,"status":"available"}');
    const refused = await post({ name: 'Beyond', categoryId: 1 });
    const message = 'Failed to add a pet: expected a free id, got 9223372036854775807, which is taken';
    expectAnswer(refused, 500, errorOf(500, 'internal_error', message));
    expect((await get('/pets')).bodyText).toBe(`[${last.bodyText}]`);
  });

  test('assigns ids past 2^53 digit for digit', async () => {
    const { post, get } = await open({ pets: [], ids: { start: 9007199254740993n } });
    const created = [await post({ name: 'A', categoryId: 1 }), await post({ name: 'B', categoryId: 1 })];
    const texts = created.map(({ bodyText }) => numbersOf('id', bodyText)[0]);
    expect(texts).toEqual(['9007199254740993', '9007199254740994']);
    const list = await get('/pets');
    expect(list.status).toBe(200);
    expect(numbersOf('id', list.bodyText)).toEqual(texts);
    expect((await get('/pets/9007199254740994')).bodyText).toBe(created[1]?.bodyText);
    expect((await get('/pets/9007199254740992')).status).toBe(404);
  });

  test.each([
    ['quotes, backslashes and controls', 'a"b\\c/d\b\f\n\r\t\u0000\u001f'],
    ['text beyond ASCII', 'Zoë 小梅 Åse'],
    ['text beyond the basic plane', '🐕‍🦺'],
    ['a separator that JavaScript once forbade', 'a\u2028b\u2029c'],
    ['markup', '<script>alert(1)</script>'],
    ['the name of a property of every object', '__proto__'],
    ['a name of 10,000 characters', 'x'.repeat(10_000)],
    ['white space', '  '],
    ['nothing', ''],
  ])('preserves a name of %s', async (_, name) => {
    const { post, get } = await open();
    const answer = await post({ name, categoryId: 1 });
    expectAnswer(answer, 201, { id: 4, name, categoryId: 1, status: 'available' }, firstRate);
    expect((await get('/pets/4')).bodyText).toBe(answer.bodyText);
  });

  test.each([
    ['escapes', String.raw`{"n\u0061me":"\ud83d\udc15\u0041\/","categoryId":1}`, '🐕A/'],
    ['white space around every token', ' \t\r\n{ "name" : "Rex" ,\n"categoryId" : 1 } \n', 'Rex'],
    ['duplicate names, of which the last wins', '{"name":"A","categoryId":1,"name":"B"}', 'B'],
    ['a field __proto__, which is just unknown', '{"__proto__":{"name":"A"},"name":"B","categoryId":1}', 'B'],
    ['fields that NewPet does not have', '{"id":99,"extra":[1,{"a":null}],"name":"B","categoryId":1}', 'B'],
    ['31 levels below an unknown field', `{"x":${nested(31)},"name":"B","categoryId":1}`, 'B'],
  ])('accepts a body with %s', async (_, body, name) => {
    const { post } = await open();
    expectAnswer(await post(body), 201, { id: 4, name, categoryId: 1, status: 'available' }, firstRate);
  });

  test.each([
    ['{}', 'name is missing; it is a required string.'],
    ['{"categoryId":1}', 'name is missing; it is a required string.'],
    ['{"name":"Rex"}', 'categoryId is missing; it is a required int64.'],
    ...wrongFields,
    ['{"__proto__":{"name":"Rex","categoryId":1}}', 'name is missing; it is a required string.'],
    ['{"__proto__":{"name":"Rex"},"categoryId":1}', 'name is missing; it is a required string.'],
    ['[]', 'The body is an array; it must be a JSON object.'],
    ['null', 'The body is null; it must be a JSON object.'],
    ['"Rex"', 'The body is the string "Rex"; it must be a JSON object.'],
    ['7', 'The body is the number 7; it must be a JSON object.'],
    ['true', 'The body is true; it must be a JSON object.'],
    ['', 'The body is missing; send a NewPet as JSON.'],
    [' ', notJson('expected a JSON value at position 1, found the end')],
    ['{', notJson('expected a quoted name at position 1, found the end')],
    ['{"name":"Rex",}', notJson('expected a quoted name at position 14, found "}"')],
    ["{'name':'Rex'}", notJson(`expected a quoted name at position 1, found "'"`)],
    ['{"name":"Rex"} {}', notJson('expected the end at position 15, found "{"')],
    ['{"name":"Rex","categoryId":01}', notJson('expected "," or "}" at position 28, found "1"')],
    ['{"name":"Rex","categoryId":NaN}', notJson('expected a JSON value at position 27, found "N"')],
    ['{"name":"Rex","categoryId":1e400}', notJson('the number at position 27 is too large')],
    ['{"name":"\\ud800","categoryId":1}', notJson('a string holds a lone surrogate, which is not well-formed Unicode')],
    [
      '{"name":"a\nb","categoryId":1}',
      notJson('expected a closing quote or an escaped character at position 10, found "\\n"'),
    ],
    ['name=Rex&categoryId=1', notJson('expected a JSON value at position 0, found "n"')],
  ])('rejects %s with 400', async (body, message) => {
    const { post, sim } = await open();
    expectAnswer(await post(body), 400, invalid(message), firstRate);
    expect(sim.pets.size).toBe(3);
  });

  test.each([
    ['33 levels', `{"x":${nested(32)},"name":"B","categoryId":1}`],
    ['33 levels without a name', `{"x":${nested(32)},"categoryId":1}`],
    ['33 levels of objects', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
    ['10 kB of brackets', nested(5_000)],
    ['60 kB of objects that never close', '{"a":'.repeat(12_000)],
  ])('rejects a body of %s with 400, before its fields are checked', async (_, body) => {
    const { post } = await open();
    const message = notJson('the text is nested more than 32 levels deep');
    expectAnswer(await post(body), 400, invalid(message), firstRate);
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset= utf-8',
    'application/json;',
    'application/json ; ;charset=utf-8;',
    'Application/JSON',
    ' application/json ',
  ])('accepts the Content-Type %j', async (type) => {
    const { post } = await open();
    const answer = await post({ name: 'Rex', categoryId: 1 }, { headers: { 'Content-Type': type } });
    expectAnswer(answer, 201, { id: 4, name: 'Rex', categoryId: 1, status: 'available' }, firstRate);
  });

  test.each([
    ['', 'missing'],
    ['text/plain', '"text/plain"'],
    ['application/x-www-form-urlencoded', '"application/x-www-form-urlencoded"'],
    ['application/issue+json', '"application/issue+json"'],
    ['application/json; charset=latin1', '"application/json; charset=latin1"'],
    ['application/json;; charset=latin1', '"application/json;; charset=latin1"'],
    ['application/jsonx', '"application/jsonx"'],
    ['text/plain, application/json', '"text/plain, application/json"'],
  ])('rejects the Content-Type %j with 400', async (type, found) => {
    const { post } = await open();
    const answer = await post({ name: 'Rex', categoryId: 1 }, { headers: { 'Content-Type': type } });
    expectAnswer(answer, 400, invalid(`Content-Type is ${found}; it must be application/json.`), firstRate);
  });

  test('stores nothing if the key is refused', async () => {
    const { post, sim } = await open({ keys: { 'used-up': { usage: { minute: 'all' } } } });
    expect((await post({ name: 'Rex', categoryId: 1 }, { key: 'used-up' })).status).toBe(429);
    expect((await post({ name: 'Rex', categoryId: 1 }, { key: 'revoked-key' })).status).toBe(401);
    expect(sim.pets.size).toBe(3);
  });
});

describeOnEveryAdapter('the bytes of a body', (open) => {
  test.each([
    ['a byte that is none', bytes(0x22, 0xff, 0x22)],
    ['a character cut short', bytes(0x22, 0xe5, 0xb0, 0x22)],
    ['a surrogate written out', bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ['an overlong form', bytes(0x22, 0xc0, 0xaf, 0x22)],
  ])('rejects a body that is not UTF-8 with 400: %s', async (_, body) => {
    const { post } = await open();
    expectAnswer(await post(body), 400, invalid('The body is not valid UTF-8.'), firstRate);
  });

  test('accepts a body of 64 KiB and rejects one more byte with 413', async () => {
    const { post, sim } = await open();
    const padded = (size: number) => {
      const body = '{"name":"Rex","categoryId":1}';
      return body + ' '.repeat(size - body.length);
    };
    expect((await post(padded(65_536))).status).toBe(201);
    const tooLarge = errorOf(413, 'payload_too_large', 'The body is larger than 65536 bytes.');
    expectAnswer(await post(padded(65_537)), 413, tooLarge, [perMinute, perMinute - 2, noonSeconds + 60]);
    expect((await post(padded(1_000_000))).status).toBe(413);
    expect(sim.pets.size).toBe(4);
  });

  test('counts the size of a body in bytes, not in characters', async () => {
    const { post } = await open();
    const body = utf8(JSON.stringify({ name: '小'.repeat(22_000), categoryId: 1 }));
    expect(body.length).toBeGreaterThan(65_536);
    expect((await post(body)).status).toBe(413);
  });

  test('rejects an encoded body with 400', async () => {
    const { post } = await open();
    const answer = await post(bytes(0x1f, 0x8b), { headers: { 'Content-Encoding': 'gzip' } });
    expectAnswer(answer, 400, invalid('Content-Encoding is "gzip"; the body must be sent as it is.'));
  });
});
