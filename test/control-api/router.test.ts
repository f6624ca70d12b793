import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { tries } from '../support/prove.js';
import { everyRoute, everythingOf, openStage, type Stage } from './both-controls.js';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  stage.server.sandboxes.create('box');
});

async function request(method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, headers: object = {}) {
  const url = stage.server.controlUrl.replace('/__sim', path);
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Exactly the Error object, with a sentence. */
const expectError = (answer: { status: number; text: string }, status: number, message: string) => {
  expect(answer.status, answer.text).toBe(status);
  const error = JSON.parse(answer.text);
  expect(error).toEqual({ status, code: expect.any(String), message: expect.stringContaining(message) });
};

const junk = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]);
const bodies: [what: string, body: string | Uint8Array<ArrayBuffer>, message: string][] = [
  ['no JSON', '{', 'The body is not valid JSON'],
  ['a list', '[]', 'The body must be a JSON object; expected one such as {"advance":"61s"}.'],
  ['null', 'null', 'The body must be a JSON object'],
  ['text', '"x"', 'The body must be a JSON object'],
  ['no UTF-8', junk, 'The body is not valid UTF-8'],
  ['nested too deep', `{"advance":${'['.repeat(50_000)}`, 'nested more than 32 levels'],
  [
    'an unknown field',
    '{"advance":"1s","at":1}',
    'at: expected a known field; the fields are advance, set, freeze, resume',
  ],
  ['a misspelt field', '{"advnace":"1s"}', 'advnace: expected a known field; did you mean advance?'],
  ['a name of Object.prototype', '{"advance":"1s","toString":1}', 'toString: expected a known field'],
  ['__proto__', '{"advance":"1s","__proto__":{"x":1}}', 'expected a known field'],
  ['a huge number', '{"advance":1e400}', 'too large'],
];

test.each(bodies)('a body that is %s receives 400 and changes nothing', async (_what, body, message) => {
  const before = everythingOf(stage.sim);
  expectError(await request('POST', '/__sim/clock', body), 400, message);
  expect(everythingOf(stage.sim)).toEqual(before);
});

const targets: [method: string, target: string, status: number, message: string][] = [
  ['GET', '/__sim/keys/%zz', 400, 'The path contains a "%"'],
  ['GET', '/__sim/keys/%ff', 400, 'The path contains a "%"'],
  ['GET', '/__sim/keys/%00', 404, 'Unknown API key'],
  ['GET', '/__sim/keys/%2e%2e%2fclock', 404, 'Unknown API key'],
  ['PUT', '/__sim/snapshots/a%2fb', 400, 'expected a name'],
  ['GET', '/__sim/sandboxes/%zz/clock', 400, 'The path contains a "%"'],
  ['GET', '/__sim/sandboxes/none/clock', 404, 'Unknown sandbox'],
  ['GET', '/__sim/sandboxes/none', 404, 'Unknown sandbox'],
  ['GET', '/__sim/sandboxes/a%20b', 400, 'expected a name of 1 to 64'],
  ['DELETE', '/__sim/sandboxes/none', 404, 'Unknown sandbox'],
  ['GET', '/__sim/sandboxes/box/sandboxes', 404, 'Unknown control path'],
  ['GET', '/__sim/journal?status=200&status=201', 400, 'status: expected it once'],
  ['GET', '/__sim/journal?colour=red', 400, 'colour: expected a known field'],
  ['GET', '/__sim/journal?__proto__=1', 400, 'expected a known field'],
  ['GET', '/__sim/journal?limit=%zz', 400, 'limit: expected'],
  ['GET', '/__sim/journal?since=99999999999999999999', 400, 'since: expected'],
  ['GET', '/__sim/keys/free-key?key=pro-key', 400, 'key: expected it once'],
  ['GET', '/__sim/clock?advance=61s', 400, 'expected a known field; the fields are none'],
  ['GET', '/__sim/nothing', 404, 'Unknown control path'],
  ['POST', '/__sim', 405, 'Method POST is not supported here; use GET'],
  ['GET', '/__sim/constructor', 404, 'Unknown control path'],
];

test.each(targets)('%s %s gets %d', async (method, target, status, message) => {
  expectError(await request(method, target), status, message);
});

test('a field in both path and body is rejected', async () => {
  expectError(await request('POST', '/__sim/keys/free-key/revoke', '{"key":"pro-key"}'), 400, 'key: expected it once');
  expect(stage.sim.keys.get('free-key').state).toBe('active');
});

