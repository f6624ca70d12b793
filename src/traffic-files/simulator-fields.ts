import type { RefusalKind, RefusedBy, RequestRecord } from '../requests/request-record.js';
import { latestMs } from '../values/instant.js';
import { mapOf } from '../values/plain-data.js';
import { numberOf, textOf } from './json-fields.js';

type Entry = Readonly<Record<string, unknown>>;

/**
 * Reads the fields of a recorded request that only petstore-sim writes, such as the number of strikes.
 * @returns `undefined` if another program recorded the request
 */
export function readSimulatorFields(entry: Entry, arrivedAtMs: number): Partial<RequestRecord> | undefined {
  if (!isBySimulator(entry)) return undefined;
  const { id, strikes, episode } = entry;
  const finishedMs = numberOf(entry.finishedMs);
  const [operation, client, call] = [entry.operation, entry.client, entry.call].map(textOf);
  const [promisedAtMs, bannedUntilMs] = [entry.promisedAt, entry.bannedUntil].map((time) => {
    const text = textOf(time);
    const ms = text === undefined ? Number.NaN : Date.parse(text);
    return ms <= latestMs ? ms : undefined;
  });
  return {
    id,
    ...(operation !== undefined && { operation }),
    lastArrivedId: numberOf(entry.lastArrivedId) ?? id,
    heldMs: numberOf(entry.heldMs) ?? 0,
    ...(finishedMs !== undefined &&
      Math.abs(finishedMs) < latestMs - arrivedAtMs && { finishedAtMs: arrivedAtMs + finishedMs }),
    ...(client !== undefined && { client }),
    ...(call !== undefined && { call }),
    plan: textOf(entry.plan),
    window: textOf(entry.window),
    refusal: textOf(entry.refusal) as RefusalKind | undefined,
    rate: readRate(entry.usage),
    promisedAtMs,
    bannedUntilMs,
    strikes,
    isStrike: entry.strike === true,
    isLimited: entry.plan !== undefined && entry.exempt !== true,
    cost: numberOf(entry.cost),
    episode,
    storedId: textOf(entry.storedId),
    fault: textOf(entry.fault),
    refusedBy: textOf(entry.refusedBy) as RefusedBy | undefined,
    isUnreadable: entry.unreadable === true,
    assumption: textOf(entry.assumption),
  };
}

function readRate(usage: unknown): RequestRecord['rate'] {
  const { limit, used, resetAt } = mapOf(usage);
  if (typeof limit !== 'number' || typeof used !== 'number' || typeof resetAt !== 'string') return undefined;
  return { limit, remaining: limit - used, resetAtSeconds: Date.parse(resetAt) / 1000 };
}

/** Whether petstore-sim wrote a recorded entry, not another program. */
export const isBySimulator = (entry: Entry): entry is Entry & Record<'id' | 'strikes' | 'episode', number> =>
  [entry.id, entry.strikes, entry.episode].every((value) => typeof value === 'number');

/** Reads the API key from a recorded entry that the simulator wrote, as the simulator named it. */
export const simulatorKey = ({ key }: Entry): string | undefined => textOf(key) || undefined;
