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

/** Control operation that changed state. */
export interface ShownChange {
  /** Number of the operation among all control operations that changed this simulator's state, counted from 1. */
  number: number;
  /**
   * Simulated time before (`time`) and after (`until`) the control operation, ISO 8601. The times differ if the
   * operation moved the clock.
   */
  time: string;
  until: string;
  /** Id of the last request that arrived before the control operation. */
  lastId: number;
  /** Method and path of the control operation: `POST /clock`. */
  request: string;
  /** Summary of the control operation's input: `advance 61s`. */
  input: string;
  /**
   * Name of the program that called the control operation: `page` (the dashboard), `curl/8.14.1`, or `this process`.
   */
  by: string;
}

/** Event of the update stream: the state, and the requests and changes since the previous event. */
export interface Update {
  /**
   * Identifier of the run. A new run, without earlier requests, begins when the server starts or the journal is
   * cleared.
   */
  run: string;
  scenario: string;
  clock: ClockInfo;
  entries: EntryRow[];
  changes: ShownChange[];
  /** Number of requests in this run, including requests that the journal has dropped. */
  total: number;
  /** Number of requests in this run that have no response yet. */
  pending: number;
  /** Number of journal entries (received requests) that are not sent yet and follow in later updates. */
  behind: number;
  /** Number of requests to URLs outside the API, which the journal does not contain. Absent if zero. */
  unrecorded?: number | undefined;
}

export const changeSchema = fields({
  number: described(count, 'Number of the change, from 1.'),
  time: described(instantText, 'Simulated time before the change.'),
  until: described(instantText, 'Simulated time after the change, which differs if the operation moved the clock.'),
  lastId: described(count, 'Id of the last request that arrived before the change.'),
  request: described(string, 'Method and path of the operation.'),
  input: described(string, 'Summary of the input.'),
  by: described(string, 'Name of the caller: X-Sim-Caller, otherwise User-Agent.'),
});

export const updateSchema = fields({
  run: described(string, 'Identifier of the run; changes at a start of the server and when the journal is cleared.'),
  scenario: described(string, 'Name of the scenario.'),
  clock: clockInfoSchema,
  entries: list(fields(entryRowFields)),
  changes: described(list(changeSchema), 'Changes by control operations.'),
  total: described(count, 'Number of requests in this run, including dropped ones.'),
  pending: described(count, 'Number of requests without a response yet.'),
  behind: described(count, 'Number of entries that follow in the next updates.'),
  unrecorded: optional(
    described(count, 'Number of requests that the journal lacks, which the verdict lists; absent for none.'),
  ),
});

/** Minimum interval between two updates in the stream that the dashboard reads, in real time. */
const everyMs = 100;
/**
 * Number of update intervals (100 ms each) without news after which the stream sends an empty update. The empty update
 * shows the reader that the connection works.
 */
const quietRounds = 10;
/**
 * Number of new journal entries (recorded requests) per 100 ms above which the update stream treats the server as busy.
 * The stream then sends fewer entries in each update.
 */
const busyArrivals = 300;
/**
 * Maximum number of journal entries in one event of the update stream. `busy` applies if more than `busyArrivals` new
 * entries arrive per interval; otherwise `calm` applies.
 */
const maximumRows = { busy: 50, calm: 2_000 };
/**
 * Number of journal entries that the update stream converts at a time. Between two conversions, the server can handle
 * other requests.
 */
const rowsOfStep = 200;

export interface UpdatesSince {
  /**
   * Id of the run in the last update that the reader of the stream received. Each clear or reset of the journal starts
   * a new run. For a new run, the stream sends all journal entries again.
   */
  run?: string | undefined;
  /** Id of the last journal entry (a request) that the stream's receiver already has. Only later entries are sent. */
  since?: number | undefined;
  /**
   * Number of the last change (by a control operation) that the stream's receiver already has. Only later changes are
   * sent.
   */
  changes?: number | undefined;
}

/**
 * Streams the simulator's state with its new requests and changes, at most once per 100 ms. Handling an API request
 * only increases a counter, because each update reads the journal's new entries later.
 */
export async function* streamUpdates(
  sim: Simulator,
  { run: lastRun, since = 0, changes: lastChange = 0 }: UpdatesSince,
  { signal, instance = '' }: Caller,
): AsyncGenerator<Update> {
  const instanceId = `${instance}.${numberOf(sim)}`;
  const runOf = () => `${instanceId}:${coreOf(sim).state.journal.clearedId}`;
  let run = runOf();
  const isContinued = lastRun === run;
  let lastNumber = lastRun?.split(':', 1)[0] === instanceId ? lastChange : 0;
  let view = createEntryView(sim);
  const { journal } = coreOf(sim).state;
  /**
   * Records that the journal already contained when the stream started, which are sent first. Later records follow from
   * the journal position `next`.
   */
  let waiting: RequestRecord[] = [];
  let next = journal.added;
  for (const entry of journal.query()) {
    if (isContinued && entry.id <= since) view.pass(entry);
    else waiting.push(entry);
  }
  let arrivals = 0;
  const stop = journal.listen(() => {
    arrivals++;
  });
  const behind = () => waiting.length + journal.added - Math.max(next, journal.added - journal.size);
  const redactor = createRedactor(sim);
  let lastSummary = '';
  try {
    for (let quiet = quietRounds; !signal?.aborted; quiet++) {
      if (run !== runOf()) {
        run = runOf();
        view = createEntryView(sim);
        waiting = [];
      }
      const unrecorded = journal.unrecorded.total || undefined;
      const { changes, clock, name } = sim;
      const summary = JSON.stringify([run, name, clock.frozen, changes.count, journal.pending, unrecorded]);
      if (behind() > 0 || summary !== lastSummary || quiet >= quietRounds) {
        const most = arrivals > busyArrivals ? maximumRows.busy : maximumRows.calm;
        const rows = waiting.splice(0, most);
        next = Math.max(next, journal.added - journal.size);
        const later = journal.read(next, most - rows.length);
        next += later.length;
        rows.push(...later);
        const entries: EntryRow[] = [];
        for (let index = 0; index < rows.length; index += rowsOfStep) {
          if (index > 0) await pause(0, signal);
          entries.push(...rows.slice(index, index + rowsOfStep).map(view.showRow));
        }
        const changes = sim.changes.last.filter(({ number }) => number > lastNumber);
        lastNumber = sim.changes.count;
        yield {
          run,
          scenario: sim.name,
          clock: clockInfo(sim),
          entries,
          changes: changes.map((change) => showChange(change, redactor([change.input, change.by]))),
          total: sim.journal.size + sim.journal.dropped,
          pending: sim.journal.pending,
          behind: behind(),
          ...(unrecorded !== undefined && { unrecorded }),
        };
        lastSummary = summary;
        quiet = 0;
      }
      arrivals = 0;
      await pause(everyMs, signal);
    }
  } finally {
    stop();
  }
}

/** Serial number of each simulator, so that a simulator recreated at the same URL gets a new run id. */
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

/** Lists the recent control operations of a simulator, as the live updates of the dashboard contain them. */
export function rememberedChanges(sim: Simulator): ShownChange[] {
  const redactor = createRedactor(sim);
  return sim.changes.last.map((change) => showChange(change, redactor([change.input, change.by])));
}

/**
 * Pauses for a time in milliseconds, or until `signal` is aborted. Uses real time, because a pause in simulated time
 * would never end while the simulated clock is frozen.
 */
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
