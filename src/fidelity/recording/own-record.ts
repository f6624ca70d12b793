import type { RefusalKind, RequestKnowledge } from '../../state/request-record.js';

/** What an entry of our own journal says besides what anybody could have recorded. */
export interface OwnRecord {
  readonly id: number;
  readonly lastArrivedId: number;
  readonly heldMs: number;
  readonly finishedAtMs: number | undefined;
  readonly client: string | undefined;
  readonly call: string | undefined;
  readonly known: RequestKnowledge;
}

type Entry = Readonly<Record<string, unknown>>;

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
const number = (value: unknown) => (typeof value === 'number' ? value : undefined);

/** @returns `undefined` for an entry that the simulator did not write */
export function readOwnRecord(entry: Entry, arrivedAtMs: number): OwnRecord | undefined {
  const { id, strikes, episode } = entry;
  if (typeof id !== 'number' || typeof strikes !== 'number' || typeof episode !== 'number') return undefined;
  const finishedMs = number(entry.finishedMs);
  const promisedAt = text(entry.promisedAt);
  return {
    id,
    lastArrivedId: number(entry.lastArrivedId) ?? id,
    heldMs: number(entry.heldMs) ?? 0,
    finishedAtMs: finishedMs === undefined ? undefined : arrivedAtMs + finishedMs,
    client: text(entry.client),
    call: text(entry.call),
    known: {
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
    },
  };
}

/** The key of an entry of our own; where it is masked, its id, because masked keys can be alike. */
export function ownKey({ key, keyId }: Entry): string | undefined {
  const whole = text(key);
  return whole !== undefined && !whole.startsWith('…') ? whole : (text(keyId) ?? whole);
}
