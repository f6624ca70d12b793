import { styleText } from 'node:util';
import type { LogEntry } from './log-entry.js';

type Paint = (text: string) => string;

/** Colours are looked up once: `styleText` looks at the stream and the environment each time, which takes as long as the line. */
function createPaint(format: Parameters<typeof styleText>[0]): Paint {
  const [start, end] = styleText(format, '|').split('|');
  return (text) => `${start}${text}${end}`;
}

/** Makes of an entry a line for people. */
export function createPrettyLine(): (entry: LogEntry) => string {
  const [dim, red, yellow, green] = (['dim', 'red', 'yellow', 'green'] as const).map(createPaint) as [
    Paint,
    Paint,
    Paint,
    Paint,
  ];
  return (entry) => {
    const { event, time, method, target, status, operation, key, plan, remaining, durationMs } = entry;
    const colour = status === 0 || (status >= 400 && status !== 429) ? red : status === 429 ? yellow : green;
    const notes = notesOf(entry);
    const cells = [
      dim(time.slice(11, 23)),
      colour(status === 0 ? '---' : String(status)),
      (operation ?? (event === 'request' ? '-' : event)).padEnd(9),
      (plan ?? '-').padEnd(10),
      printable(key ?? '-', 20).padEnd(14),
      (remaining === undefined ? '-' : `${remaining} left`).padEnd(11),
      `${durationMs.toFixed(1)} ms`.padStart(8),
      method === '' ? ' (no request)' : ` ${method} ${printable(target, 120)}`,
    ].join('  ');
    return notes.length === 0 ? cells : `${cells}  ${dim(notes.join(', '))}`;
  };
}

function notesOf(entry: LogEntry): string[] {
  const { status, code, message, retryAfter, fault, sandbox, wire, unsentStatus, refusedOrigin } = entry;
  // The message of a refusal says no more than its code and its Retry-After.
  const error = retryAfter === undefined && message !== undefined ? `${code}: ${message}` : code;
  return [
    error && printable(error, 160),
    retryAfter && `retry after ${printable(retryAfter, 40)}`,
    fault && `fault ${printable(fault, 60)}`,
    sandbox === undefined ? undefined : 'the idle sandbox was dropped, and is made anew',
    wire && `${wire}${unsentStatus === undefined ? '' : ` instead of ${unsentStatus}`}`,
    status === 0 && wire === undefined ? 'the connection ended without an answer' : undefined,
    refusedOrigin && `the page of ${printable(refusedOrigin, 60)} may not read it: see the assumption cors`,
  ].filter((note): note is string => Boolean(note));
}

/** Text of a request or a scenario, without anything that a terminal would act upon. */
const printable = (text: string, maximumLength: number) =>
  (text.length > maximumLength ? `${text.slice(0, maximumLength)}…` : text).replace(/[^\x20-\x7e…]/g, '?');
