import { operation } from '../../src/control-api/control-operation.js';
import { createServedService } from '../../src/control-api/control-operations.js';
import { scenarioContent } from '../../src/control-api/input-values.js';
import { createStateSchema } from '../../src/control-api/state-schema.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { fields, list, string } from '../../src/validation/schemas.js';
import type { Parcels } from './depot.js';
import { depotService } from './depot-simulator.js';

/** Control operation that only the depot has. */
const listParcels = operation({
  method: 'GET',
  path: '/parcels',
  summary: 'Lists the addresses of the stored parcels',
  input: fields({}),
  result: list(string),
  run(sim) {
    const [mounted] = coreOf(sim).state.services;
    return Object.values((mounted as { data: unknown } as { data: Parcels }).data.all);
  },
});

/** The depot with all control operations. Its declarations lack fields of the Petstore, hence the casts. */
export const servedDepot = createServedService({
  main: depotService,
  title: 'a depot of parcels',
  describe: (baseUrl) => ({ openapi: '3.1.0', servers: [{ url: baseUrl }], paths: { '/parcels': {} } }),
  assumptions: {},
  group: { name: 'parcels', description: 'The stored parcels.', operations: { listParcels } },
  state: { schema: createStateSchema(depotService.rules.faultSchema, {} as never) },
  counts: { schemas: {} as never, of: () => ({}) as never },
  loadable: scenarioContent,
});
