import type { EntryRow } from '../control-api/entry-row.js';
import type { ShownChange } from '../control-api/update-stream.js';
import { requestKind } from '../judge/request-kind.js';
import { findLowest } from '../values/find-lowest.js';
import { getOrCreate } from '../values/get-or-create.js';

/** Kinds of requests on the timeline, the worst first. */
export const rowKinds = ['banned', 'strike', 'failed', 'refused', 'rejected', 'served'] as const;
export type RowKind = (typeof rowKinds)[number];

/**
 * Determines the kind of a request on the dashboard's timeline, such as `served` or `refused`, by the same rules as a
 * verdict about the client. A 401 counts as `rejected`, like other 4xx statuses.
 */
export function rowKindOf({ strike, refusal, status, unreadable }: EntryRow): RowKind {
  const kind = requestKind(
    {
      status,
      isBan: refusal === 'ban',
      isRefused: refusal !== undefined || status === 429,
      isUnreadable: unreadable === true,
      isAbandoned: false,
    },
    strike === true,
  );
  return kind === 'unauthorized' ? 'rejected' : kind;
}

/** Journal entry of one request, with its position on the dashboard's timeline. */
export interface Row extends EntryRow {
  /** Arrival time of the request by the simulator's clock. */
  atMs: number;
  /**
   * Arrival time of the request on the dashboard's timeline. Never decreases, even if a user sets the simulated clock
   * back.
   */
  axisMs: number;
  kind: RowKind;
  lane: TimelineLane;
}

/** Part of the timeline between two times, in milliseconds: a wait, a ban, an idle range or a selection. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** Timeline data of one key: its requests, waits and bans. */
export interface TimelineLane {
  readonly id: string;
  readonly name: string;
  plan: string | undefined;
  /** Row number of the API key in the timeline, counted from 0 at the top; -1 if the timeline does not show the key. */
  place: number;
  readonly counts: Record<RowKind, number>;
  /** Waits that 429 responses asked for, as positions on the timeline's time axis. */
  waits: Span[];
  /** Bans of the key, as ranges on the timeline's time axis, in milliseconds. */
  bans: Span[];
  /** Ends of the key's windows that responses reported, ascending, as positions on the timeline's time axis. */
  borders: number[];
}

/** Maximum number of requests on the dashboard. The oldest requests are dropped first. */
export const maximumRows = 50_000;
/** Maximum number of waits, bans and window ends that the timeline holds per key. */
const maximumSpans = 2_000;

/**
 * Requests that the dashboard shows, in the order of arrival. Preact does not observe changes of this object; the
 * dashboard's session announces the changes by `onEntries`.
 */
export class EntryBuffer {
  rows: Row[] = [];
  readonly lanes = new Map<string, TimelineLane>();
  /** Names of the windows whose ends the timeline has. */
  readonly windows = new Set<string>();
  changes: ShownChange[] = [];
  hasFaults = false;
  /**
   * Number of rows that were inserted between older rows instead of at the end, because their responses were delayed. A
   * change of the number makes the dashboard filter all rows again.
   */
  insertions = 0;
  /**
   * Offsets to add to times of the simulated clock for the timeline, in milliseconds. Each time that the clock is set
   * back, a larger offset begins, so that the timeline never goes back.
   */
  #offsets: { afterId: number; ms: number }[] = [];

  /**
   * Adds journal entries and control operations to the dashboard's list of requests. Skips those that the list already
   * contains.
   */
  add(entries: readonly EntryRow[], changes: readonly ShownChange[]): void {
    for (const change of changes) this.#addChange(change);
    for (const entry of entries) this.#insert(this.#toRow(entry));
    // Drops old rows only when the list exceeds its maximum by a tenth, because each drop copies the list.
    if (this.rows.length > maximumRows * 1.1) this.rows = this.rows.slice(-maximumRows);
  }

