import type { RequestJournal } from '../journal/journal.js';
import type { RecordList } from '../journal/journal-budget.js';
import type { SizedRecord } from '../journal/record-bytes.js';
import { rateLimitHeaders } from '../rate-limits/header-names.js';
import type { RequestRecord } from '../requests/request-record.js';

const { limit, remaining, reset } = rateLimitHeaders;
/** Names of the headers of a usual response, in their order. */
const usualHeaders: readonly string[] = ['Content-Type', 'Date', limit, remaining, reset];

/** Maximum number of earlier records to which a new record is compared. */
const maximumTemplates = 8;

const recordsPerChunk = 256;

/** Records in two arrays, with `numbersEach` and `valuesEach` items per record. */
interface Chunk {
  readonly numbers: number[];
  /** For each record its template and the values that the template lacks, or only the record. */
  readonly values: unknown[];
}
const numbersEach = 8;
const valuesEach = 9;

/**
 * List of a journal's records as numbers and texts. What a record has in common with an earlier one is stored once, its
 * objects are created when the record is read, and a full journal uses the memory of its oldest records again. The
 * garbage collector thus moves few objects per request.
 */
export class PackedRecords implements RecordList {
  readonly #templates: RequestRecord[] = [];
  readonly #chunks: Chunk[] = [];
  /** Number of removed records in the first chunk. */
  #start = 0;
  length = 0;
  /** Removed chunk, to be used again. */
  #spare: Chunk | undefined;

  push(record: RequestRecord): number {
    if ((this.#start + this.length) % recordsPerChunk === 0) {
      this.#chunks.push(this.#spare ?? { numbers: [], values: [] });
      this.#spare = undefined;
    }
    this.#pack(this.length, record);
    return ++this.length;
  }

  /** Returns a record, always as the same object. */
  at(index: number): RequestRecord {
    const { numbers, values, row } = this.#locate(index);
    if (isWhole(values, row)) return values[row * valuesEach] as RequestRecord;
    const own = values.slice(row * valuesEach, (row + 1) * valuesEach) as Values;
    const [template, path, query, requestBody, responseBody, storedId, call, date, requestHeaders] = own;
    const counts = numbers.slice(row * numbersEach, (row + 1) * numbersEach) as Numbers;
    const [id, arrivedAtMs, answeredAtMs, finishedAtMs, lastArrivedId, left, resetAtSeconds, connection] = counts;
    const record: RequestRecord = {
      ...template,
      ...{ id, arrivedAtMs, answeredAtMs, finishedAtMs, lastArrivedId, path, query, requestBody, responseBody },
      ...{ storedId, call, requestHeaders, connection: connection < 0 ? undefined : connection },
      headers: { ...template.headers, Date: date, [remaining]: String(left), [reset]: String(resetAtSeconds) },
      rate: template.rate && { ...template.rate, remaining: left, resetAtSeconds },
    };
    this.#keep(index, record);
    return record;
  }

  /** Index of the last record for which `matches` returns true, or -1. Creates no record. */
  findLastIndex(matches: (record: Pick<RequestRecord, 'id'>, index: number) => boolean): number {
    for (let index = this.length - 1; index >= 0; index--) {
      const { numbers, row } = this.#locate(index);
      if (matches({ id: numbers[row * numbersEach] as number }, index)) return index;
    }
    return -1;
  }

  slice(from: number, to = this.length): RequestRecord[] {
    return Array.from({ length: Math.max(0, Math.min(to, this.length) - from) }, (_, index) => this.at(from + index));
  }

  splice(index: number, _count: 1, record: RequestRecord): void {
    this.#pack(index, record);
  }

  shift(): SizedRecord {
    const { values, row } = this.#locate(0);
    const at = row * valuesEach;
    const isUnpacked = isWhole(values, row);
    const [template, path, query, requestBody, responseBody, , call, , requestHeaders] = values.slice(
      at,
      at + valuesEach,
    ) as Values;
    const { token, method, client } = template;
    values.fill(undefined, at, at + valuesEach);
    this.length--;
    if (++this.#start === recordsPerChunk) {
      this.#spare = this.#chunks.shift();
      this.#start = 0;
    }
    return isUnpacked
      ? template
      : { token, method, client, path, query, requestBody, responseBody, call, requestHeaders };
  }

  #pack(index: number, record: RequestRecord): void {
    const { numbers, values, row } = this.#locate(index);
    let at = row * numbersEach;
    numbers[at++] = record.id;
    numbers[at++] = record.arrivedAtMs;
    numbers[at++] = record.answeredAtMs;
    numbers[at++] = record.finishedAtMs;
    numbers[at++] = record.lastArrivedId;
    numbers[at++] = record.rate?.remaining ?? 0;
    numbers[at++] = record.rate?.resetAtSeconds ?? 0;
    numbers[at] = record.connection ?? -1;
    at = row * valuesEach;
    const isPacked = isUsual(record);
    values[at++] = isPacked ? this.#templateOf(record) : record;
    values[at++] = isPacked ? record.path : undefined;
    values[at++] = isPacked ? record.query : undefined;
    values[at++] = isPacked ? record.requestBody : undefined;
    values[at++] = isPacked ? record.responseBody : undefined;
    values[at++] = isPacked ? record.storedId : undefined;
    values[at++] = isPacked ? record.call : undefined;
    values[at++] = isPacked ? record.headers.Date : undefined;
    values[at] = isPacked ? record.requestHeaders : undefined;
  }

