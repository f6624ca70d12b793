import type { WireFault } from '../requests/outcome.js';
import type { Int64 } from '../values/int64.js';

/** When a rule applies; every condition that is there must hold. */
export interface FaultCondition {
  operation?: readonly string[] | undefined;
  method?: string | undefined;
  key?: readonly string[] | undefined;
  plan?: string | undefined;
  /** The status filter of a list. */
  status?: string | undefined;
  petId?: Int64 | undefined;
  /** Of the requests that meet the conditions above: only this one, counted from 1. */
  nth?: number | undefined;
  /** Each one whose number is a multiple of this. */
  every?: number | undefined;
  /** Only the first so many. */
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

/** What replaces the answer of the operation, or changes it. */
export type FaultEffect =
  | { kind: 'none' }
  | { kind: 'respond'; status: number; headers: Readonly<Record<string, string | null>>; body: string | undefined }
  /** Bans the key of the request, which is refused for it. */
  | { kind: 'ban'; forMs: number }
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
