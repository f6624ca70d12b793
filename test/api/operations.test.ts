import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createServerSource } from '../../src/dashboard/server-source.js';
import { Session } from '../../src/dashboard/session.js';
import { createSimulator } from '../../src/entries/index.js';
import type { RunningServer } from '../../src/entries/node.js';
import { judge } from '../../src/entries/verdict.js';
import { openapi } from '../../src/petstore/openapi.js';
import { operationTable, recordedPetstore } from '../../src/petstore/operations.js';
import type { OperationRow } from '../../src/requests/service.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { int64 } from '../../src/validation/value-schemas.js';
import { openServer } from '../support/open-server.js';
import { patience } from '../support/patience.js';
import { send as plainSend } from '../support/plain-call.js';

const rows = Object.entries<OperationRow>(operationTable.rows);
const targetOf = ({ method, path }: OperationRow) => `${method} ${path}`;
const parameters = ({ path }: OperationRow) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

let sim: ReturnType<typeof createSimulator>;
let server: RunningServer;
beforeAll(async () => {
  sim = createSimulator({ scenario: { keys: { 'free-key': { plan: 'business' } } } });
  server = await openServer(sim);
});

/** Sends a request to an operation; its path parameters are 1. */
const send = (method: string, { path }: OperationRow, query = '') =>
  fetch(`${server.baseUrl}${path.replace(/\{\w+\}/g, '1')}${query}`, {
    method,
    headers: { authorization: 'Bearer free-key', 'content-type': 'application/json' },
    ...(method === 'POST' && { body: '{"name":"Ada","categoryId":1}' }),
  });

const newest = () => sim.journal.query().at(-1);

describe.each(rows)('the operation %s of the table', (name, row) => {
  test('serves its method and path, and HEAD if it has GET', async () => {
    expect((await send(row.method, row)).ok).toBe(true);
    expect(newest()).toMatchObject({ operation: name, isWrite: row.isWrite ?? row.method !== 'GET' });
    if (row.method !== 'GET') return;
    const head = await send('HEAD', row);
    expect([head.status, await head.text(), newest()?.operation]).toEqual([200, '', name]);
  });

  test('is in Allow of the 405 of its path, and in the 404 of an unknown path', async () => {
    const refused = await send('PATCH', row);
    const others = rows.flatMap(([, other]) => (other.path === row.path ? other.method : []));
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, others.join(', ')]);
    const unknown = await send('GET', { method: 'GET', path: '/nowhere' });
    expect((await unknown.json()).message).toContain(targetOf(row));
  });

  test('meets a fault rule with all its conditions', async () => {
    const names = [...parameters(row), ...(row.conditions ?? [])];
    const values: Record<string, unknown> = { status: 'sold', petId: 1 };
    const unknown = names.find((each) => !Object.hasOwn(values, each));
    if (unknown !== undefined) throw new Error(`expected a value of the condition ${unknown}, got none`);
    const when = {
      operation: name,
      method: row.method,
      ...Object.fromEntries(names.map((each) => [each, values[each]])),
    };
    const body = JSON.stringify({ name, when, then: { respond: { status: 503 } } });
    const control = (method: string, path: string, rest: object = {}) =>
      fetch(`${server.controlUrl}${path}`, { method, headers: { 'content-type': 'application/json' }, ...rest });
    expect((await control('POST', '/faults', { body })).status).toBe(201);
    const query =
      row.conditions === undefined ? '' : `?${row.conditions.map((each) => `${each}=${values[each]}`).join('&')}`;
    expect((await send(row.method, row, query)).status).toBe(503);
    expect((await control('DELETE', `/faults/${name}`)).status).toBe(200);
  });

  test('is allowed in a preflight', async () => {
    const headers = { Origin: 'http://localhost:5173', 'Access-Control-Request-Method': row.method };
    const preflight = await fetch(`${server.baseUrl}${row.path}`, { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-methods')?.split(', ')).toContain(row.method);
  });

  test('is recognized in recorded traffic', async () => {
    await send(row.method, row);
    const har = await (await fetch(`${server.controlUrl}/journal.har`)).json();
    const [entry] = har.log.entries.slice(-1);
    delete entry._petstoreSim;
    const pieces = [new TextEncoder().encode(JSON.stringify({ log: { ...har.log, entries: [entry] } }))];
    const { exchanges } = await readRecording([{ name: 'own.har', pieces }], recordedPetstore);
    expect(exchanges.map(({ operation, isOwn }) => [operation, isOwn])).toEqual([[name, false]]);
  });

  test('is described in OpenAPI', () => {
    const paths = openapi.paths as Record<string, Record<string, Record<string, unknown>>>;
    const described = paths[row.path]?.[row.method.toLowerCase()];
    expect(described?.operationId).toBe(name);
    expect(described?.deprecated ?? false).toBe(row.deprecation !== undefined);
    const list = (described?.parameters ?? []) as { in: string; name: string }[];
    expect(list.flatMap((each) => (each.in === 'path' ? each.name : []))).toEqual(parameters(row));
    for (const condition of row.conditions ?? []) expect(list.map((each) => each.name)).toContain(condition);
  });

  test('is offered in the dashboard', async () => {
    const storage = { getItem: () => null };
    const document = { hidden: false, addEventListener() {}, removeEventListener() {} };
    const browser = { document, localStorage: storage, sessionStorage: storage, location: { pathname: '/' } };
    for (const [name, part] of Object.entries(browser)) vi.stubGlobal(name, part);
    const session = new Session(createServerSource(new URL(server.baseUrl).origin));
    try {
      await vi.waitFor(
        () => expect(session.state.operations).toContainEqual(expect.objectContaining({ name, target: targetOf(row) })),
        patience,
      );
    } finally {
      session.close();
      vi.unstubAllGlobals();
    }
  });

  test('is named by the judge to a client that never sent it', async () => {
    const [, other] = rows.find(([each]) => each !== name) as [string, OperationRow];
    const fresh = createSimulator({ scenario: { client: { operation: name as 'listPets' } } });
    await fresh.fetch(`http://petstore.test/v1${other.path.replace(/\{\w+\}/, '1')}`, {
      method: other.method,
      headers: { authorization: 'Bearer free-key' },
    });
    expect(judge(fresh, { isOver: true }).unmet).toBe(`a ${targetOf(row)}`);
  });
});

test('OpenAPI describes no other operation', () => {
  const paths = openapi.paths as Record<string, Record<string, unknown>>;
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(rows.map(([, row]) => targetOf(row)).sort());
});

test.each([2, '2', '9007199254740993'])(
  'a condition %j is compared with the query by the schema of the parameter',
  (shelf) => {
    const shelves = {
      name: 'shelves',
      basePath: '/v1',
      operations: { listShelves: { method: 'GET', path: '/shelves', query: { shelf: int64 }, conditions: ['shelf'] } },
      run: () => ({ status: 200, body: '[]' }),
    };
    const faults = [{ when: { shelf }, then: { respond: { status: 503 } } }];
    const own = createSimulator({ services: [shelves], scenario: { faults } as never });
    const statusOf = (query: string) => plainSend(own, { path: '/shelves', query }).status;
    const others = ['', 'shelf=3', 'shelf=x', 'shelf=9007199254740992'];
    expect([statusOf(`shelf=${shelf}`), ...others.map(statusOf)]).toEqual([503, 200, 200, 200, 200]);
  },
);
