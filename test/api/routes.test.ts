import { expect, test } from 'vitest';
import { describeOnEveryAdapter, describeOverHttp, errorOf, expectAnswer, firstRate } from '../support/adapters.js';

const noSuchPath = 'There is no such path; the API has GET /pets, POST /pets and GET /pets/{petId}.';

describeOnEveryAdapter('paths', (open) => {
  test('a percent-encoded letter or digit in a path equals that letter or digit', async () => {
    const { get } = await open();
    const listed = (await get('/pets?limit=2')).json;
    for (const path of ['/%70ets?limit=2', '/%70%65%74%73?limit=2', '/pet%73?limit=2']) {
      expect((await get(path)).json).toEqual(listed);
    }
    expect((await get('/%50ets')).status).toBe(404);
    expect((await get('/pets/%31')).json).toMatchObject({ id: 1 });
  });

  test.each([
    '',
    '/',
    '/pet',
    '/Pets',
    '/pets/',
    '/pets//',
    '/pets/1/',
    '/pets/1/photos',
    '//pets',
    '/pets%2F1',
    '/%2570ets',
    '/%zzpets',
    '/orders',
    '/__sim',
    '/__sim/reset',
    '?limit=1',
  ])('responds with 404 to GET %s', async (path) => {
    const { get } = await open();
    const answer = await get(path);
    expectAnswer(answer, 404, errorOf(404, 'not_found', noSuchPath), firstRate);
    expect(answer.headers.has('allow')).toBe(false);
  });
});

describeOverHttp('methods', (open) => {
  const onPets = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].map((method) => [method, '/pets', 'GET, POST']);
  const onAPet = ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, '/pets/1', 'GET']);
  test.each([...onPets, ...onAPet, ['DELETE', '/pets/999', 'GET'], ['DELETE', '/pets/rex', 'GET']] as [
    string,
    string,
    string,
  ][])('responds with 405 to %s %s and names the supported methods', async (...row) => {
    const [method, path, allowed] = row;
    const { call, sim } = await open();
    const answer = await call(method, path, { key: 'free-key' });
    const message = `Method ${method} is not supported here; use ${allowed.replace(', ', ' or ')}.`;
    expectAnswer(answer, 405, errorOf(405, 'method_not_allowed', message), firstRate);
    expect(answer.headers.get('allow')).toBe(allowed);
    expect(sim.pets.size).toBe(3);
  });

  test('are checked before the body, and so are paths', async () => {
    const { call } = await open();
    const invalidBody = { key: 'free-key', body: '{"name":7}' };
    expect((await call('POST', '/nowhere', invalidBody)).json.code).toBe('not_found');
    expect((await call('PUT', '/pets', invalidBody)).json.code).toBe('method_not_allowed');
  });
});
