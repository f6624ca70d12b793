import { operationByPath } from '../requests/path-operation.js';
import { createHeaderRecorder, type RecordedHeaders } from '../requests/recorded-headers.js';
import { emptyRecord, isWriteByMethod } from '../requests/request-record.js';
import type { Every } from '../values/every.js';
import { findLowest } from '../values/find-lowest.js';
import { getOrCreate } from '../values/get-or-create.js';
import { groupBy } from '../values/group-by.js';
import { latestMs } from '../values/instant.js';
import type { KeyPlace } from '../values/key-place.js';
import { maskedQuery } from '../values/mask-key.js';
import { isMap, mapOf } from '../values/plain-data.js';
import { pluralize } from '../values/pluralize.js';
import { replaceKey } from '../values/text-finder.js';
import { type Address, isOfService, type RecordedService, rootsOf, splitAddress } from './address.js';
import {
  type Exchange,
  type FileFacts,
  type LeftOutEntry,
  type Missing,
  type PendingExchange,
  readDate,
  relevantHeaders,
} from './exchange.js';
import { FileFactsReader } from './file-facts.js';
import { readHarEntry } from './har-entry.js';
import { textOf } from './json-fields.js';
import { type JsonItem, JsonItems, RecordingError } from './json-items.js';
import { KeyNames } from './key-names.js';
import { brokenBy, credentialIn, headersByName, type NetworkSigns, type RecordedEntry } from './recorded-entry.js';
import { readTime } from './recorded-time.js';
import { findSameRequests, RepeatedEntries } from './repeated-entries.js';
import { isBySimulator, readSimulatorFields, simulatorKey } from './simulator-fields.js';

/** Recorded traffic of one service, in order of sending. */
export interface Recording {
  readonly exchanges: readonly Exchange[];
  /** Entries that are no requests to the service, such as cached responses, in order. */
  readonly leftOut: readonly LeftOutEntry[];
  /** Base URLs of the recorded requests. */
  readonly baseUrls: readonly string[];
  /** Host of the recorded API if the simulator does not know this API; `undefined` for a known API. */
  readonly service: string | undefined;
  /**
   * Number of entries (requests) in the files of a recording, including requests that do not belong to the recorded
   * API.
   */
  readonly entries: number;
  /**
   * Time that the recorded API's clock was ahead of the recording machine's clock; negative if behind. The recorded
   * times are already corrected by this difference.
   */
  readonly clockOffsetMs: number;
  /** Whether a file ends too early, so that later requests are missing. */
  readonly isCut: boolean;
  /** Sentences for the user about skipped or incomplete parts of the recording. */
  readonly notes: readonly string[];
}

export interface ReadOptions {
  /**
   * Base URL of the recorded API, such as `https://api.example.com/v1`. Default: all base URLs in the recording that
   * end in the API's base path, such as `/v1`, and have requests to the API's paths.
   */
  baseUrl?: string | undefined;
  /**
   * Whether a recording without requests to the Petstore API is accepted if `baseUrl` is given. All requests below
   * `baseUrl` are then read as requests to the API at this URL. The simulator's own recordings then keep the names of
   * their keys, as its reports show them. Default `false`.
   */
  isAnyService?: boolean | undefined;
  /** API keys that are not secret, such as a scenario's. Any other key is replaced by a name such as `key-1`. */
  publicKeys?: Iterable<string> | undefined;
  /** Place of the keys in requests. Default: the first of the usual places that has one. */
  keyPlace?: KeyPlace | undefined;
}

export interface RecordedFile {
  /** Name of the recording's file, for notes and errors. */
  readonly name: string;
  readonly pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Describes a file of another kind, for the note about a file without requests; `undefined` for a recording. */
  kind?(): string | undefined;
}

/**
 * Reads recorded traffic (HAR 1.2 or JSON Lines) as a stream. Replaces API keys by names such as `key-1`. If several
 * files contain the same entry, reads the entry only once.
 * @throws {RecordingError} if a file has another format, or no file has a request to the recorded API
 */
