import { styleText } from 'node:util';
import type { AnsweredRequest, OnAnswer, ServedAnswer } from '../node/http/served-answer.js';
import { createPrettyLine } from './pretty-line.js';
import { createRequestLogEntries } from './request-log-entry.js';

export const logFormats = ['pretty', 'json', 'silent'] as const;
export type LogFormat = (typeof logFormats)[number];

/** Writes one line for each request that the server answers, without API keys that the scenario does not name. */
export function createRequestLog(format: LogFormat, write: (line: string) => void): OnAnswer | undefined {
  if (format === 'silent') return undefined;
  const lineOf = format === 'json' ? JSON.stringify : createPrettyLine();
  const toEntry = createRequestLogEntries();
  let hasWarned = false;
  return (request, answer, durationMs) => {
    if (format === 'pretty' && (isProbe(request, answer) || isDashboard(request, answer))) return;
    write(lineOf(toEntry(request, answer, durationMs)));
    if (answer.operation !== 'getPet' || hasWarned) return;
    hasWarned = true;
    write(warningLine(format, deprecation));
  };
}

/** Load balancers and test runners ask every second whether the server is well; people look for requests. */
const isProbe = ({ url }: AnsweredRequest, { by, status }: ServedAnswer) =>
  by === 'control' && status === 200 && url === '/__sim/health';

/** The dashboard reads the state several times a second; other pages and programs send none of this, or another site. */
const isDashboard = ({ method, headers }: AnsweredRequest, { by, status }: ServedAnswer) =>
  by === 'control' && status === 200 && method === 'GET' && headers['sec-fetch-site'] === 'same-origin';

const deprecation =
  'getPet is deprecated and will be removed on 5 December 2030; use GET /pets with the status filter.';

/** The line in the place of lines that nobody read in time. */
export const droppedLine = (format: LogFormat, count: number): string =>
  warningLine(format, `${count} lines of this log were left out, because what reads it is too slow.`);

const warningLine = (format: LogFormat, message: string) =>
  format === 'json' ? JSON.stringify({ event: 'warning', message }) : styleText('yellow', `warning: ${message}`);
