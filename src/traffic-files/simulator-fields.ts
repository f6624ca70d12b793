import type { RefusalKind, RequestRecord } from '../requests/request-record.js';

type Entry = Readonly<Record<string, unknown>>;

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
const number = (value: unknown) => (typeof value === 'number' ? value : undefined);

/**
 * Reads the fields that only recordings by the simulator have.
 * @returns `undefined` if another program wrote the entry
 */
export function readSimulatorFields(entry: Entry, arrivedAtMs: number): Partial<RequestRecord> | undefined {
  const { id, strikes, episode } = entry;
  if (typeof id !== 'number' || typeof strikes !== 'number' || typeof episode !== 'number') return undefined;
  const finishedMs = number(entry.finishedMs);
  const operation = text(entry.operation);
  const promisedAt = text(entry.promisedAt);
  return {
    id,
    ...(operation !== undefined && { operation }),
    lastArrivedId: number(entry.lastArrivedId) ?? id,
    heldMs: number(entry.heldMs) ?? 0,
    ...(finishedMs !== undefined && { finishedAtMs: arrivedAtMs + finishedMs }),
    ...(typeof entry.client === 'string' && { client: entry.client }),
    ...(typeof entry.call === 'string' && { call: entry.call }),
    plan: text(entry.plan),
    window: entry.window === 'minute' || entry.window === 'day' ? entry.window : undefined,
    refusal: text(entry.refusal) as RefusalKind | undefined,
    promisedAtMs: promisedAt === undefined ? undefined : Date.parse(promisedAt),
    strikes,
    isStrike: entry.strike === true,
    isLimited: entry.plan !== undefined && entry.exempt !== true,
    episode,
    storedId: text(entry.storedId),
    fault: text(entry.fault),
    isUnreadable: entry.unreadable === true,
    assumption: text(entry.assumption),
  };
}

/**
 * Returns the key of an entry that the simulator wrote. Uses the key's id in place of a masked key, because two keys
 * can look equal when masked.
 */
export function simulatorKey({ key, keyId }: Entry): string | undefined {
  const whole = text(key);
  return whole !== undefined && !whole.startsWith('…') ? whole : (text(keyId) ?? whole);
}
