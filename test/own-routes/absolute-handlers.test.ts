import { graphql, HttpResponse, http, type RequestHandler } from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import { createSimulator, type Simulator } from '../../src/entries/index.js';
import { guarded } from '../../src/entries/msw.js';
import { openServer } from '../support/open-server.js';

afterEach(() => {
  vi.restoreAllMocks();
});

async function start(handlers: (sim: Simulator) => RequestHandler[]) {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { baseUrl } = await openServer(createSimulator(), { handlers });
  const { origin } = new URL(baseUrl);
  const send = async (path: string, init?: RequestInit) => {
    const response = await fetch(origin + path, init);
    return [response.status, await response.text()];
  };
  return { send, warnings: () => warn.mock.calls.flat() };
}

const echo = ({ params }: { params: Readonly<Record<string, string | readonly string[] | undefined>> }) =>
  HttpResponse.text(JSON.stringify(params));

test.each([
  ['https://api.example.com/user', '/user', '{}'],
  ['https://api.example.com:8443/user', '/user', '{}'],
  ['http://localhost:3000/users/:id', '/users/7', '{"id":"7"}'],
  ['//api.example.com/user', '/user', '{}'],
  ['*://api.example.com/user', '/user', '{}'],
  ['https://*.example.com/users/:id/posts', '/users/7/posts', '{"id":"7"}'],
  ['https://api.example.com/files/*', '/files/a/b', '{"0":"a/b"}'],
  ['https://api.example.com', '/', '{}'],
  ['https://api.example.com/v1/categories', '/v1/categories', '{}'],
  ['/plain', '/plain', '{}'],
  ['*/any', '/deep/any', '{"0":"any origin"}'],
])('a handler for %s responds at %s', async (path, asked, params) => {
  const { send, warnings } = await start(() => [http.get(path, echo)]);
  const [status, text] = await send(asked);
  expect(status).toBe(200);
  if (path !== '*/any') expect(text).toBe(params);
  expect((await send('/elsewhere/user'))[0]).toBe(404);
  expect(warnings()).toEqual([]);
});

test('a guarded handler for a host has the limits and the operation of this server', async () => {
  const { send } = await start((sim) => [
    http.get(
      'https://api.example.com/v1/users/:id',
      guarded(sim, ({ params }) => HttpResponse.json(params)),
    ),
  ]);
  expect((await send('/v1/users/7'))[0]).toBe(401);
  const key = { headers: { authorization: 'Bearer free-key' } };
  expect(await send('/v1/users/7', key)).toEqual([200, '{"id":"7"}']);
  const [, entries] = await send('/__sim/journal');
  expect(JSON.parse(String(entries)).entries).toMatchObject([
    { status: 401, operation: 'GET /v1/users/{id}' },
    { status: 200, operation: 'GET /v1/users/{id}', path: '/users/7' },
  ]);
});

test('a GraphQL handler for a host responds at its path', async () => {
  const api = graphql.link('https://api.example.com/graphql');
  const { send } = await start(() => [api.query('Who', () => HttpResponse.json({ data: { who: 'me' } }))]);
  const body = JSON.stringify({ query: 'query Who { who }' });
  const headers = { 'content-type': 'application/json' };
  expect(await send('/graphql', { method: 'POST', headers, body })).toEqual([200, '{"data":{"who":"me"}}']);
  expect((await send('/other', { method: 'POST', headers, body }))[0]).toBe(404);
});

test('a regular expression that names a host is reported at the start, with the way to write it', async () => {
  const { send, warnings } = await start(() => [
    http.get(/^https:\/\/api\.example\.com\/user$/, echo),
    http.get(/\/posts$/, echo),
    http.get(/^https?:\/\/[^/]+\/any$/, echo),
    http.get(/^http:\/\/.*\/wild$/, echo),
  ]);
  expect(warnings()).toEqual([
    expect.stringMatching(/^1 handler can probably not be reached.*example.*write the path/),
  ]);
  expect((await send('/user'))[0]).toBe(404);
  for (const path of ['/posts', '/any', '/wild']) expect((await send(path))[0]).toBe(200);
});