export async function readRecording(
  files: readonly RecordedFile[],
  service: RecordedService,
  options: ReadOptions = {},
): Promise<Recording> {
  const reader = createReader(service, options, files.length > 1);
  for (const file of files) await reader.read(file);
  return reader.finish();
}

const noHeaders: RecordedHeaders = {};

/** Maximum number of URLs whose parts are remembered. */
const maximumAddresses = 1_000;

/** Creates a reader of recording files, which collects the requests and responses of all files in one recording. */
function createReader(
  service: RecordedService,
  { baseUrl, isAnyService = false, publicKeys, keyPlace }: ReadOptions,
  hasMoreFiles: boolean,
) {
  const keys = new KeyNames(publicKeys);
  const allPending: PendingExchange[] = [];
  const leftOut = new Map<PendingExchange, Omit<LeftOutEntry, 'exchange'>>();
  /** Response bodies by their text, so that equal bodies share memory. */
  const bodies = new Map<string, string>();
  const connections = new Map<string, number>();
  const repeated = hasMoreFiles ? new RepeatedEntries() : undefined;
  /** Requests of each file read so far that another program recorded, with times. */
  const ofFiles: PendingExchange[][] = [];
  /**
   * Number of recorded requests per origin. If a recording contains no request to the expected API, the error message
   * names the most frequent origin.
   */
  const origins = new Map<string, number>();
  /** Parts of URLs, which most entries repeat. */
  const addresses = new Map<string, { readonly origin: string; readonly address: Address | undefined }>();
  const recordHeaders = createHeaderRecorder();
  /** Headers of the latest request, with the name of its key, which most requests repeat. */
  let named:
    | (Record<'recorded' | 'headers', RecordedHeaders> & Record<'secret' | 'token', string | undefined>)
    | undefined;
  /** Lists of missing parts by their text, so that equal lists share memory. */
  const lists = new Map<string, readonly Missing[]>();
  let entries = 0;
  /** Description of an early end of a file; `undefined` if all files are whole. */
  let cut: string | undefined;
  const notes: string[] = [];

  async function read({ name, pieces, kind }: RecordedFile): Promise<void> {
    const items = new JsonItems();
    const counts = { all: 0, ours: 0, repeated: 0, refusedPreflights: 0 };
    const facts = new FileFactsReader(keyPlace);
    const drafts: Draft[] = [];
    for await (const piece of pieces) {
      facts.readHead(piece);
      for (const { kind: itemKind, text } of items.push(piece)) {
        counts.all++;
        const found = find(itemKind, parse(text, `entry ${counts.all} of ${name}`), facts);
        if (found === undefined) continue;
        if (isPreflight(found.entry, itemKind)) {
          if (found.entry.record.status === 429) counts.refusedPreflights++;
          continue;
        }
        counts.ours++;
        if (repeated?.isRepeated(found.entry, itemKind)) {
          counts.repeated++;
          continue;
        }
        const pending = toPending(found.entry, found.address, facts);
        allPending.push(pending);
        drafts.push({ pending, signs: found.entry.signs });
      }
    }
    counts.repeated += keepOwn(drafts, facts);
    repeated?.endFile();
    entries += counts.all;
    const note = (text: string) => notes.push(`${name}: ${text}`);
    const cutHere = items.isCut ? (items.isCutInItem ? 'ends within an entry' : 'breaks off') : undefined;
    cut ??= cutHere;
    if (cutHere !== undefined)
      note(`the file ${cutHere}, after ${pluralize(counts.all, 'complete entry', 'complete entries')}.`);
    if (items.oversized > 0) note(`${pluralize(items.oversized, 'entry', 'entries')} larger than 32 MiB skipped.`);
    if (counts.ours === 0)
      note(
        `expected requests to the service, got ${kind?.() ?? `none among ${pluralize(counts.all, 'entry', 'entries')}`}.`,
      );
    if (counts.refusedPreflights > 0)
      note(
        `${pluralize(counts.refusedPreflights, 'preflight')} (OPTIONS) got a 429, so the page could not send the request. Exempt preflights from the limit.`,
      );
    if (counts.repeated > 0)
      note(
        `${counts.repeated} of ${pluralize(counts.ours, 'request')} skipped, because an earlier file contains them.`,
      );
  }

  /** Keeps the requests of a file that no earlier file has. @returns the number of the others */
  function keepOwn(drafts: readonly Draft[], facts: FileFactsReader): number {
    const same = new Set(ofFiles.flatMap((earlier) => [...findSameRequests(earlier, timedIn(drafts))]));
    const own = drafts.filter(({ pending }) => !same.has(pending));
    if (same.size > 0) allPending.splice(-drafts.length, drafts.length, ...own.map(({ pending }) => pending));
    if (hasMoreFiles) ofFiles.push(timedIn(own));
    for (const found of selectLeftOut(own, facts)) leftOut.set(...found);
    const coarse = new Map<readonly Missing[], readonly Missing[]>();
    if (facts.clockStepMs > 0)
      for (const { pending } of own) {
        const { missing, isOwn } = pending;
        if (!isOwn) pending.missing = getOrCreate(coarse, missing, () => [...missing, 'milliseconds']);
      }
    return same.size;
  }

  function find(
    kind: 'har-entry' | 'object',
    value: unknown,
    facts: FileFactsReader,
  ): { entry: RecordedEntry; address: Address } | undefined {
    if (!isMap(value)) return undefined;
    if (value.file === 'petstore-sim log')
      throw new RecordingError(
        'expected a recording, got a log of --data; petstore-sim replay FOLDER --judge judges it',
      );
    const entry = kind === 'har-entry' ? readHarEntry(value) : readJournalLine(value);
    if (entry === undefined) return undefined;
    if (!isPreflight(entry, kind)) facts.add(kind, entry);
    if (addresses.size > maximumAddresses) addresses.clear();
    const { url } = entry;
    const { origin, address } = getOrCreate(addresses, url, () => ({
      origin: URL.canParse(url) ? new URL(url).origin : '',
      address: splitAddress(url, service, baseUrl),
    }));
    origins.set(origin, (origins.get(origin) ?? 0) + 1);
    return address && { entry, address };
  }

  function toPending(entry: RecordedEntry, address: Address, file: FileFacts): PendingExchange {
    const { path, query } = address;
    const sent = headersByName(entry.requestHeaders);
    const credential = credentialIn(sent, entry.url, entry.key, keyPlace);
    const question = textOf(entry.own?.question);
    const isOwn = entry.own !== undefined && isBySimulator(entry.own);
    // A recording of `calibrate` or of the simulator contains the name of the API key instead of the key.
    const isNamed = question !== undefined || (isOwn && isAnyService);
    const account = isOwn ? credential?.secret : credential?.account;
    const token = isNamed ? credential?.secret : keys.nameOf(credential && { ...credential, account }, address.baseUrl);
    const isKeyMasked = credential !== undefined && token === undefined;
    const hide = (text: string) => replaceKey(text, isKeyMasked ? undefined : credential?.secret, token ?? '');
    const headers = relevantHeaders(entry.answerHeaders);
    const { method, status, answeredAtMs, finishedAtMs } = entry.record;
    const isInRange = !(entry.record.arrivedAtMs < firstHttpMs) || isOwn;
    const isDated = isInRange && !(entry.record.arrivedAtMs > latestMs);
    const arrivedAtMs = isDated ? entry.record.arrivedAtMs : Number.NaN;
    // An absurd duration, such as 1e308 ms, counts as a missing one.
    const isTimed = isTime(arrivedAtMs) && isTime(answeredAtMs) && isTime(finishedAtMs);
    const lastMs = allPending.at(-1)?.arrivedAtMs ?? 0;
    // A cache responds with the Date of the stored response, whose age is rounded as well.
    const isAged = Number(headers.Age) > 0;
    const dateMs = isAged ? undefined : readDate(headers, Number.isFinite(arrivedAtMs) ? arrivedAtMs : lastMs);
    const sentMs = Number.isFinite(arrivedAtMs) ? arrivedAtMs : (dateMs ?? lastMs);
    const isAnswered = status > 0;
    const recorded = recordHeaders(sent) ?? noHeaders;
    const secret = credential?.secret;
    if (named?.recorded !== recorded || named.secret !== secret || named.token !== token) {
      const hidden = Object.entries(recorded).map(([name, value]) => [name, hide(value)]);
      named = { recorded, secret, token, headers: Object.fromEntries(hidden) };
    }
    const own = entry.own && question === undefined ? readSimulatorFields(entry.own, sentMs) : undefined;
    const missing: Missing[] = [];
    if (!entry.hasResponse) missing.push('response');
    // Lists the API key as a missing part of the recorded request only if the response is no 401. A request without a
    // key gets a 401, so any other status shows that the recording omits the key.
    if (token === undefined && isAnswered && (status !== 401 || isKeyMasked)) missing.push('key');
    if (!entry.hasTimings || !isDated || !isTimed) missing.push('timings');
    if (isAnswered && dateMs === undefined) missing.push('date');
    if (entry.requestBody === undefined) missing.push('request body');
    if (isAnswered && entry.answerBody === undefined) missing.push('answer body');
    if (isAnswered && entry.answerHeaders.length === 0) missing.push('answer headers');
    const operation = own?.operation ?? service.operations.find({ method, path })?.operation;
    const pending: PendingExchange = {
      ...emptyExchange,
      arrivedAtMs: isTimed ? arrivedAtMs : sentMs,
      answeredAtMs: isTimed ? answeredAtMs : sentMs,
      finishedAtMs: isTimed ? finishedAtMs : sentMs,
      isAbandoned: entry.record.isAbandoned,
      token,
      operation,
      isWrite: isWriteByMethod({ operation, method }),
      method,
      baseUrl: address.baseUrl,
      path: hide(path),
      query: hide(keyPlace === undefined ? query : maskedQuery(query, keyPlace.parameter)),
      status,
      requestBody: entry.requestBody ? hide(entry.requestBody) : undefined,
      responseBody: bodyOf(hide(entry.answerBody ?? '')),
      headers,
      requestHeaders: named.headers,
      connection:
        entry.connection === undefined
          ? undefined
          : getOrCreate(connections, entry.connection, () => connections.size + 1),
      client: sent['user-agent'],
      call: sent['x-sim-call'],
      wire: entry.record.wire,
      dateMs,
      missing: getOrCreate(lists, missing.join(), () => missing),
      isClockUnknown: !entry.hasZone && own === undefined,
      isKeyMasked,
      file: own === undefined ? file : undefined,
      isOwn: own !== undefined,
      question,
    };
    return Object.assign(pending, own);
  }

  function bodyOf(text: string): string {
    return getOrCreate(bodies, text, () => text);
  }

  function finish(): Recording {
    const known = allPending.filter(({ path, isOwn }) => isOwn || isOfService(path, service));
    const bases = new Set(known.map((pendingEntry) => pendingEntry.baseUrl));
    const isOther = isAnyService && baseUrl !== undefined && bases.size === 0;
    if (isOther)
      for (const pendingEntry of allPending) {
        nameByPath(pendingEntry);
        bases.add(pendingEntry.baseUrl);
      }
    const ours = allPending.filter((pendingEntry) => bases.has(pendingEntry.baseUrl));
    const isReadable = isAnyService
      ? ours.length > 0
      : ours.some(({ path, isOwn }) => isOwn || isOfService(path, service));
    if (!isReadable) throw Object.assign(new RecordingError(noRequests()), { hasEntries: entries > 0 });
    const requests = ours.filter((pendingEntry) => !leftOut.has(pendingEntry));
    const others = ours.filter((pendingEntry) => leftOut.has(pendingEntry));
    if (requests.length === 0 && !isAnyService)
      throw new RecordingError(
        `expected requests to the service, got ${pluralize(others.length, 'entry', 'entries')} that did not reach it, such as cached responses`,
      );
    const datedFiles = new Set(requests.flatMap(({ dateMs, file }) => (dateMs === undefined ? [] : [file])));
    for (const pendingEntry of requests) pendingEntry.isClockUnknown &&= !datedFiles.has(pendingEntry.file);
    const offsetMs = clockOffsetMs(requests);
    for (const pendingEntry of findMisdated(requests, offsetMs)) {
      const sentMs = (pendingEntry.dateMs as number) - offsetMs;
      const missing: Missing[] = [...pendingEntry.missing, 'timings', 'steady clock'];
      Object.assign(pendingEntry, { arrivedAtMs: sentMs, answeredAtMs: sentMs, finishedAtMs: sentMs, missing });
    }
    const clockDoubtMs = clockSpreadMs(requests, offsetMs);
    if (clockDoubtMs > 0) for (const pendingEntry of requests) pendingEntry.clockDoubtMs = clockDoubtMs;
    const inOrder = requests.sort((a, b) => a.arrivedAtMs - b.arrivedAtMs);
    const exchanges = numbered(inOrder, offsetMs);
    return {
      exchanges,
      leftOut: numberedBetween(others, exchanges, offsetMs).map((exchange) => ({
        exchange,
        ...(leftOut.get(exchange) as Omit<LeftOutEntry, 'exchange'>),
      })),
      isCut: cut !== undefined,
      baseUrls: [...bases],
      service: isOther ? new URL(baseUrl).host : undefined,
      entries,
      clockOffsetMs: offsetMs,
      notes,
    };
  }

  function noRequests(): string {
    const { basePath } = service;
    const start = baseUrl ?? `an address that ends in ${basePath}`;
    const documented = rootsOf(service)
      .map((root) => start + root)
      .join(' or ');
    const expected = isAnyService && baseUrl !== undefined ? baseUrl : documented;
    const [most] = [...origins].sort(([, one], [, other]) => other - one);
    const advice =
      isAnyService && most !== undefined && most[0] !== ''
        ? `; most are to ${most[0]}: --base-url ${most[0]} judges a client of that service`
        : '';
    return `expected requests to ${expected}, got ${pluralize(entries, 'entry', 'entries')} without one${cut === undefined ? '' : `; the file ${cut}`}${advice}`;
  }

  return { read, finish };
}

