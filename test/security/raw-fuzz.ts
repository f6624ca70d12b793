import { createRandom, type Random } from '../support/random.js';

const methods = [
  'GET',
  'GET',
  'GET',
  'POST',
  'POST',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  'PATCH',
  'TRACE',
  'CONNECT',
  'get',
  'FROB',
  '',
];
const paths = [
  '/v1/pets',
  '/v1/pets',
  '/v1/pets',
  '/v1/pets/1',
  '/v1/pets/9223372036854775807',
  '/v1/pets/-1',
  '/v1',
  '/v1/',
  '/v1x',
  '/s/a/v1/pets',
  '/s/b/v1/pets/1',
  '/s/../v1/pets',
  '/s/',
  '/__sim/health',
  '/__sim/clock',
  '/__sim/keys',
  '/__sim/journal',
  '/__sim/service.json',
  '/__sim/reset',
  '/__sim/sandboxes/a/clock',
  '/__sim/nothing',
  '/',
  '//',
  '*',
  '/v1//pets',
  '/v1/%70ets',
  '/v1/%zz',
  '/v1/%00',
  '/v1/pets/%31',
  '/v1/../pets',
  '/v1/%2e%2e/__sim/reset',
  'http://localhost/v1/pets',
  'http://evil.test/v1',
  'http://sim.test:1/v1/pets',
  'https://localhost/v1/pets',
  'http://',
  'http://localhost',
  'v1/pets',
  '/v1/pets#x',
  '/v1/pets/\xff',
];
const queries = [
  '',
  '',
  '',
  '?limit=5',
  '?limit=0',
  '?limit=%',
  '?status=sold',
  '?status=x&status=y',
  '?&&=&',
  '?__proto__=1',
  '?\xe9',
];
const versions = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/1.1 ',
  'http/1.1',
  '',
];
const hosts = [
  'localhost',
  'localhost',
  'localhost',
  '127.0.0.1:1',
  '[::1]',
  'localhost.',
  'sim.test',
  'evil.test',
  '',
  'a b',
  'localhost, localhost',
];
const keys = [
  'Bearer free-key',
  'Bearer free-key',
  'bearer pro-key',
  'Bearer nobody',
  'Bearer',
  'Basic x',
  'Bearer a b',
  '',
  'Bearer \xff\xfe',
];
const types = [
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset= latin1',
  'text/plain',
  '',
];
const others = [
  'Expect: 100-continue',
  'Expect: tea',
  'Connection: close',
  'Connection: keep-alive',
  'Connection: Upgrade\r\nUpgrade: websocket',
  'Origin: http://localhost:5173',
  'Origin: http://evil.test',
  'Origin: null',
  'Access-Control-Request-Method: POST',
  'Access-Control-Request-Headers: a, b\x7f',
  'Sec-Fetch-Site: cross-site',
  'Content-Encoding: gzip',
  'Content-Encoding: identity',
  'X-Sim-Call: 7',
  'Last-Event-ID: 1',
  'Range: bytes=0-1',
  'If-None-Match: *',
  'TE: trailers',
  'Trailer: X',
  'X-A: b\r\n c',
  ': x',
  'X y: z',
  'X-Nul: \0',
  'Cookie: __proto__=1',
  '__proto__: x',
  'Content-Length: -1',
  'Content-Length: 1, 1',
  'Host: localhost',
];
const bodies = [
  '{"name":"Rex","categoryId":1}',
  '{"name":"Rex","categoryId":1}',
  '{"name":"Rex","categoryId":9223372036854775808}',
  '{}',
  '[]',
  'null',
  '{"name":',
  '{"advance":"1s"}',
  '{"__proto__":{"x":1}}',
  '{"name":"\\ud800","categoryId":1}',
  '\xff\xfe',
  '',
  '1e999',
];

