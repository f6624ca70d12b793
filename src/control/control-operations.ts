import { openapi } from '../contract/openapi.js';
import { fieldsOf } from '../schema/json-schema.js';
import { fields } from '../schema/schemas.js';
import { clockOperations } from './clock-operations.js';
import { type AnyControlOperation, operation } from './control-operation.js';
import { describeControl } from './describe-control.js';
import { faultOperations } from './fault-operations.js';
import { journalOperations } from './journal-operations.js';
import { keyOperations } from './key-operations.js';
import { sandboxOperations } from './sandbox-operations.js';
import { scenarioOperations } from './scenario-operations.js';
import { stateOperations } from './state-operations.js';

/**
 * Every operation on one simulator. From this table come the functions of `createControl`, the routes under `/__sim` and
 * under `/__sim/sandboxes/NAME`, their OpenAPI description and the table of the documentation.
 */
export const controlOperations = {
  getHealth: operation({
    method: 'GET',
    path: '/health',
    summary: 'Whether the simulator is up, and the name of its scenario',
    input: fields({}),
    run: ({ name }) => ({ status: 'ok', scenario: name }),
  }),
  ...scenarioOperations,
  ...clockOperations,
  ...keyOperations,
  ...faultOperations,
  ...journalOperations,
  ...stateOperations,
  getServiceDescription: operation({
    method: 'GET',
    path: '/service.json',
    summary: 'OpenAPI 3.1 description of the service',
    input: fields({}),
    run: () => openapi,
  }),
  getControlDescription: operation({
    method: 'GET',
    path: '/openapi.json',
    summary: 'OpenAPI 3.1 description of the control API',
    input: fields({}),
    run: () => describeControl(everyOperation()),
  }),
};

// A function with a declared type: the type of the table above would otherwise depend on itself.
function everyOperation(): Record<string, AnyControlOperation> {
  return { ...controlOperations, ...sandboxOperations };
}

/** An input with more fields than this is not listed field by field. */
const maximumFields = 8;

/** Every operation as a row of text, for the table of the documentation. */
export function controlRows(): { name: string; request: string; input: string; summary: string }[] {
  return Object.entries(everyOperation()).map(([name, { method, path, summary, input }]) => {
    const fields = fieldsOf(input).map(({ name, required }) => `\`${name}${required ? '' : '?'}\``);
    const shown = fields.length > maximumFields ? [...fields.slice(0, 2), '...'] : fields;
    return { name, request: `${method} /__sim${path}`, input: shown.join(' '), summary };
  });
}
