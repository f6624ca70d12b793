import type { RequestRecord } from '../requests/request-record.js';
import type { ControlChange } from '../simulator/control-change.js';
import { createRedactor } from '../simulator/redact.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { fields, list, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { type ClockInfo, clockInfo, clockInfoSchema } from './clock-operations.js';
import type { Caller } from './control-operation.js';
import { type EntryRow, entryRowFields } from './entry-row.js';
import { createEntryView } from './entry-view.js';
import { described, instantText } from './input-values.js';

/** A control operation that changed something. */
export interface ShownChange {
  /** Counted from 1. */
  number: number;
  /** When it came, and the time after it, ISO 8601 of the simulator's clock. They differ where it moved the clock. */
  time: string;
  until: string;
  /** The id of the last request that had arrived before it. */
  lastId: number;
  /** `POST /clock`. */
  request: string;
  /** `advance 61s`. */
  input: string;
  /** What the caller calls itself: `page`, `curl/8.14.1`, `this process`. */
  by: string;
}

/** What has happened since the last update. */
export interface Update {
  /** Another text after the journal was cleared and after the server was started: forget all requests then. */
  run: string;
  scenario: string;
  clock: ClockInfo;
  entries: EntryRow[];
  changes: ShownChange[];
  /** How many requests the journal has taken in this run, those that it has dropped too. */
  total: number;
  /** How many requests wait for their answer. */
  pending: number;
  /** How many entries come with the next updates. */
  behind: number;
  /** How many requests got a 503 because they could not be written down, where there was such a time. */
  unwritten?: number | undefined;
  /** How many requests arrived that the journal does not have; the verdict lists them. Only where there are any. */
  unrecorded?: number | undefined;
}

export const changeSchema = fields({
  number: described(count, 'Counted from 1.'),
  time: described(instantText, 'When it came, by the simulator’s clock.'),
  until: described(instantText, 'The time after it, which differs where it moved the clock.'),
  lastId: described(count, 'The id of the last request that had arrived before it.'),
  request: described(string, 'Method and path of the operation.'),
  input: described(string, 'Its input in short.'),
  by: described(string, 'What the caller calls itself: X-Sim-Caller, else User-Agent.'),
});

export const updateSchema = fields({
  run: described(string, 'Another text after the journal was cleared and after the server was started.'),
  scenario: described(string, 'The name of the scenario.'),
  clock: clockInfoSchema,
  entries: list(fields(entryRowFields)),
  changes: described(list(changeSchema), 'What control operations have changed.'),
  total: described(count, 'How many requests the journal has taken in this run, those that it has dropped too.'),
  pending: described(count, 'How many requests wait for their answer.'),
  behind: described(count, 'How many entries come with the next updates.'),
  unwritten: optional(
    described(
      count,
      'How many requests got a 503 because they could not be written down, where there was such a time.',
    ),
  ),
  unrecorded: optional(
    described(
      count,
      'How many requests arrived that the journal does not have, where there are any; the verdict lists them.',
    ),
  ),
});

/** Between two updates, in real time. */
const everyMs = 100;
/** An update comes at least after so many times `everyMs`, so that a reader knows that the server is there. */
const quietRounds = 10;
/** So many entries within `everyMs` are many; then an update has fewer of them, so that they cost the server little. */
const many = 300;
/** Entries of one update while many come, and while few do, so that a reader catches up. */
const mostRows = { busy: 50, calm: 2_000 };
/** So many are made into rows at once; requests are served in between. */
const rowsOfStep = 200;

export interface UpdatesSince {
  /** What the last update said; anything else, and all entries that the journal has come first. */
  run?: string | undefined;
  /** Entries with a higher id. */
  since?: number | undefined;
  /** Changes with a higher number. */
  changes?: number | undefined;
}

/**
 * What happens to a simulator, in updates of which at most one comes every 100 ms. A request costs it no more than to be
 * counted: entries are taken from the journal when they are shown. What it has dropped by then is left out; `total` tells.
 */
