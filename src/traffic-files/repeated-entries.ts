import { fingerprint } from '../values/fingerprint.js';
import type { PendingExchange } from './exchange.js';
import type { RecordedEntry } from './recorded-entry.js';
import { readSimulatorFields } from './simulator-fields.js';

const forms = ['har-entry', 'object'] as const;
/** Format of a recorded request: an entry of an HTTP Archive (HAR), or a JSON object of a JSON Lines file. */
type Form = (typeof forms)[number];

/**
 * Detects entries that an earlier file already contained, such as a shorter export of the same run. Equal entries
 * within one file are separate requests. An entry without a time never counts as repeated.
 */
export class RepeatedEntries {
  readonly #before = new Map<string, number>();
  #inFile = new Map<string, number>();

  /**
   * Whether an earlier recording file contained an entry of the current file. If a file contains equal entries, the
   * n-th of them is a repetition only if an earlier file contained n of them.
   */
  isRepeated(entry: RecordedEntry, form: Form): boolean {
    if (!Number.isFinite(entry.record.arrivedAtMs)) return false;
    const [exact, alike] = [exactHash(entry), alikeHash(entry)];
    const exactCount = this.#count(form + exact);
    const alikeCount = this.#count(form + alike);
    // Entries in HAR and in JSON Lines form count as equal if time, method, URL, status and id are equal, because the
    // headers and timings of the two forms differ.
    const [otherForm] = forms.filter((each) => each !== form);
    return (
      exactCount <= (this.#before.get(form + exact) ?? 0) || alikeCount <= (this.#before.get(otherForm + alike) ?? 0)
    );
  }

  #count(name: string): number {
    const count = (this.#inFile.get(name) ?? 0) + 1;
    this.#inFile.set(name, count);
    return count;
  }

  endFile(): void {
    for (const [entry, count] of this.#inFile) {
      this.#before.set(entry, Math.max(count, this.#before.get(entry) ?? 0));
    }
    this.#inFile = new Map();
  }
}

/**
 * Hashes all fields of a recorded request and its response, to find the same request in several recordings. The hash is
 * stored instead of the fields, which are long and contain the API key.
 */
function exactHash({ record, url, requestHeaders, requestBody, connection, own }: RecordedEntry) {
  const { arrivedAtMs, answeredAtMs, method, status } = record;
  const all = [arrivedAtMs, answeredAtMs, method, url, status, requestHeaders, requestBody, connection, own?.id];
  return `=${fingerprint(JSON.stringify(all))}`;
}

/** Hash of the fields that HAR and JSON Lines record equally. Finds an entry that both files contain. */
function alikeHash({ record: { arrivedAtMs, method, status }, url, own }: RecordedEntry) {
  const id = own && readSimulatorFields(own, arrivedAtMs)?.id;
  return `~${fingerprint(JSON.stringify([Math.floor(arrivedAtMs), method, url, status, id]))}`;
}

/** Maximum difference between the clocks of two programs that recorded one run. */
const maximumApartMs = 60_000;
/** Maximum difference between the times of one request in two recordings, apart from that of their clocks. */
const maximumJitterMs = 250;
/** Minimum number of requests that show that two files have the same ones. */
const minimumSame = 3;
/** Maximum number of requests of the earlier file that are tried as the first of the later one. */
const maximumStarts = 50;

/**
 * Finds the requests of a file that an earlier file contains as well, with other times: all of the shorter file in the
 * longer one, at nearly constant distance, with equal response headers. The times alone would not tell two equal clients
 * apart, whose responses differ at least in `Date` or the remaining requests.
 * @param earlier requests in order of time, as `later`
 */
export function findSameRequests(
  earlier: readonly PendingExchange[],
  later: readonly PendingExchange[],
): ReadonlySet<PendingExchange> {
  const [some, all] = earlier.length <= later.length ? [earlier, later] : [later, earlier];
  const [first] = some;
  if (first === undefined || some.length < minimumSame) return new Set();
  const starts = all.filter((each) => isSame(first, each)).slice(0, maximumStarts);
  for (const start of starts) {
    const pairs = pairUp(some, all, start.arrivedAtMs - first.arrivedAtMs);
    if (pairs !== undefined) return new Set(later === all ? pairs : some);
  }
  return new Set();
}

/** Finds each of some requests among others that are later by `apartMs`; `undefined` if one is missing. */
function pairUp(
  some: readonly PendingExchange[],
  all: readonly PendingExchange[],
  apartMs: number,
): PendingExchange[] | undefined {
  const found: PendingExchange[] = [];
  let from = 0;
  for (const each of some) {
    const atMs = each.arrivedAtMs + apartMs;
    while ((all[from]?.arrivedAtMs ?? atMs) < atMs - maximumJitterMs) from++;
    let index = from;
    const isNear = (other: PendingExchange | undefined) =>
      other !== undefined && other.arrivedAtMs <= atMs + maximumJitterMs;
    while (isNear(all[index]) && !isSame(each, all[index] as PendingExchange)) index++;
    if (!isNear(all[index])) return undefined;
    found.push(all[index] as PendingExchange);
    from = index + 1;
  }
  return found;
}

/** Whether two recorded requests may be one, by all that both recordings have of it. */
function isSame(one: PendingExchange, other: PendingExchange): boolean {
  const names = Object.keys(one.headers).filter((name) => name in other.headers && !ofTransport.test(name));
  return (
    one.method === other.method &&
    one.path === other.path &&
    one.query === other.query &&
    one.status === other.status &&
    one.baseUrl === other.baseUrl &&
    (one.token ?? other.token) === (other.token ?? one.token) &&
    (one.requestBody ?? other.requestBody) === (other.requestBody ?? one.requestBody) &&
    Math.abs(one.arrivedAtMs - other.arrivedAtMs) <= maximumApartMs &&
    names.length > 0 &&
    names.every((name) => one.headers[name] === other.headers[name])
  );
}

/** Headers that are the same in many responses, or that a proxy changes. */
const ofTransport = /^(?:Content-|Cache-|Age$|Access-|Allow$|RateLimit-Policy$|X?-?RateLimit-Limit$)/;
