import type { WireFault } from '../requests/wire-fault.js';

/** Conditions under which a fault rule applies. A request must meet all conditions. */
export interface FaultCondition {
  operation?: readonly string[] | undefined;
  method?: string | undefined;
  key?: readonly string[] | undefined;
  plan?: string | undefined;
  /** Condition that the simulated API adds to fault rules, such as `petId` of the Petstore. */
  [name: string]: unknown;
  /** Number n: the fault rule applies only to the n-th request that meets the other conditions, counted from 1. */
  nth?: number | undefined;
  /** The rule applies to every n-th request that meets the other conditions. */
  every?: number | undefined;
  /** The rule applies to the first n requests that meet the other conditions. */
  first?: number | undefined;
  /**
   * Probability that the fault rule applies to a matching request, from 0 to 1. The random decision for each request
   * depends only on the scenario's seed.
   */
  probability?: number | undefined;
  /** Time after which the rule applies, in milliseconds of simulated time since the scenario started. */
  after?: number | undefined;
  /** Duration in which the fault rule applies, in milliseconds of simulated time. Starts at the time `after`. */
  for?: number | undefined;
  /** Maximum number of requests to which the rule applies. */
  times?: number | undefined;
}

/** Effect of a fault rule, which replaces or changes the operation's response. */
export type FaultEffect =
  | { kind: 'none' }
  | {
      kind: 'respond';
      status: number;
      headers: Readonly<Record<string, string | null>>;
      body: string | undefined;
      /** Wait that placeholders in headers and body state; `undefined` if the texts are sent as written. */
      waitMs: number | undefined;
      /** Whether the response is a refusal in the words of another service, without the simulator's limit headers. */
      isForeign: boolean;
    }
  /** Bans the request's key and refuses the request. */
  | { kind: 'ban'; forMs: number }
  | { kind: 'malformed' }
  | { kind: 'empty' }
  | { kind: 'html' }
  | { kind: 'truncateFraction'; fraction: number }
  | { kind: 'wire'; wire: WireFault };

/** A fault rule after validation, with every default filled in. */
export interface FaultRule {
  name: string;
  /** The fault rule as written in the scenario, with its name. */
  definition: Readonly<Record<string, unknown>>;
  when: FaultCondition;
  effect: FaultEffect;
  delayMs: { fixed: number } | { p50: number; p99: number } | undefined;
  /**
   * `before`: the fault replaces the operation. `after`: the operation runs first, so the pet is stored although the
   * client sees a fault.
   */
  phase: 'before' | 'after';
  countsQuota: boolean;
  /**
   * Number of times that the rule fails each call. Later attempts of that call succeed. Equal calls have the same key,
   * method, path, query and body.
   */
  failTimes: number | undefined;
}
