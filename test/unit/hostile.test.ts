import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { JsonError, parseJson } from '../../src/values/json.js';
import { frozen } from '../support/frozen.js';
import { message, send } from '../support/plain-call.js';
import { fuzz } from '../support/prove.js';

const { minute: perMinute } = documentedPlans.free;

const encode = (text: string) => new TextEncoder().encode(text);

describe('prototype pollution', () => {
  const namesBefore = Object.getOwnPropertyNames(Object.prototype);
  afterEach(() => {
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(namesBefore);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  const payloads = [
    '"__proto__":{"polluted":1}',
    '"__proto__":{"status":"sold","toString":1}',
    '"__proto__":null',
    '"__proto__":[]',
    '"constructor":{"prototype":{"polluted":1}}',
    '"constructor":1,"prototype":{"polluted":1}',
    '"toString":1,"valueOf":2,"hasOwnProperty":3,"toJSON":4',
    '"\\u005f_proto__":{"polluted":1}',
    '"extra":{"__proto__":{"polluted":1}}',
    '"__defineGetter__":1,"__lookupSetter__":2',
  ];

  test.each(payloads)(
    'the fields %s are ignored like any unknown field, and returned as sent under echo',
    (payload) => {
      const [pet, echoed] = [
        '{"id":41,"name":"Rex","categoryId":1,"status":"available"',
        payload.replace('\\u005f', '_'),
      ];
      for (const [sim, expected] of [
        [frozen(), `${pet}}`],
        [frozen({ assumptions: { unknownFields: 'echo' } }), `${pet},${echoed}}`],
      ] as const) {
        const answer = send(sim, { body: `{"name":"Rex","categoryId":1,${payload}}` });
        expect([answer.status, answer.body]).toEqual([201, expected]);
        expect(send(sim, { path: '/pets/41' }).body).toBe(expected);
      }
    },
  );

  test('a query cannot pollute', () => {
    for (const query of ['__proto__[polluted]=1', 'constructor[prototype][polluted]=1', '__proto__=1&limit=1']) {
      expect(send(frozen(), { query }).status).toBe(200);
    }
  });

  test('a scenario cannot pollute', () => {
    for (const text of [
      '{"__proto__":{"polluted":1}}',
      '{"keys":{"__proto__":{"plan":"pro","polluted":1}}}',
      '{"plans":{"__proto__":{"minute":1,"day":1}}}',
      '{"constructor":{"prototype":{"polluted":1}}}',
      '{"assumptions":{"errorCodes":{"__proto__":{"polluted":1}}}}',
    ]) {
      try {
        createSimulator({ scenario: JSON.parse(text) });
      } catch (error) {
        expect(error).toHaveProperty('name', 'ScenarioError');
      }
      expect(frozen().keys.get('free-key')).toMatchObject({ plan: 'free', minute: { limit: perMinute } });
    }
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is not a method, key, status or petId',
    (name) => {
      const sim = frozen();
      expect(send(sim, { method: name }).status).toBe(405);
      expect(send(sim, { key: name }).status).toBe(401);
      expect(send(sim, { query: `status=${name}` }).status).toBe(400);
      expect(send(sim, { path: `/pets/${name}` }).status).toBe(404);
      expect(send(sim, { body: { name: 'Rex', categoryId: 1, status: name } }).status).toBe(400);
    },
  );
});

test('32 levels are returned under echo', () => {
  const levels = '['.repeat(31) + ']'.repeat(31);
  const echo = frozen({ assumptions: { unknownFields: 'echo' } });
  expect(send(echo, { body: `{"name":"Rex","categoryId":1,"x":${levels}}` }).body).toContain(`"x":${levels}`);
});

describe('size', () => {
  const hugeNumbers = {
    'only digits': '9'.repeat(60_000),
    'a one and zeros': `1${'0'.repeat(60_000)}`,
    'zeros between ones': `1${'0'.repeat(60_000)}1`,
    'many runs of zeros': '10'.repeat(30_000),
    'a long fraction': `0.${'0'.repeat(60_000)}1`,
    'a fraction of zeros': `1.${'0'.repeat(60_000)}`,
    'a whole number with a long negative exponent': `1${'0'.repeat(30_000)}e-30001`,
    'a huge exponent': `1e${'9'.repeat(60_000)}`,
    'a huge negative exponent': `1e-${'9'.repeat(60_000)}`,
    'only minus signs': '-'.repeat(60_000),
  };

  test('a whole number with a fraction of 60,000 zeros is accepted', () => {
    const categoryId = hugeNumbers['a fraction of zeros'];
    expect(send(frozen(), { body: `{"name":"Rex","categoryId":${categoryId}}` }).status).toBe(201);
  });

  // A nonlinear reader takes minutes for these, more than the test timeout.
  test.each(Object.entries(hugeNumbers))(
    'a number of six million characters (%s) is parsed in linear time',
    (_, number) => {
      const long = number.slice(0, 30_000).repeat(100) + number.slice(30_000).repeat(100);
      expect(() => parseJson(`[${long}]`)).toThrow(JsonError);
    },
  );

  test('a number of 100,000 digits is rejected with 413, and the parser itself can read it', () => {
    const answer = send(frozen(), { body: `{"name":"Rex","categoryId":${'9'.repeat(100_000)}}` });
    expect(answer.status).toBe(413);
  });

  test('50,000 levels are rejected with 400, and with 413 if the body is too large', () => {
    const [open, close] = ['['.repeat(50_000), ']'.repeat(50_000)];
    expect(send(frozen(), { body: open }).status).toBe(400);
    expect(send(frozen(), { body: `{"name":"Rex","categoryId":1,"x":${open}${close}}` }).status).toBe(413);
  });

  test('a body with 10,000 fields gets a response', () => {
    const fields = Array.from({ length: 10_000 }, (_, index) => `"${index}":1`).join(',');
    const short = Array.from({ length: 6000 }, (_, index) => `"k${index}":1`).join(',');
    expect(send(frozen(), { body: `{"name":"Rex","categoryId":1,${fields}}` }).status).toBe(413);
    const echo = frozen({ assumptions: { unknownFields: 'echo' } });
    expect(send(echo, { body: `{"name":"Rex","categoryId":1,${short}}` }).status).toBe(201);
    const same = '"name":"Rex",'.repeat(4900);
    expect(send(frozen(), { body: `{${same}"categoryId":1}` }).status).toBe(201);
  });

  test('texts full of escapes, quotes or spaces get a response at once', () => {
    for (const name of ['\\u0041'.repeat(10_000), '\\n'.repeat(30_000), ' '.repeat(60_000)]) {
      expect(send(frozen(), { body: `{"name":"${name}","categoryId":1}` }).status).toBe(201);
    }
    expect(send(frozen(), { body: `${' '.repeat(60_000)}{` }).status).toBe(400);
    expect(send(frozen(), { body: '"'.repeat(60_000) }).status).toBe(400);
  });

  test('an error message repeats only the start of a long text', () => {
    const long = 'y'.repeat(60_000);
    const answers = [
      send(frozen(), { body: { name: 'Rex', categoryId: long } }),
      send(frozen(), { body: { name: 'Rex', categoryId: 1, status: long } }),
      send(frozen(), { query: `limit=${long}` }),
      send(frozen(), { query: `status=${long}` }),
      send(frozen({ assumptions: { unknownQuery: 'reject' } }), { query: `${long}=1` }),
      send(frozen({ assumptions: { unknownFields: 'reject' } }), { body: { name: 'Rex', categoryId: 1, [long]: 1 } }),
      send(frozen(), { body: '{}', headers: { 'content-type': long } }),
      send(frozen(), { key: null, headers: { authorization: long } }),
    ];
    for (const answer of answers) {
      expect([400, 401]).toContain(answer.status);
      expect(answer.body.length).toBeLessThan(300);
    }
  });

  test('a query of 5,000 parameters gets a response at once', () => {
    expect(send(frozen(), { query: 'a=1&'.repeat(5000) }).status).toBe(200);
    expect(send(frozen(), { query: 'limit=1&'.repeat(5000) }).status).toBe(400);
  });
});

describe('bytes', () => {
  const body = (...name: number[]) => new Uint8Array([...encode('{"name":"'), ...name, ...encode('","categoryId":1}')]);

  test('one byte order mark is skipped, a second is not JSON', () => {
    const text = encode('{"name":"Rex","categoryId":1}');
    const bom = [0xef, 0xbb, 0xbf];
    expect(send(frozen(), { body: new Uint8Array([...bom, ...text]) }).status).toBe(201);
    expect(send(frozen(), { body: new Uint8Array([...bom, ...bom, ...text]) }).status).toBe(400);
    expect(send(frozen(), { body: new Uint8Array(bom) }).status).toBe(400);
  });

  test.each([[0x00], [0x1f], [0x0a]])('the control byte %i inside a string is rejected with 400', (byte) => {
    expect(send(frozen(), { body: body(byte) }).status).toBe(400);
  });

  test('UTF-16 is rejected with 400', () => {
    const utf16 = new Uint8Array([...'{"name":"Rex","categoryId":1}'].flatMap((char) => [char.charCodeAt(0), 0]));
    expect(send(frozen(), { body: utf16 }).status).toBe(400);
    const headers = { 'content-type': 'application/json; charset=utf-16' };
    expect(send(frozen(), { body: { name: 'Rex', categoryId: 1 }, headers }).status).toBe(400);
  });

  test('every well-formed name is returned unchanged', () => {
    const sim = frozen({ pets: [], limits: 'off' });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', size: 'medium' }), (name) => {
        const created = send(sim, { body: JSON.stringify({ name, categoryId: 1 }) });
        expect(created.status).toBe(201);
        expect(JSON.parse(created.body).name).toBe(name);
      }),
      fuzz(150, 10_000),
    );
  });

  test('a lone surrogate is rejected with 400', () => {
    for (const name of ['\\ud800', '\\udc00\\ud800', 'x\\uDFFFy']) {
      const answer = send(frozen(), { body: `{"name":"${name}","categoryId":1}` });
      expect([answer.status, message(answer)]).toEqual([400, expect.stringContaining('lone surrogate')]);
    }
  });
});

