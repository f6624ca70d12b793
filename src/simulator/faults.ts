import type { FaultRules } from '../faults/fault-rules.js';
import { checkFault } from '../scenario/check-scenario.js';
import { type Fault, toFaultRule } from '../scenario/fault-schema.js';
import type { KnownOperations } from '../scenario/operations.js';

/** The fault rules of a simulator. */
export interface Faults {
  /** Every rule in order, as a scenario writes it: how many requests met its conditions, and to how many it applied. */
  list(): { name: string; definition: Readonly<Record<string, unknown>>; seen: number; applied: number }[];
  /**
   * Adds a rule behind the others and gives its name.
   * @throws {ScenarioError} for an invalid rule, {RangeError} for a name that is taken
   * @example sim.faults.add({ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } })
   */
  add(fault: Fault): string;
  /** Removes a rule; `false` when there is none with this name. */
  remove(name: string): boolean;
}

export function createFaults(rules: FaultRules, operations: KnownOperations): Faults {
  return {
    list: () =>
      rules.list().map(({ rule, seen, applied }) => ({ name: rule.name, definition: rule.definition, seen, applied })),
    add(fault) {
      const rule = toFaultRule(checkFault(fault, operations), rules.freeName());
      rules.add(rule);
      return rule.name;
    },
    remove: (name) => rules.remove(name),
  };
}
