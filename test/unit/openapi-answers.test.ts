import { describe, expect, test } from 'vitest';
import { openapi, type Scenario } from '../../src/entries/index.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { createAnswerCheck, type Json, operationOf, resolved } from '../control-api/described.js';
import { frozen } from '../support/frozen.js';

const description = openapi as Json;
const check = createAnswerCheck(description);
const base = 'http://127.0.0.1:4010/v1';

/** One call and its response, which must match the description. */
async function call(sim: Simulator, name: string, path: string, init: RequestInit & { key?: string } = {}) {
  const { key = 'free-key', ...rest } = init;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...rest.headers };
  const response = await sim.fetch(`${base}${path}`, { ...rest, headers });
  const body = await response.json();
  check.body(name, response.status, body);
  check.headers(name, response.status, response.headers);
  return { status: response.status, body };
}

const post = (body: unknown, more: RequestInit = {}) => ({ method: 'POST', body: JSON.stringify(body), ...more });

describe('the examples of the description', () => {
  const content = (response: Json) => response.content['application/json'];
  const exampleOf = (name: string, status: number) =>
    content(resolved(description, operationOf(description, name).responses[status])).example;

  /** The text of a message may differ. */
  const kind = ({ code, status }: Json) => ({ code, status });

  test('are the responses of the default scenario', async () => {
    const sim = frozen();
    const { parameters } = operationOf(description, 'listPets');
    const query = parameters.map(({ name, example }: Json) => `${name}=${example}`).join('&');
    expect((await call(sim, 'listPets', `/pets?${query}`)).body).toEqual(exampleOf('listPets', 200));
    const { requestBody } = operationOf(description, 'createPet');
    expect((await call(sim, 'createPet', '/pets', post(content(requestBody).example))).body).toEqual(
      exampleOf('createPet', 201),
    );
    const [petId] = operationOf(description, 'getPet').parameters;
    expect((await call(sim, 'getPet', `/pets/${petId.example}`)).body).toEqual(exampleOf('getPet', 200));
  });

  const refused: [
    name: string,
    status: number,
    path: string,
    init: RequestInit & { key?: string },
    scenario: Scenario,
  ][] = [
    ['listPets', 400, '/pets?limit=0', {}, {}],
    ['listPets', 401, '/pets', { headers: { authorization: '' } }, {}],
    ['listPets', 403, '/pets', { key: 'banned-key' }, { ban: { status: 403 } }],
    ['listPets', 418, '/pets', { key: 'banned-key' }, { ban: { status: 418 } }],
    ['listPets', 429, '/pets', {}, { keys: { 'free-key': { usage: { minute: 'all' } } } }],
    ['createPet', 400, '/pets', post({ categoryId: 1 }), {}],
    ['createPet', 413, '/pets', post({ name: 'x'.repeat(70_000), categoryId: 1 }), {}],
    [
      'createPet',
      415,
      '/pets',
      post({}, { headers: { 'content-type': 'text/plain' } }),
      { assumptions: { contentType: 'unsupported' } },
    ],
    ['getPet', 400, '/pets/x', {}, { assumptions: { malformedPetId: 'reject' } }],
    ['getPet', 404, '/pets/404404', {}, {}],
    ['getPet', 410, '/pets/1', {}, { clock: { start: '2031-01-01T00:00:00Z' }, assumptions: { afterRemoval: 'gone' } }],
  ];
  test.each(refused)(
    "of %s with %d have the form of the simulator's responses",
    async (name, status, path, init, more) => {
      const sim = frozen({ ...more, keys: { 'banned-key': { bannedFor: '120s' }, ...more.keys } });
      const { body } = await call(sim, name, path, init);
      expect(kind(body)).toEqual(kind(exampleOf(name, status)));
      expect(kind(body).status).toBe(status);
    },
  );
});
