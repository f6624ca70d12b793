import { expect, test } from 'vitest';
import { operationTable } from '../../src/petstore/operations.js';
import type { OperationRow } from '../../src/requests/service.js';
import { describeOnEveryAdapter, describeOverHttp, errorOf, expectAnswer, firstRate } from '../support/adapters.js';

const rows: readonly OperationRow[] = Object.values(operationTable.rows);
const targets = rows.map(({ method, path }) => `${method} ${path}`);
const noSuchPath = `There is no such path; the API has ${targets.slice(0, -1).join(', ')} and ${targets.at(-1)}.`;

/** Methods that a path of the table has, and some that it does not have. */
const supported = (path: string) => rows.flatMap((row) => (row.path === path ? row.method : []));
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const unsupported = (path: string) => methods.filter((method) => !supported(path).includes(method));

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
  test.each(
    ['/pets', '/pets/1', '/pets/999', '/pets/rex'].flatMap((path) => {
      const template = path.replace(/^\/pets\/.+/, '/pets/{petId}');
      return unsupported(template).map((method) => [method, path, supported(template)] as const);
    }),
  )('responds with 405 to %s %s and names the supported methods', async (method, path, allowed) => {
    const { call, sim } = await open();
    const answer = await call(method, path, { key: 'free-key' });
    const message = `Method ${method} is not supported here; use ${allowed.join(' or ')}.`;
    expectAnswer(answer, 405, errorOf(405, 'method_not_allowed', message), firstRate);
    expect(answer.headers.get('allow')).toBe(allowed.join(', '));
    expect(sim.pets.size).toBe(3);
  });

  test('are checked before the body, and so are paths', async () => {
    const { call } = await open();
    const invalidBody = { key: 'free-key', body: '{"name":7}' };
    expect((await call('POST', '/nowhere', invalidBody)).json.code).toBe('not_found');
    expect((await call('PUT', '/pets', invalidBody)).json.code).toBe('method_not_allowed');
  });
});
