import { beforeEach, describe, expect, test } from 'vitest';
import { listen, type RunningServer } from '../../src/entries/node.js';
import { createSimulator } from '../../src/petstore/create-simulator.js';
import { documentedPlans } from '../../src/petstore/document.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { openServer } from '../support/open-server.js';
import { bodyOf, rawRequest, statusOf } from '../support/raw-request.js';

let sim: Simulator;
let server: RunningServer;
const frozen = { clock: { start: '2026-01-01T12:00:00Z', mode: 'frozen' } } as const;

beforeEach(async () => {
  sim = createSimulator({ scenario: frozen });
  server = await openServer(sim, { allowedHosts: ['sim.test'] });
});

const get = (path: string, host: string) =>
  rawRequest(server.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer free-key\r\n\r\n`);

const post = (path: string, headers: string, body: string) =>
  rawRequest(
    server.port,
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`,
  );

describe('the Host allow-list', () => {
  const foreign = [
    'evil.test',
    'localhost.evil.test',
    '127.0.0.1.evil.test',
    'evil.test:4010',
    'xlocalhost',
    '0.0.0.0',
    '10.0.0.1',
    '128.0.0.1',
    '[::2]',
    '[::ffff:127.0.0.1]',
    '127.0.0.1.',
    'localhost..',
    'evil.test.',
    '2130706433',
    'sim.test.evil',
  ];
  const paths = ['/v1/pets', '/v1', '/', '/__sim/clock', '/__sim/service.json', '/nothing'];

  test.each(foreign)('rejects %s on every path with 403, names the flag, and counts nothing', async (host) => {
    for (const path of paths) {
      const answer = await get(path, host);
      expect(statusOf(answer), path).toBe(403);
      expect(bodyOf(answer)).toContain('--allowed-host');
    }
    expect(sim.keys.get('free-key').minute.remaining).toBe(documentedPlans.free.minute);
  });

  test.each(['http://sim.test', 'sim.test:80', 'sim.test/petstore', '*', '*.sim.test', '', 'a b', 'müller.test'])(
    'allowing the host %j is a mistake',
    async (host) => {
      await expect(listen(sim, { port: 0, allowedHosts: [host] })).rejects.toThrow(
        `Failed to listen: expected an allowed host name such as "petstore", without scheme, port, path and wildcard, got ${JSON.stringify(host)}`,
      );
    },
  );

  test('accepts each allowed host as clients write it', async () => {
    const other = await openServer(sim, {
      allowedHosts: ['Team.Test.', '10.0.0.1', '2001:db8::1', '[2001:db8::2]'],
    });
    for (const host of ['team.test', 'team.test.:80', '10.0.0.1', '[2001:db8::1]:80', '[2001:DB8::2]'])
      expect(statusOf(await rawRequest(other.port, `GET /__sim/clock HTTP/1.1\r\nHost: ${host}\r\n\r\n`)), host).toBe(
        200,
      );
  });

  test.each(['localhost@evil.test', 'localhost, localhost', 'a b', 'http://localhost', 'localhost/', ''])(
    'rejects the invalid host %j with 400',
    async (host) => {
      expect(statusOf(await get('/v1/pets', host))).toBe(400);
      expect(sim.keys.get('free-key').minute.remaining).toBe(documentedPlans.free.minute);
    },
  );

  test.each([
    'localhost',
    'LOCALHOST:80',
    'app.localhost',
    '127.0.0.1',
    '127.9.9.9:1',
    '[::1]',
    '[::1]:4010',
    'sim.test',
    'SIM.test:4010',
    'localhost.',
    'app.localhost.:4010',
    'sim.test.',
  ])('allows %s', async (host) => {
    expect(statusOf(await get('/v1/pets', host))).toBe(200);
  });
});

describe('the control API', () => {
  const jsonType = 'Content-Type: application/json\r\n';
  const advance = '{"advance":"61s"}';
  const foreign: [name: string, headers: string, status: number][] = [
    ['a page of another site', `${jsonType}Origin: http://evil.test\r\n`, 403],
    ['a page of the null origin', `${jsonType}Origin: null\r\n`, 403],
    ['a page of another port', `${jsonType}Origin: http://localhost:5173\r\n`, 403],
    ['a page of an IP address', `${jsonType}Origin: http://192.168.0.7\r\n`, 403],
    ['a page over https', `${jsonType}Origin: https://localhost\r\n`, 403],
    ['two Origins', `${jsonType}Origin: http://localhost\r\nOrigin: http://evil.test\r\n`, 403],
    ['a cross-site fetch', `${jsonType}Sec-Fetch-Site: cross-site\r\n`, 403],
    ['a same-site fetch', `${jsonType}Sec-Fetch-Site: same-site\r\n`, 403],
    ['a form', 'Content-Type: application/x-www-form-urlencoded\r\n', 415],
    ['a text/plain body', 'Content-Type: text/plain\r\n', 415],
    ['a body without a type', '', 415],
    ['a type that only begins like JSON', 'Content-Type: application/jsonp\r\n', 415],
  ];

  test.each(foreign)('rejects %s and changes nothing', async (_name, headers, status) => {
    sim.pets.add({ name: 'Kept', categoryId: 1 });
    const before = sim.clock.now();
    expect(statusOf(await post('/__sim/clock', headers, advance))).toBe(status);
    expect(statusOf(await post('/__sim/reset', headers, '{}'))).toBe(status);
    expect(sim.clock.now()).toBe(before);
    expect(sim.pets.size).toBe(41);
  });

  test('responds to a page of its own origin', async () => {
    const headers = `${jsonType}Origin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n`;
    expect(statusOf(await post('/__sim/clock', headers, advance))).toBe(200);
    expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1, 12, 1, 1));
  });

  test('changes nothing on GET', async () => {
    for (const path of ['/__sim/reset', '/__sim/clock?advance=61s']) await get(path, 'localhost');
    expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1, 12));
  });

  test('sends headers that keep other sites from using the response', async () => {
    const answer = await get('/__sim/health', 'localhost');
    expect(answer).toContain('Cross-Origin-Resource-Policy: same-origin');
    expect(answer).toContain('X-Content-Type-Options: nosniff');
    expect(answer).toContain('Cache-Control: no-store');
    expect(answer).not.toContain('X-Powered-By');
    expect(answer).not.toContain('Access-Control-Allow-Origin');
  });
});