/** Bytes of one request, most of them nearly valid. */
function request(random: Random): Buffer {
  const { pick, chance, below } = random;
  const lines = [`${pick(methods)} ${pick(paths)}${pick(queries)} ${pick(versions)}`];
  if (chance(0.9)) lines.push(`Host: ${pick(hosts)}`);
  if (chance(0.85)) lines.push(`Authorization: ${pick(keys)}`);
  if (chance(0.7)) lines.push(`Content-Type: ${pick(types)}`);
  while (chance(0.3)) lines.push(pick(others));
  if (chance(0.01)) lines.push(`X-Filler: ${'x'.repeat(8_000 + below(16_000))}`);
  let body = Buffer.from(pick(bodies), 'latin1');
  if (chance(0.02)) body = random.bytes(below(300));
  if (chance(0.01)) body = Buffer.alloc(60_000 + below(20_000), 0x20);
  if (chance(0.01)) body = Buffer.from('['.repeat(1 + below(30_000)));
  if (chance(0.15)) {
    lines.push('Transfer-Encoding: chunked');
    const size = chance(0.1) ? pick(['zz', '-1', 'ffffffffffffffff', '']) : body.length.toString(16);
    body = Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from(chance(0.9) ? '\r\n0\r\n\r\n' : '\r\n')]);
  } else if (chance(0.8)) {
    lines.push(`Content-Length: ${chance(0.93) ? body.length : below(2 * body.length + 2)}`);
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

/** Bytes of one valid request, with at most one odd header. */
function rightRequest({ pick, chance, below }: Random): Buffer {
  const path = pick(['/v1/pets', '/v1/pets', '/s/a/v1/pets', '/v1/pets/1', 'http://localhost/v1/pets', '/v1/%70ets']);
  const lines = ['Host: localhost', 'Authorization: Bearer free-key', 'Content-Type: application/json'];
  if (chance(0.1)) {
    lines.push('Origin: http://localhost:5173', 'Access-Control-Request-Method: POST');
    return Buffer.from(`OPTIONS ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  }
  const name = chance(0.08) ? 'x'.repeat(60_000 + below(20_000)) : 'Rex';
  const body = chance(0.5) ? `{"name":"${name}","categoryId":1}` : '';
  if (chance(0.4)) lines.push(pick(others));
  if (chance(0.03)) lines.push(`X-Filler: ${'x'.repeat(20_000)}`);
  if (body !== '') lines.push(`Content-Length: ${body.length}`);
  const method = body === '' ? pick(['GET', 'HEAD']) : 'POST';
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}

/** Flips, cuts and inserts a few bytes. */
function mutated(random: Random, bytes: Buffer): Buffer {
  const { below, pick, chance } = random;
  let result = Buffer.from(bytes);
  do {
    const at = below(result.length + 1);
    const change = below(4);
    if (change === 0 && at < result.length) result[at] = below(256);
    else if (change === 1) result = result.subarray(0, at);
    else if (change === 2)
      result = Buffer.concat([result.subarray(0, at), result.subarray(Math.min(result.length, at + below(8)))]);
    else
      result = Buffer.concat([
        result.subarray(0, at),
        Buffer.from(pick(['\r\n', '\n', '\0', ' ', '%', '\r\n\r\n', 'é'])),
        result.subarray(at),
      ]);
  } while (chance(0.4));
  return result;
}

/** Bytes of one connection: one to four requests in chunks, some of them broken, and its end. */
export function rawConnectionBytes(seed: number): { pieces: Buffer[]; end: 'wait' | 'half-close' | 'reset' | 'stay' } {
  const random = createRandom(seed);
  const { below, chance, pick } = random;
  const requests = Array.from({ length: 1 + (chance(0.3) ? below(4) : 0) }, () => {
    const make = chance(0.5) ? rightRequest : request;
    const bytes = chance(0.01) ? random.bytes(below(2_000)) : make(random);
    return chance(0.25) ? mutated(random, bytes) : bytes;
  });
  const all = Buffer.concat(requests);
  const cuts = [0, ...Array.from({ length: chance(0.3) ? below(4) : 0 }, () => below(all.length + 1)), all.length];
  cuts.sort((a, b) => a - b);
  const pieces = cuts.slice(1).map((cut, index) => all.subarray(cuts[index], cut));
  return {
    pieces: pieces.filter(({ length }) => length > 0),
    end: pick(['wait', 'wait', 'wait', 'half-close', 'reset', 'stay']),
  };
}
