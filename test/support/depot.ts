import { invalidRequest, notFound } from '../../src/requests/api-error.js';
import type { Match, OperationRows, Service, ServiceData } from '../../src/requests/service.js';
import { parseJson } from '../../src/values/json.js';
import { isMap } from '../../src/values/plain-data.js';

/** Parcels of a depot by number. */
export class Parcels implements ServiceData {
  all: Record<string, string> = {};
  capture = () => ({ ...this.all });
  restore(copy: unknown) {
    if (!isMap(copy)) throw new TypeError(`expected a map of parcels, got ${typeof copy}`);
    this.all = { ...(copy as Parcels['all']) };
  }
}

const match = (operation: string, isWrite: boolean, params?: Match['params']): Match => ({
  operation,
  isWrite,
  params,
  refusal: undefined,
  headers: { 'X-Depot': 'north' },
});

/** Operations of the depot as rows of a table. */
export const parcelRows = {
  sendParcel: { method: 'POST', path: '/parcels' },
  trackParcel: {
    method: 'GET',
    path: '/parcels/{number}',
    deprecation: { removedAtMs: Date.UTC(2026, 0, 2), use: 'GET /parcels' },
  },
} satisfies OperationRows;

/** A second service, unrelated to the Petstore: `POST /depot/parcels`, `GET /depot/parcels/{number}`. */
export const depot: Service<Parcels> = {
  name: 'depot',
  basePath: '/depot',
  operations: ['sendParcel', 'trackParcel'],
  deprecations: {
    trackParcel: {
      target: 'GET /parcels/{number}',
      removedAtMs: Date.UTC(2026, 0, 2),
      use: 'GET /parcels',
    },
  },
  createData: () => new Parcels(),
  find({ method, path }) {
    if (path === '/broken') throw new Error('find failed');
    if (method === 'POST' && path === '/parcels') return match('sendParcel', true);
    const number = /^\/parcels\/(\d+)$/.exec(path)?.[1];
    return method === 'GET' && number !== undefined ? match('trackParcel', false, { number }) : undefined;
  },
  run({ body }, { operation, params }, { data: { all: parcels } }) {
    if (operation === 'trackParcel') {
      const to = parcels[params?.number ?? ''];
      if (to === undefined) throw notFound('There is no parcel with this number.');
      return { status: 200, body: JSON.stringify({ number: params?.number, to }) };
    }
    const parcel = parseJson(new TextDecoder().decode(body)) as { to?: string };
    if (typeof parcel.to !== 'string') throw invalidRequest('A parcel needs an address: to.');
    const number = String(Object.keys(parcels).length + 1);
    parcels[number] = parcel.to;
    return { status: 201, body: JSON.stringify({ number, to: parcel.to }), storedId: number };
  },
};

/** Client of the depot over a simulator's fetch, or over a fetch that reaches the simulator. */
export function clientOf(sim: { readonly fetch: typeof fetch }) {
  const ask = (path: string, init: RequestInit = {}) =>
    sim.fetch(`http://depot.test${path}`, { ...init, headers: { authorization: 'Bearer free-key', ...init.headers } });
  const post = (to: string) => ask('/depot/parcels', { method: 'POST', body: JSON.stringify({ to }) });
  return { ask, post };
}