describe('the health check', () => {
  const alive = '{"status":"ok"}';
  const ask = (method: string, headers: string, { port } = server, version = '1.1') =>
    rawRequest(port, `${method} /__sim/health HTTP/${version}\r\nConnection: close\r\n${headers}\r\n`);

  test.each([
    ['another Host', 'Host: 10.0.0.7:4010\r\n'],
    ['a page of another site', 'Host: localhost\r\nOrigin: http://evil.test\r\n'],
    ['a cross-site request', 'Host: localhost\r\nSec-Fetch-Site: cross-site\r\n'],
    ['a rebound domain', 'Host: evil.test\r\nOrigin: http://evil.test\r\n'],
  ])('says only that the server lives to %s', async (_, headers) => {
    const answer = await ask('GET', headers);
    expect([statusOf(answer), bodyOf(answer)]).toEqual([200, alive]);
    expect(answer).toContain('Cache-Control: no-store');
    expect(answer).toContain('Cross-Origin-Resource-Policy: same-origin');
    expect(answer).not.toContain('Access-Control-Allow-Origin');
    const head = await ask('HEAD', headers);
    expect([statusOf(head), bodyOf(head)]).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(statusOf(await ask(method, `${headers}Content-Length: 0\r\n`)), method).toBeGreaterThanOrEqual(400);
  });

  test('needs a Host in HTTP/1.1, and none in HTTP/1.0', async () => {
    expect(statusOf(await ask('GET', ''))).toBe(400);
    expect(statusOf(await ask('GET', 'Host: a b\r\n'))).toBe(400);
    expect(statusOf(await ask('GET', 'Host: 10.0.0.7\r\n', server, '1.0'))).toBe(200);
  });

  test('says more only with the control token', async () => {
    const guarded = await openServer(sim, { controlToken: 'secret' });
    const body = async (headers: string) => bodyOf(await ask('GET', `Host: localhost\r\n${headers}`, guarded));
    expect(await body('')).toBe(alive);
    expect(await body('Authorization: Bearer wrong\r\n')).toBe(alive);
    expect(JSON.parse(await body('Authorization: Bearer secret\r\n'))).toEqual({ status: 'ok', scenario: 'default' });
    expect(JSON.parse(bodyOf(await get('/__sim/health', 'localhost')))).toMatchObject({ scenario: 'default' });
  });

  test.each(['/__sim/healthy', '/__sim/health/', '/__sim/sandboxes/a/health', '/v1/../__sim/health', '//__sim/health'])(
    'is no way to %s',
    async (path) => {
      const answer = await get(path, 'evil.test');
      expect(statusOf(answer)).toBe(403);
    },
  );
});

describe('a control token', () => {
  test('is required to listen on a host that is not loopback', async () => {
    await expect(listen(sim, { port: 0, host: '0.0.0.0' })).rejects.toThrow('--control-token');
  });

  test.each(['', ' ', 'a b', 'tok\u00e9n', 'a\n'])(
    'is rejected if it is invalid in a header: %j',
    async (controlToken) => {
      await expect(listen(sim, { port: 0, controlToken })).rejects.toThrow(
        'expected a control token of visible ASCII characters',
      );
    },
  );

  test('opens only the control API', async () => {
    const guarded = await openServer(sim, { controlToken: 'secret' });
    const control = `${guarded.controlUrl}/clock`;
    const status = async (url: string, authorization?: string) =>
      (await fetch(url, authorization === undefined ? {} : { headers: { authorization } })).status;
    expect(await status(control)).toBe(401);
    expect(await status(control, 'Bearer wrong!')).toBe(401);
    expect(await status(control, 'Bearer secret2')).toBe(401);
    expect(await status(control, 'Bearer secret')).toBe(200);
    expect(await status(`${guarded.baseUrl}/pets`, 'Bearer secret')).toBe(401);
    expect(await status(`${guarded.baseUrl}/pets`, 'Bearer free-key')).toBe(200);
  });
});
