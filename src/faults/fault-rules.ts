import { getOrCreate } from '../values/get-or-create.js';
import { fnv1a } from '../values/mask-key.js';
import { seededFraction, seedFor } from '../values/seeded-random.js';
import { describeNext } from './describe-next.js';
import type { FaultCondition, FaultRule } from './fault-rule.js';

/** The parts of a request that a fault rule's conditions can refer to. */
export interface FaultRequest {
  operation: string;
  method: string;
  key: string;
  plan: string;
  /** Values of the request that the conditions of fault rules can check, such as `petId` for the Petstore. */
  values: Readonly<Record<string, unknown>>;
  /** Text by which repeated calls are recognized: key, method, path, query and body. */
  callText: () => string;
}

/**
 * The fault rule that applies to a request, and the delay drawn for the request. The rule's counts change only when
 * `commit` is called.
 */
export interface FaultMatch {
  rule: FaultRule | undefined;
  delayMs: number;
  commit(): void;
}

/**
 * Counts of a fault rule: matching requests, applied faults, and for a rule with `failTimes` applied faults per
 * distinct request.
 */
export interface RuleCounts {
  seen: number;
  applied: number;
  failed: Map<string, number>;
}

/**
 * Changeable data of a simulator's fault rules: the rules, their counts of matching and affected requests, and the
 * start time in Unix milliseconds.
 */
export interface FaultRulesState {
  readonly rules: readonly FaultRule[];
  readonly counts: readonly (readonly [name: string, counts: RuleCounts])[];
  readonly startMs: number;
}

/** Fault rule with the number of matching requests (`seen`) and of requests to which the rule applied (`applied`). */
export interface ListedRule extends Pick<FaultRule, 'name' | 'definition'>, Omit<RuleCounts, 'failed'> {
  /** Following requests to which the rule applies, in words: `the next request`, `used up`. */
  next: string;
}

type FaultRulesStart = Pick<FaultRulesState, 'startMs' | 'counts'>;

/**
 * Maximum number of calls whose failures are counted for a fault rule with `failTimes: N`, which fails each call N
 * times. Above the maximum, the oldest calls are forgotten.
 */
const maximumFailedCalls = 10_000;

const unused = { seen: 0, applied: 0 };

/** Fault rules of one simulator, with the number of requests that each rule has matched and changed. */
export class FaultRules {
  #scenarioRules: readonly FaultRule[] = [];
  #start: FaultRulesStart | undefined;
  #seed = 0;
  #rules: FaultRule[] = [];
  #counts = new Map<string, RuleCounts>();
  #startMs = 0;

  /**
   * Sets the fault rules and their random seed for the next `reset`.
   * @param start initial request counts of the rules, and the start time of their condition `after`; default: zero, and
   * the time of the `reset`
   */
  configure(rules: readonly FaultRule[], seed: number, start?: FaultRulesStart): void {
    this.#scenarioRules = rules;
    this.#start = start;
    this.#seed = seed;
  }

  get size(): number {
    return this.#rules.length;
  }