/** Sets the operation name of a request to a service other than the Petstore. */
export function nameByPath(pending: PendingExchange): void {
  pending.operation = operationByPath(pending.method, pending.path);
  pending.isWrite = isWriteByMethod(pending);
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RecordingError(`expected valid JSON in ${place}: ${(error as Error).message}`);
  }
}

/** Corrects the times of entries that are no requests, and gives each an id between those of the requests around it. */
function numberedBetween(pending: PendingExchange[], exchanges: readonly Exchange[], offsetMs: number) {
  for (const entry of pending) {
    entry.arrivedAtMs += offsetMs;
    entry.answeredAtMs += offsetMs;
    entry.finishedAtMs += offsetMs;
    const next = findLowest(
      exchanges.length,
      (index) => (exchanges[index] as Exchange).arrivedAtMs > entry.arrivedAtMs,
    );
    entry.id = (exchanges[next - 1]?.id ?? 0) + 0.5;
  }
  return pending.sort((a, b) => a.id - b.id);
}

/** Start of 1990, before the first HTTP request. An earlier time, such as a zero, means a missing one. */
const firstHttpMs = Date.UTC(1990);

const unnumbered = emptyRecord.id;

/** Has all fields, so that the copy for an entry needs no further ones, which takes half of the time. */
const emptyExchange: Every<Exchange> = {
  ...emptyRecord,
  requestHeaders: noHeaders,
  dateMs: undefined,
  missing: [],
  isClockUnknown: false,
  clockDoubtMs: undefined,
  isKeyMasked: false,
  file: undefined,
  isOwn: false,
  question: undefined,
};

