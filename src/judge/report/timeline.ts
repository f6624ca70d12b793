import type { RequestRecord } from '../../requests/request-record.js';
import { type RequestKind, requestKind } from '../request-kind.js';
import { type KnownRequest, readRequests } from '../run.js';
import { keyNames } from './key-names.js';

export interface Mark {
  kind: RequestKind;
  atMs: number;
  /** Id of the request in the journal. */
  request: number;
  /** Target and status: `GET /pets?limit=5 · 429`. */
  title: string;
}

export interface Span {
  fromMs: number;
  toMs: number;
  /** Whether the span ends at a deadline. False for a wait that becomes a ban. */
  hasDeadline: boolean;
}

/** One API key with its requests, waits and bans. */
export interface TimelineRow {
  /** Masked name of the key, or the full name of a public key. */
  name: string;
  plan: string | undefined;
  marks: Mark[];
  /** Waits that responses required, each up to a deadline. */
  waits: Span[];
  bans: Span[];
}

/** Timeline of a run, one row per key. Times are Unix milliseconds of the simulator's clock. */
export interface Timeline {
  startMs: number;
  /** Arrival of the last request. */
  lastMs: number;
  /** End of the picture, slightly after the last request if a wait continues. */
  endMs: number;
  rows: TimelineRow[];
}

/** Maximum number of drawn keys. */
const mostRows = 20;
/** Share of the picture after the last request, for a wait that continues. */
const openShare = 0.1;

/** Creates the timeline of a journal. @param entries in order of arrival */
export function timelineOf(entries: readonly RequestRecord[]): Timeline {
  const { requests } = readRequests(entries);
  const names = keyNames(requests.map(({ token }) => token));
  const startMs = Math.min(...requests.map(({ arrivedAtMs }) => arrivedAtMs));
  const lastMs = Math.max(...requests.map(({ arrivedAtMs }) => arrivedAtMs));
  if (requests.length === 0) return { startMs: 0, lastMs: 0, endMs: 0, rows: [] };
  const rows = [...names].slice(0, mostRows).map(([token, name]): TimelineRow => {
    const own = requests.filter((request) => request.token === token);
    const bans = merged(own.flatMap(banOf));
    return {
      name,
      plan: own.find(({ known }) => known.plan !== undefined)?.known.plan,
      marks: own.map(markOf),
      waits: merged(own.flatMap(waitOf)).map((wait) => endedBy(bans, wait)),
      bans,
    };
  });
  const ends = rows.flatMap(({ waits, bans }) => [...waits, ...bans]).map(({ toMs }) => toMs);
  const openMs = Math.max((lastMs - startMs) * openShare, 1_000);
  return { startMs, lastMs, endMs: Math.max(lastMs, Math.min(Math.max(...ends), lastMs + openMs)), rows };
}

function markOf(request: KnownRequest): Mark {
  const { id, arrivedAtMs, method, path, query, status } = request;
  const target = `${method} ${path}${query && `?${query}`}`;
  const clipped = target.length > 80 ? `${target.slice(0, 80)}…` : target;
  const title = `${clipped} · ${status === 0 ? 'client disconnected' : status}`;
  return { kind: requestKind(request, request.known.isStrike), atMs: arrivedAtMs, request: id, title };
}

const waitOf = ({ answeredAtMs, deadlineMs, isBan }: KnownRequest): Span[] =>
  deadlineMs === undefined || isBan ? [] : [{ fromMs: answeredAtMs, toMs: deadlineMs, hasDeadline: true }];

const banOf = ({ answeredAtMs, isBan, known }: KnownRequest): Span[] =>
  isBan && known.promisedAtMs !== undefined
    ? [{ fromMs: answeredAtMs, toMs: known.promisedAtMs, hasDeadline: true }]
    : [];

/** Ends a wait at the start of a ban. */
function endedBy(bans: readonly Span[], wait: Span): Span {
  const ban = bans.find(({ fromMs }) => fromMs >= wait.fromMs && fromMs < wait.toMs);
  return ban === undefined ? wait : { ...wait, toMs: ban.fromMs, hasDeadline: false };
}

/** Merges overlapping spans. */
function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = all.at(-1);
    if (span.toMs <= span.fromMs) continue;
    if (last === undefined || span.fromMs >= last.toMs) all.push({ ...span });
    else last.toMs = Math.max(last.toMs, span.toMs);
  }
  return all;
}