test('no request causes a 5xx, and every response has a well-formed body and headers', () => {
  const errors: unknown[] = [];
  const base = { pets: [], limits: 'off' as const };
  const choose = fc.constantFrom;
  const settings = fc.record({
    unknownFields: choose('ignore', 'reject', 'echo'),
    paging: choose('none', 'cursor', 'offset', 'page'),
    limitOutOfRange: choose('reject', 'clamp', 'default'),
    unknownStatusFilter: choose('reject', 'empty', 'ignore'),
    malformedPetId: choose('not-found', 'reject'),
    contentType: choose('reject', 'accept', 'unsupported'),
    deprecation: choose('silent', 'headers'),
    unknownMethod: choose('method-not-allowed', 'not-found'),
  } as const);
  const oddText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    choose(
      '__proto__',
      '9223372036854775808',
      '-1',
      '%',
      '%zz',
      '%00',
      '../..',
      '\u0000',
      '1e400',
      'after-1',
      'after-',
    ),
  );
  const call = fc.record({
    method: choose('GET', 'POST', 'POST', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', '', 'get', '__proto__'),
    path: fc.oneof(
      choose('/pets', '/pets', '/pets', '', '/', '/pets/', '//pets', '/pets//1'),
      oddText.map((text) => `/pets/${text}`),
    ),
    query: fc.oneof(
      choose('', 'limit=1', 'limit=&status=', 'limit=101&limit=1', '&&=&', '%', 'cursor=after-9&offset=9&page=0'),
      fc.tuple(choose('limit', 'status', 'cursor', 'offset', 'page'), oddText).map((pair) => pair.join('=')),
      oddText,
    ),
    body: fc.oneof(
      fc.json({ stringUnit: 'binary' }).map(encode),
      fc.uint8Array({ maxLength: 60 }),
      fc
        .dictionary(choose('name', 'categoryId', 'status', 'id', '__proto__', 'x'), fc.jsonValue())
        .map((value) => encode(JSON.stringify(value))),
    ),
    contentType: choose(
      'application/json',
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      '',
      ';',
    ),
  });
  fc.assert(
    fc.property(settings, fc.array(call, { minLength: 5, maxLength: 20 }), (assumptions, calls) => {
      const sim = createSimulator({ scenario: { ...base, assumptions }, onError: (error) => errors.push(error) });
      for (const { contentType, ...call } of calls) {
        const answer = send(sim, { ...call, headers: { 'content-type': contentType } });
        expect(errors).toEqual([]);
        expect(answer.status).toBeLessThan(500);
        const parsed = JSON.parse(answer.body);
        if (answer.status >= 400) {
          expect(Object.keys(parsed)).toEqual(['code', 'message', 'status']);
          expect(parsed.status).toBe(answer.status);
        }
        const response = new Response(answer.body, { status: answer.status, headers: answer.headers });
        expect(response.headers.get('x-ratelimit-limit')).toBe(String(perMinute));
      }
    }),
    fuzz(120, 10_000),
  );
});