export async function* streamUpdates(
  sim: Simulator,
  { run: lastRun, since = 0, changes: lastChange = 0 }: UpdatesSince,
  { signal, instance = '', outages = () => [] }: Caller,
): AsyncGenerator<Update> {
  const life = `${instance}.${numberOf(sim)}`;
  const runOf = () => `${life}:${coreOf(sim).state.journal.clearedId}`;
  let run = runOf();
  const isContinued = lastRun === run;
  let noted = lastRun?.split(':', 1)[0] === life ? lastChange : 0;
  let view = createEntryView(sim);
  const { journal } = coreOf(sim).state;
  /** Of those that were there at the start; the others follow from this number on. */
  let waiting: RequestRecord[] = [];
  let next = journal.added;
  for (const entry of journal.query()) {
    if (isContinued && entry.id <= since) view.pass(entry);
    else waiting.push(entry);
  }
  let came = 0;
  const stop = journal.listen(() => {
    came++;
  });
  const behind = () => waiting.length + journal.added - Math.max(next, journal.added - journal.size);
  const redactor = createRedactor(sim);
  let said = '';
  try {
    for (let quiet = quietRounds; !signal?.aborted; quiet++) {
      if (run !== runOf()) {
        run = runOf();
        view = createEntryView(sim);
        waiting = [];
      }
      const away = [...journal.outages, ...outages()];
      const unwritten = away.length === 0 ? undefined : away.reduce((sum, { refused }) => sum + refused, 0);
      const unrecorded = journal.unrecorded.count || undefined;
      const { changes, clock, name } = sim;
      const news = JSON.stringify([run, name, clock.frozen, changes.count, journal.pending, unwritten, unrecorded]);
      if (behind() > 0 || news !== said || quiet >= quietRounds) {
        const most = came > many ? mostRows.busy : mostRows.calm;
        const rows = waiting.splice(0, most);
        next = Math.max(next, journal.added - journal.size);
        const later = journal.read(next, most - rows.length);
        next += later.length;
        rows.push(...later);
        const entries: EntryRow[] = [];
        for (let at = 0; at < rows.length; at += rowsOfStep) {
          if (at > 0) await pause(0, signal);
          entries.push(...rows.slice(at, at + rowsOfStep).map(view.showRow));
        }
        const changes = sim.changes.last.filter(({ number }) => number > noted);
        noted = sim.changes.count;
        yield {
          run,
          scenario: sim.name,
          clock: clockInfo(sim),
          entries,
          changes: changes.map((change) => showChange(change, redactor([change.input, change.by]))),
          total: sim.journal.size + sim.journal.dropped,
          pending: sim.journal.pending,
          behind: behind(),
          ...(unwritten !== undefined && { unwritten }),
          ...(unrecorded !== undefined && { unrecorded }),
        };
        said = news;
        quiet = 0;
      }
      came = 0;
      await pause(everyMs, signal);
    }
  } finally {
    stop();
  }
}

/** A sandbox that was removed and made again is another simulator with the same requests' ids. */
const numbers = new WeakMap<Simulator, number>();
let counted = 0;

function numberOf(sim: Simulator): number {
  const number = numbers.get(sim) ?? ++counted;
  numbers.set(sim, number);
  return number;
}

const showChange = (
  { number, beforeMs, atMs, lastId, request, input, by }: ControlChange,
  redact: (text: string) => string,
): ShownChange => ({
  number,
  time: new Date(beforeMs).toISOString(),
  until: new Date(atMs).toISOString(),
  lastId,
  request,
  input: redact(input),
  by: redact(by),
});

/** Every change that is remembered, as an update shows it. */
export function allChanges(sim: Simulator): ShownChange[] {
  const redactor = createRedactor(sim);
  return sim.changes.last.map((change) => showChange(change, redactor([change.input, change.by])));
}

/** Real time, because the clock of the simulator may stand still. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
