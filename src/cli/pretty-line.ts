import { styleText } from 'node:util';
import { retriedText } from '../control-api/wait-words.js';
import { isRefusedByOther } from '../requests/request-record.js';
import { formatRemaining } from '../values/format-duration.js';
import type { RequestLogEntry } from './request-log-entry.js';

type Paint = (text: string) => string;

/**
 * Creates a function that colors text for a terminal. Calls Node's `styleText` only once per color: each call inspects
 * stream and environment, which takes as long as formatting a line.
 */
function createPaint(format: Parameters<typeof styleText>[0]): Paint {
  const [start, end] = styleText(format, '|').split('|');
  return (text) => `${start}${text}${end}`;
}

/** Creates a formatter of log entries as lines for a terminal. */
export function createPrettyLine(): (entry: RequestLogEntry) => string {
  const [dim, red, yellow, green] = (['dim', 'red', 'yellow', 'green'] as const).map(createPaint) as [
    Paint,
    Paint,
    Paint,
    Paint,
  ];
  return (entry) => {
    const { event, time, method, target, status, operation, key, plan, remaining, durationMs } = entry;
    // Uses the dashboard's colors for lines of the request log. Red: no response, a 5xx, a banned key or a strike (a
    // refused retry that counts towards a ban). Yellow: any other error. Green: success.
    const isGrave = status === 0 || status >= 500 || entry.code === 'key_banned' || entry.strike !== undefined;
    const color = isGrave ? red : status >= 400 ? yellow : green;
    const notes = notesOf(entry);
    const name = operation ?? (event === 'request' ? '-' : event);
    const left = remaining === undefined ? '-' : `${remaining} left`;
    const tenths = Math.round(durationMs * 10);
    const took = `${Math.floor(tenths / 10)}.${tenths % 10} ms`;
    const what = method === '' ? ' (no request)' : ` ${method} ${printable(target, 120)}`;
    const who = `${name.padEnd(9)}  ${(plan ?? '-').padEnd(10)}  ${printable(key ?? '-', 20).padEnd(14)}`;
    const shown = color(status === 0 ? '---' : String(status));
    // `join` creates a flat string. A template literal would create a tree of parts, which the garbage collector
    // copies.
    const cells = [dim(time.slice(11, 23)), shown, who, left.padEnd(11), took.padStart(8), what].join('  ');
    return notes.length === 0 ? cells : `${cells}  ${dim(notes.join(', '))}`;
  };
}

function notesOf(entry: RequestLogEntry): string[] {
  const { status, code, message, retryAfter, fault, refusedBy, sandbox, wire, unsentStatus, refusedOrigin } = entry;
  // The log line of a rejected request has only the error code and Retry-After, which explain it sufficiently.
  const error = retryAfter === undefined && message !== undefined ? [code, message].filter(Boolean).join(': ') : code;
  const isUnknownKey = status === 401 && message === 'The API key is unknown.';
  return [
    ...(refusalOf(entry) ?? [error && printable(error, 160), retryAfter && `retry after ${printable(retryAfter, 40)}`]),
    isUnknownKey && 'the scenario lacks it: add --set keys.KEY.plan=free',
    refusedBy === 'backend-without-key'
      ? 'the backend got no key: use --upstream-key same|NAME'
      : isRefusedByOther(entry) && `refused by the ${refusedBy}`,
    fault && `fault ${printable(fault, 60)}`,
    sandbox === undefined ? undefined : 'new sandbox, because the idle one was dropped',
    wire && `${wire}${unsentStatus === undefined ? '' : ` instead of ${unsentStatus}`}`,
    status === 0 && wire === undefined ? 'the connection ended without a response' : undefined,
    refusedOrigin && `the page of ${printable(refusedOrigin, 60)} may not read the response; see the assumption cors`,
  ].filter((note): note is string => Boolean(note));
}

/** Describes the strike or the ban in a log entry; `undefined` without either. */
function refusalOf({ ban, strike, retryAfter = '', waitedMs, waitMs }: RequestLogEntry): string[] | undefined {
  if (ban !== undefined) return [strike === undefined ? ban : `strike ${strike}: ${ban}`];
  if (strike === undefined) return undefined;
  const isWhole = /^\d{1,9}$/.test(retryAfter);
  const wait = isWhole ? formatRemaining(Number(retryAfter) * 1000) : printable(retryAfter, 40);
  const retried = waitedMs === undefined ? '' : retriedText({ waitedMs, waitMs });
  return [`strike ${strike}${retried ? `: ${retried}` : `, retry after ${wait}`}`];
}

/** Replaces control characters in text from a request or a scenario, because a terminal would interpret them. */
const printable = (text: string, maximumLength: number): string => {
  if (text.length <= maximumLength && isPrintable.test(text)) return text;
  const cut = text.length > maximumLength ? `${text.slice(0, maximumLength)}…` : text;
  return cut.replace(/[^\x20-\x7e…]/g, '?');
};

const isPrintable = /^[\x20-\x7e]*$/;
