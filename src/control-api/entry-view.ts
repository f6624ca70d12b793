import { withQueryKey, withShownKey } from '../requests/recorded-headers.js';
import type { RequestRecord } from '../requests/request-record.js';
import { createRedactor, displayKey, identity, type Redact } from '../simulator/redact.js';
import { shownKeyPlace } from '../simulator/sent-key.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { fromJsonBytes, type JsonBytes, textOfBytes } from '../values/json-bytes.js';
import { memoizeLast } from '../values/memoize-last.js';
import { createRowFields, type EntryRow, type Fields, present } from './entry-row.js';
import type { JournalEntry } from './journal-entry.js';
import { isAboutLimits } from './refusal-before.js';
import { createHeadersWriter, createRowWriter } from './row-writer.js';
import { createShownBodies, showBody } from './shown-bodies.js';

/** Journal entry as JSON text in three parts. The middle part, the response body, is the largest and is cached. */
export interface EntryJson {
  readonly start: string;
  /** Response body as UTF-8 bytes of JSON. */
  readonly body: Uint8Array;
  readonly end: string;
}

/**
 * Converts journal records for the control API. Records must come in journal order, because each row depends on the
 * key's previous 429.
 */
export interface EntryView {
  /**
   * Processes a journal record that is not shown. The conversion of a later record needs to know the previous 429 of
   * its API key.
   */
  pass(entry: RequestRecord): void;
  show(entry: RequestRecord): JournalEntry;
  /** Converts a journal record to JSON text directly, which is much faster than by way of an object. */
  write(entry: RequestRecord): EntryJson;
  /**
   * Converts a journal record to the JSON of a list row, without headers and bodies. Much faster than the full
   * conversion.
   */
  showRow(entry: RequestRecord): EntryRow;
}

/**
 * Fields at the end of a journal entry's JSON. `write` creates the JSON in three parts: the text before the response
 * body, the response body, and these fields.
 */
type Tail = Pick<JournalEntry, 'client' | 'lastArrivedId' | 'heldMs' | 'finishedMs' | 'wire' | 'abandoned'>;

