import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { expect, test } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import { guarded, handlers } from '../../src/entries/msw.js';
import { listen } from '../../src/entries/node.js';
import { openServer } from '../support/open-server.js';

/** Categories of one generation of a simulator. */
const categories = (sim: Simulator) => {
  const names = ['Dogs'];
  return [
    http.get(
      '*/v1/categories',
      guarded(sim, 'listCategories', () => HttpResponse.json(names)),
    ),
    http.post(
      '*/v1/categories',
      guarded(sim, 'createCategory', async ({ request }) => {
        names.push(await request.text());
        return HttpResponse.json({ id: names.length }, { status: 201 });
      }),
    ),
  ];
};

const headers = { authorization: 'Bearer free-key' };
const create = (scenario: Scenario = {}) => createSimulator({ scenario, handlers: categories, onWarning: () => {} });

test('handlers of a simulator are served by sim.fetch, and begin anew at a reset and in a fork', async () => {
  const sim = create();
  const list = async (of = sim) => (await of.fetch('/v1/categories', { headers })).json();
  const add = await sim.fetch('/v1/categories', { method: 'POST', body: 'Cats', headers });
  expect([add.status, add.headers.get('x-ratelimit-remaining')]).toEqual([201, '59']);
  expect(await list()).toEqual(['Dogs', 'Cats']);
  expect((await sim.fetch('/v1/pets?limit=1', { headers })).status).toBe(200);
  expect((await sim.fetch('/v1/orders', { headers })).status).toBe(404);
  expect(sim.journal.query().map(({ operation }) => operation)).toEqual([
    'createCategory',
    'listCategories',
    'listPets',
    undefined,
  ]);
  const fork = sim.fork();
  expect(await list(fork)).toEqual(['Dogs']);
  expect(fork.journal.query()).toHaveLength(1);
  sim.reset();
  expect(await list()).toEqual(['Dogs']);
});

test('the server refuses two handlers with one operation', async () => {
  const list = (sim: Simulator) => guarded(sim, 'listOrders', () => HttpResponse.json([]));
  const sim = createSimulator();
  const twice = [http.get('*/v1/orders', list(sim)), http.get('*/v1/invoices', list(sim))];
  await expect(listen(sim, { port: 0, handlers: twice })).rejects.toThrow(
    'expected one handler for each operation, got two named "listOrders"; rename one',
  );
});

test('a fault rule that cuts the connection fails sim.fetch', async () => {
  const sim = create({ faults: [{ when: { operation: 'createCategory' }, then: { reset: true, phase: 'after' } }] });
  await expect(sim.fetch('/v1/categories', { method: 'POST', body: 'x', headers })).rejects.toThrow('Failed to fetch');
  expect(sim.journal.query()).toMatchObject([{ storedId: '2', isUnreadable: true }]);
});

test('a scenario may name the operations of the handlers, and no others', () => {
  expect(() => create({ limits: { appliesTo: ['listCategories'] } })).not.toThrow();
  expect(() => create({ limits: { appliesTo: ['listCategoris'] } })).toThrow('did you mean listCategories?');
});

test('the same handlers are served by msw, also after a reset, and by the server', async () => {
  const sim = create();
  const msw = setupServer(...handlers(sim));
  msw.listen({ onUnhandledRequest: 'bypass' });
  const list = async (base: string) => (await fetch(`${base}/categories`, { headers })).json();
  const api = 'https://api.petstore.example/v1';
  await fetch(`${api}/categories`, { method: 'POST', body: 'Cats', headers });
  expect(await list(api)).toEqual(['Dogs', 'Cats']);
  sim.reset();
  expect(await list(api)).toEqual(['Dogs']);
  // The address of the server fits the handlers, too.
  msw.close();
  const server = await openServer(sim);
  expect(await list(server.baseUrl)).toEqual(['Dogs']);
  expect(await list(server.baseUrl.replace('/v1', '/s/box/v1'))).toEqual(['Dogs']);
  expect(sim.journal.query().map(({ operation }) => operation)).toEqual(['listCategories', 'listCategories']);
});
