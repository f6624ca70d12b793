import { operationFacts } from '../judge/run.js';
import { rowOf, targetOf } from '../requests/operation-table.js';
import type { Fault } from '../scenario/fault-schema.js';
import { coreOf } from '../simulator/simulator.js';
import type { MainService } from '../simulator/simulator-state.js';
import type { Entries, Schema } from '../validation/schema.js';
import { fields, list, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { conflict, notFound } from './control-error.js';
import { operation } from './control-operation.js';
import { described, removed } from './input-values.js';

/** Fault rule of the scenario, with the numbers of matching and affected requests. */
export interface ListedFault extends Fault {
  name: string;
  /** Number of requests that met the fault rule's conditions. */
  seen: number;
  /** Number of requests that the fault rule affected. */
  applied: number;
}

const name = described(string, 'Name of the rule.');

/**
 * Creates the control operations that list and change fault rules. The simulated API, such as the Petstore, defines the
 * schema of a fault rule.
 */
export const createFaultOperations = ({ rules: { faultSchema }, operations: [first = ''] }: MainService) => ({
  listFaults: operation({
    method: 'GET',
    path: '/faults',
    summary: 'Lists the fault rules in order, with the number of matching and of changed requests',
    input: fields({}),
    result: list(
      fields({
        ...(faultSchema.entries as Entries),
        name,
        seen: described(count, 'Number of requests that matched the conditions.'),
        applied: described(count, 'Number of requests that the rule changed.'),
      }) as Schema<unknown> as Schema<ListedFault>,
    ),
    run: ({ faults }) =>
      faults.list().map(({ definition, seen, applied }) => ({ ...definition, seen, applied }) as ListedFault),
  }),
  listOperations: operation({
    method: 'GET',
    path: '/operations',
    summary: 'Lists the operations that a fault rule may name, with method and path if known',
    input: fields({}),
    result: list(fields({ name: string, target: optional(described(string, 'Method and path of the operation.')) })),
    run(sim) {
      const { shared, services } = coreOf(sim).state;
      const { operations = {} } = operationFacts(services.map(({ service }) => service));
      return [...shared.operations.names].map((name) => {
        const row = rowOf(operations, name);
        return { name, ...(row !== undefined && { target: targetOf(row) }) };
      });
    },
  }),
  addFault: operation({
    method: 'POST',
    path: '/faults',
    summary: 'Adds a fault rule after the others, written as in a scenario',
    status: 201,
    input: faultSchema,
    example: { name: 'outage', when: { operation: first }, then: { respond: { status: 503 } } },
    refusals: [409],
    result: fields({ name }),
    run({ faults }, fault) {
      if (faults.list().some(({ name }) => name === fault.name)) {
        throw conflict('The name of the fault rule is taken; expected another name.');
      }
      return { name: faults.add(fault as Fault) };
    },
  }),
  removeFault: operation({
    method: 'DELETE',
    path: '/faults/{name}',
    summary: 'Removes a fault rule',
    input: fields({ name }),
    example: { name: 'outage' },
    result: removed,
    run({ faults }, { name }) {
      if (faults.remove(name)) return { removed: name };
      throw notFound('Unknown fault rule; expected a name that GET /__sim/faults lists.');
    },
  }),
});
