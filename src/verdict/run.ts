import { rateLimitHeaders, retryAfterHeader } from '../interface/contract.js';
import type { JournalEntry } from '../state/journal.js';

/** One request of the client, with what the judge derives from its entry in the journal. */
export interface JudgedRequest extends JournalEntry {
  /** The same for requests that may be one call tried again: method, path, query, body and `X-Sim-Call`. */
  readonly fingerprint: string;
  /** Whether the client was told to wait: 429, or a ban under any status. */
  readonly isRefused: boolean;
  /** The earliest instant that the answer named for coming back; `undefined` where it named none that can be read. */
  readonly deadlineMs: number | undefined;
  /** The wait that Retry-After asked for; `undefined` where it was missing or cannot be read. */
  readonly retryAfterMs: number | undefined;
}

/** From the first refusal of a key to its next served request, or to the end of the run. */
export interface Episode {
  readonly token: string | undefined;
  /** Every request of the key in the episode, refused ones first; the last may be the served one that ends it. */
  readonly requests: readonly JudgedRequest[];
  readonly refusals: readonly JudgedRequest[];
  readonly served: JudgedRequest | undefined;
}

/** What the rules look at. */
export interface Run {
  readonly requests: readonly JudgedRequest[];
  readonly episodes: readonly Episode[];
  /** The instant at which the run is judged. */
  readonly endMs: number;
}

/** A request that comes less than this too early is on time: timers are that exact. */
export const toleranceMs = 50;
/** A request that comes this long after an answer has seen it, whatever the connection. */
const certainlyReadMs = 1_000;

export function prepareRun(entries: readonly JournalEntry[], endMs: number): Run {
  const requests = entries.map(toJudged);
  return { requests, episodes: [...groupBy(requests, ({ token }) => token).values()].flatMap(episodesOf), endMs };
}

/**
 * Whether the client must have had the answer to `earlier` when it sent `later`: the same connection or the same call
 * (both come in turn), or a second in between. A parallel burst proves nothing.
 */
export function hasRead(earlier: JudgedRequest, later: JudgedRequest): boolean {
  if (later.id <= earlier.id || later.arrivedAtMs < earlier.answeredAtMs) return false;
  if (later.connection !== undefined && later.connection === earlier.connection) return true;
  if (later.call !== undefined && later.call === earlier.call) return true;
  return later.arrivedAtMs - earlier.answeredAtMs > certainlyReadMs;
}

/** The last of `candidates` whose answer the client had when it sent `request`. */
export function lastRead(candidates: readonly JudgedRequest[], request: JudgedRequest): JudgedRequest | undefined {
  return candidates.findLast((candidate) => hasRead(candidate, request));
}

export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** The tries of one call in an episode that came after the answer to an earlier one. */
export function retriesOf(requests: readonly JudgedRequest[]): JudgedRequest[] {
  return requests.filter((request, index) => requests.slice(0, index).some((earlier) => hasRead(earlier, request)));
}

function episodesOf(requests: readonly JudgedRequest[]): Episode[] {
  const episodes: Episode[] = [];
  let current: JudgedRequest[] = [];
  const close = (served: JudgedRequest | undefined) => {
    if (current.length === 0) return;
    const refusals = current.filter(({ isRefused }) => isRefused);
    episodes.push({ token: current[0]?.token, requests: current, refusals, served });
    current = [];
  };
  for (const request of requests) {
    if (request.isRefused) current.push(request);
    else if (current.length > 0 && request.status !== 401) {
      current.push(request);
      close(request);
    }
  }
  close(undefined);
  return episodes;
}

function toJudged(entry: JournalEntry): JudgedRequest {
  const body = entry.requestBody === undefined ? '' : new TextDecoder().decode(entry.requestBody);
  const retryAfterMs = readRetryAfter(entry);
  const reset = readReset(entry);
  const isRefused = entry.refusal !== undefined || entry.status === 429;
  const instants = [retryAfterMs === undefined ? undefined : entry.answeredAtMs + retryAfterMs, reset];
  const known = instants.filter((instant) => instant !== undefined);
  return {
    ...entry,
    fingerprint: [entry.call, entry.method, entry.path, entry.query, body].join(' '),
    isRefused,
    deadlineMs: isRefused && known.length > 0 ? Math.min(...known) : undefined,
    retryAfterMs: isRefused ? retryAfterMs : undefined,
  };
}

/** RFC 9110 section 10.2.3: seconds or an HTTP date; decimal seconds too, because services send them. */
function readRetryAfter({ headers, answeredAtMs }: JournalEntry): number | undefined {
  const text = headers[retryAfterHeader];
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - answeredAtMs);
}

/** Unix seconds; milliseconds and seconds left too, by their size, because services send them. */
function readReset({ headers, answeredAtMs }: JournalEntry): number | undefined {
  const value = Number(headers[rateLimitHeaders.reset] ?? Number.NaN);
  if (Number.isNaN(value)) return undefined;
  if (value > 1e11) return value;
  return value < 1e8 ? answeredAtMs + value * 1000 : value * 1000;
}
