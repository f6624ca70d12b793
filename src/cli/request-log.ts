import { styleText } from 'node:util';
import type { AnsweredRequest, OnAnswer, ServedAnswer } from '../http/served-answer.js';
import { operationTable } from '../petstore/operations.js';
import { rowOf } from '../requests/operation-table.js';
import { formatDay } from '../values/format-day.js';
import { createPrettyLine } from './pretty-line.js';
import { createRequestLogEntries } from './request-log-entry.js';
import { wrapForTerminal } from './terminal.js';

export const logFormats = ['pretty', 'json', 'silent'] as const;
export type LogFormat = (typeof logFormats)[number];

/**
 * Creates a function that writes one line per response; returns `undefined` for the format `silent`. Masks API
 * keys that the scenario does not contain.
 */
export function createRequestLog(format: LogFormat, write: (line: string) => void): OnAnswer | undefined {
  if (format === 'silent') return undefined;
  const lineOf = format === 'json' ? JSON.stringify : createPrettyLine();
  // On a terminal, later lines start below the status.
  const show = (line: string) => write(format === 'json' ? line : wrapForTerminal(line, 14));
  const toEntry = createRequestLogEntries();
  const warned = new Set<string>();
  return (request, answer, durationMs) => {
    if (format === 'pretty' && (isProbe(request, answer) || isDashboard(request, answer))) return;
    show(lineOf(toEntry(request, answer, durationMs)));
    const { operation = '' } = answer;
    const deprecation = rowOf(operationTable.rows, operation)?.deprecation;
    if (deprecation === undefined || warned.has(operation)) return;
    warned.add(operation);
    const removedOn = formatDay(deprecation.removedAtMs);
    show(
      warningLine(format, `${operation} is deprecated and will be removed on ${removedOn}; use ${deprecation.use}.`),
    );
  };
}

/**
 * Whether a request is a health check. Such requests are not logged, because load balancers and test runners send one
 * every second.
 */
const isProbe = ({ url }: AnsweredRequest, { by, status }: ServedAnswer) =>
  by === 'control' && status === 200 && url === '/__sim/health';

/**
 * Whether the dashboard, or a browser that opens the dashboard, sent a read. Programs and other sites send other
 * `Sec-Fetch` headers.
 */
const isDashboard = ({ method, headers }: AnsweredRequest, { by, status }: ServedAnswer) =>
  by === 'control' &&
  status === 200 &&
  method === 'GET' &&
  (headers['sec-fetch-site'] === 'same-origin' || headers['sec-fetch-dest'] === 'document');

/** Line that replaces dropped lines of the log. */
export const droppedLine = (format: LogFormat, count: number): string =>
  warningLine(format, `${count} lines of this log were dropped, because the reader is too slow.`);

const warningLine = (format: LogFormat, message: string) =>
  format === 'json' ? JSON.stringify({ event: 'warning', message }) : styleText('yellow', `warning: ${message}`);