const isTime = (ms: number): boolean => Math.abs(ms) <= latestMs;

/**
 * Corrects the times of recorded requests by the difference between the clocks of the recorded API and of the recording
 * machine. Also numbers the requests.
 */
function numbered(pending: PendingExchange[], offsetMs: number): Exchange[] {
  if (offsetMs !== 0)
    for (const pendingEntry of pending) {
      pendingEntry.arrivedAtMs += offsetMs;
      pendingEntry.answeredAtMs += offsetMs;
      pendingEntry.finishedAtMs += offsetMs;
    }
  // Sorts by the request numbers of the simulator if all entries have one. Times can be equal, so they are less exact.
  const ids = new Set(pending.map(({ id }) => id));
  if (ids.size === pending.length && !ids.has(unnumbered)) return pending.sort((a, b) => a.id - b.id);
  return numberInOrder(pending);
}

/**
 * Numbers recorded requests in order of sending. Stores for each response the number of the last request that was sent
 * before the response arrived (`lastArrivedId`).
 */
export function numberInOrder(pending: PendingExchange[]): Exchange[] {
  for (const [index, pendingEntry] of pending.entries()) {
    let last = index;
    // A request in the same millisecond as a response does not count as sent before the response. The client may have
    // read it first. With coarser times, a request within one step may have been sent before the response.
    const answeredMs = pendingEntry.answeredAtMs + (pendingEntry.file?.clockStepMs ?? 0);
    const isCoarse = (pendingEntry.file?.clockStepMs ?? 0) > 0;
    const isAfter = (at: number) => {
      const arrivedAtMs = pending[at]?.arrivedAtMs ?? Number.POSITIVE_INFINITY;
      return isCoarse ? arrivedAtMs > answeredMs : arrivedAtMs >= answeredMs;
    };
    // Searches only if the next request is not after the response already, because a slow response may span thousands.
    if (!isAfter(index + 1)) last += findLowest(pending.length - index - 1, (at) => isAfter(index + 1 + at));
    pendingEntry.id = index + 1;
    pendingEntry.lastArrivedId = last + 1;
  }
  return pending;
}

