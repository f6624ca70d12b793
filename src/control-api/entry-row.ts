import type { Entries } from '../validation/schema.js';
import { fields, number, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { about, instantText } from './input-values.js';

/** One request and what became of it, without headers and bodies. A field without a value is left out. */
export interface EntryRow {
  /** Counted from 1 in the order of arrival; never given again. */
  id: number;
  /** When the request arrived, ISO 8601 of the simulator's clock. */
  time: string;
  /** Until the answer was ready, by the simulator's clock. */
  durationMs: number;
  /** The API key: whole where the scenario names it, else only its end. */
  key?: string;
  /** An id of the key, which does not show it. */
  keyId?: string;
  plan?: string;
  operation?: string;
  method: string;
  path: string;
  query: string;
  /** 0 where the client went away first. */
  status: number;
  /** The `code` of an Error body. */
  code?: string;
  /** The window that the rate-limit headers describe. */
  window?: string;
  /** X-RateLimit-Remaining as it was sent. */
  remaining?: number;
  /** What was used of that window after the request, whatever the headers said; not in a ban that had begun before. */
  usage?: WindowUsage;
  /** Only where the limits of the plan did not apply to it. */
  exempt?: true;
  /** Why the request was refused. */
  refusal?: string;
  /** Of a refusal: when the service would serve again, ISO 8601. */
  promisedAt?: string;
  /** Of a refusal or a 503: the earliest instant that the answer named for coming back, ISO 8601. */
  toldUntil?: string;
  /** After a refusal of the key: how long after the promised instant this request came. Below 0 it came too early. */
  sincePromiseMs?: number;
  /** The last refusal of the key that had been answered before this request came, where nothing was served in between. */
  after?: RefusalBefore;
  /** How many strikes the key had after this request. */
  strikes: number;
  /** Only where this request was a strike. */
  strike?: true;
  /** How many episodes of refusals the key had begun. */
  episode: number;
  /** The id of the pet that the request stored. */
  storedId?: string;
  /** The fault rule that applied. */
  fault?: string;
  /** Only where a fault kept the client from reading the answer. */
  unreadable?: true;
  /** The assumption that decided the answer, where the document leaves it open. */
  assumption?: string;
  /** The number of the connection, where the adapter knows it. */
  connection?: number;
  /** What the client sent as `X-Sim-Call`. */
  call?: string;
  /** Why it got its answer, in a few words; nothing where it was simply served. */
  inShort?: string;
}

export interface WindowUsage {
  limit: number;
  used: number;
  /** ISO 8601. */
  resetAt: string;
}

export interface RefusalBefore {
  /** The id of the refused request. */
  id: number;
  /** The wait that its answer asked for, where it can be read. */
  waitMs?: number;
  /** How long the client waited. */
  waitedMs: number;
}

export const entryRowFields = {
  id: about(count, 'Counted from 1 in the order of arrival; never given again.'),
  time: about(instantText, 'When the request arrived, by the simulator’s clock.'),
  durationMs: about(number, 'Until the answer was ready, by the simulator’s clock.'),
  key: optional(about(string, 'The API key: whole where the scenario names it, else only its end.')),
  keyId: optional(about(string, 'An id of the key, which does not show it.')),
  plan: optional(string),
  operation: optional(string),
  method: string,
  path: string,
  query: string,
  status: about(count, '0 where the client went away first.'),
  code: optional(about(string, 'The `code` of an Error body.')),
  window: optional(about(string, 'The window that the rate-limit headers describe.')),
  remaining: optional(about(number, 'X-RateLimit-Remaining as it was sent.')),
  usage: optional(
    about(
      fields({ limit: count, used: count, resetAt: instantText }),
      'What was used of that window after the request, whatever the headers said; not in a ban that had begun before.',
    ),
  ),
  exempt: optional(about(oneOf(true), 'Only where the limits of the plan did not apply to it.')),
  refusal: optional(about(string, 'Why the request was refused.')),
  promisedAt: optional(about(instantText, 'Of a refusal: when the service would serve again.')),
  toldUntil: optional(
    about(instantText, 'Of a refusal or a 503: the earliest instant that the answer named for coming back.'),
  ),
  sincePromiseMs: optional(about(number, 'How long after the promised instant this request came; below 0: too early.')),
  after: optional(
    about(
      fields({ id: count, waitMs: optional(number), waitedMs: number }),
      'The last refusal of the key that had been answered before, the wait that it asked for, and how long the client waited.',
    ),
  ),
  strikes: about(count, 'How many strikes the key had after this request.'),
  strike: optional(about(oneOf(true), 'Only where this request was a strike.')),
  episode: about(count, 'How many episodes of refusals the key had begun.'),
  storedId: optional(about(string, 'The id of the pet that the request stored.')),
  fault: optional(about(string, 'The fault rule that applied.')),
  unreadable: optional(about(oneOf(true), 'Only where a fault kept the client from reading the answer.')),
  assumption: optional(about(string, 'The assumption that decided the answer, where the document leaves it open.')),
  connection: optional(about(count, 'The number of the connection.')),
  call: optional(about(string, 'What the client sent as X-Sim-Call.')),
  inShort: optional(about(string, 'Why it got its answer, in a few words; nothing where it was simply served.')),
} satisfies Entries;
