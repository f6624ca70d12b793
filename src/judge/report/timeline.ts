import { servedAgainAfter } from '../../rate-limits/served-again.js';
import type { RequestRecord } from '../../requests/request-record.js';
import { highest, lowest } from '../../values/extremes.js';
import { maskedKey } from '../../values/mask-key.js';
import { requestTarget } from '../../values/request-target.js';
import { type RequestKind, requestKind } from '../request-kind.js';
import { type KnownRequest, readRequests } from '../run.js';
import { keyName, keyNames, type NameKey } from './key-names.js';

export interface TimelineMark {
  kind: RequestKind;
  atMs: number;
  /** Journal id of the request that this timeline mark shows. */
  request: number;
  /** Text for the request: method, path, query and status, such as `GET /pets?limit=5 · 429`. */
  title: string;
}

export interface TimelineSpan {
  fromMs: number;
  toMs: number;
  /**
   * Whether the client may send again at the end of this wait or ban. `false` if a ban starts during the wait and so
   * ends it early.
   */
  hasDeadline: boolean;
}

/** Row of a timeline: one API key with its requests, waits and bans. */
export interface TimelineRow {
  /** Name of the API key. */
  name: string;
  plan: string | undefined;
  marks: TimelineMark[];
  /** Periods in which responses required the client to wait. */
  waits: TimelineSpan[];
  bans: TimelineSpan[];
}

/** Timeline of a run, with a row per API key. Times are Unix milliseconds of the simulator's clock. */
export interface Timeline {
  startMs: number;
  /** Arrival time of the run's last request. */
  lastMs: number;
  /**
   * End of the timeline. A wait or ban that continues after the last request is shown for at most a tenth of the run,
   * or one second in a short run.
   */
  endMs: number;
  rows: TimelineRow[];
}

/** Maximum number of API keys in a timeline. */
const maximumRows = 20;
/** Share of the run's duration by which the timeline may continue after the last request. */
const openShare = 0.1;

/** Creates the timeline of a run from its journal records. @param entries in order of arrival */
export function timelineOf(entries: readonly RequestRecord[], nameKey: NameKey = maskedKey): Timeline {
  const requests = readRequests(entries);
  const startMs = lowest(requests.map(({ arrivedAtMs }) => arrivedAtMs));
  const lastMs = highest(requests.map(({ arrivedAtMs }) => arrivedAtMs));
  if (requests.length === 0) return { startMs: 0, lastMs: 0, endMs: 0, rows: [] };
  const rows = keyNames(requests, nameKey)
    .slice(0, maximumRows)
    .map((name): TimelineRow => {
      const own = requests.filter((request) => keyName(request, nameKey) === name);
      const bans = bansOf(own);
      return {
        name,
        plan: own.find(({ known }) => known.plan !== undefined)?.known.plan,
        marks: own.map(markOf),
        waits: merged(own.flatMap(waitOf).map((wait) => endedBy(bans, wait))),
        bans,
      };
    });
  const ends = rows.flatMap(({ waits, bans }) => [...waits, ...bans]).map(({ toMs }) => toMs);
  const openMs = Math.max((lastMs - startMs) * openShare, 1_000);
  return { startMs, lastMs, endMs: Math.max(lastMs, Math.min(highest(ends), lastMs + openMs)), rows };
}

function markOf(request: KnownRequest): TimelineMark {
  const { id, arrivedAtMs, status } = request;
  const target = requestTarget(request);
  const clipped = target.length > 80 ? `${target.slice(0, 80)}…` : target;
  const title = `${clipped} · ${status === 0 ? 'client disconnected' : status}`;
  return { kind: requestKind(request, request.known.isStrike), atMs: arrivedAtMs, request: id, title };
}

/** Wait that a refusal asked for. During a ban, the wait for a used-up window starts at the end of the ban. */
function waitOf({ answeredAtMs, deadlineMs, isBan, known }: KnownRequest): TimelineSpan[] {
  const again = isBan ? servedAgainAfter(known) : undefined;
  const span =
    again?.window === undefined
      ? { fromMs: answeredAtMs, toMs: isBan ? undefined : deadlineMs }
      : { fromMs: again.bannedUntilMs ?? again.atMs, toMs: again.atMs };
  return span.toMs === undefined ? [] : [{ fromMs: span.fromMs, toMs: span.toMs, hasDeadline: true }];
}

/** Bans of a key. The latest response in a ban states its end, because a control operation can shorten the ban. */
function bansOf(requests: readonly KnownRequest[]): TimelineSpan[] {
  const bans: TimelineSpan[] = [];
  for (const { answeredAtMs, isBan, known } of requests) {
    const toMs = isBan ? servedAgainAfter(known)?.bannedUntilMs : undefined;
    if (toMs === undefined || toMs <= answeredAtMs) continue;
    const last = bans.at(-1);
    if (last !== undefined && answeredAtMs >= last.fromMs && answeredAtMs < last.toMs) last.toMs = toMs;
    else bans.push({ fromMs: answeredAtMs, toMs, hasDeadline: true });
  }
  return bans;
}

/**
 * Shortens a period of the timeline in which a client had to wait, if a ban starts during the period. The shortened
 * period ends when the ban starts.
 */
function endedBy(bans: readonly TimelineSpan[], wait: TimelineSpan): TimelineSpan {
  const ban = bans.find(({ fromMs }) => fromMs >= wait.fromMs && fromMs < wait.toMs);
  return ban === undefined ? wait : { ...wait, toMs: ban.fromMs, hasDeadline: false };
}

/** Merges overlapping periods of time. */
function merged(spans: readonly TimelineSpan[]): TimelineSpan[] {
  const all: TimelineSpan[] = [];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = all.at(-1);
    if (span.toMs <= span.fromMs) continue;
    if (last === undefined || span.fromMs >= last.toMs) all.push({ ...span });
    else if (span.toMs > last.toMs) Object.assign(last, { toMs: span.toMs, hasDeadline: span.hasDeadline });
  }
  return all;
}
