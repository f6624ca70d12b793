import { http } from 'msw';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunningServer } from '../../src/entries/node.js';
import { createSimulator } from '../../src/petstore/create-simulator.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { openServer } from '../support/open-server.js';
import { bodyOf, rawRequest, statusOf } from '../support/raw-request.js';

const key = 'Authorization: Bearer business-key\r\n';
const json = 'Content-Type: application/json\r\n';
const request = (line: string, headers = `Host: localhost\r\n${key}`, body = '') =>
  `${line} HTTP/1.1\r\n${headers}\r\n${body}`;

const odd: [name: string, bytes: string | Buffer, status: number][] = [
  ['an empty path', request('GET /'), 404],
  ['a double slash', request('GET //'), 400],
  ['a double slash before the path', request('GET //v1/pets'), 400],
  ['the target *', request('OPTIONS *'), 400],
  ['the absolute form', request('GET http://localhost/v1/pets'), 200],
  ['the absolute form with a port', request('GET HTTP://127.0.0.1:80/v1/pets?limit=1'), 200],
  ['the absolute form without a path', request('GET http://localhost'), 404],
  ['the absolute form with a query alone', request('GET http://localhost?limit=1'), 404],
  [
    'the absolute form with a foreign Host, which does not count',
    request('GET http://localhost/v1/pets', `Host: evil.test\r\n${key}`),
    200,
  ],
  ['the absolute form without Host', request('GET http://localhost/v1/pets', key), 400],
  ['the absolute form of another host', request('GET http://evil.test/v1/pets'), 403],
  ['the absolute form of another host that begins like ours', request('GET http://localhost.evil.test/v1/pets'), 403],
  [
    'the absolute form of a control path of another host',
    request('POST http://evil.test/__sim/reset', `Host: localhost\r\n${json}`),
    403,
  ],
  ['the absolute form with a user', request('GET http://localhost@evil.test/v1/pets'), 400],
  ['the absolute form without a host', request('GET http:///v1/pets'), 400],
  ['the absolute form of https', request('GET https://localhost/v1/pets'), 400],
  ['the absolute form with a double slash', request('GET http://localhost//v1/pets'), 400],
  ['the absolute form with a fragment', request('GET http://localhost/v1/pets#x'), 400],
  ['an encoded letter in the path', request('GET /v1/%70ets?limit=1'), 200],
  ['an encoded base path', request('GET /%76%31/pets?limit=1'), 200],
  ['an encoded slash', request('GET /v1%2Fpets'), 404],
  ['a letter encoded twice', request('GET /v1/%2570ets'), 404],
  ['encoded dots', request('GET /v1/%2e%2e/__sim/health'), 404],
  [
    'an encoded control path, which is guarded',
    request('POST /__s%69m/reset', `Host: localhost\r\nOrigin: http://evil.test\r\n${json}`),
    403,
  ],
  ['an encoded query parameter', request('GET /v1/pets?l%69mit=0'), 400],
  ['HEAD', request('HEAD /v1/pets', `Host: localhost\r\n${key}Connection: close\r\n`), 200],
  ['HEAD of what is not there', request('HEAD /v1/pets/0', `Host: localhost\r\n${key}Connection: close\r\n`), 404],
  ['HTTP/1.0', `GET /v1/pets HTTP/1.0\r\nHost: localhost\r\n${key}\r\n`, 200],
  ['the default health check of HAProxy', 'OPTIONS / HTTP/1.0\r\n\r\n', 204],
  ['HTTP/1.0 without Host', `GET /v1/pets HTTP/1.0\r\n${key}\r\n`, 200],
  ['HTTP/1.0 with a foreign Host', `GET /v1/pets HTTP/1.0\r\nHost: evil.test\r\n${key}\r\n`, 403],
  ['HTTP/1.0 with an expectation, which it does not know', `GET /v1/pets HTTP/1.0\r\nExpect: tea\r\n${key}\r\n`, 200],
  ['a fragment', request('GET /v1/pets#x'), 400],
  ['a broken escape in the path', request('GET /v1/%zz'), 404],
  ['the byte ff in the path', request('GET /v1/%ff'), 404],
  ['a NUL in the path', request('GET /v1/%00'), 404],
  ['a broken escape as petId', request('GET /v1/pets/%zz'), 404],
  ['a broken escape in the query', request('GET /v1/pets?limit=%'), 400],
  ['dots', request('GET /v1/../pets'), 404],
  ['a name that begins like the base path', request('GET /v1extra/pets'), 404],
  ['a broken escape as Host', request('GET /v1/pets', `Host: %zz\r\n${key}`), 400],
  ['a Host with a space', request('GET /v1/pets', `Host: a b\r\n${key}`), 400],
  ['an empty Host', request('GET /v1/pets', `Host: \r\n${key}`), 400],
  ['no Host', request('GET /v1/pets', key), 400],
  ['two Hosts', request('GET /v1/pets', `Host: localhost\r\nHost: localhost\r\n${key}`), 400],
  ['two Authorization headers', request('GET /v1/pets', `Host: localhost\r\n${key}${key}`), 401],
  ['an 8 kB token', request('GET /v1/pets', `Host: localhost\r\nAuthorization: Bearer ${'k'.repeat(8000)}\r\n`), 401],
  ['20 kB of headers', request('GET /v1/pets', `Host: localhost\r\nX-Filler: ${'x'.repeat(20_000)}\r\n`), 431],
  ['a 20 kB target', request(`GET /v1/${'x'.repeat(20_000)}`), 431],
  ['TRACE', request('TRACE /v1/pets'), 405],
  ['CONNECT', request('CONNECT evil.test:443'), 405],
  ['a method that no path has', request('PROPFIND /v1/pets/1'), 405],
  ['an unknown method', request('FROB /v1/pets'), 400],
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  [
    'a TLS hello',
    Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03, 0x0d, 0x0a, 0x0d, 0x0a]),
    400,
  ],
  [
    'Content-Length with Transfer-Encoding',
    request(
      'POST /v1/pets',
      `Host: localhost\r\n${key}${json}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`,
      '0\r\n\r\n',
    ),
    400,
  ],
  [
    'two Content-Lengths',
    request('POST /v1/pets', `Host: localhost\r\n${key}Content-Length: 2\r\nContent-Length: 3\r\n`, '{}x'),
    400,
  ],
  ['a negative Content-Length', request('POST /v1/pets', `Host: localhost\r\n${key}Content-Length: -1\r\n`), 400],
  ['a folded header', request('GET /v1/pets', `Host: localhost\r\n${key}X-A: b\r\n c\r\n`), 400],
  [
    'a bad chunk size',
    request('POST /v1/pets', `Host: localhost\r\n${key}${json}Transfer-Encoding: chunked\r\n`, 'zz\r\n'),
    400,
  ],
  [
    'an unknown Transfer-Encoding',
    request('POST /v1/pets', `Host: localhost\r\n${key}${json}Transfer-Encoding: rot13\r\n`, '{}'),
    400,
  ],
  [
    'an unknown expectation',
    request('POST /v1/pets', `Host: localhost\r\n${key}${json}Expect: tea\r\nContent-Length: 2\r\n`, '{}'),
    417,
  ],
  [
    'an unknown expectation of a foreign host',
    request('POST /v1/pets', `Host: evil.test\r\n${json}Expect: tea\r\n`),
    403,
  ],
  [
    'a gzip body',
    request('POST /v1/pets', `Host: localhost\r\n${key}${json}Content-Encoding: gzip\r\nContent-Length: 2\r\n`, 'xx'),
    400,
  ],
  [
    'two Content-Types',
    request('POST /v1/pets', `Host: localhost\r\n${key}${json}${json}Content-Length: 2\r\n`, '{}'),
    400,
  ],
  [
    'a body of 64 KiB and a byte',
    request('POST /v1/pets', `Host: localhost\r\n${key}${json}Content-Length: 65537\r\n`, ' '.repeat(65_537)),
    413,
  ],
  [
    'an Upgrade',
    request('GET /v1/pets', `Host: localhost\r\n${key}Connection: Upgrade\r\nUpgrade: websocket\r\n`),
    200,
  ],
  ['a body on GET', request('GET /v1/pets', `Host: localhost\r\n${key}Content-Length: 3\r\n`, 'abc'), 200],
  ['a control path with a double slash', request('GET /__sim//health'), 404],
  ['an unknown control path', request('GET /__sim/%ff'), 404],
  [
    'a control body that is not JSON',
    request('POST /__sim/clock', `Host: localhost\r\n${json}Content-Length: 1\r\n`, '{'),
    400,
  ],
  [
    'a control body nested 40,000 deep',
    request(
      'POST /__sim/clock',
      `Host: localhost\r\n${json}Content-Length: 80000\r\n`,
      '['.repeat(40_000) + ']'.repeat(40_000),
    ),
    400,
  ],
  [
    'a control body with invalid gzip',
    request('POST /__sim/clock', `Host: localhost\r\n${json}Content-Encoding: gzip\r\nContent-Length: 2\r\n`, 'xx'),
    400,
  ],
  [
    'a control body in an unknown charset',
    request(
      'POST /__sim/clock',
      `Host: localhost\r\nContent-Type: application/json; charset=rot13\r\nContent-Length: 2\r\n`,
      '{}',
    ),
    415,
  ],
];

