import { judgeInSteps } from '../judge/judge.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { Simulator } from '../simulator/simulator.js';
import { type Output, refine, transform } from '../validation/schema.js';
import { boolean, either, fields, list, number, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { parseDuration } from '../values/duration.js';
import { notFound } from './control-error.js';
import { operation } from './control-operation.js';
import { followEntries, streamEntries } from './entry-stream.js';
import { showEntries, showEntry } from './entry-view.js';
import { createIsFound, type EntryQuery, entryQuery, findEntries, isOfKey } from './find-entries.js';
import { harSchema, toHar } from './har.js';
import { described, wholeNumber, withJsonSchema } from './input-values.js';
import { type JournalEntry, journalEntrySchema } from './journal-entry.js';
import { lazyLines, lazyList } from './lazy-result.js';
import { redactedVerdict } from './redacted-verdict.js';
import { streamUpdates, updateSchema } from './update-stream.js';
import { verdictSchema } from './verdict-schema.js';
import { waitForEntries } from './wait-for-entries.js';
import { explain } from './why.js';

/** A long poll ends before a proxy or a client gives up. */
const longestWaitMs = 30_000;
const query = fields(entryQuery);
const found = described(count, 'How many requests meet the query.');
const dropped = described(count, 'How many entries the journal has dropped since its start or its last clearing.');

const reportedOutcome = fields({
  call: optional(
    refine(string, ({ length }) => length <= 1_000, 'at most 1,000 characters', {
      maxLength: 1_000,
      description: 'The call, as the client names it in X-Sim-Call; left out: all its calls.',
    }),
  ),
  result: described(oneOf('succeeded', 'failed', 'aborted'), 'How the call ended for the caller.'),
});

/** An export of the requests that meet a query. */
const exported = fields({
  ...entryQuery,
  why: optional(described(oneOf('true', true), 'Adds to each why it got its answer, step by step.')),
});

function* showAll(sim: Simulator, { why, ...of }: Output<typeof exported>): Generator<JournalEntry> {
  for (const entry of showEntries(sim, createIsFound(of))) yield why ? withWhy(sim, entry) : entry;
}

const withWhy = ({ settings }: Simulator, entry: JournalEntry): JournalEntry => ({
  ...entry,
  why: explain(entry, settings.banAfter),
});

/** The newest entries that meet a query, and how many meet it. */
function newest(sim: Simulator, { limit, ...of }: EntryQuery & { limit: number }) {
  const all = sim.journal.query();
  const found = all.filter(createIsFound(of));
  const shown = new Set(limit === 0 ? [] : found.slice(-limit));
  const entries = lazyList(showEntries(sim, (entry) => shown.has(entry), all));
  return { entries, count: found.length, dropped: sim.journal.dropped };
}

export const journalOperations = {
  queryJournal: operation({
    method: 'GET',
    path: '/journal',
    summary: 'Shows the newest requests that meet a query, the oldest of them first, and how many meet it',
    input: fields({
      ...entryQuery,
      limit: optional(described(wholeNumber(0, 10_000), 'How many requests to show.'), 100),
    }),
    example: { operation: 'listPets', limit: 10 },
    result: fields({ entries: list(journalEntrySchema), count: found, dropped }),
    run: newest,
  }),
  countRequests: operation({
    method: 'GET',
    path: '/journal/count',
    summary: 'Counts the requests that meet a query',
    input: query,
    example: { status: 429 },
    result: fields({ count: found, dropped }),
    run: (sim, of) => ({ count: findEntries(sim, of).length, dropped: sim.journal.dropped }),
  }),
  waitForRequests: operation({
    method: 'GET',
    path: '/journal/wait',
    isLong: true,
    summary: 'Waits until `count` requests meet a query, or until `timeout` is over: at most 30s of real time',
    input: fields({
      ...entryQuery,
      count: optional(described(wholeNumber(1, 10_000), 'How many requests to wait for.'), 1),
      timeout: optional(described(waitDuration(), 'How long to wait.'), longestWaitMs),
    }),
    example: { count: 1, timeout: '10ms' },
    result: fields({ met: described(boolean, 'Whether enough came in time.'), count: found }),
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
      'Notes what a client says of its call, named as in X-Sim-Call, or of all its calls: giving up in silence is a fault',
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
    summary: 'Forgets all requests; verdicts then see only later ones',
    input: fields({}),
    result: fields({ removed: described(count, 'How many entries there were.') }),
    run({ journal }) {
      const removed = journal.size;
      journal.clear();
      return { removed };
    },
  }),
  exportHar: operation({
    method: 'GET',
    path: '/journal.har',
    summary: 'Exports the requests that meet a query as HAR 1.2',
    input: exported,
    example: { operation: 'listPets' },
    result: harSchema,
    run: (sim, of) => toHar(showAll(sim, of)),
  }),
  exportJournal: operation({
    method: 'GET',
    path: '/journal.jsonl',
    summary: 'Exports the requests that meet a query as JSON Lines',
    contentType: 'application/x-ndjson',
    input: exported,
    example: { operation: 'listPets' },
    result: journalEntrySchema,
    run: (sim, of) => lazyLines(showAll(sim, of)),
  }),
  watchRequests: operation({
    method: 'GET',
    path: '/events',
    summary: 'Streams every request when it is answered, as server-sent events; with `since` first the older ones',
    contentType: 'text/event-stream',
    isLong: true,
    input: fields({ since: entryQuery.since }),
    refusals: [503],
    result: journalEntrySchema,
    run: (sim, { since }, { signal }) => streamEntries(sim, since, signal),
    texts: (sim, { since }) => followEntries(sim, since),
  }),
  watchUpdates: operation({
    method: 'GET',
    path: '/updates',
    summary:
      'Streams what happens in updates, at most one every 100 ms, as server-sent events: requests without headers and bodies, what control operations have changed and who sent them, the clock',
    contentType: 'text/event-stream',
    eventName: 'update',
    isLong: true,
    input: fields({
      run: optional(described(string, 'What the last update said; with another text all entries come first.')),
      since: entryQuery.since,
      changes: optional(described(wholeNumber(0, Number.MAX_SAFE_INTEGER), 'Only changes with a higher number.')),
    }),
    refusals: [503],
    result: updateSchema,
    run: (sim, since, caller) => streamUpdates(sim, since, caller),
  }),
  getVerdict: operation({
    method: 'GET',
    path: '/verdict',
    summary:
      'Judges the client by its requests since the start, the last reset or the last clearing of the journal: all of them, or those of one API key',
    input: fields({ key: entryQuery.key }),
    example: { key: 'free-key' },
    result: verdictSchema,
    *run(sim, { key }, { outages }) {
      return redactedVerdict(sim, yield* judgeInSteps(sim, isJudged(key), { outages: outages?.() }));
    },
  }),
  // After the other paths below /journal, so that these are not taken for an id.
  getRequest: operation({
    method: 'GET',
    path: '/journal/{id}',
    summary: 'Shows one request, and step by step why it got its answer',
    input: fields({ id: described(wholeNumber(1, Number.MAX_SAFE_INTEGER), 'The id of the request.') }),
    example: { id: 1 },
    result: journalEntrySchema,
    run(sim, { id }) {
      const entry = showEntry(sim, id);
      if (entry === undefined) throw notFound(noEntry);
      return withWhy(sim, entry);
    },
  }),
};

/** Which entries are of the key that is to be judged. */
const isJudged = (key: string | undefined) =>
  key === undefined ? undefined : (request: Pick<RequestRecord, 'token'>) => isOfKey(request, key);

const noEntry =
  'There is no request with this id; expected one that GET /__sim/journal shows. The oldest are dropped, and those that wait are not there yet.';

function waitDuration() {
  // As text in a query, milliseconds have no unit.
  const read = (value: number | string) => parseDuration(/^[0-9]{1,9}$/.test(String(value)) ? Number(value) : value);
  const wait = transform(either(number, string), read);
  const limited = refine(wait, (ms) => ms <= longestWaitMs, `at most ${longestWaitMs / 1000}s`);
  return withJsonSchema(limited, { type: ['string', 'number'], pattern: '^\\d+(\\.\\d+)?(ms|s)?$', minimum: 0 });
}
