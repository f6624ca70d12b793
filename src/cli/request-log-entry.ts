import type { AnsweredRequest, ServedAnswer } from '../node/http/served-answer.js';
import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import { createRedactor, displayKey } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import { createInstantText } from '../values/instant-text.js';

/** One line of the log. A field without a value is left out. */
export interface RequestLogEntry {
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

/** Makes entries of what the server answers, without API keys that the scenario does not name. */
export function createRequestLogEntries(): (
  request: AnsweredRequest,
  answer: ServedAnswer,
  durationMs: number,
) => RequestLogEntry {
  const redactors = new WeakMap<Simulator, ReturnType<typeof createRedactor>>();
  const redactorOf = (sim: Simulator) => {
    const redactor = createRedactor(sim);
    redactors.set(sim, redactor);
    return redactor;
  };
  const timeText = createInstantText();
  return (request, answer, durationMs) => {
    const { by, sim, status, operation, plan, headers, fault, wire, isOriginRefused } = answer;
    const target = request.url ?? '';
    const token = answer.key ?? tokenOf(request, by);
    const error = status < 400 ? noError : readError(answer.body);
    const redactor = redactors.get(sim) ?? redactorOf(sim);
    const redact = redactor([target, error.message], token);
    const isUnsent = wire?.kind === 'reset' || wire?.kind === 'close' || wire?.kind === 'hang';
    const remaining = headers[rateLimitHeaders.remaining];
    return {
      event: by === 'control' || by === 'preflight' ? by : 'request',
      time: timeText(sim.clock.now()),
      method: request.method ?? '',
      target: redact(target),
      status: isUnsent ? 0 : status,
      operation,
      key: (by === 'api' || answer.key !== undefined) && token !== undefined ? displayKey(sim, token) : undefined,
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
      durationMs: Math.round(durationMs * 1000) / 1000,
    };
  };
}

const noError: ReturnType<typeof readError> = {};

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
