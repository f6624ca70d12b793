import { type Fault, faultSchema } from '../scenario/fault-schema.js';
import { fields, string } from '../schema/schemas.js';
import { conflict, notFound } from './control-error.js';
import { operation } from './control-operation.js';

export const faultOperations = {
  listFaults: operation({
    method: 'GET',
    path: '/faults',
    summary: 'The fault rules in order: how many requests met their conditions, and to how many each applied',
    input: fields({}),
    run: ({ faults }) => faults.list().map(({ definition, seen, applied }) => ({ ...definition, seen, applied })),
  }),
  addFault: operation({
    method: 'POST',
    path: '/faults',
    summary: 'Adds a fault rule behind the others, as in a scenario',
    status: 201,
    input: faultSchema,
    run({ faults }, fault) {
      if (faults.list().some(({ name }) => name === fault.name)) {
        throw conflict('There is a fault rule of this name already; expected a name of its own.');
      }
      return { name: faults.add(fault as Fault) };
    },
  }),
  removeFault: operation({
    method: 'DELETE',
    path: '/faults/{name}',
    summary: 'Removes a fault rule',
    input: fields({ name: string }),
    run({ faults }, { name }) {
      if (faults.remove(name)) return { removed: name };
      throw notFound('There is no fault rule of this name; expected one that GET /__sim/faults lists.');
    },
  }),
};
