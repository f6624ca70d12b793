import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Fault, type Scenario, serveRoute } from '../../src/entries/index.js';
import { readScenario } from '../../src/entries/node.js';
import { persist } from '../../src/entries/persist.js';
import { judge } from '../../src/entries/verdict.js';
import { stateAsScenario } from '../../src/petstore/state-as-scenario.js';
import { createOperationTable } from '../../src/requests/operation-table.js';
import type { OperationRows, Service } from '../../src/requests/service.js';
import type { SimulatorOptions } from '../../src/simulator/simulator.js';
import { MemoryStorage } from '../support/memory-storage.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';

type Services = NonNullable<SimulatorOptions['services']>;

/** Orders as a table: their own base path, a path with two parameters, and a deprecated operation. */
const orders: Services[number] = {
  name: 'orders',
  basePath: '/shop',
  operations: {
    listOrders: { method: 'GET', path: '/orders' },
    findOrders: { method: 'POST', path: '/orders/find', isWrite: false },
    placeOrder: { method: 'POST', path: '/orders' },
    getItem: {
      method: 'GET',
      path: '/orders/{orderId}/items/{itemId}',
      deprecation: { removedAtMs: Date.UTC(2031, 0, 2), use: 'GET /orders' },
    },
  },
  run: (_, { operation, params }) => ({ status: 200, body: JSON.stringify({ operation, params }) }),
};

/** An operation that the Petstore lacks, under the base path of the Petstore. */
const removal: Services[number] = {
  name: 'removal',
  basePath: '/v1',
  operations: { deletePet: { method: 'DELETE', path: '/pets/{petId}' } },
  run: (_, { params }) => ({ status: 200, body: JSON.stringify(params) }),
};

