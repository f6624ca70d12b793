import { isAboutLimits, type RefusalBefore, refusalBefore } from '../control-api/refusal-before.js';
import type { AnsweredRequest, ServedAnswer } from '../http/served-answer.js';
import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import { refusalText, type ServedAgain, servedAgain } from '../rate-limits/served-again.js';
import type { RefusedBy } from '../requests/request-record.js';
import { createRedactor, displayKey } from '../simulator/redact.js';
import { shownKeyPlace, tokenAt } from '../simulator/sent-key.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import type { SimulatorState } from '../simulator/simulator-state.js';
import { createInstantText } from '../values/instant-text.js';
import type { KeyPlace } from '../values/key-place.js';
import { maskedQuery } from '../values/mask-key.js';
import { mapOf } from '../values/plain-data.js';
import { readTold } from '../values/told-waits.js';

/** A line of the request log, as an object for JSON. Fields without a value are left out. */
export interface RequestLogEntry {
  /**
   * Kind of the request: `request` for a client's request, `control` for a control request, `preflight` for a CORS
   * preflight. Programs can filter the log lines by kind.
   */
  event: 'request' | 'control' | 'preflight';
  /** Simulated time of the response, in ISO 8601. */
  time: string;
  /** HTTP method. Empty, like `target`, if the input was no HTTP request. */
  method: string;
  target: string;
  /** HTTP status. 0 if a fault or the client ended the connection before a status was sent. */
  status: number;
  operation: string | undefined;
  key: string | undefined;
  plan: string | undefined;
  remaining: number | undefined;
  /** Retry-After of the response; in seconds if another header or the body states the wait. */
  retryAfter: string | undefined;
  /** Number of strikes of the request's API key, including this request; `undefined` if the request is no strike. */
  strike: number | undefined;
  /**
   * Wait before a too early retry (a strike), and the wait that the previous rejection asked for, in simulated time.
   */
  waitedMs: number | undefined;
  waitMs: number | undefined;
  /** For a refusal: time from which the key is served again, ISO 8601. */
  servedAgainAt: string | undefined;
  /** For a refusal by a ban: reason and wait in words, such as `banned, 1:48 left`. */
  ban: string | undefined;
  /** Field `code` of the response's Error body. */
  code: string | undefined;
  message: string | undefined;
  fault: string | undefined;
  /** Refuser of the request, if not the simulator: the user's backend or handler. */
  refusedBy: RefusedBy | undefined;
  /**
   * Value of the response header X-Sim-Sandbox: `recreated` for the first request to a sandbox that had been removed as
   * idle and was created again.
   */
  sandbox: string | undefined;
  /** Fault that changed the response on the wire, and the response's status without the fault. */
  wire: string | undefined;
  unsentStatus: number | undefined;
  /** Origin of a web page, if CORS does not allow the page to read the response. */
  refusedOrigin: string | undefined;
  durationMs: number;
}

/**
 * Creates a function that converts a response of the server to a log line. Masks API keys that the scenario does not
 * contain.
 */
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
  const strikeOf = createStrikeOf();
  return (request, answer, durationMs) => {
    const { by, sim, status, operation, plan, headers, refusal, fault, refusedBy, wire, isOriginRefused } = answer;
    const { state } = coreOf(sim);
    const place = shownKeyPlace(state, operation);
    const [path = '', query] = (request.url ?? '').split(/\?(.*)/s, 2);
    const target = query === undefined ? path : `${path}?${maskedQuery(query, place?.parameter)}`;
    const token = answer.key ?? (by === 'control' ? controlledKey(path) : sentToken(state, request, query, place));
    const error = status < 400 ? noError : readError(answer.body);
    const redactor = redactors.get(sim) ?? redactorOf(sim);
    const redact = redactor([target, error.message], token);
    const isUnsent = wire?.kind === 'reset' || wire?.kind === 'close' || wire?.kind === 'hang';
    const nowMs = sim.clock.now();
    const ownRemaining = headers[rateLimitHeaders.remaining];
    // The simulator's own responses have its headers, without a search for those of other services.
    const told =
      ownRemaining !== undefined && refusedBy === undefined
        ? undefined
        : readTold({ headers, status, answeredAtMs: nowMs, responseBody: answer.body });
    const remaining = ownRemaining === undefined ? told?.remaining : Number(ownRemaining);
    const toldMs =
      told?.retry?.untilMs ?? (refusedBy === undefined && refusal === undefined ? undefined : told?.reset?.untilMs);
    const retryAfter =
      headers[retryAfterHeader] ?? (toldMs === undefined ? undefined : String(Math.ceil((toldMs - nowMs) / 1_000)));
    const isRefusal = headers[retryAfterHeader] !== undefined || refusal !== undefined;
    const strike = isRefusal ? strikeOf(sim, answer.key) : undefined;
    const { waitedMs, waitMs }: Partial<RefusalBefore> =
      (strike !== undefined && strikeWait(sim, answer.key, strike)) || {};
    const again = isRefusal ? againOf(sim, answer.key, nowMs, answer.cost) : undefined;
    return {
      event: by === 'control' || by === 'preflight' ? by : 'request',
      time: timeText(nowMs),
      method: request.method ?? '',
      target: redact(target),
      status: isUnsent ? 0 : status,
      operation,
      key: (by === 'api' || answer.key !== undefined) && token !== undefined ? displayKey(sim, token) : undefined,
      plan,
      remaining,
      retryAfter,
      strike,
      waitedMs,
      waitMs,
      servedAgainAt: again && new Date(again.atMs).toISOString(),
      ban: again?.bannedUntilMs === undefined ? undefined : refusalText(again, nowMs, strike !== undefined),
      code: error.code,
      message: error.message && redact(error.message),
      fault,
      refusedBy,
      sandbox: headers['X-Sim-Sandbox'],
      wire: wire?.kind,
      unsentStatus: isUnsent ? status : undefined,
      refusedOrigin: isOriginRefused ? request.headers.origin : undefined,
      durationMs: Math.round(durationMs * 1000) / 1000,
    };
  };
}

