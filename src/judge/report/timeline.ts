import type { RequestRecord } from '../../requests/request-record.js';
import { type RequestKind, requestKind } from '../request-kind.js';
import { type KnownRequest, readRequests } from '../run.js';
import { keyNames } from './key-names.js';

export interface Mark {
  kind: RequestKind;
  atMs: number;
  /** The id of the request in the journal. */
  request: number;
  /** `GET /pets?limit=5 · 429`. */
  title: string;
}

export interface Span {
  fromMs: number;
  toMs: number;
  /** Whether it ends with a deadline; a wait that turns into a ban does not. */
  hasDeadline: boolean;
}

/** One API key and what happened with it. */
export interface TimelineRow {
  /** Never the whole key. */
  name: string;
  plan: string | undefined;
  marks: Mark[];
  /** When the client was told to wait; each ends at a deadline. */
  waits: Span[];
  bans: Span[];
}

/** A run as a picture: one row a key, in Unix milliseconds of the simulator's clock. */
export interface Timeline {
  startMs: number;
  /** When the last request came. */
  lastMs: number;
  /** Where the picture ends: a little later, when the client was told to wait longer. */
  endMs: number;
  rows: TimelineRow[];
}

/** More keys than this are not drawn. */
const mostRows = 20;
/** How much of the picture stands open behind the last request for a wait that goes on. */
const openShare = 0.1;

/** @param entries the journal, in the order of arrival */
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
  const title = `${clipped} · ${status === 0 ? 'the client left' : status}`;
  return { kind: requestKind(request, request.known.isStrike), atMs: arrivedAtMs, request: id, title };
}

const waitOf = ({ answeredAtMs, deadlineMs, isBan }: KnownRequest): Span[] =>
  deadlineMs === undefined || isBan ? [] : [{ fromMs: answeredAtMs, toMs: deadlineMs, hasDeadline: true }];

const banOf = ({ answeredAtMs, isBan, known }: KnownRequest): Span[] =>
  isBan && known.promisedAtMs !== undefined
    ? [{ fromMs: answeredAtMs, toMs: known.promisedAtMs, hasDeadline: true }]
    : [];

/** A wait that ends where a ban begins. */
function endedBy(bans: readonly Span[], wait: Span): Span {
  const ban = bans.find(({ fromMs }) => fromMs >= wait.fromMs && fromMs < wait.toMs);
  return ban === undefined ? wait : { ...wait, toMs: ban.fromMs, hasDeadline: false };
}

/** Spans that overlap, as one. */
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
