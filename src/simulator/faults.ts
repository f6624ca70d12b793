import type { Clock } from '../clock/clock.js';
import type { FaultRules, ListedRule } from '../faults/fault-rules.js';
import { checkFault } from '../scenario/check-scenario.js';
import { type Fault, toFaultRule } from '../scenario/fault-schema.js';
import type { KnownOperations } from '../scenario/operations.js';
import type { ScenarioRules } from '../scenario/scenario-rules.js';
import { copyFrozen } from '../values/plain-data.js';

/** The fault rules of a simulator. */
export interface Faults {
  /**
   * Lists the fault rules in order, with the number of matching requests (`seen`) and of requests to which the rule
   * applied (`applied`), and the requests to which it applies next, in words (`next`).
   */
  list(): ListedRule[];
  /**
   * Appends a fault rule and returns its name.
   * @throws {ScenarioError} if the rule is invalid, {RangeError} if the name is taken
   * @example sim.faults.add({ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } })
   */
  add(fault: Fault): string;
  /**
   * Replaces a fault rule, found by name, by another one in its place, whose counts start at zero. Returns the new name;
   * without a name in `fault`, the old one.
   * @throws {ScenarioError} if the rule is invalid, {RangeError} if no rule has the name, or the new name is taken; the
   * rule is then unchanged
   * @example sim.faults.replace('outage', { when: { times: 5 }, then: { respond: { status: 503 } } })
   */
  replace(name: string, fault: Fault): string;
  /** Removes a fault rule by name. Returns `false` if no rule has the name. */
  remove(name: string): boolean;
}

export function createFaults(
  rules: FaultRules,
  schemas: Pick<ScenarioRules, 'faultSchema'>,
  operations: KnownOperations,
  clock: Clock,
): Faults {
  return {
    list: () => rules.list(clock.now()),
    add(fault) {
      const rule = toFaultRule(checkFault(fault, schemas, operations), copyFrozen(fault), rules.freeName());
      rules.add(rule);
      return rule.name;
    },
    replace(name, fault) {
      const rule = toFaultRule(checkFault(fault, schemas, operations), copyFrozen(fault), name);
      if (rules.replace(name, rule)) return rule.name;
      throw new RangeError(`Failed to replace a fault rule: expected the name of a rule, got ${JSON.stringify(name)}`);
    },
    remove: (name) => rules.remove(name),
  };
}