export function createEntryView(sim: Simulator): EntryView {
  const redactor = createRedactor(sim);
  const rowFields = createRowFields();
  const writeRow = createRowWriter();
  const quote = memoizeLast((text: string) => JSON.stringify(text));
  const writeHeaders = createHeadersWriter();
  const writeRequestHeaders = createHeadersWriter();
  const bodies = createShownBodies();
  const refusals = new Map<string | undefined, RequestRecord>();

  const pass = (entry: RequestRecord) => {
    const { token, promisedAtMs, refusal, plan } = entry;
    if (promisedAtMs !== undefined && refusal !== undefined) refusals.set(token, entry);
    else if (plan !== undefined) refusals.delete(token);
  };

  const rowOf = (entry: RequestRecord, redact: Redact): Fields<EntryRow> => {
    const { token, path, query, call, operation } = entry;
    const key = token && displayKey(sim, token);
    const previousRecord = refusals.get(token);
    pass(entry);
    const shown = {
      key,
      path: redact(path),
      query: withQueryKey(redact(query), key, shownKeyPlace(coreOf(sim).state, operation)),
      call: call && redact(call),
    };
    return rowFields(entry, shown, previousRecord);
  };

  const redactOf = (entry: RequestRecord): Redact => {
    const { path, query, call, client, requestBody, responseBody, headers, requestHeaders = {}, token } = entry;
    const texts = [path, query, call, client, requestBody && textOfBytes(requestBody), textOfBytes(responseBody)];
    return redactor([...texts, ...Object.values(requestHeaders), ...Object.values(headers)], token);
  };

  const requestHeadersOf = ({ requestHeaders, token, operation }: RequestRecord, redact: Redact) => {
    if (requestHeaders === undefined) return undefined;
    const shown = redact === identity ? requestHeaders : redactHeaders(requestHeaders, redact);
    return withShownKey(shown, token && displayKey(sim, token), shownKeyPlace(coreOf(sim).state, operation));
  };

  return {
    pass,
    show(entry) {
      const { baseUrl, headers, requestBody, responseBody } = entry;
      const redact = redactOf(entry);
      const requestHeaders = requestHeadersOf(entry, redact);
      return {
        ...present(rowOf(entry, redact)),
        baseUrl,
        ...(requestHeaders !== undefined && { requestHeaders: { ...requestHeaders } }),
        headers: redactHeaders(headers, redact),
        ...(requestBody !== undefined && { requestBody: showBytes(requestBody, redact) }),
        ...(responseBody !== '' && {
          responseBody:
            typeof responseBody === 'string' ? bodies.show(responseBody, redact) : showBytes(responseBody, redact),
        }),
        ...present(tailOf(entry, redact)),
      };
    },
    write(entry) {
      const { baseUrl, headers, requestBody, responseBody } = entry;
      const redact = redactOf(entry);
      const row = writeRow(rowOf(entry, redact));
      const requestHeaders = requestHeadersOf(entry, redact);
      const sent = requestHeaders && `"requestHeaders":{${writeRequestHeaders(requestHeaders)}},`;
      const fields = writeHeaders(redact === identity ? headers : redactHeaders(headers, redact));
      const request = requestBody !== undefined && `,"requestBody":${JSON.stringify(showBytes(requestBody, redact))}`;
      const tail = JSON.stringify(tailOf(entry, redact));
      return {
        start: `${row},"baseUrl":${quote(baseUrl)},${sent ?? ''}"headers":{${fields}}${request || ''}${responseBody === '' ? '' : ',"responseBody":'}`,
        body:
          typeof responseBody !== 'string'
            ? encoder.encode(JSON.stringify(showBytes(responseBody, redact)))
            : responseBody === ''
              ? noBytes
              : bodies.write(responseBody, redact),
        end: tail === '{}' ? '}' : `,${tail.slice(1)}`,
      };
    },
    showRow(entry) {
      const { path, query, call, token } = entry;
      return present(rowOf(entry, redactor([path, query, call], token)));
    },
  };
}

const noBytes = new Uint8Array(0);
const encoder = new TextEncoder();

const showBytes = (body: JsonBytes, redact: Redact) => showBody(fromJsonBytes(body), redact(textOfBytes(body)));

const redactHeaders = (headers: RequestRecord['headers'], redact: Redact): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, redact(value)]));

function tailOf(entry: RequestRecord, redact: Redact): Fields<Tail> {
  const { client, lastArrivedId, heldMs, arrivedAtMs, answeredAtMs, finishedAtMs } = entry;
  return {
    client: client === undefined ? undefined : redact(client),
    lastArrivedId: lastArrivedId > entry.id ? lastArrivedId : undefined,
    heldMs: heldMs > 0 ? heldMs : undefined,
    finishedMs: finishedAtMs > answeredAtMs ? finishedAtMs - arrivedAtMs : undefined,
    wire: entry.wire,
    abandoned: entry.isAbandoned || undefined,
  };
}

/** Finds a journal entry by id without copying the journal. */
export function showEntry(sim: Simulator, id: number): JournalEntry | undefined {
  const { journal } = coreOf(sim).state;
  const entry = journal.find(id);
  if (entry === undefined) return undefined;
  const view = createEntryView(sim);
  const previousRecord = journal.latest((record) => record.token === entry.token && isAboutLimits(record), id);
  if (previousRecord !== undefined) view.pass(previousRecord);
  return view.show(entry);
}

/**
 * Converts journal records to journal entries as people see them, in the order of arrival. Selects the records for
 * which `isWanted` returns true.
 * @param records records of the journal, if the caller already has them
 */
export function* showEntries(
  sim: Simulator,
  isWanted: (entry: RequestRecord) => boolean,
  records = sim.journal.query(),
): Generator<JournalEntry> {
  const view = createEntryView(sim);
  for (const entry of records) {
    if (isWanted(entry)) yield view.show(entry);
    else view.pass(entry);
  }
}