  /** Generates a free name for a fault rule without a name. */
  freeName(): string {
    return freeFaultName(new Set(this.#rules.map(({ name }) => name)), this.#rules.length + 1);
  }

  /** Lists the fault rules, each with its number of matching requests and of applied faults. */
  list(nowMs: number): ListedRule[] {
    return this.#rules.map((rule) => this.#listed(rule, nowMs, this.#counts.get(rule.name)));
  }

  /** Lists a rule as if it were added now. */
  preview(rule: FaultRule, nowMs: number): ListedRule {
    return this.#listed(rule, nowMs, undefined);
  }

  #listed(
    rule: FaultRule,
    nowMs: number,
    { seen, applied }: Pick<RuleCounts, 'seen' | 'applied'> = unused,
  ): ListedRule {
    const { name, definition } = rule;
    const next = describeNext(rule, { seen, applied, startMs: this.#startMs, nowMs });
    return { name, definition, seen, applied, next };
  }

  /** Appends a fault rule. @throws {RangeError} if its name is taken */
  add(rule: FaultRule): void {
    this.#checkFree(rule.name);
    this.#rules.push(rule);
  }

  /**
   * Replaces a fault rule by another one at the same position, whose counts start at zero. Returns `false` if no rule has
   * this name.
   * @throws {RangeError} if the other rule has another name, which is taken
   */
  replace(name: string, rule: FaultRule): boolean {
    const position = this.#rules.findIndex((each) => each.name === name);
    if (position < 0) return false;
    if (rule.name !== name) this.#checkFree(rule.name);
    this.#rules[position] = rule;
    this.#counts.delete(name);
    return true;
  }

  /** Removes a fault rule by name. Returns `false` if no rule has this name. */
  remove(name: string): boolean {
    const position = this.#rules.findIndex((rule) => rule.name === name);
    if (position < 0) return false;
    this.#rules.splice(position, 1);
    this.#counts.delete(name);
    return true;
  }

  /** Finds the first fault rule that applies to a request. Rules after it do not count the request. */
  match(request: FaultRequest, nowMs: number): FaultMatch {
    const elapsedMs = nowMs - this.#startMs;
    const passed: RuleCounts[] = [];
    const countSeen = () => {
      for (const counts of passed) counts.seen++;
    };
    for (const rule of this.#rules) {
      if (!meets(rule.when, request, elapsedMs)) continue;
      const counts = this.#countsOf(rule);
      passed.push(counts);
      const seed = seedFor(rule.name, this.#seed);
      const call = rule.failTimes === undefined ? '' : fnv1a(request.callText());
      if (!applies(rule, counts, seed, call)) continue;
      return {
        rule,
        delayMs: drawDelay(rule.delayMs, seedFor('delay', seed), counts.applied),
        commit: () => {
          countSeen();
          counts.applied++;
          if (rule.failTimes !== undefined) countFailure(counts.failed, call);
        },
      };
    }
    return { rule: undefined, delayMs: 0, commit: countSeen };
  }

  /**
   * Restores the scenario's fault rules, with the counts of matching and affected requests that the scenario's `state`
   * contains.
   */
  reset(nowMs: number): void {
    this.#rules = [...this.#scenarioRules];
    this.#counts = new Map(structuredClone(this.#start?.counts));
    this.#startMs = this.#start?.startMs ?? nowMs;
  }

  state(): FaultRulesState {
    return { rules: [...this.#rules], counts: structuredClone([...this.#counts]), startMs: this.#startMs };
  }

  restore({ rules, counts, startMs }: FaultRulesState): void {
    this.#rules = [...rules];
    this.#counts = new Map(structuredClone(counts));
    this.#startMs = startMs;
  }

  #checkFree(name: string): void {
    if (this.#rules.every((rule) => rule.name !== name)) return;
    throw new RangeError(`Failed to add a fault rule: expected a free name, got "${name}", which is taken`);
  }

  #countsOf({ name }: FaultRule): RuleCounts {
    return getOrCreate(this.#counts, name, () => ({ seen: 0, applied: 0, failed: new Map() }));
  }
}

function applies({ when, failTimes }: FaultRule, { seen, applied, failed }: RuleCounts, seed: number, call: string) {
  const number = seen + 1;
  if (when.nth !== undefined && number !== when.nth) return false;
  if (when.every !== undefined && number % when.every !== 0) return false;
  if (when.first !== undefined && number > when.first) return false;
  if (when.times !== undefined && applied >= when.times) return false;
  if (when.probability !== undefined && seededFraction(seed, number) >= when.probability) return false;
  return failTimes === undefined || (failed.get(call) ?? 0) < failTimes;
}

function meets(when: FaultCondition, request: FaultRequest, elapsedMs: number): boolean {
  return (
    (when.operation === undefined || when.operation.includes(request.operation)) &&
    (when.method === undefined || when.method === request.method) &&
    (when.key === undefined || when.key.includes(request.key)) &&
    (when.plan === undefined || when.plan === request.plan) &&
    meetsService(when, request.values) &&
    // `elapsedMs`, the simulated time since the scenario's start or last reset, is negative if the clock was set back
    // to an earlier time. A rule with the condition `after` then does not apply.
    (when.after === undefined || elapsedMs >= when.after) &&
    (when.for === undefined || elapsedMs < (when.after ?? 0) + when.for)
  );
}

/** Names of the conditions of every service. All others belong to one service, such as `petId`. */
export const commonConditions = [
  'operation',
  'method',
  'key',
  'plan',
  'nth',
  'every',
  'first',
  'probability',
  'after',
  'for',
  'times',
];

const meetsService = (when: Readonly<Record<string, unknown>>, values: FaultRequest['values']) =>
  Object.keys(when).every(
    (name) => when[name] === undefined || when[name] === values[name] || commonConditions.includes(name),
  );

/** Returns the first unused name for a fault rule: `fault-3`. Counts up from `number`. */
export function freeFaultName(taken: ReadonlySet<string>, number: number): string {
  const name = `fault-${number}`;
  return taken.has(name) ? freeFaultName(taken, number + 1) : name;
}

function countFailure(failed: Map<string, number>, call: string): void {
  failed.set(call, (failed.get(call) ?? 0) + 1);
  if (failed.size <= maximumFailedCalls) return;
  const [oldest] = failed.keys();
  failed.delete(oldest as string);
}

/** Distance of the 99th percentile from the median of a normal distribution, in standard deviations. */
const deviationsOfP99 = 2.326;

/** Draws a delay in milliseconds: fixed, or log-normal with the given median and 99th percentile. */
function drawDelay(delay: FaultRule['delayMs'], seed: number, number: number): number {
  if (delay === undefined) return 0;
  if ('fixed' in delay) return delay.fixed;
  const radius = Math.sqrt(-2 * Math.log(1 - seededFraction(seed, 2 * number)));
  const deviations = radius * Math.cos(2 * Math.PI * seededFraction(seed, 2 * number + 1));
  return delay.p50 * (delay.p99 / delay.p50) ** (deviations / deviationsOfP99);
}
