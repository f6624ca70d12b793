import type { WireFault } from '../requests/outcome.js';
import type { Int64 } from '../values/int64.js';

/** Conditions of a fault rule, all of which must match. */
export interface FaultCondition {
  operation?: readonly string[] | undefined;
  method?: string | undefined;
  key?: readonly string[] | undefined;
  plan?: string | undefined;
  /** Status filter of a list request. */
  status?: string | undefined;
  petId?: Int64 | undefined;
  /** Applies to the n-th matching request only, counted from 1. */
  nth?: number | undefined;
  /** Applies to every n-th matching request. */
  every?: number | undefined;
  /** Applies to the first n matching requests. */
  first?: number | undefined;
  /** Probability per request, from 0 to 1, drawn from the seed. */
  probability?: number | undefined;
  /** Earliest effect, in milliseconds of simulated time since the scenario started. */
  after?: number | undefined;
  /** Duration of the effect from its earliest time, in milliseconds. */
  for?: number | undefined;
  /** Maximum number of applications. */
  times?: number | undefined;
}

/** Effect of a fault rule: replaces or changes the operation's response. */
export type FaultEffect =
  | { kind: 'none' }
  | { kind: 'respond'; status: number; headers: Readonly<Record<string, string | null>>; body: string | undefined }
  /** Bans the request's key and refuses the request. */
  | { kind: 'ban'; forMs: number }
  | { kind: 'malformed' }
  | { kind: 'empty' }
  | { kind: 'html' }
  | { kind: 'truncateFraction'; fraction: number }
  | { kind: 'wire'; wire: WireFault };

/** A fault rule, validated and with defaults. */
export interface FaultRule {
  name: string;
  /** The rule as written in the scenario. */
  definition: Readonly<Record<string, unknown>>;
  when: FaultCondition;
  effect: FaultEffect;
  delayMs: { fixed: number } | { p50: number; p99: number } | undefined;
  /** `after` runs the operation (the pet is stored) before the fault; `before` does not run the operation. */
  phase: 'before' | 'after';
  countsQuota: boolean;
  /** Number of failures per call (equal key, method, path, query and body). Later attempts succeed. */
  failTimes: number | undefined;
}
