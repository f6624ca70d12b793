import { beforeAll, describe, expect, test } from 'vitest';
import { controlOperations, sandboxOperations } from '../../src/petstore/served-petstore.js';
import { rawRequest, statusOf } from '../support/raw-request.js';
import { everyRoute, everythingOf, openStage, type Route, type Stage, send } from './both-controls.js';

let stage: Stage;
const routes = everyRoute('box');

beforeAll(async () => {
  stage = await openStage();
  const { sim, here, server } = stage;
  await send(sim, { body: '{"name":"Kept","categoryId":1}' });
  here.saveSnapshot({ name: 'free-key' });
  here.addFault({ name: 'free-key', then: { delay: 1 } });
  await send(server.sandboxes.create('box').sim);
});

/** A request with a body that the route would take, so that a guard that lets it pass is found out. */
const request = ({ method, path }: Route, { host = 'localhost', type = 'application/json', headers = '' }) => {
  const body = '{"advance":"1h"}';
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
  ];
  return rawRequest(stage.server.port, `${lines.join('\r\n')}\r\n${headers}\r\n${body}`);
};

type Refused = [what: string, options: Parameters<typeof request>[1], status: number];

/** Whether tools in a page of this machine may read a route. */
const isDescription = ({ path }: Route) => path === '/__sim/service.json' || path === '/__sim/openapi.json';

/** The health check needs neither an allowed Host nor the control token. test/security/guard.test.ts tests it. */
const isOpen = ({ path }: Route) => path === '/__sim/health';
const guardedRoutes = routes.filter((route) => !isOpen(route));

test('the table of routes has every operation, for the server and for a sandbox', () => {
  const own = Object.keys(controlOperations).length;
  expect(routes).toHaveLength(2 * own + Object.keys(sandboxOperations).length);
  expect(routes.filter(({ path }) => path.includes('{'))).toEqual([]);
  expect(own).toBeGreaterThan(30);
  expect(routes.length - guardedRoutes.length).toBe(1);
});

describe.each(guardedRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_name, route) => {
  const refused: Refused[] = [
    ['a foreign Host', { host: 'evil.test' }, 403],
    ['a Host that begins like ours', { host: 'localhost.evil.test' }, 403],
    ['a foreign Origin', { headers: 'Origin: http://evil.test\r\n' }, 403],
    ['the null Origin', { headers: 'Origin: null\r\n' }, 403],
    ...(isDescription(route)
      ? []
      : [['the Origin of another port', { headers: 'Origin: http://localhost:5173\r\n' }, 403] as Refused]),
    ['a cross-site fetch', { headers: 'Sec-Fetch-Site: cross-site\r\n' }, 403],
  ];
  // A judged recording is no JSON, and changes nothing.
  if (route.method !== 'GET' && route.path !== '/__sim/judge')
    refused.push(['a text/plain body', { type: 'text/plain' }, 415]);

  test('rejects a page of another site without effect', async () => {
    const before = everythingOf(stage.sim, stage.server);
    for (const [what, options, status] of refused) expect(statusOf(await request(route, options)), what).toBe(status);
    expect(everythingOf(stage.sim, stage.server)).toEqual(before);
  });
});