/**
 * Reads one line of JSON Lines, as the control API, `calibrate` and `compare` write it.
 * @returns `undefined` if the line is no journal entry
 */
function readJournalLine(entry: Record<string, unknown>): RecordedEntry | undefined {
  const { time, durationMs, method, baseUrl, path, query = '', status, headers } = entry;
  if (typeof method !== 'string' || typeof baseUrl !== 'string' || typeof path !== 'string') return undefined;
  const { ms: sentMs, hasZone } = readTime(time);
  const answeredMs = sentMs + (Number(durationMs) || 0);
  const sent = isMap(entry.requestHeaders) ? pairs(entry.requestHeaders) : [];
  const key = simulatorKey(entry);
  // The simulator omits empty bodies. In a line of another program, a body may be omitted although there was one.
  const noBody = isBySimulator(entry) ? '' : undefined;
  return {
    record: {
      arrivedAtMs: sentMs,
      answeredAtMs: answeredMs,
      finishedAtMs: answeredMs,
      isAbandoned: entry.abandoned === true,
      method,
      status: Number(status) || 0,
      wire: isBySimulator(entry) ? undefined : brokenBy(Number(status) || 0, textOf(entry.error)),
    },
    hasTimings: Number.isFinite(sentMs) && Number(durationMs) >= 0,
    hasResponse: status !== undefined,
    startedMs: sentMs,
    hasZone,
    signs: {},
    url: `${baseUrl}${path}${query === '' ? '' : `?${String(query)}`}`,
    key,
    requestHeaders: sent,
    answerHeaders: pairs(mapOf(headers)),
    requestBody: bodyText(entry.requestBody, noBody),
    answerBody: bodyText(entry.responseBody, noBody),
    connection: entry.connection === undefined ? undefined : String(entry.connection),
    own: entry,
  };
}

