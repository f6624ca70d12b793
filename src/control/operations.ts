import { openapi } from '../contract/openapi.js';
import { fields } from '../schema/schemas.js';
import { clockOperations } from './clock-operations.js';
import { describeControl } from './describe-control.js';
import { faultOperations } from './fault-operations.js';
import { journalOperations } from './journal-operations.js';
import { keyOperations } from './key-operations.js';
import { type AnyOperation, operation } from './operation.js';
import { sandboxOperations } from './sandbox-operations.js';
import { scenarioOperations } from './scenario-operations.js';
import { stateOperations } from './state-operations.js';

/**
 * Every operation on one simulator. From this table come the functions of `createControl`, the routes under `/__sim` and
 * under `/__sim/sandboxes/NAME`, their OpenAPI description and the table of the README.
 */
export const operations = {
  getHealth: operation({
    method: 'GET',
    path: '/health',
    summary: 'Is it there, and which scenario',
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
    run: () => describeControl({ ...allOperations(), ...sandboxOperations }),
  }),
};

// Behind a function with a type of its own, because the table is in the midst of being made.
const allOperations = (): Record<string, AnyOperation> => operations;