describe.each(['service.json', 'openapi.json'])('/__sim/%s', (file) => {
  const url = () => `${stage.server.controlUrl}/${file}`;
  const origin = 'http://localhost:5173';

  test('can be read by a page of this machine, and allows it in a preflight', async () => {
    const cross = { Origin: origin, 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors' };
    const answer = await fetch(url(), { headers: cross });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('vary')).toContain('Origin');
    expect(await answer.json()).toMatchObject({ openapi: expect.stringMatching(/^3\./) });
    const asked = {
      ...cross,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization',
    };
    const preflight = await fetch(url(), { method: 'OPTIONS', headers: asked });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'authorization']);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
  });

  test.each(['http://evil.test', 'http://evil.test/?.localhost', 'http://localhost.evil.test', 'null', 'file://'])(
    'rejects a page of %s',
    async (foreign) => {
      const answer = await fetch(url(), { headers: { Origin: foreign } });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    },
  );

  test('needs the control token if one is set, also from a page', async () => {
    const guarded = await openStage({}, { controlToken: 'a-control-token' });
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${guarded.server.controlUrl}/${file}`, { headers: { Origin: origin, ...headers } })).status;
    expect(await status({})).toBe(401);
    expect(await status({ Authorization: 'Bearer a-control-token' })).toBe(200);
  });
});

test('every route needs the token if one is set, and has no effect without it', async () => {
  const guarded = await openStage({}, { controlToken: 'a-control-token' });
  const before = everythingOf(guarded.sim, guarded.server);
  for (const { method, path } of guardedRoutes) {
    const url = guarded.server.controlUrl.replace('/__sim', path);
    for (const authorization of [undefined, 'Bearer wrong', 'Bearer free-key']) {
      const response = await fetch(url, { method, ...(authorization && { headers: { authorization } }) });
      expect(response.status, `${method} ${path}`).toBe(401);
      expect(await response.json()).toMatchObject({ code: 'unauthorized', status: 401 });
    }
  }
  expect(everythingOf(guarded.sim, guarded.server)).toEqual(before);
  expect(await guarded.there.getHealth()).toEqual({ status: 'ok', scenario: 'default' });
});

describe('pages of allowed origins', () => {
  const origin = 'http://localhost:5173';
  const change = (stage: Stage, headers: Record<string, string>, token = 'the-token') =>
    fetch(`${stage.server.controlUrl}/clock`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'sec-fetch-site': 'cross-site',
        ...headers,
      },
      body: '{"advance":"1s"}',
    });

  test('may use the control API, with the token if one is set; all others may not', async () => {
    const stage = await openStage({}, { controlToken: 'the-token', allowedOrigins: [origin, 'https://app.example'] });
    for (const allowed of [origin, 'https://app.example']) {
      const answer = await change(stage, { origin: allowed });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, allowed]);
      expect((await change(stage, { origin: allowed }, 'another')).status).toBe(401);
    }
    const moved = stage.sim.clock.movedMs;
    for (const other of ['http://localhost:5174', 'http://app.example', 'https://app.example.evil.test', 'null']) {
      expect((await change(stage, { origin: other })).status, other).toBe(403);
    }
    expect((await change(stage, {})).status, 'a page that hides its origin').toBe(403);
    expect(stage.sim.clock.movedMs).toBe(moved);
  });

  test('are listed in errors only on this machine, with the option that allows them', async () => {
    const here = await change(stage, { origin });
    expect([here.status, here.headers.get('access-control-allow-origin')]).toEqual([403, origin]);
    expect(await here.json()).toMatchObject({ message: expect.stringContaining(`--allowed-origin ${origin}`) });
    const away = await change(stage, { origin: 'http://evil.test' });
    expect([away.status, away.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    expect((await away.json()).message).not.toContain('--allowed-origin');
  });

  test.each(['localhost:5173', 'http://localhost:5173/', '*', 'null', 'file:///x', ''])(
    'cannot be %j',
    async (text) => {
      await expect(openStage({}, { allowedOrigins: [text] })).rejects.toThrow('expected an allowed origin such as');
    },
  );
});

test('the scheme of the token is compared without case, as the API does, and the token with case', async () => {
  const guarded = await openStage({}, { controlToken: 'a-control-token' });
  const status = async (authorization: string) =>
    (await fetch(`${guarded.server.controlUrl}/keys`, { headers: { authorization } })).status;
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer '])
    expect(await status(`${scheme} a-control-token`), scheme).toBe(200);
  for (const wrong of ['Bearer A-control-token', 'a-control-token', 'Basic a-control-token', 'Bearer', 'bearer '])
    expect(await status(wrong), wrong).toBe(401);
});