const pairs = (map: Record<string, unknown>) =>
  Object.entries(map).map(([name, value]): [string, string] => [name, String(value)]);

const bodyText = (body: unknown, none: string | undefined): string | undefined => {
  if (!isMap(body)) return none;
  // Treats a truncated body as missing, because conclusions from part of a body could be wrong.
  return typeof body.text === 'string' && body.truncated === undefined ? body.text : undefined;
};

/** Whether an entry is a browser's CORS preflight. In HAR files of some browsers, it lacks the header that shows this. */
const isPreflight = ({ record, requestHeaders }: RecordedEntry, kind: JsonItem['kind']) =>
  record.method === 'OPTIONS' &&
  (kind === 'har-entry' || requestHeaders.some(([name]) => /^access-control-request-method$/i.test(name)));

/** Selects the requests of a file that another program recorded, with times, and puts them in order. */
const timedIn = (drafts: readonly Draft[]): PendingExchange[] =>
  drafts
    .flatMap(({ pending }) => (pending.isOwn || pending.missing.includes('timings') ? [] : pending))
    .sort((a, b) => a.arrivedAtMs - b.arrivedAtMs);

/** Entry of a file, with the signs that it is no request to the service. */
interface Draft {
  readonly pending: PendingExchange;
  readonly signs: NetworkSigns;
}

