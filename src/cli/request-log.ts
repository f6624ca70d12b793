import { styleText } from 'node:util';
import { rateLimitHeaders, retryAfterHeader } from '../contract/document.js';
import type { AnsweredRequest, OnAnswer, ServedAnswer } from '../node/http/served-answer.js';
import { createRedactor, displayKey, type Redact } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';

export const logFormats = ['pretty', 'json', 'silent'] as const;
export type LogFormat = (typeof logFormats)[number];

/** One line of the log. A field without a value is left out. */
interface LogEntry {
  /** `request` for the API, handlers and what is neither; so that a program finds the calls of its client. */
  event: 'request' | 'control' | 'preflight';
  /** ISO 8601, of the simulator's clock. */
  time: string;
  /** Empty, as the target, where the bytes were not a request. */
  method: string;
  target: string;
  /** 0 when no status was sent: a fault or the client ended the connection first. */
  status: number;
  operation: string | undefined;
  key: string | undefined;
  plan: string | undefined;
  remaining: number | undefined;
  retryAfter: string | undefined;
  /** Of an Error body. */
  code: string | undefined;
  message: string | undefined;
  fault: string | undefined;
  /** `recreated`: an idle sandbox was dropped, and this request is the first to the new one. */
  sandbox: string | undefined;
  /** What a fault did to the answer on its way, and the status that it had until then. */
  wire: string | undefined;
  unsentStatus: number | undefined;
  /** The origin of a page that may not read the answer. */
  refusedOrigin: string | undefined;
  durationMs: number;
}

/** Writes one line for each request that the server answers, without API keys that the scenario does not name. */
export function createRequestLog(format: LogFormat, write: (line: string) => void): OnAnswer | undefined {
  if (format === 'silent') return undefined;
  const lineOf = format === 'json' ? JSON.stringify : prettyLine;
  const redactors = new WeakMap<Simulator, ReturnType<typeof createRedactor>>();
  let hasWarned = false;
  return (request, answer, durationMs) => {
    const redactor = redactors.get(answer.sim) ?? createRedactor(answer.sim);
    redactors.set(answer.sim, redactor);
    write(lineOf(toEntry(request, answer, durationMs, redactor)));
    if (answer.operation !== 'getPet' || hasWarned) return;
    hasWarned = true;
    write(deprecationLine[format]);
  };
}

const deprecation =
  'getPet is deprecated and will be removed on 5 December 2030; use GET /pets with the status filter.';
const deprecationLine = {
  json: JSON.stringify({ event: 'warning', message: deprecation }),
  pretty: styleText('yellow', `warning: ${deprecation}`),
};

function toEntry(
  request: AnsweredRequest,
  answer: ServedAnswer,
  durationMs: number,
  redactor: ReturnType<typeof createRedactor>,
): LogEntry {
  const { by, sim, status, operation, plan, headers, fault, wire, isOriginRefused } = answer;
  const target = request.url ?? '';
  const token = answer.key ?? tokenOf(request, by);
  const error = status < 400 ? {} : readError(answer.body);
  const redact: Redact = redactor([target, error.message ?? ''].join('\n'), token);
  const isUnsent = wire?.kind === 'reset' || wire?.kind === 'close' || wire?.kind === 'hang';
  const remaining = headers[rateLimitHeaders.remaining];
  return {
    event: by === 'control' || by === 'preflight' ? by : 'request',
    time: new Date(sim.clock.now()).toISOString(),
    method: request.method ?? '',
    target: redact(target),
    status: isUnsent ? 0 : status,
    operation,
    key: by === 'api' && token !== undefined ? displayKey(sim, token) : undefined,
    plan,
    remaining: remaining === undefined ? undefined : Number(remaining),
    retryAfter: headers[retryAfterHeader],
    code: error.code,
    message: error.message && redact(error.message),
    fault,
    sandbox: headers['X-Sim-Sandbox'],
    wire: wire?.kind,
    unsentStatus: isUnsent ? status : undefined,
    refusedOrigin: isOriginRefused ? request.headers.origin : undefined,
    durationMs: Number(durationMs.toFixed(3)),
  };
}

/** The API key that a request brought: as a bearer token, or in the path of a control operation on a key. */
function tokenOf({ url = '', headers: { authorization } }: AnsweredRequest, by: ServedAnswer['by']) {
  if (by !== 'control') return authorization?.slice(authorization.lastIndexOf(' ') + 1);
  return /^\/__sim(?:\/sandboxes\/[^/?]*)?\/keys\/(?!key_[0-9a-f]{16}\b)([^/?]+)/.exec(url)?.[1];
}

/** The fields of an Error body; a fault may have put something else in its place. */
function readError(body: string): { code?: string; message?: string } {
  try {
    const { code, message } = JSON.parse(body) as { code?: unknown; message?: unknown };
    return { ...(typeof code === 'string' && { code }), ...(typeof message === 'string' && { message }) };
  } catch {
    return {};
  }
}

function prettyLine(entry: LogEntry): string {
  const { event, time, method, target, status, operation, key, plan, remaining, durationMs } = entry;
  const colour = status === 0 || (status >= 400 && status !== 429) ? 'red' : status === 429 ? 'yellow' : 'green';
  const notes = notesOf(entry);
  const cells = [
    styleText('dim', time.slice(11, 23)),
    styleText(colour, status === 0 ? '---' : String(status)),
    (operation ?? (event === 'request' ? '-' : event)).padEnd(9),
    (plan ?? '-').padEnd(10),
    printable(key ?? '-', 20).padEnd(14),
    (remaining === undefined ? '-' : `${remaining} left`).padEnd(11),
    `${durationMs.toFixed(1)} ms`.padStart(8),
    ` ${method === '' ? '(no request)' : `${method} ${printable(target, 120)}`}`,
    notes.length === 0 ? '' : styleText('dim', notes.join(', ')),
  ];
  return cells.join('  ').trimEnd();
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