  /** Stores an unpacked record, which later reads return. */
  #keep(index: number, record: RequestRecord): void {
    const { values, row } = this.#locate(index);
    values.fill(undefined, row * valuesEach, (row + 1) * valuesEach);
    values[row * valuesEach] = record;
  }

  #locate(index: number): Chunk & { row: number } {
    const position = this.#start + index;
    const row = position % recordsPerChunk;
    const { numbers, values } = this.#chunks[(position - row) / recordsPerChunk] as Chunk;
    return { numbers, values, row };
  }

  #templateOf(record: RequestRecord): RequestRecord {
    for (const template of this.#templates) if (isLike(template, record)) return template;
    this.#templates.unshift(record);
    this.#templates.splice(maximumTemplates);
    return record;
  }
}

/** Moves the records of a journal to a packed list, which later journals with the same budget have from the start. */
export function packRecords(journal: RequestJournal): void {
  journal.budget.createList = () => new PackedRecords();
  const packed = journal.budget.createList();
  for (const record of journal.entries) packed.push(record);
  journal.records = packed;
}

/** Whether a record is stored as one object, because it was read or is unusual. */
const isWhole = (values: readonly unknown[], row: number): boolean => values[row * valuesEach + 1] === undefined;

/** Values of a packed record. */
type Values = [
  template: RequestRecord,
  path: string,
  query: string,
  requestBody: RequestRecord['requestBody'],
  responseBody: RequestRecord['responseBody'],
  storedId: string | undefined,
  call: string | undefined,
  date: string,
  requestHeaders: RequestRecord['requestHeaders'],
];
type Numbers = [number, number, number, number, number, number, number, number];

/** Whether a response has the usual headers, and nothing of a refusal, a fault or a delay. */
function isUsual(record: RequestRecord): boolean {
  const { rate, headers, refusal, fault, wire, assumption, refusedBy, isAbandoned, heldMs } = record;
  const { promisedAtMs, bannedUntilMs, wholeBody } = record;
  return (
    rate !== undefined &&
    (refusal ?? fault ?? wire ?? assumption ?? refusedBy ?? promisedAtMs ?? bannedUntilMs ?? wholeBody) === undefined &&
    !isAbandoned &&
    heldMs === 0 &&
    headers[remaining] === String(rate.remaining) &&
    headers[reset] === String(rate.resetAtSeconds) &&
    hasUsualNames(headers)
  );
}

function hasUsualNames(headers: RequestRecord['headers']): boolean {
  let count = 0;
  for (const name in headers) if (name !== usualHeaders[count++]) return false;
  return count === usualHeaders.length;
}

/** Whether two usual records differ only in values that are stored for each record. */
const isLike = (one: RequestRecord, other: RequestRecord): boolean =>
  one.status === other.status &&
  one.operation === other.operation &&
  one.token === other.token &&
  one.method === other.method &&
  one.plan === other.plan &&
  one.isWrite === other.isWrite &&
  one.isLimited === other.isLimited &&
  one.cost === other.cost &&
  one.isUnreadable === other.isUnreadable &&
  one.strikes === other.strikes &&
  one.isStrike === other.isStrike &&
  one.episode === other.episode &&
  one.window === other.window &&
  one.rate?.limit === other.rate?.limit &&
  one.headers[limit] === other.headers[limit] &&
  one.headers['Content-Type'] === other.headers['Content-Type'] &&
  one.client === other.client &&
  one.baseUrl === other.baseUrl;
