import { coreOf } from '../simulator/simulator.js';
import { fieldsOf } from '../validation/json-schema.js';
import type { Schema } from '../validation/schema.js';
import { fields, list, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { clockOperations } from './clock-operations.js';
import { type LogHealth, operation } from './control-operation.js';
import { addCustomRoutes, addCustomRoutesToControl } from './custom-routes-description.js';
import { describeControl } from './describe-control.js';
import { describeWords } from './describe-words.js';
import { createFaultOperations } from './fault-operations.js';
import { anyObject, createScenarioInput, described } from './input-values.js';
import { journalOperations } from './journal-operations.js';
import { keyOperations } from './key-operations.js';
import { describeKeyPlace } from './key-scheme.js';
import { createRunOperations } from './run-operations.js';
import { createSandboxOperations } from './sandbox-operations.js';
import { createScenarioOperations } from './scenario-operations.js';
import type { ControlOperations, OperationGroup, ServedService, ServiceControl } from './served-service.js';
import { createStateOperations } from './state-operations.js';

const description = anyObject<Record<string, unknown>>('An OpenAPI 3.1 document.');

const logHealth = fields({
  position: described(count, 'Position of the last applied entry.'),
  snapshotPosition: described(count, 'Position of the newest snapshot, 0 for none.'),
  notices: described(list(string), 'Losses, files set aside and other versions found at the start.'),
  engine: optional(described(oneOf('redis'), 'Storage engine of a shared log.')),
  name: optional(described(string, 'Name of the shared log.')),
  active: optional(described(string, 'Address of the active server, which responds to all requests.')),
  activeSinceMs: optional(
    described(count, 'Time at which the active server took over, in Unix milliseconds of the store’s clock.'),
  ),
  silentMs: optional(described(count, 'Time since the last reply of the store, in milliseconds.')),
}) as Schema<LogHealth>;

/**
 * Creates all control operations of a simulated API, including those on the API's own data, such as pets. The functions
 * of `createControl`, the HTTP routes under `/__sim`, their OpenAPI description and the table in the documentation are
 * derived from these operations.
 */
export function createServedService<Own extends ControlOperations>(service: ServiceControl<Own>) {
  const { main, describe, group } = service;
  const scenarioInput = createScenarioInput(service.loadable);
  const scenarioOperations = createScenarioOperations(service, scenarioInput);
  const faultOperations = createFaultOperations(main);
  const runOperations = createRunOperations(allOperations);
  const stateOperations = createStateOperations(service);
  const sandboxOperations = createSandboxOperations(scenarioInput);
  const serverOperations = {
    getHealth: operation({
      method: 'GET',
      path: '/health',
      summary: 'Shows that the simulator is up, and the name of its scenario',
      isAtOnce: true,
      input: fields({}),
      result: fields({
        status: oneOf('ok'),
        scenario: optional(
          described(string, 'Name of the scenario. Without the control token, only `status` is sent.'),
        ),
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
      run: (sim, __, { baseUrl, openapi }) => {
        const { keyPlace, words } = coreOf(sim).state.resolved;
        const described = addCustomRoutes(structuredClone(describe(baseUrl)), openapi);
        return describeWords(describeKeyPlace(described, keyPlace), words);
      },
    }),
    getControlDescription: operation({
      method: 'GET',
      path: '/openapi.json',
      summary: 'Describes the control API in OpenAPI 3.1',
      input: fields({}),
      result: description,
      run: (_, __, { controlUrl, baseUrl, openapi }) =>
        addCustomRoutesToControl(describeControl(groups(), service, controlUrl), describe(baseUrl), openapi),
    }),
  };
  const operations = {
    ...serverOperations,
    ...scenarioOperations,
    ...clockOperations,
    ...keyOperations,
    ...group.operations,
    ...faultOperations,
    ...journalOperations,
    ...runOperations,
    ...stateOperations,
  };
  return { main, operations, sandboxOperations, groups } satisfies ServedService & { groups: unknown };

  // The helper functions declare their return types. Without these declarations, the types of the control operations
  // that call a helper function would depend on themselves.
  function allOperations(): ControlOperations {
    return operations;
  }
  function groups(): OperationGroup[] {
    return [
      { name: 'server', description: 'Health and descriptions of the server.', operations: serverOperations },
      { name: 'scenario', description: 'Initial state and behavior of the simulator.', operations: scenarioOperations },
      {
        name: 'clock',
        description: 'The clock that drives windows, bans, dates and faults.',
        operations: clockOperations,
      },
      { name: 'keys', description: 'API keys with their plans, windows and bans.', operations: keyOperations },
      group,
      { name: 'faults', description: 'Fault rules.', operations: faultOperations },
      {
        name: 'journal',
        description: 'The requests, and the verdict on the client.',
        operations: { ...journalOperations, ...runOperations },
      },
      { name: 'state', description: 'Exported states and snapshots.', operations: stateOperations },
      { name: 'sandboxes', description: 'The server, and additional simulators on it.', operations: sandboxOperations },
    ];
  }
}

/** Maximum number of input fields that a row of the documentation table lists. */
const maximumFields = 8;

/** Describes all operations of the control API as rows of the documentation's table. */
export function controlRows(groups: readonly OperationGroup[]) {
  const all = groups.flatMap(({ operations }) => Object.entries(operations));
  return all.map(([name, { method, path, summary, input }]) => {
    const fields = fieldsOf(input).map(({ name, required }) => `\`${name}${required ? '' : '?'}\``);
    const shown = fields.length > maximumFields ? [...fields.slice(0, 2), '...'] : fields;
    return { name, request: `${method} /__sim${path}`, input: shown.join(' '), summary };
  });
}