function shopAt(scenario: Scenario = {}, services: Services = [orders, removal], operations: string[] = []) {
  const sim = createSimulator({ scenario: { ...scenario, keys: { 'free-key': {} } }, services, operations });
  const ask = async (method: string, path: string) => {
    const headers = { authorization: 'Bearer free-key' };
    const response = await sim.fetch(`http://shop.test${path}`, { method, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { sim, ask };
}

describe('a service with a table of operations', () => {
  test('finds its operations, with the path parameters and with HEAD', async () => {
    const { sim, ask } = shopAt();
    expect((await ask('GET', '/shop/orders')).text).toBe('{"operation":"listOrders"}');
    expect(await ask('HEAD', '/shop/orders')).toMatchObject({ status: 200, text: '' });
    expect((await ask('POST', '/shop/orders')).text).toBe('{"operation":"placeOrder"}');
    expect(JSON.parse((await ask('GET', '/shop/orders/7/items/a%20b')).text)).toEqual({
      operation: 'getItem',
      params: { orderId: '7', itemId: 'a%20b' },
    });
    await ask('POST', '/shop/orders/find');
    expect(sim.journal.query().map(({ operation, isWrite }) => [operation, isWrite])).toEqual([
      ['listOrders', false],
      ['listOrders', false],
      ['placeOrder', true],
      ['getItem', false],
      ['findOrders', false],
    ]);
  });

  test('responds with 405 and Allow, or a 404 that lists its operations', async () => {
    const { ask } = shopAt();
    const unsupported = await ask('PUT', '/shop/orders');
    expect([unsupported.status, unsupported.headers.get('allow')]).toEqual([405, 'GET, POST']);
    expect(JSON.parse(unsupported.text).message).toBe('Method PUT is not supported here; use GET or POST.');
    const targets = 'GET /orders, POST /orders/find, POST /orders and GET /orders/{orderId}/items/{itemId}';
    for (const path of ['/shop/order', '/shop/orders/', '/shop/orders/7/items/', '/shop/orders/7/items/8/9']) {
      const { status, text } = await ask('GET', path);
      expect([status, JSON.parse(text).message]).toEqual([404, `There is no such path; the API has ${targets}.`]);
    }
    const hidden = shopAt({ assumptions: { unknownMethod: 'not-found' } });
    expect(await hidden.ask('PUT', '/shop/orders')).toMatchObject({ status: 404 });
  });

  test('adds operations to the paths of the Petstore', async () => {
    const { ask } = shopAt();
    expect(await ask('DELETE', '/v1/pets/7')).toMatchObject({ status: 200, text: '{"petId":"7"}' });
    expect((await ask('GET', '/v1/pets/1')).text).toContain('"id":1');
    const unsupported = await ask('PUT', '/v1/pets/1');
    expect([unsupported.status, unsupported.headers.get('allow')]).toEqual([405, 'DELETE, GET']);
    expect((await ask('GET', '/v1/pet')).text).toContain('has DELETE /pets/{petId}, GET /pets, POST /pets and GET');
  });

  test('has fault rules, whose conditions its rows decide', async () => {
    const { sim, ask } = shopAt({
      faults: [{ when: { operation: 'deletePet', method: 'DELETE', petId: 3 }, then: { respond: { status: 503 } } }],
    });
    expect((await ask('DELETE', '/v1/pets/2')).status).toBe(200);
    expect((await ask('DELETE', '/v1/pets/3')).status).toBe(503);
    sim.faults.add({ name: 'of a pet', when: { petId: 9 }, then: { respond: { status: 502 } } });
    expect((await ask('GET', '/v1/pets/9')).status).toBe(502);
    expect((await ask('GET', '/shop/orders/9/items/9')).status).toBe(200);
    const own = await serveRoute(
      sim,
      new Request('http://shop.test/v1/own', { headers: { authorization: 'Bearer free-key' } }),
      () => new Response('own'),
    );
    expect(await own.text()).toBe('own');
    sim.faults.add({
      name: 'head',
      when: { operation: 'listOrders', method: 'HEAD' },
      then: { respond: { status: 500 } },
    });
    expect((await ask('HEAD', '/shop/orders')).status).toBe(500);
    expect((await ask('GET', '/shop/orders')).status).toBe(200);
    const refused = [
      { operation: 'placeOrder', method: 'GET' },
      { operation: 'listOrders', petId: 3 },
      { operation: 'listOrders', status: 'sold' },
    ] as const;
    for (const when of refused) {
      expect(() => sim.faults.add({ when, then: { empty: true } }), JSON.stringify(when)).toThrow(
        'expected conditions of one operation: POST only with findOrders or placeOrder or createPet, DELETE only with deletePet, status only with listPets, petId only with deletePet or getPet',
      );
    }
  });

  describe('with conditions of fault rules that the Petstore lacks', () => {
    const catalog: Services[number] = {
      name: 'catalog',
      basePath: '/shop',
      operations: {
        listGoods: { method: 'GET', path: '/goods', conditions: ['status', 'color'] },
        getGood: { method: 'GET', path: '/goods/{goodId}' },
        getKey: { method: 'GET', path: '/keys/{key}' },
      },
      run: () => ({ status: 200, body: '[]' }),
    };
    const scenario = (when: object, name = 'own') =>
      ({ faults: [{ name, when, then: { respond: { status: 503 } } }] }) as Scenario & { faults: [Fault] };
    const rule = (when: object, name?: string) => scenario(when, name).faults[0];
    const statusesOf = async ({ ask }: ReturnType<typeof shopAt>, paths: readonly string[]) =>
      Promise.all(paths.map(async (path) => (await ask('GET', path)).status));

    test.each([
      [{ goodId: 7 }, '/shop/goods/7', '/shop/goods/8'],
      [{ goodId: '7' }, '/shop/goods/7', '/shop/goods/07'],
      [{ goodId: '9223372036854775807' }, '/shop/goods/9223372036854775807', '/shop/goods/9223372036854775806'],
      [{ operation: 'getGood', goodId: 'blue-hat' }, '/shop/goods/blue-hat', '/shop/goods/hat'],
      [{ color: 'red' }, '/shop/goods?color=red', '/shop/goods?color=blue'],
      [{ color: 5 }, '/shop/goods?color=5', '/shop/goods'],
      [{ color: true }, '/shop/goods?color=true', '/v1/pets?color=true'],
      [{ operation: 'listGoods', status: 'shipped' }, '/shop/goods?status=shipped', '/shop/goods?status=sold'],
      [{ status: 'sold' }, '/v1/pets?status=sold', '/v1/pets?status=pending'],
      [{ key: 'free-key', operation: 'getKey' }, '/shop/keys/a', '/shop/goods'],
    ])('matches %j', async (when, meets, fails) => {
      expect(await statusesOf(shopAt(scenario(when), [catalog]), [meets, fails])).toEqual([503, 200]);
      const added = shopAt({}, [catalog]);
      createControl(added.sim).addFault(rule(when));
      expect(await statusesOf(added, [meets, fails])).toEqual([503, 200]);
    });

    test('refuses a condition that no operation of the rule has', () => {
      const { sim } = shopAt({}, [catalog]);
      for (const when of [
        { goodId: 7, operation: 'listPets' },
        { color: 'red', petId: 3 },
      ]) {
        for (const add of [() => sim.faults.add(rule(when)), () => createControl(sim).addFault(rule(when))])
          expect(add).toThrow(
            'when: expected conditions of one operation: POST only with createPet, status only with listGoods or listPets, petId only with getPet, color only with listGoods, goodId only with getGood',
          );
      }
      expect(() => sim.faults.add(rule({ godId: 7 }))).toThrow('godId: expected a known field; did you mean goodId?');
      expect(() => shopAt().sim.faults.add(rule({ goodId: 7 }))).toThrow('goodId: expected a known field');
      expect(sim.faults.list()).toEqual([]);
    });

    test('through the control API of a server, in a sandbox, and in an exported state', async () => {
      const { sim, ask } = shopAt({}, [catalog]);
      const server = await openServer(sim);
      const control = createControl(server.controlUrl);
      expect(await control.addFault(rule({ goodId: 7 }))).toEqual({ name: 'own' });
      await expect(control.addFault(rule({ goodId: 7, petId: 3 }, 'other'))).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('when: expected conditions of one operation'),
      });
      expect(await control.listOperations()).toContainEqual({
        name: 'getGood',
        target: 'GET /goods/{goodId}',
        conditions: ['goodId'],
      });
      expect(await control.listOperations()).toContainEqual({ name: 'getKey', target: 'GET /keys/{key}' });
      await control.createSandbox({ name: 'mine', scenario: scenario({ color: 'red' }) });
      const state = await control.exportState();
      await control.removeFault({ name: 'own' });
      expect((await ask('GET', '/shop/goods/7')).status).toBe(200);
      await control.importState(state);
      expect((await ask('GET', '/shop/goods/7')).status).toBe(503);
      expect(stateAsScenario(await control.exportState()).faults).toMatchObject([{ when: { goodId: 7 } }]);
      const written = shopAt(scenario({ operation: 'listGoods', color: 'red' }), [catalog]);
      expect(stateAsScenario(createControl(written.sim).exportState()).faults).toMatchObject([
        { when: { operation: 'listGoods', color: 'red' } },
      ]);
      const [first] = state.faults.rules;
      const wrong = { ...first, rule: { ...first?.rule, when: { godId: 7 } } };
      const broken = { ...state, faults: { ...state.faults, rules: [wrong] } } as unknown as typeof state;
      await expect(control.importState(broken)).rejects.toThrow(
        'faults.rules[0].rule.when.godId: expected a known field; did you mean goodId?',
      );
    });

    test('in a file, and in the saved state of a page', async () => {
      const folder = newFolder();
      const file = join(folder, 'own.json');
      await writeFile(file, JSON.stringify(scenario({ operation: ['getGood', 'ownRoute'], goodId: 7 })));
      const read = await readScenario(file, { services: [catalog], operations: ['ownRoute'] });
      expect(await statusesOf(shopAt(read, [catalog], ['ownRoute']), ['/shop/goods/7', '/shop/goods/8'])).toEqual([
        503, 200,
      ]);
      await expect(readScenario(file, { services: [catalog] })).rejects.toThrow('got "ownRoute"');
      await expect(readScenario(file)).rejects.toThrow('when.goodId: expected a known field');

      const storage = new MemoryStorage();
      const { sim } = shopAt({}, [catalog]);
      const save = persist(sim, storage);
      sim.faults.add(rule({ goodId: 7 }));
      save();
      const next = shopAt({}, [catalog]);
      persist(next.sim, storage);
      expect((await next.ask('GET', '/shop/goods/7')).status).toBe(503);
    });
  });

  test('allows the methods of all operations in the preflight', async () => {
    const server = await openServer(shopAt().sim);
    const preflight = async (path: string) => {
      const headers = { Origin: 'http://localhost:5173', 'Access-Control-Request-Method': 'PUT' };
      const response = await fetch(new URL(path, server.baseUrl), { method: 'OPTIONS', headers });
      return [response.status, response.headers.get('access-control-allow-methods')];
    };
    expect(await preflight('/shop/orders')).toEqual([204, 'GET, POST']);
    expect(await preflight('/v1/pets/1')).toEqual([204, 'DELETE, GET, POST']);
  });

  test('is judged by its deprecated operations, and its client is named what it lacks', async () => {
    const { sim, ask } = shopAt({ client: { operation: 'placeOrder' } });
    await ask('GET', '/shop/orders/7/items/8');
    const { findings, unmet } = judge(sim, { isOver: true });
    expect(unmet).toBe('a POST /orders');
    expect(findings.map(({ text }) => text)).toContain(
      'GET /orders/{orderId}/items/{itemId} was used once. It will be removed on 2 January 2031; use GET /orders.',
    );
  });

  test('may find operations itself, and may be an object of a class', async () => {
    class Shop {
      readonly name = 'shop';
      readonly basePath = '/shop';
      readonly operations = { open: { method: 'GET', path: '/open' } };
      readonly #hours = '9 to 5';
      find({ path }: { path: string }): ReturnType<Service['find']> {
        const operation = path === '/closed' ? undefined : 'open';
        return operation && { operation, isWrite: false, params: undefined, refusal: undefined, headers: undefined };
      }
      run = () => ({ status: 200, body: JSON.stringify(this.#hours) });
    }
    const { ask } = shopAt({}, [new Shop()]);
    expect((await ask('GET', '/shop/anything')).text).toBe('"9 to 5"');
    expect((await ask('GET', '/shop/closed')).status).toBe(404);
  });

  test.each([
    [
      'a method in small letters',
      { a: { method: 'get', path: '/a' } },
      'operations.a: expected a method and path of its own, such as GET /pets/{petId}, got get /a',
    ],
    ['a path without a slash', { a: { method: 'GET', path: 'a' } }, 'got GET a'],
    ['a parameter without a name', { a: { method: 'GET', path: '/a/{}' } }, 'got GET /a/{}'],
    ['a query', { a: { method: 'GET', path: '/a?b' } }, 'got GET /a?b'],
    [
      'params of another name',
      { a: { method: 'GET', path: '/a/{b}', params: (c) => ({ c }) } },
      'operations.a: expected params to make b, got c',
    ],
    [
      'params for a path with two parameters',
      { a: { method: 'GET', path: '/a/{b}/{c}', params: (b) => ({ b }) } },
      'operations.a: expected params to make b, c, got b',
    ],
    [
      'an operation twice',
      { a: { method: 'GET', path: '/a' }, b: { method: 'GET', path: '/a' } },
      'operations.b: expected a method and path of its own',
    ],
  ] satisfies [string, OperationRows, string][])('rejects %s', (_, operations: OperationRows, message) => {
    expect(() => createOperationTable(operations)).toThrow(message);
    expect(() => createSimulator({ services: [{ ...orders, operations }] })).toThrow(TypeError);
  });

  test('matches a fixed path before a parameter, whatever the order, and takes other characters literally', () => {
    const { find } = createOperationTable({
      getFile: { method: 'GET', path: '/files/{name}.json' },
      getAny: { method: 'GET', path: '/files/{name}' },
      getIndex: { method: 'GET', path: '/files/index' },
      headIndex: { method: 'HEAD', path: '/files/index' },
    });
    const operationOf = (method: string, path: string) => find({ method, path })?.operation;
    expect(operationOf('GET', '/files/index')).toBe('getIndex');
    expect(operationOf('HEAD', '/files/index')).toBe('headIndex');
    expect(operationOf('GET', '/files/a.json')).toBe('getFile');
    expect(operationOf('HEAD', '/files/axjson')).toBe('getAny');
    expect(operationOf('GET', '/files/{name}')).toBe('getAny');
  });
});
