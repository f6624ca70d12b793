import { markLagInSteps } from '../judge/deciding-lag.js';
import { judgeInSteps } from '../judge/judge.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { Simulator } from '../simulator/simulator.js';
import { type Output, refine, transform } from '../validation/schema.js';
import { boolean, either, fields, list, number, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { parseDuration } from '../values/duration.js';
import { notFound } from './control-error.js';
import { operation } from './control-operation.js';
import { openFeed, streamEntries } from './entry-stream.js';
import { showEntries, showEntry } from './entry-view.js';
import { createFilter, type EntryQuery, entryQuery, findEntries, isOfKey } from './find-entries.js';
import { harSchema, toHar } from './har.js';
import { described, shortText, wholeNumber, withJsonSchema } from './input-values.js';
import { type JournalEntry, journalEntrySchema } from './journal-entry.js';
import { lazyLines, lazyList } from './lazy-result.js';
import { redactedVerdict } from './redacted-verdict.js';
import { streamUpdates, updateSchema } from './update-stream.js';
import { verdictSchema } from './verdict-schema.js';
import { waitForEntries } from './wait-for-entries.js';
import { explain } from './why.js';

/** Maximum duration of a long poll: shorter than the timeouts of proxies and clients. */
const longestWaitMs = 30_000;
const query = fields(entryQuery);
const found = described(count, 'Number of requests that match the query.');
const dropped = described(
  count,
  'Number of entries that the journal has dropped since its start or its last clearing.',
);

const reportedOutcome = fields({
  call: optional(described(shortText, 'Name of the call, as in X-Sim-Call. Default: all calls of the client.')),
  result: described(oneOf('succeeded', 'failed', 'aborted'), 'Result of the call for its caller.'),
});

/** Input of an operation that exports requests to a file. */
const exported = fields({
  ...entryQuery,
  why: optional(described(oneOf('true', true), 'Adds to each request the steps that led to its response.')),
});

function showAll(sim: Simulator, { why, ...of }: Output<typeof exported>): Iterable<JournalEntry> {
  // Not in the generator, which runs while the response is sent, because the filter refuses an unknown operation.
  const entries = showEntries(sim, createFilter(sim, of));
  return why ? withSteps(sim, entries) : entries;
}

function* withSteps(sim: Simulator, entries: Iterable<JournalEntry>): Generator<JournalEntry> {
  for (const entry of entries) yield withWhy(sim, entry);
}

const withWhy = ({ settings }: Simulator, entry: JournalEntry): JournalEntry => ({
  ...entry,
  why: explain(entry, settings),
});

/** Newest journal entries that match a query, and the total number of matches. */
function newest(sim: Simulator, { limit, ...of }: EntryQuery & { limit: number }) {
  const records = sim.journal.query();
  const matches = records.filter(createFilter(sim, of));
  const shown = new Set(limit === 0 ? [] : matches.slice(-limit));
  const entries = lazyList(showEntries(sim, (entry) => shown.has(entry), records));
  return { entries, count: matches.length, dropped: sim.journal.dropped };
}

export const journalOperations = {
  queryJournal: operation({
    method: 'GET',
    path: '/journal',
    summary: 'Shows the newest requests that match a query, in order of arrival, and the number of all that match',
    input: fields({
      ...entryQuery,
      limit: optional(described(wholeNumber(0, 10_000), 'Maximum number of requests.'), 100),
    }),
    example: { operation: 'listPets', limit: 10 },
    result: fields({ entries: list(journalEntrySchema), count: found, dropped }),
    run: newest,
  }),
  countRequests: operation({
    method: 'GET',
    path: '/journal/count',
    summary: 'Counts the requests that match a query',
    input: query,
    example: { status: 429 },
    result: fields({ count: found, dropped }),
    run: (sim, of) => ({ count: findEntries(sim, of).length, dropped: sim.journal.dropped }),
  }),
  waitForRequests: operation({
    method: 'GET',
    path: '/journal/wait',
    isLong: true,
    summary:
      'Waits until `count` requests match a query, or until the end of `timeout`, which is at most 30s of real time',
    input: fields({
      ...entryQuery,
      count: optional(described(wholeNumber(1, 10_000), 'Number of requests to wait for.'), 1),
      timeout: optional(described(waitDuration(), 'Maximum wait.'), longestWaitMs),
    }),
    example: { count: 1, timeout: '10ms' },
    result: fields({ met: described(boolean, 'Whether enough requests arrived in time.'), count: found }),
    async run(sim, { count: wanted, timeout, ...of }, { signal }) {
      const count = await waitForEntries(sim, of, wanted, timeout, signal);
      return { met: count >= wanted, count };
    },
  }),
  reportOutcome: operation({
    method: 'POST',
    path: '/outcome',
    isQuiet: true,
    summary:
      'Reports the result of one call of the client, named as in X-Sim-Call, or of all calls. A call that is given up must end with an error for the code that made it',
    input: reportedOutcome,
    example: { call: 'call-1', result: 'failed' },
    result: reportedOutcome,
    run({ journal }, { call, result }) {
      journal.report({ call, result });
      return { ...(call !== undefined && { call }), result };
    },
  }),
  clearJournal: operation({
    method: 'DELETE',
    path: '/journal',
    summary: 'Deletes all requests; later verdicts include only later requests',
    input: fields({}),
    result: fields({ removed: described(count, 'Number of deleted entries.') }),
    run({ journal }) {
      const removed = journal.size;
      journal.clear();
      return { removed };
    },
  }),
  exportHar: operation({
    method: 'GET',
    path: '/journal.har',
    summary: 'Exports the requests that match a query as HAR 1.2',
    input: exported,
    example: { operation: 'listPets' },
    result: harSchema,
    run: (sim, of) => toHar(showAll(sim, of)),
  }),
  exportJournal: operation({
    method: 'GET',
    path: '/journal.jsonl',
    summary: 'Exports the requests that match a query as JSON Lines',
    contentType: 'application/x-ndjson',
    input: exported,
    example: { operation: 'listPets' },
    result: journalEntrySchema,
    run: (sim, of) => lazyLines(showAll(sim, of)),
  }),
  watchRequests: operation({
    method: 'GET',
    path: '/events',
    summary:
      'Streams every request with its response, as server-sent events. With `since`, earlier requests come first',
    contentType: 'text/event-stream',
    isLong: true,
    input: fields({ since: entryQuery.since }),
    refusals: [503],
    result: journalEntrySchema,
    run: (sim, { since }, { signal }) => streamEntries(sim, since, signal),
    feed: (sim, { since }) => openFeed(sim, since),
  }),
  watchUpdates: operation({
    method: 'GET',
    path: '/updates',
    summary:
      'Streams updates, at most one every 100 ms, as server-sent events: requests without headers and bodies, changes by control operations with their callers, the clock',
    contentType: 'text/event-stream',
    eventName: 'update',
    isLong: true,
    input: fields({
      run: optional(described(string, 'Value of `run` in the last update; any other value restarts with all entries.')),
      since: entryQuery.since,
      changes: optional(
        described(
          wholeNumber(0, Number.MAX_SAFE_INTEGER),
          'Number of the last known change; only later changes are sent.',
        ),
      ),
    }),
    refusals: [503],
    result: updateSchema,
    run: (sim, since, caller) => streamUpdates(sim, since, caller),
  }),
  getVerdict: operation({
    method: 'GET',
    path: '/verdict',
    summary:
      'Judges the client by its requests since the start, the last reset or the last clearing of the journal; by default for all API keys',
    input: fields({
      key: entryQuery.key,
      ended: optional(described(oneOf('true', true), 'The client has ended and sends no further request.')),
      lagMs: optional(
        described(
          wholeNumber(0, Number.MAX_SAFE_INTEGER),
          'How late timers fired where the client ran, at most, in milliseconds; default 0.',
        ),
      ),
    }),
    example: { key: 'free-key' },
    result: verdictSchema,
    *run(sim, { key, ended, lagMs = 0 }) {
      const options = { isOver: ended !== undefined };
      const verdict = yield* judgeInSteps(sim, isJudged(key), options);
      const lag = { timerMs: lagMs, startMs: 0 };
      return redactedVerdict(sim, yield* markLagInSteps(sim, verdict, isJudged(key), options, lag));
    },
  }),
  // This route comes last, because its `{id}` would match the paths above.
  getRequest: operation({
    method: 'GET',
    path: '/journal/{id}',
    summary: 'Shows one request, and the steps that led to its response',
    input: fields({ id: described(wholeNumber(1, Number.MAX_SAFE_INTEGER), 'Id of the request.') }),
    example: { id: 1 },
    result: journalEntrySchema,
    run(sim, { id }) {
      const entry = showEntry(sim, id);
      if (entry === undefined) throw notFound(noEntry);
      return withWhy(sim, entry);
    },
  }),
};

/**
 * Creates a filter for the requests of one API key. Returns `undefined` if `key` is undefined, so that all requests are
 * judged.
 */
const isJudged = (key: string | undefined) =>
  key === undefined ? undefined : (request: Pick<RequestRecord, 'token'>) => isOfKey(request, key);

const noEntry =
  'Unknown request; expected an id that GET /__sim/journal shows. The oldest requests are dropped, and pending ones appear with their response.';

function waitDuration() {
  // Reads digits in a query string as a number of milliseconds, because a query string contains only text.
  const read = (value: number | string) => parseDuration(/^[0-9]{1,9}$/.test(String(value)) ? Number(value) : value);
  const wait = transform(either(number, string), read);
  const limited = refine(wait, (ms) => ms <= longestWaitMs, `at most ${longestWaitMs / 1000}s`);
  return withJsonSchema(limited, { type: ['string', 'number'], pattern: '^\\d+(\\.\\d+)?(ms|s)?$', minimum: 0 });
}
