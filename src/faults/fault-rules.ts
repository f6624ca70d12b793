import { fingerprint } from '../values/fingerprint.js';
import { seededFraction, seedFor } from '../values/seeded-random.js';
import type { FaultCondition, FaultRule } from './fault-rule.js';

/** What the rules look at. */
export interface FaultRequest {
  operation: string;
  method: string;
  key: string;
  plan: string;
  /** The values of the conditions that belong to one operation: `status`, `petId`. */
  values: Readonly<Record<string, unknown>>;
  /** Text that is equal for equal calls: key, method, path, query and body. */
  callText: () => string;
}

/** A rule that applies to a request, and the delay drawn for it. Nothing is counted before `commit`. */
export interface FaultMatch {
  rule: FaultRule | undefined;
  delayMs: number;
  commit(): void;
}

/** How often a rule was met and applied. `failed`: for `failTimes`, how often each call has failed, by its fingerprint. */
export interface RuleCounts {
  seen: number;
  applied: number;
  failed: Map<string, number>;
}

/** Everything about the rules that requests and control change. */
export interface FaultRulesState {
  readonly rules: readonly FaultRule[];
  readonly counts: readonly (readonly [name: string, counts: RuleCounts])[];
  readonly startMs: number;
}

type FaultRulesStart = Pick<FaultRulesState, 'startMs' | 'counts'>;

/** Calls that a rule with `failTimes` remembers; the oldest are forgotten past this many. */
const maximumFailedCalls = 10_000;

/** The fault rules of one simulator, in order, with how often each has applied. */
export class FaultRules {
  #scenarioRules: readonly FaultRule[] = [];
  #start: FaultRulesStart | undefined;
  #seed = 0;
  #rules: FaultRule[] = [];
  #counts = new Map<string, RuleCounts>();
  #startMs = 0;

  /**
   * Sets other rules and a seed. They apply from the next `reset` or `restore` on.
   * @param start what they have done already. Default: nothing, and time counts from now
   */
  configure(rules: readonly FaultRule[], seed: number, start?: FaultRulesStart): void {
    this.#scenarioRules = rules;
    this.#start = start;
    this.#seed = seed;
  }

  get size(): number {
    return this.#rules.length;
  }

  /** A name for a rule that has none. */
  freeName(): string {
    return freeFaultName(new Set(this.#rules.map(({ name }) => name)), this.#rules.length + 1);
  }

  /** Each rule with how many requests met its conditions and to how many it applied. */
  list(): { rule: FaultRule; seen: number; applied: number }[] {
    return this.#rules.map((rule) => {
      const { seen = 0, applied = 0 } = this.#counts.get(rule.name) ?? {};
      return { rule, seen, applied };
    });
  }

  /** Adds a rule behind the others. @throws {RangeError} when a name is taken */
  add(rule: FaultRule): void {
    if (this.#rules.some(({ name }) => name === rule.name)) {
      throw new RangeError(`Failed to add a fault rule: expected a free name, got "${rule.name}", which is taken`);
    }
    this.#rules.push(rule);
  }

  /** Removes a rule; `false` when there is none with this name. */
  remove(name: string): boolean {
    const position = this.#rules.findIndex((rule) => rule.name === name);
    if (position < 0) return false;
    this.#rules.splice(position, 1);
    this.#counts.delete(name);
    return true;
  }

  /** Finds the first rule that applies. Rules behind it do not see the request. */
  match(request: FaultRequest, nowMs: number): FaultMatch {
    const elapsedMs = nowMs - this.#startMs;
    const passed: RuleCounts[] = [];
    const countSeen = () => {
      for (const each of passed) each.seen++;
    };
    for (const rule of this.#rules) {
      if (!meets(rule.when, request, elapsedMs)) continue;
      const counts = this.#countsOf(rule);
      passed.push(counts);
      const seed = seedFor(rule.name, this.#seed);
      const call = rule.failTimes === undefined ? '' : fingerprint(request.callText());
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

  /** Goes back to the rules of the scenario as they were at its start. */
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

  #countsOf({ name }: FaultRule): RuleCounts {
    let counts = this.#counts.get(name);
    if (counts === undefined) {
      counts = { seen: 0, applied: 0, failed: new Map() };
      this.#counts.set(name, counts);
    }
    return counts;
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
    (when.status === undefined || when.status === request.values.status) &&
    (when.petId === undefined || when.petId === request.values.petId) &&
    // A clock that was set back to before the start is before every `after`, and within no `for` that has one.
    (when.after === undefined || elapsedMs >= when.after) &&
    (when.for === undefined || elapsedMs < (when.after ?? 0) + when.for)
  );
}

/** `fault-1` and so on: the first from `number` that is not taken. */
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

/** How many standard deviations the 99th percentile of a normal distribution lies above the middle. */
const deviationsOfP99 = 2.326;

/** A fixed delay, or one from the log-normal distribution with this median and 99th percentile. */
function drawDelay(delay: FaultRule['delayMs'], seed: number, number: number): number {
  if (delay === undefined) return 0;
  if ('fixed' in delay) return delay.fixed;
  const radius = Math.sqrt(-2 * Math.log(1 - seededFraction(seed, 2 * number)));
  const deviations = radius * Math.cos(2 * Math.PI * seededFraction(seed, 2 * number + 1));
  return delay.p50 * (delay.p99 / delay.p50) ** (deviations / deviationsOfP99);
}