test('a body is inflated within its limit, and rejected if too large or in another charset', async () => {
  const gzip = (text: string) => new Uint8Array(gzipSync(text));
  const before = stage.sim.clock.now();
  expect((await request('POST', '/__sim/clock', gzip('{"advance":"1s"}'), { 'content-encoding': 'gzip' })).status).toBe(
    200,
  );
  expect(stage.sim.clock.now()).toBe(before + 1_000);
  const bomb = gzip(`{"advance":"${'9'.repeat(6 * 1024 * 1024)}s"}`);
  expectError(await request('POST', '/__sim/clock', bomb, { 'content-encoding': 'gzip' }), 413, 'larger than');
  const utf16 = { 'content-type': 'application/json; charset=utf-16le' };
  expectError(await request('POST', '/__sim/clock', '{"advance":"1s"}', utf16), 415, 'in UTF-8');
  for (const charset of [';charset="UTF-8"', '; charset= utf-8', '; charset=utf-8; x=y', ' ; CHARSET = us-ascii']) {
    const type = { 'content-type': `application/json${charset}` };
    expect((await request('POST', '/__sim/clock', '{"advance":"1s"}', type)).status, charset).toBe(200);
  }
  for (const charset of ['; charset=utf-7', '; charset= latin1', '; charset="utf-8x"', '; x=y; charset=rot13']) {
    const type = { 'content-type': `application/json${charset}` };
    expectError(await request('POST', '/__sim/clock', '{"advance":"1s"}', type), 415, 'in UTF-8');
  }
  const unknown = { 'content-encoding': 'rot13' };
  expectError(await request('POST', '/__sim/clock', '{}', unknown), 415, 'not supported');
  const large = `{"scenario":"${'x'.repeat(5 * 1024 * 1024)}"}`;
  expectError(await request('POST', '/__sim/scenario', large), 413, 'larger than 5242880 bytes');
});

const base = everyRoute('box');
test.each([
  ['/__sim/clock', ['GET', 'POST']],
  ['/__sim/keys/free-key/ban', ['POST']],
  ['/__sim/sandboxes/box', ['GET', 'DELETE']],
  ['/__sim/sandboxes/box/clock', ['GET', 'POST']],
])('%s rejects other methods with 405 and lists its own, %j', async (path, own) => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].filter((each) => !own.includes(each))) {
    const answer = await request(method, path);
    expectError(answer, 405, `Method ${method} is not supported here`);
    expect(answer.headers.get('allow')).toBe(own.join(', '));
  }
});

/** Inputs of a page or a fuzzer. */
const values: unknown[] = [null, true, 0, -1, 1.5, 1e21, '', 'x', '\u0000', 'é'.repeat(300), [], {}, [[]], { a: 1 }];
const payloads = [
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"then":{"__proto__":{"polluted":1},"reset":true}}',
  '{"scenario":{"__proto__":{"polluted":1},"keys":{"__proto__":{"plan":"pro"}}}}',
  '{"scenario":{"plans":{"__proto__":{"minute":1,"day":1}}}}',
  '{"version":1,"scenario":{},"__proto__":{"polluted":1}}',
  '{"key":"__proto__","plan":"constructor"}',
  '{"name":"__proto__"}',
];

test('no input to any route causes a 5xx or changes Object.prototype', async () => {
  const isLong = ({ name }: { name: string }) => /^(?:watch|waitFor)/.test(name);
  const names = Object.getOwnPropertyNames(Object.prototype);
  const fields = 'advance set key name scenario minute version when then status since'.split(' ');
  // Each field with this many of the values, other ones for the next field and the next route.
  const share = tries(1, values.length);
  for (const [index, { method, path }] of base.filter((route) => !isLong(route)).entries()) {
    const read = method === 'GET';
    const sent = fields.flatMap((field, at) =>
      Array.from({ length: share }, (_, n) => ({ [field]: values[(index + at + n) % values.length] })),
    );
    for (const input of sent) {
      const query = new URLSearchParams(Object.entries(input).map(([field, value]) => [field, String(value)]));
      const answer = await request(method, read ? `${path}?${query}` : path, read ? undefined : JSON.stringify(input));
      expect(answer.status, `${method} ${path} ${JSON.stringify(input)} ${answer.text}`).toBeLessThan(500);
    }
    for (const payload of read ? [] : payloads) {
      expect((await request(method, path, payload)).status, `${method} ${path} ${payload}`).toBeLessThan(500);
    }
    if (!stage.server.sandboxes.find('box')) stage.server.sandboxes.create('box');
  }
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(names);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
