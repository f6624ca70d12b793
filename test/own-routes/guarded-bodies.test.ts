import { HttpResponse, http, type RequestHandler } from 'msw';
import { describe, expect, test, vi } from 'vitest';
import { parseInt64, parseJson, type Simulator } from '../../src/entries/index.js';
import { guarded } from '../../src/entries/msw.js';
import type { PetChanges } from '../../src/petstore/pets.js';
import { frozen } from '../support/frozen.js';
import { openServer } from '../support/open-server.js';
import { interceptRequests } from './intercepted.js';

const routes = (sim: Simulator): RequestHandler[] => [
  http.patch(
    '*/v1/pets/:petId',
    guarded(sim, async ({ params, request }) => {
      const id = parseInt64(String(params.petId));
      const pet = id === undefined ? undefined : sim.pets.update(id, parseJson(await request.text()) as PetChanges);
      return new HttpResponse(pet?.json ?? null, { status: pet === undefined ? 404 : 200 });
    }),
  ),
  http.patch(
    '*/v1/keys',
    guarded(sim, async ({ request }) => {
      sim.keys.add('new-key', (await request.json()) as object);
      return new HttpResponse(null, { status: 204 });
    }),
  ),
];

const intercept = interceptRequests();

/** Starts the routes on the server and returns the base URL of the API. */
const startServer = async (sim: Simulator) => (await openServer(sim, { handlers: routes })).baseUrl;

const adapters: [string, (sim: Simulator) => Promise<string>][] = [
  [
    'msw',
    async (sim) => {
      intercept(...routes(sim));
      return 'https://api.petstore.example/v1';
    },
  ],
  ['the server', startServer],
];

const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };

test('sim.clientError returns a 400 only for errors that a client can cause', () => {
  const sim = frozen();
  const thrownBy = (run: () => unknown) => {
    try {
      return run();
    } catch (error) {
      return sim.clientError(error);
    }
  };
  expect(thrownBy(() => sim.pets.add({ name: 'Rex' } as never))).toEqual({
    status: 400,
    headers: { 'Content-Type': 'application/json' },
    body: '{"code":"invalid_request","message":"pet at categoryId: expected a whole number within int64 (beyond 2^53-1 a bigint, or text), got none","status":400}',
  });
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, 1]));
  expect((thrownBy(() => sim.pets.update(1, many)) as { body: string }).body.match(/a known field/g)).toHaveLength(10);
  expect(thrownBy(() => parseJson('{'))).toMatchObject({ status: 400 });
  expect(thrownBy(() => sim.keys.add('x', { plan: 'gold' }))).toBeUndefined();
  expect(sim.clientError('text')).toBeUndefined();
});

describe.each(adapters)('a guarded route with %s', (_, start) => {
  test('changes a pet', async () => {
    const sim = frozen();
    const url = `${await start(sim)}/pets/1`;
    const body = '{"name":"Rex II","categoryId":9223372036854775807}';
    expect((await fetch(url, { method: 'PATCH', headers, body })).status).toBe(200);
    expect(sim.pets.get(1)).toMatchObject({ name: 'Rex II', categoryId: 9223372036854775807n });
  });

  test('responds with 500 to an invalid key option, because keys are not part of the API', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const body = '{"plan":"gold"}';
    const response = await fetch(`${await start(frozen())}/keys`, { method: 'PATCH', headers, body });
    expect(response.status).toBe(500);
    vi.restoreAllMocks();
  });
});

test.each([
  ['{"status":"lost"}', 'pet at status: expected "available", "pending" or "sold", got "lost"'],
  ['{"nmae":"Rex"}', 'pet at nmae: expected a known field; did you mean name?'],
  ['{"name":7,"id":2}', /^pet at name: expected text, got 7; pet at id: expected a known field; the fields are/],
  ['7', 'pet: expected a map, got 7'],
  ['{', /^The body is not valid JSON: /],
  ['', /^The body is not valid JSON: /],
])('a guarded route responds to %j with the 400 of the API, and does not change the pet', async (body, message) => {
  const sim = frozen({ assumptions: { errorCodes: { invalid_request: 'bad' } } });
  const before = sim.pets.get(1);
  const response = await fetch(`${await startServer(sim)}/pets/1`, { method: 'PATCH', headers, body });
  expect(await response.json()).toEqual({
    code: 'bad',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
    status: 400,
  });
  expect(response.status).toBe(400);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('x-ratelimit-remaining')).toBe('59');
  expect(sim.pets.get(1)).toBe(before);
});