  find(id: number): Row | undefined {
    const row = this.rows[this.#position(id)];
    return row?.id === id ? row : undefined;
  }

  /**
   * Id of the last request before the first gap in the dashboard's list of requests; without a gap, id of the last
   * request. After a reconnect, the server sends all requests with higher ids.
   */
  get completeId(): number {
    const { rows } = this;
    const oldest = Math.max(0, rows.length - 5_000);
    for (let index = oldest + 1; index < rows.length; index++) {
      const before = rows[index - 1] as Row;
      if ((rows[index] as Row).id !== before.id + 1) return before.id;
    }
    return rows.at(-1)?.id ?? 0;
  }

  /**
   * Converts a time of the simulator's clock to a position on the timeline's axis. If the clock was set back, adds an
   * offset, so that later requests never appear left of earlier ones.
   * @param afterId id of the last request before this time
   */
  toAxis(ms: number, afterId: number): number {
    return ms + (this.#offsets.findLast((offset) => offset.afterId < afterId)?.ms ?? 0);
  }

  /** Converts a position on the timeline's time axis to a time of the simulator's clock. */
  fromAxis(axisMs: number): number {
    const row = this.rows[this.#positionOnAxis(axisMs)] ?? this.rows.at(-1);
    return axisMs - (row === undefined ? 0 : row.axisMs - row.atMs);
  }

  /** Returns the requests that arrived at or after a time of the timeline. */
  rowsFrom(axisMs: number): Row[] {
    return this.rows.slice(this.#positionOnAxis(axisMs));
  }

  /** Time of a control operation on the timeline. */
  instantOf({ time, lastId }: ShownChange): number {
    return this.toAxis(Date.parse(time), lastId);
  }

  /**
   * Adds a ban of an API key to the timeline. Needed for bans that no response shows, such as a ban by a control
   * operation.
   * @param untilMs end of the ban, by the simulator's clock
   */
  noteBan(keyId: string, untilMs: number, nowMs: number): void {
    const lane = this.lanes.get(keyId);
    if (lane === undefined) return;
    const toMs = this.toAxis(untilMs, Number.POSITIVE_INFINITY);
    if ((lane.bans.at(-1)?.toMs ?? 0) >= toMs - 1_000) return;
    const change = this.changes.findLast(({ request, input }) => request.endsWith('/ban') && isOf(input, lane));
    const fromMs = change === undefined ? this.toAxis(nowMs, Number.POSITIVE_INFINITY) : this.instantOf(change);
    extend(lane.bans, fromMs, toMs);
  }

  #addChange(change: ShownChange): void {
    if (this.changes.some(({ number }) => number === change.number)) return;
    this.changes = [...this.changes, change].slice(-200);
    for (const lane of this.lanes.values()) {
      const ban = lane.bans.at(-1);
      if (ban !== undefined && liftsBan(change, lane)) ban.toMs = Math.min(ban.toMs, this.instantOf(change));
    }
    const backMs = Date.parse(change.time) - Date.parse(change.until);
    if (backMs <= 0 || change.lastId === 0) return;
    const last = this.#offsets.at(-1)?.ms ?? 0;
    this.#offsets.push({ afterId: change.lastId, ms: last + backMs + 1_000 });
  }

  #toRow(entry: EntryRow): Row {
    const id = entry.keyId ?? '';
    const lane = getOrCreate(this.lanes, id, (): TimelineLane => {
      const counts = Object.fromEntries(rowKinds.map((kind) => [kind, 0])) as TimelineLane['counts'];
      return { id, name: entry.key || 'no key', plan: entry.plan, place: -1, counts, waits: [], bans: [], borders: [] };
    });
    const atMs = Date.parse(entry.time);
    const row: Row = Object.assign(entry, { atMs, axisMs: this.toAxis(atMs, entry.id), kind: rowKindOf(entry), lane });
    return row;
  }

  #insert(row: Row): void {
    const { rows } = this;
    const last = rows.at(-1);
    if (last === undefined || row.id > last.id) rows.push(row);
    else {
      const index = this.#position(row.id);
      if (rows[index]?.id === row.id || (index === 0 && rows.length >= maximumRows)) return;
      rows.splice(index, 0, row);
      this.insertions++;
    }
    row.lane.counts[row.kind]++;
    this.hasFaults ||= row.fault !== undefined;
    row.lane.plan ??= row.plan;
    this.#noteSpans(row);
  }

  #noteSpans(row: Row): void {
    const { lane, refusal, toldUntil, promisedAt, bannedUntil = promisedAt, usage, durationMs } = row;
    const fromMs = row.axisMs + durationMs;
    const shift = row.axisMs - row.atMs;
    if (refusal === 'ban' && bannedUntil !== undefined && promisedAt !== undefined) {
      const lift = this.changes.find((change) => change.lastId >= row.id && liftsBan(change, lane));
      const liftedMs = lift === undefined ? Number.POSITIVE_INFINITY : this.instantOf(lift);
      const untilMs = Math.min(Date.parse(bannedUntil) + shift, liftedMs);
      const ban = lane.bans.at(-1);
      // A control operation can replace a ban by a shorter one.
      if (ban !== undefined && fromMs >= ban.fromMs && fromMs < ban.toMs) ban.toMs = untilMs;
      else extend(lane.bans, fromMs, untilMs);
      const wait = lane.waits.at(-1);
      if (wait !== undefined && wait.toMs > fromMs && row.kind === 'strike') wait.toMs = fromMs;
      // A used-up window that resets after the ban is a wait of its own.
      if (Date.parse(promisedAt) - Date.parse(bannedUntil) >= 1000)
        extend(lane.waits, untilMs, Date.parse(promisedAt) + shift);
    } else if (toldUntil !== undefined) extend(lane.waits, fromMs, Date.parse(toldUntil) + shift);
    const border = usage === undefined ? 0 : Date.parse(usage.resetAt) + shift;
    const { borders } = lane;
    const place = findLowest(borders.length, (index) => (borders[index] as number) >= border);
    if (border > row.axisMs && borders[place] !== border && row.window !== undefined) {
      borders.splice(place, 0, border);
      this.windows.add(row.window);
    }
    if (lane.borders.length > maximumSpans) lane.borders.shift();
    for (const spans of [lane.waits, lane.bans]) if (spans.length > maximumSpans) spans.shift();
  }

  /** Index of the request with an id. For an unknown id, the index at which to insert the request. */
  #position(id: number): number {
    return findLowest(this.rows.length, (index) => (this.rows[index] as Row).id >= id);
  }

  #positionOnAxis(axisMs: number): number {
    return findLowest(this.rows.length, (index) => (this.rows[index] as Row).axisMs >= axisMs);
  }
}

const isOf = (input: string, { name }: TimelineLane) => input === `key ${name}` || input.startsWith(`key ${name},`);

/** Whether a change ends the ban of a key. `noteBan` continues a ban that a restored snapshot contains. */
const liftsBan = ({ request, input }: ShownChange, lane: TimelineLane) =>
  request.endsWith('/{name}/restore') || (request.endsWith('/unban') && isOf(input, lane));

function extend(spans: Span[], fromMs: number, toMs: number): void {
  const last = spans.at(-1);
  if (toMs <= fromMs) return;
  if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
  else spans.push({ fromMs, toMs });
}
