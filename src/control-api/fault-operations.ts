import type { ListedRule } from '../faults/fault-rules.js';
import { operationFacts } from '../judge/run.js';
import { rowOf, targetOf } from '../requests/operation-table.js';
import { checkFault } from '../scenario/check-scenario.js';
import { conditionsOf, type Fault, toFaultRule } from '../scenario/fault-schema.js';
import { withoutRoute } from '../scenario/operations.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { coreOf } from '../simulator/simulator.js';
import type { MainService } from '../simulator/simulator-state.js';
import { asWritten, type Entries, type Schema } from '../validation/schema.js';
import { either, fields, kind, list, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { isMap } from '../values/plain-data.js';
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
  /** Following requests to which the fault rule applies, in words: `the next request`, `used up`. Times are UTC. */
  next: string;
}

const name = described(string, 'Name of the rule.');

/** Schema of a fault rule as input. Accepts any map here; the simulator's check reports mistakes in its fields. */
export const faultContent = kind<Fault>('a fault rule, which is a map', isMap);

const taken = () => conflict('The name of the fault rule is taken; expected another name.');
const unknown = () => notFound('Unknown fault rule; expected a name that GET /__sim/faults lists.');

/**
 * Creates the control operations that list and change fault rules. The simulated API, such as the Petstore, defines the
 * schema of a fault rule.
 */
export const createFaultOperations = ({ rules: { faultSchema }, operations: [first = ''] }: MainService) => {
  const listed = fields({
    ...(faultSchema.entries as Entries),
    name,
    seen: described(count, 'Number of requests that matched the conditions.'),
    applied: described(count, 'Number of requests that the rule changed.'),
    next: described(string, 'Following requests to which the rule applies, in words; `used up` for none.'),
  }) as Schema<unknown> as Schema<ListedFault>;
  return {
    listFaults: operation({
      method: 'GET',
      path: '/faults',
      summary: 'Lists the fault rules in order, with the number of matching and of changed requests',
      input: fields({}),
      result: list(listed),
      run: ({ faults }) => faults.list().map(showRule),
    }),
    listOperations: operation({
      method: 'GET',
      path: '/operations',
      summary: 'Lists the operations that a fault rule may name, with method, path and conditions if known',
      input: fields({}),
      result: list(
        fields({
          name: string,
          target: optional(described(string, 'Method and path of the operation.')),
          conditions: optional(
            described(
              list(string),
              'Conditions of fault rules that only some operations have, such as path parameters.',
            ),
          ),
        }),
      ),
      run(sim) {
        const { shared, services } = coreOf(sim).state;
        const { operations = {} } = operationFacts(services.map(({ service }) => service));
        return [...shared.operations.names].map((name): { name: string; target?: string; conditions?: string[] } => {
          const row = rowOf(operations, name);
          if (row === undefined) return { name };
          const conditions = conditionsOf(row);
          return { name, target: targetOf(row), ...(conditions.length > 0 && { conditions }) };
        });
      },
    }),
    addFault: operation({
      method: 'POST',
      path: '/faults',
      summary: 'Adds a fault rule after the others, written as in a scenario',
      status: 201,
      input: asWritten(faultSchema),
      inputOf: (sim) => asWritten(coreOf(sim).main.rules.faultSchema),
      example: { name: 'outage', when: { operation: first }, then: { respond: { status: 503 } } },
      refusals: [409],
      result: fields({ name }),
      run({ faults }, fault) {
        if (faults.list().some(({ name }) => name === fault.name)) {
          throw taken();
        }
        return { name: faults.add(fault) };
      },
    }),
    replaceFault: operation({
      method: 'PUT',
      path: '/faults/{name}',
      summary:
        'Replaces a fault rule in its place by `fault`, which counts its requests from zero; an invalid rule changes nothing',
      input: fields({
        name,
        fault: described(faultContent, 'Fault rule as in a scenario. Without a name, it keeps the old.'),
      }),
      example: { name: 'outage', fault: { then: { respond: { status: 500 } } } },
      refusals: [409],
      result: fields({ name }),
      run({ faults }, { name, fault }) {
        const names = faults.list().map((each) => each.name);
        if (!names.includes(name)) throw unknown();
        if (names.includes(fault.name ?? '') && fault.name !== name) throw taken();
        return { name: faults.replace(name, fault) };
      },
    }),
    checkFault: operation({
      method: 'POST',
      path: '/fault-check',
      isRead: true,
      summary: 'Checks a fault rule without adding it, and lists every mistake with its path',
      input: fields({ fault: described(faultContent, 'Fault rule as in a scenario.') }),
      example: { fault: { when: { operation: first }, then: { respond: { status: 503 } } } },
      result: fields({
        issues: list(
          fields({
            path: described(
              string,
              'Path to the wrong value, such as `then.respond.status`; empty for the whole rule.',
            ),
            steps: described(list(either(string, count)), 'The same path, as field names and list indexes.'),
            message: described(string, 'The expected and the actual value.'),
          }),
        ),
        note: optional(described(string, 'Warning about a rule that no operation of the API can match.')),
        rule: optional(described(listed, 'The rule as it would be listed; absent for a wrong one.')),
      }),
      run(sim, { fault }) {
        const { main, state } = coreOf(sim);
        try {
          const checked = checkFault(fault, main.rules, state.shared.operations);
          const notes = withoutRoute(checked.when.operation, state.shared.operations);
          const rule = state.faults.preview(toFaultRule(checked, fault, state.faults.freeName()), sim.clock.now());
          return { issues: [], ...(notes.length > 0 && { note: notes.join(' ') }), rule: showRule(rule) };
        } catch (error) {
          if (!(error instanceof ScenarioError)) throw error;
          return { issues: error.issues.map(({ path, steps, message }) => ({ path, steps: [...steps], message })) };
        }
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
        throw unknown();
      },
    }),
  };
};

const showRule = ({ definition, ...counts }: ListedRule) => ({ ...definition, ...counts }) as ListedFault;
