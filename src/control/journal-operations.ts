import { refine, transform } from '../schema/schema.js';
import { either, fields, number, oneOf, optional, string } from '../schema/schemas.js';
import { createRedactor } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import { parseDuration } from '../values/duration.js';
import { jsonText } from '../values/json-text.js';
import { judge } from '../verdict/judge.js';
import { operation } from './control-operation.js';
import { streamEntries } from './entry-stream.js';
import { type EntryQuery, entryQuery, findEntries } from './find-entries.js';
import { toHar } from './har.js';
import { wholeNumber } from './input-values.js';
import { createEntryView, type JournalEntry } from './journal-entry.js';
import { waitForEntries } from './wait-for-entries.js';

/** A long poll ends before a proxy or a client gives up. */
const longestWaitMs = 30_000;
const query = fields(entryQuery);

function showEntries(sim: Simulator, wanted: readonly { id: number }[]): JournalEntry[] {
  const ids = new Set(wanted.map(({ id }) => id));
  const view = createEntryView(sim);
  return sim.journal.query().flatMap((entry) => {
    if (ids.has(entry.id)) return [view.show(entry)];
    view.pass(entry);
    return [];
  });
}

const showAll = (sim: Simulator, of: EntryQuery) => showEntries(sim, findEntries(sim, of));

export const journalOperations = {
  queryJournal: operation({
    method: 'GET',
    path: '/journal',
    summary: 'The newest requests that meet a query, oldest first, and how many meet it; of API keys only the end',
    input: fields({ ...entryQuery, limit: optional(wholeNumber(0, 10_000), 100) }),
    run(sim, { limit, ...of }) {
      const found = findEntries(sim, of);
      const entries = showEntries(sim, limit === 0 ? [] : found.slice(-limit));
      return { entries, count: found.length, dropped: sim.journal.dropped };
    },
  }),
  countRequests: operation({
    method: 'GET',
    path: '/journal/count',
    summary: 'How many requests meet a query, and how many entries the journal has dropped',
    input: query,
    run: (sim, of) => ({ count: findEntries(sim, of).length, dropped: sim.journal.dropped }),
  }),
  waitForRequests: operation({
    method: 'GET',
    path: '/journal/wait',
    isLong: true,
    summary: 'Waits until `count` requests meet a query, or until `timeout` of real time is over: at most 30s',
    input: fields({
      ...entryQuery,
      count: optional(wholeNumber(1, 10_000), 1),
      timeout: optional(waitDuration(), longestWaitMs),
    }),
    async run(sim, { count: wanted, timeout, ...of }, signal) {
      const count = await waitForEntries(sim, of, wanted, timeout, signal);
      return { met: count >= wanted, count };
    },
  }),
  reportOutcome: operation({
    method: 'POST',
    path: '/outcome',
    summary:
      'What a client says of its call, named as in X-Sim-Call, or of all its calls: giving up in silence is a fault',
    input: fields({ call: optional(string), result: oneOf('succeeded', 'failed', 'aborted') }),
    run({ journal }, { call, result }) {
      journal.report({ call, result });
      return { call, result };
    },
  }),
  clearJournal: operation({
    method: 'DELETE',
    path: '/journal',
    summary: 'Forgets all requests, and so what the verdict is about',
    input: fields({}),
    run({ journal }) {
      const removed = journal.size;
      journal.clear();
      return { removed };
    },
  }),
  exportHar: operation({
    method: 'GET',
    path: '/journal.har',
    summary: 'The requests that meet a query as HAR 1.2',
    input: query,
    run: (sim, of) => toHar(showAll(sim, of)),
  }),
  exportJournal: operation({
    method: 'GET',
    path: '/journal.jsonl',
    summary: 'The requests that meet a query as JSON lines',
    contentType: 'application/x-ndjson',
    input: query,
    run: (sim, of) =>
      showAll(sim, of)
        .map((entry) => `${jsonText(entry)}\n`)
        .join(''),
  }),
  watchRequests: operation({
    method: 'GET',
    path: '/events',
    summary: 'Every request as it is answered, as server-sent events; with `since` first those after an id',
    contentType: 'text/event-stream',
    isLong: true,
    input: fields({ since: entryQuery.since }),
    run: (sim, { since }, signal) => streamEntries(sim, since, signal),
  }),
  getVerdict: operation({
    method: 'GET',
    path: '/verdict',
    summary: 'How the client behaved since the start, the last reset or the last clearing of the journal',
    input: fields({}),
    run(sim) {
      const verdict = judge(sim);
      const redact = createRedactor(sim)(JSON.stringify(verdict.findings));
      const findings = verdict.findings.map((finding) => ({
        ...finding,
        measured: redact(finding.measured),
        allowed: redact(finding.allowed),
        text: redact(finding.text),
      }));
      return { ...verdict, findings };
    },
  }),
};

function waitDuration() {
  // As text in a query, milliseconds have no unit.
  const read = (value: number | string) => parseDuration(/^[0-9]{1,9}$/.test(String(value)) ? Number(value) : value);
  const wait = transform(either(number, string), read);
  return refine(wait, (ms) => ms <= longestWaitMs, `at most ${longestWaitMs / 1000}s`);
}