describe.each([
  ['the server', []],
  // A handler of @mswjs/http-middleware sees every request, and leaves it to the API.
  ['the server with handlers mounted', [http.all('*', () => undefined), http.patch('*/:petId', () => undefined)]],
])('%s', (_name, handlers) => {
  let sim: Simulator;
  let server: RunningServer;
  const failures: unknown[] = [];

  beforeAll(async () => {
    sim = createSimulator({ scenario: { limits: 'off' }, onError: (error) => failures.push(error) });
    server = await openServer(sim, { handlers });
  });

  test.each(odd)('%s gets a success or an Error object, and the server continues', async (name, bytes, status) => {
    const answer = await rawRequest(server.port, bytes);
    expect(statusOf(answer)).toBe(status);
    if (status >= 400 && !name.startsWith('HEAD'))
      expect(JSON.parse(bodyOf(answer))).toEqual({ code: expect.any(String), message: expect.any(String), status });
    const after = await rawRequest(server.port, request('GET /v1/pets?limit=1'));
    expect(statusOf(after)).toBe(200);
    expect(failures).toEqual([]);
  });

  test('a client that disconnects within its body changes nothing, and the server continues', async () => {
    const half = request('POST /v1/pets', `Host: localhost\r\n${key}${json}Content-Length: 100\r\n`, '{"name":');
    expect(await rawRequest(server.port, half, { silenceMs: 50 })).toBe('');
    expect(sim.pets.size).toBe(40);
    expect(statusOf(await rawRequest(server.port, request('GET /v1/pets')))).toBe(200);
  });

  test('an endless chunked body gets 413 while it is still being sent', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const head = request('POST /v1/pets', `Host: localhost\r\n${key}${json}Transfer-Encoding: chunked\r\n`);
    expect(statusOf(await rawRequest(server.port, head + chunk.repeat(20)))).toBe(413);
  });

  test('a body of 64 MiB gets 413 and is not kept in memory', async () => {
    const head = request('POST /v1/pets', `Host: localhost\r\n${key}${json}Content-Length: ${64 << 20}\r\n`);
    const before = process.memoryUsage().rss;
    const answer = await rawRequest(server.port, Buffer.concat([Buffer.from(head), Buffer.alloc(1 << 20, 0x20)]));
    expect(statusOf(answer)).toBe(413);
    expect(process.memoryUsage().rss - before).toBeLessThan(40 << 20);
  });

  test('pipelined requests get responses in order', async () => {
    const three = [1, 2, 3].map((id) => request(`GET /v1/pets/${id}`)).join('');
    const answer = await rawRequest(server.port, three, { answers: 3 });
    expect([...answer.matchAll(/"id":(\d+)/g)].map(([, id]) => id)).toEqual(['1', '2', '3']);
  });
});
