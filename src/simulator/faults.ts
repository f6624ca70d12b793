import type { FaultRules, ListedRule } from '../faults/fault-rules.js';
import { checkFault } from '../scenario/check-scenario.js';
import { type Fault, toFaultRule } from '../scenario/fault-schema.js';
import type { KnownOperations } from '../scenario/operations.js';
import type { ScenarioRules } from '../scenario/scenario-rules.js';

/** The fault rules of a simulator. */
export interface Faults {
  /**
   * Lists the fault rules in order, with the number of matching requests (`seen`) and of requests to which the rule
   * applied (`applied`).
   */
  list(): ListedRule[];
  /**
   * Appends a fault rule and returns its name.
   * @throws {ScenarioError} if the rule is invalid, {RangeError} if the name is taken
   * @example sim.faults.add({ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } })
   */
  add(fault: Fault): string;
  /** Removes a fault rule by name. Returns `false` if no rule has the name. */
  remove(name: string): boolean;
}

export function createFaults(
  rules: FaultRules,
  schemas: Pick<ScenarioRules, 'faultSchema'>,
  operations: KnownOperations,
): Faults {
  return {
    list: () => rules.list(),
    add(fault) {
      const rule = toFaultRule(checkFault(fault, schemas, operations), rules.freeName());
      rules.add(rule);
      return rule.name;
    },
    remove: (name) => rules.remove(name),
  };
}
