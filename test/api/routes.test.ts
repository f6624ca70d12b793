import { expect, test } from 'vitest';
import { operationTable } from '../../src/petstore/document.js';
import type { OperationRow } from '../../src/requests/service.js';
import { describeOnEveryAdapter, describeOverHttp, errorOf, noonSeconds, rate } from '../support/adapters.js';

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

  const paths = [
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
  ];
  test('responds with 404 to any other path, which counts', async () => {
    const { get } = await open();
    for (const [index, path] of paths.entries()) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 404]);
      // test/api/operations.test.ts compares the rest of the sentence with the table of operations.
      expect(answer.json).toEqual(
        errorOf(404, 'not_found', expect.stringMatching(/^There is no such path; the API has /)),
      );
      expect(rate(answer)).toEqual([60, 59 - index, noonSeconds + 60]);
      expect(answer.headers.has('allow')).toBe(false);
    }
  });
});

describeOverHttp('methods', (open) => {
  const rows = Object.values<OperationRow>(operationTable.rows);
  const paths = [...new Set(rows.map(({ path }) => path))];
  /** Paths that the same methods serve. */
  const like: Record<string, string[]> = { '/pets/{petId}': ['/pets/1', '/pets/999', '/pets/rex'] };

  test.each(paths)('other than those of %s get 405, which names the supported ones', async (path) => {
    const { call, sim } = await open();
    const served = rows.flatMap((row) => (row.path === path ? row.method : []));
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].filter(
      (method) => !served.includes(method),
    );
    let left = 60;
    for (const method of others)
      for (const each of like[path] ?? [path]) {
        const answer = await call(method, each, { key: 'free-key' });
        const message = `Method ${method} is not supported here; use ${served.join(' or ')}.`;
        expect(answer.status).toBe(405);
        expect(answer.json).toEqual(errorOf(405, 'method_not_allowed', message));
        expect(answer.headers.get('allow')).toBe(served.join(', '));
        expect(rate(answer)).toEqual([60, --left, noonSeconds + 60]);
      }
    expect(sim.pets.size).toBe(3);
  });

  test('are checked before the body, and so are paths', async () => {
    const { call } = await open();
    const invalidBody = { key: 'free-key', body: '{"name":7}' };
    expect((await call('POST', '/nowhere', invalidBody)).json.code).toBe('not_found');
    expect((await call('PUT', '/pets', invalidBody)).json.code).toBe('method_not_allowed');
  });
});
