import { describeService } from '../petstore/openapi.js';
import { fieldsOf } from '../validation/json-schema.js';
import type { Schema } from '../validation/schema.js';
import { boolean, fields, list, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { clockOperations } from './clock-operations.js';
import { type LogHealth, operation } from './control-operation.js';
import { describeControl, type OperationGroup } from './describe-control.js';
import { faultOperations } from './fault-operations.js';
import { anyObject, described } from './input-values.js';
import { journalOperations } from './journal-operations.js';
import { keyOperations } from './key-operations.js';
import { runOperations } from './run-operations.js';
import { sandboxOperations } from './sandbox-operations.js';
import { scenarioOperations } from './scenario-operations.js';
import { stateOperations } from './state-operations.js';

const description = anyObject<Record<string, unknown>>('An OpenAPI 3.1 document.');

const logHealth = fields({
  position: described(count, 'The position of the last entry that is applied.'),
  snapshotPosition: described(count, 'The position of the newest snapshot; 0: none.'),
  notices: described(list(string), 'What was lost, set aside or written by another version, as found at the start.'),
  engine: optional(described(oneOf('redis'), 'What keeps a log that several replicas share.')),
  name: optional(described(string, 'The name of the shared log.')),
  replica: optional(described(string, 'What this replica is called in it.')),
  replicas: optional(described(list(string), 'The replicas that are there.')),
  atMs: optional(described(count, 'The instant of the last entry that is applied, in Unix milliseconds of the store.')),
  lagMs: optional(described(count, 'For how long it has not been known that everything is applied; 0: it is.')),
  stale: optional(described(boolean, 'Whether the store cannot be reached, so that what is read here may be old.')),
}) as Schema<LogHealth>;

const serverOperations = {
  getHealth: operation({
    method: 'GET',
    path: '/health',
    summary: 'Tells that the simulator is up, and the name of its scenario',
    isAtOnce: true,
    input: fields({}),
    result: fields({
      status: oneOf('ok'),
      scenario: described(string, 'The name of the scenario.'),
      log: optional(logHealth),
    }),
    run: ({ name }, _, { log }) => ({ status: 'ok' as const, scenario: name, ...(log && { log }) }),
  }),
  getServiceDescription: operation({
    method: 'GET',
    path: '/service.json',
    summary: 'Describes the service in OpenAPI 3.1',
    input: fields({}),
    result: description,
    run: (_, __, { baseUrl }) => structuredClone(describeService(baseUrl)),
  }),
  getControlDescription: operation({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Describes the control API in OpenAPI 3.1',
    input: fields({}),
    result: description,
    run: (_, __, { controlUrl }) => describeControl(operationGroups(), controlUrl),
  }),
};

/**
 * Every operation on one simulator. From this table come the functions of `createControl`, the routes under `/__sim` and
 * under `/__sim/sandboxes/NAME`, their OpenAPI description and the table of the documentation.
 */
export const controlOperations = {
  ...serverOperations,
  ...scenarioOperations,
  ...clockOperations,
  ...keyOperations,
  ...faultOperations,
  ...journalOperations,
  ...runOperations,
  ...stateOperations,
};

// A function with a declared type: the type of the table above would otherwise depend on itself.
function operationGroups(): OperationGroup[] {
  return [
    { name: 'server', description: 'Whether it is up, and what it is.', operations: serverOperations },
    { name: 'scenario', description: 'What the simulator starts with and does.', operations: scenarioOperations },
    {
      name: 'clock',
      description: 'The clock that drives windows, bans, dates and faults.',
      operations: clockOperations,
    },
    { name: 'keys', description: 'API keys with their plans, windows and bans.', operations: keyOperations },
    { name: 'faults', description: 'Fault rules.', operations: faultOperations },
    {
      name: 'journal',
      description: 'The requests, and the verdict on the client.',
      operations: { ...journalOperations, ...runOperations },
    },
    { name: 'state', description: 'Exported states and snapshots.', operations: stateOperations },
    { name: 'sandboxes', description: 'The server, and simulators beside its own.', operations: sandboxOperations },
  ];
}

/** An input with more fields than this is not listed field by field. */
const maximumFields = 8;

/** Every operation as a row of text, for the table of the documentation. */
export function controlRows(): { name: string; request: string; input: string; summary: string }[] {
  const all = operationGroups().flatMap(({ operations }) => Object.entries(operations));
  return all.map(([name, { method, path, summary, input }]) => {
    const fields = fieldsOf(input).map(({ name, required }) => `\`${name}${required ? '' : '?'}\``);
    const shown = fields.length > maximumFields ? [...fields.slice(0, 2), '...'] : fields;
    return { name, request: `${method} /__sim${path}`, input: shown.join(' '), summary };
  });
}