/**
 * Creates a function that detects too early retries (strikes), by comparing a key's number of strikes with the number
 * at its previous refusal.
 * @returns function that returns the number of strikes, or `undefined` if it has not grown
 */
function createStrikeOf(): (sim: Simulator, key: string | undefined) => number | undefined {
  const known = new WeakMap<Simulator, Map<string, number>>();
  return (sim, key) => {
    const strikes = key === undefined ? undefined : coreOf(sim).state.keys.get(key)?.strikes;
    if (key === undefined || strikes === undefined) return undefined;
    const ofKeys = known.get(sim) ?? new Map<string, number>();
    known.set(sim, ofKeys);
    const before = ofKeys.get(key) ?? 0;
    if (strikes === 0) ofKeys.delete(key);
    else ofKeys.set(key, strikes);
    return strikes > before ? strikes : undefined;
  };
}

/**
 * Finds the wait before an early retry (a strike) of a key; `undefined` if the journal no longer contains the retry and
 * the rejection before it.
 */
function strikeWait(sim: Simulator, key: string | undefined, strike: number): RefusalBefore | undefined {
  const { journal } = coreOf(sim).state;
  const record = journal.latest((each) => each.token === key && each.isStrike && each.strikes === strike);
  const previousRecord = record && journal.latest((each) => each.token === key && isAboutLimits(each), record.id);
  return previousRecord && refusalBefore(previousRecord, record);
}

/** Time from which a refused key is served again, and why; `undefined` without a known key. */
function againOf(sim: Simulator, token: string | undefined, nowMs: number, cost = 1): ServedAgain | undefined {
  const { keys } = coreOf(sim).state;
  const key = token === undefined ? undefined : keys.get(token);
  return key && servedAgain(keys.preview(key, nowMs), nowMs, { algorithm: keys.algorithm, cost });
}

const noError: ReturnType<typeof readError> = {};

/** Finds the API key in the path of a control operation. */
const controlledKey = (path: string) =>
  /^\/__sim(?:\/sandboxes\/[^/?]*)?\/keys\/(?!key_[0-9a-f]{16}\b)([^/?]+)/.exec(path)?.[1];

const sentToken = (
  state: SimulatorState,
  { headers }: AnsweredRequest,
  query: string | undefined,
  place: KeyPlace | undefined,
) => tokenAt(state, { header: (name) => headers[name] as string | undefined, query: query ?? '' }, place);

/** Finds the error in a body, also in the words of other services: at the top, first in a list, or in `error`. */
function errorIn(body: unknown): { readonly code?: unknown; readonly message?: unknown } {
  const top = mapOf(Array.isArray(body) ? body[0] : body);
  return 'message' in top ? top : mapOf(top.error);
}

/** Parses an Error body. Returns `undefined` if a fault has replaced the body. */
function readError(body: string): { code?: string; message?: string } {
  try {
    const { code, message } = errorIn(JSON.parse(body));
    return { ...(typeof code === 'string' && { code }), ...(typeof message === 'string' && { message }) };
  } catch {
    return {};
  }
}
