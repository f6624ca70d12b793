import type { OperationName, PetStatus } from '../contract/document.js';
import type { Clock } from '../state/clock.js';
import type { Int64 } from '../values/int64.js';
import { seededFraction, seedFor } from '../values/seeded-random.js';

/** When a rule applies; every condition that is there must hold. */
export interface FaultCondition {
  operation?: readonly OperationName[] | undefined;
  method?: string | undefined;
  key?: readonly string[] | undefined;
  plan?: string | undefined;
  /** The status filter of a list. */
  status?: PetStatus | undefined;
  petId?: Int64 | undefined;
  /** Of the requests that meet the conditions above: only this one, counted from 1. */
  nth?: number | undefined;
  /** Each one whose number is a multiple of this. */
  every?: number | undefined;
  /** Only this many at the start. */
  first?: number | undefined;
  /** Each with this chance, decided by the seed. */
  probability?: number | undefined;
  /** Not before this much time of the clock since the scenario started, in milliseconds. */
  after?: number | undefined;
  /** For this long from then, in milliseconds. */
  for?: number | undefined;
  /** At most this many times in all. */
  times?: number | undefined;
}

/** What happens to the bytes of an answer; what an adapter cannot do, it turns into a network error or a broken stream. */
export type WireFault =
  | { kind: 'reset' }
  | { kind: 'close' }
  | { kind: 'hang' }
  /** Only this many bytes of the body, then the end of the connection. */
  | { kind: 'truncate'; bytes: number }
  /** The body in pieces, with a pause after each. */
  | { kind: 'drip'; bytes: number; everyMs: number }
  /** A Content-Length that is not the length of the body. */
  | { kind: 'contentLength'; value: number };

/** What takes the place of the operation's answer, or changes it. */
export type FaultEffect =
  | { kind: 'none' }
  | { kind: 'respond'; status: number; headers: Readonly<Record<string, string | null>>; body: string | undefined }
  | { kind: 'malformed' }
  | { kind: 'empty' }
  | { kind: 'html' }
  | { kind: 'truncateFraction'; fraction: number }
  | { kind: 'wire'; wire: WireFault };

/** One fault rule, ready to be applied. */
export interface FaultRule {
  name: string;
  /** The rule as a scenario writes it, under its name. */
  definition: Readonly<Record<string, unknown>>;
  when: FaultCondition;
  effect: FaultEffect;
  delayMs: { fixed: number } | { p50: number; p99: number } | undefined;
  /** Whether the operation runs (`after`: the pet is stored, the answer is lost) or not (`before`). */
  phase: 'before' | 'after';
  countsQuota: boolean;
  /** Every call (same key, method, path, query and body) fails this many times, then is served. */
  failTimes: number | undefined;
}

/** What the rules look at. */
export interface FaultRequest {
  operation: OperationName;
  method: string;
  key: string;
  plan: string;
  status: string | null;
  petId: Int64 | undefined;
  /** Text that is the same for the same call. */
  fingerprint: () => string;
}

/** A rule that applies to a request, and the delay drawn for it. `commit` notes it; until then nothing has changed. */
export interface FaultMatch {
  rule: FaultRule | undefined;
  delayMs: number;
  commit(): void;
}

interface RuleState {
  seen: number;
  applied: number;
  failed: Map<string, number>;
}

/** Calls that a rule with `failTimes` remembers; the oldest are forgotten past this many. */
const mostFingerprints = 10_000;

/** The fault rules of one simulator, in order, with how often each has applied. */
export class Faults {
  readonly #clock: Clock;
  #scenarioRules: readonly FaultRule[] = [];
  #seed = 0;
  #rules: FaultRule[] = [];
  #states = new Map<string, RuleState>();
  #startMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes other rules to start from, and starts from them. */
  configure(rules: readonly FaultRule[], seed: number): void {
    this.#scenarioRules = rules;
    this.#seed = seed;
    this.reset();
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
      const { seen, applied } = this.#state(rule);
      return { rule, seen, applied };
    });
  }

  /** Adds a rule behind the others. @throws {RangeError} when a name is taken */
  add(rule: FaultRule): void {
    if (this.#rules.some(({ name }) => name === rule.name)) {
      throw new RangeError(
        `Failed to add a fault rule: expected a name of its own, got "${rule.name}", which is taken`,
      );
    }
    this.#rules.push(rule);
  }

  /** Removes a rule; `false` when there is none with this name. */
  remove(name: string): boolean {
    const position = this.#rules.findIndex((rule) => rule.name === name);
    if (position < 0) return false;
    this.#rules.splice(position, 1);
    this.#states.delete(name);
    return true;
  }

  /** Finds the first rule that applies. Rules behind it do not see the request. */
  match(request: FaultRequest): FaultMatch {
    const elapsedMs = this.#clock.now() - this.#startMs;
    const passed: RuleState[] = [];
    const noteSeen = () => {
      for (const each of passed) each.seen++;
    };
    for (const rule of this.#rules) {
      if (!meets(rule.when, request, elapsedMs)) continue;
      const state = this.#state(rule);
      passed.push(state);
      const seed = seedFor(rule.name, this.#seed);
      if (!this.#isDue(rule, state, seed, request)) continue;
      return {
        rule,
        delayMs: drawDelay(rule.delayMs, seedFor('delay', seed), state.applied),
        commit: () => {
          noteSeen();
          state.applied++;
          if (rule.failTimes !== undefined) noteFailure(state.failed, request.fingerprint());
        },
      };
    }
    return { rule: undefined, delayMs: 0, commit: noteSeen };
  }

  /** Goes back to the rules of the scenario, none of them applied yet. */
  reset(): void {
    this.#rules = [...this.#scenarioRules];
    this.#states = new Map();
    this.#startMs = this.#clock.now();
  }

  state() {
    const counts = structuredClone([...this.#states]);
    return { rules: [...this.#rules], counts, startMs: this.#startMs };
  }

  restore({ rules, counts, startMs }: ReturnType<Faults['state']>): void {
    this.#rules = [...rules];
    this.#states = new Map(structuredClone(counts));
    this.#startMs = startMs;
  }

  #state({ name }: FaultRule): RuleState {
    let state = this.#states.get(name);
    if (state === undefined) {
      state = { seen: 0, applied: 0, failed: new Map() };
      this.#states.set(name, state);
    }
    return state;
  }

  #isDue({ when, failTimes }: FaultRule, state: RuleState, seed: number, { fingerprint }: FaultRequest): boolean {
    const number = state.seen + 1;
    if (when.nth !== undefined && number !== when.nth) return false;
    if (when.every !== undefined && number % when.every !== 0) return false;
    if (when.first !== undefined && number > when.first) return false;
    if (when.times !== undefined && state.applied >= when.times) return false;
    if (when.probability !== undefined && seededFraction(seed, number) >= when.probability) return false;
    return failTimes === undefined || (state.failed.get(fingerprint()) ?? 0) < failTimes;
  }
}

function meets(when: FaultCondition, request: FaultRequest, elapsedMs: number): boolean {
  return (
    (when.operation === undefined || when.operation.includes(request.operation)) &&
    (when.method === undefined || when.method === request.method) &&
    (when.key === undefined || when.key.includes(request.key)) &&
    (when.plan === undefined || when.plan === request.plan) &&
    (when.status === undefined || when.status === request.status) &&
    (when.petId === undefined || when.petId === request.petId) &&
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

function noteFailure(failed: Map<string, number>, fingerprint: string): void {
  failed.set(fingerprint, (failed.get(fingerprint) ?? 0) + 1);
  if (failed.size <= mostFingerprints) return;
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