/** Maximum difference between the times of a service worker's request and of the page's request. */
const workerMs = 20;

/**
 * Selects the entries of a file that are no requests to the service. Of the responses of a service worker, a 429 or 503
 * counts as a request unless the worker's own request is in the file as well.
 */
function* selectLeftOut(
  drafts: readonly Draft[],
  { hasTimes }: { readonly hasTimes: boolean },
): Generator<[PendingExchange, Omit<LeftOutEntry, 'exchange'>]> {
  let takeTwin: ((outer: PendingExchange) => PendingExchange | undefined) | undefined;
  /** URLs of GET requests whose latest response was an error, which no cache can replace by a success. */
  const failing = new Set<string>();
  for (const { pending, signs } of drafts) {
    const { stated, isByWorker, ifTimed } = signs;
    const url = `${pending.baseUrl}${pending.path}?${pending.query}`;
    const isNoCache = ifTimed === 'answered from a cache' && failing.has(url);
    const reason = stated ?? (hasTimes && !isNoCache ? ifTimed : undefined);
    if (pending.method === 'GET' && pending.status >= 400) failing.add(url);
    else if (pending.status > 0) failing.delete(url);
    if (reason !== undefined) yield [pending, { reason, mayBeRequest: false }];
    else if (isByWorker) {
      takeTwin ??= createTwinSearch(drafts);
      const mayBeRequest = takeTwin(pending) === undefined;
      if (!mayBeRequest || (pending.status !== 429 && pending.status !== 503))
        yield [pending, { reason: 'answered by a service worker', mayBeRequest }];
    }
  }
}

/**
 * Creates a function that finds the request which a service worker sent for the page's request, and finds each only
 * once.
 */
export function createTwinSearch(drafts: readonly Draft[]) {
  const textOf = ({ method, status, baseUrl, path, query }: PendingExchange) =>
    `${method} ${status} ${baseUrl}${path}?${query}`;
  const requests = drafts.filter(({ signs }) => !signs.isByWorker && signs.stated === undefined);
  const alike = groupBy(
    requests.map(({ pending }) => pending).sort((a, b) => a.arrivedAtMs - b.arrivedAtMs),
    textOf,
  );
  const found = new Set<PendingExchange>();
  return (outer: PendingExchange): PendingExchange | undefined => {
    const inner = alike.get(textOf(outer)) ?? [];
    const lastMs = outer.finishedAtMs + workerMs;
    const isAfterStart = (index: number) => (inner[index]?.arrivedAtMs ?? 0) >= outer.arrivedAtMs - workerMs;
    for (let index = findLowest(inner.length, isAfterStart); index < inner.length; index++) {
      const twin = inner[index] as PendingExchange;
      if (twin.arrivedAtMs > lastMs) return undefined;
      if (twin.answeredAtMs > lastMs || found.has(twin)) continue;
      found.add(twin);
      return twin;
    }
    return undefined;
  };
}

interface Timed {
  readonly arrivedAtMs: number;
  readonly answeredAtMs: number;
  readonly dateMs: number | undefined;
}

/** Resolution of the `Date` header. */
const secondMs = 1_000;

/**
 * Estimates from `Date` headers how far the API server's clock is ahead of the recording machine's. Returns 0 if the
 * headers allow 0, otherwise the largest difference that they allow. A smaller difference would make retries look
 * earlier and cause false findings.
 */
function clockOffsetMs(exchanges: Iterable<Timed>): number {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  const middles: number[] = [];
  for (const { arrivedAtMs, answeredAtMs, dateMs } of exchanges) {
    if (dateMs === undefined || !Number.isFinite(arrivedAtMs)) continue;
    const low = dateMs - answeredAtMs;
    const high = dateMs + secondMs - arrivedAtMs;
    least = Math.max(least, low);
    most = Math.min(most, high);
    middles.push((low + high) / 2);
  }
  if (middles.length === 0 || (least <= 0 && most >= 0)) return 0;
  if (least <= most) return Math.floor(most);
  // If the `Date` headers fit no single clock difference, because a clock drifted or was set, uses the median
  // difference.
  const middle = middles.sort((a, b) => a - b)[Math.floor(middles.length / 2)] as number;
  return Math.abs(middle) <= secondMs ? 0 : Math.round(middle + secondMs / 2);
}

/**
 * Time by which the clocks of the recording machines differ, in files of several machines: the `Date` headers then fit
 * no single difference to the service's clock. 0 if a service's `Date` does not show the time.
 */
function clockSpreadMs(requests: readonly PendingExchange[], offsetMs: number): number {
  const all = datedOf(requests);
  const dated = all.filter((exchange) => !isMisdated(exchange, offsetMs));
  if (dated.length * 2 < all.length || new Set(dated.map(({ dateMs }) => dateMs)).size < 2) return 0;
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  for (const { arrivedAtMs, answeredAtMs, dateMs = 0 } of dated) {
    least = Math.max(least, dateMs - answeredAtMs);
    most = Math.min(most, dateMs + secondMs - arrivedAtMs);
  }
  return Math.max(0, least - most);
}

/** Maximum difference between a recorded time and the response's `Date`, after the correction of the clocks' offset. */
const dateDoubtMs = 2_500;

/** Selects the requests of another service with a time and a `Date`. */
const datedOf = (requests: readonly PendingExchange[]) =>
  requests.filter(({ dateMs, isOwn, missing }) => dateMs !== undefined && !isOwn && !missing.includes('timings'));

function isMisdated({ dateMs = 0, arrivedAtMs, answeredAtMs, file }: PendingExchange, offsetMs: number): boolean {
  const doubtMs = dateDoubtMs + (file?.clockStepMs ?? 0);
  const expectedMs = dateMs - offsetMs;
  return expectedMs + doubtMs < arrivedAtMs || expectedMs - doubtMs > answeredAtMs;
}

/**
 * Finds requests whose times contradict the response's `Date`, because a clock was set during the recording. If most
 * times do, or all dates are equal, the service's `Date` does not show the time.
 */
function findMisdated(requests: readonly PendingExchange[], offsetMs: number): PendingExchange[] {
  const dated = datedOf(requests);
  const misdated = dated.filter((exchange) => isMisdated(exchange, offsetMs));
  const hasTime = new Set(dated.map(({ dateMs }) => dateMs)).size > 1;
  return hasTime && misdated.length * 2 <= dated.length ? misdated : [];
}
