import type { FaultRule } from '../faults/fault-rule.js';
import type { FaultMatch, FaultRequest } from '../faults/fault-rules.js';
import { htmlPage } from '../faults/hostile-headers.js';
import { beforeDelay, injectFault } from '../faults/inject-fault.js';
import { basePath } from '../petstore/document.js';
import type { Settings } from '../petstore/settings.js';
import { admit } from '../rate-limits/admission.js';
import { type ApiKey, startBan } from '../rate-limits/api-key.js';
import { findKey, requireValid } from '../rate-limits/authentication.js';
import type { RateReport } from '../rate-limits/rate-report.js';
import type { Answer, ApiCall } from '../requests/api-call.js';
import { ApiError, notFound } from '../requests/api-error.js';
import { emptyOutcome, errorOutcome, type Outcome } from '../requests/outcome.js';
import { type Match, refusedMatch } from '../requests/service.js';
import { createDelayedRequests } from './delayed-requests.js';
import { rateWithoutKey } from './limit-headers.js';
import { createRefusals } from './refusals.js';
import type { MountedService, SimulatedService, SimulatorState } from './simulator-state.js';
import { type DelayedRequest, type RequestInProgress, toRecord } from './to-record.js';

/** Whether the plan limits apply to an operation; to none (`undefined`) only if they apply to all. */
function isLimited(operation: string | undefined, { limitsApply }: Settings): boolean {
  if (typeof limitsApply === 'string') return limitsApply === 'all';
  return operation !== undefined && limitsApply.includes(operation);
}

/** The path of a request: authentication, ban, rate limit, route, faults, operation, headers, journal. */
export class RequestPipeline {
  readonly #state: SimulatorState;
  readonly #onError: (error: unknown) => void;
  readonly #refuse = createRefusals();
  readonly delayed: ReturnType<typeof createDelayedRequests>;

  constructor(state: SimulatorState, onError: (error: unknown) => void) {
    this.#state = state;
    this.#onError = onError;
    this.delayed = createDelayedRequests(state, ({ dueMs, exchange, rule, first }) =>
      this.#answer(
        exchange,
        injectFault(rule, first, () => this.#runOperation(exchange)),
        dueMs,
      ),
    );
  }

  /** Answers one call: at once, or after the delay of a fault rule. */
  handle(call: ApiCall): Answer | Promise<Answer> {
    const state = this.#state;
    const { journal } = state;
    const nowMs = state.clock.now();
    const id = journal.open();
    // What is due goes on first; but this request has arrived before those answers are sent.
    if (state.delayed.length > 0) this.delayed.complete(nowMs);
    const { resolved } = state;
    let service: SimulatedService | undefined;
    let match: Match | undefined;
    try {
      for (const mounted of state.services) {
        service = mounted.service;
        if (service.basePath === (call.basePath ?? basePath)) match = service.find(call, resolved, nowMs);
        if (match !== undefined) break;
      }
    } catch (error) {
      match = refusedMatch(this.#toApiError(error));
    }
    match ??= refusedMatch(notFound(`There is no operation ${call.method} ${call.path}.`));
    const exchange: RequestInProgress = {
      id,
      call,
      resolved,
      match,
      service: service?.name,
      isLimited: isLimited(match.operation, resolved.settings),
      nowMs,
      key: undefined,
      plan: undefined,
      strikes: 0,
      episode: 0,
      isStrike: false,
      rate: undefined,
      refusal: undefined,
      fault: undefined,
      storedId: undefined,
      isOrphaned: false,
    };
    const outcome = this.#decide(exchange);
    return 'dueMs' in outcome
      ? this.delayed.add(outcome, call.signal)
      : this.#answer(exchange, outcome, nowMs, call.arrivedBehind);
  }

  /** What the request leads to, or how it goes on after a delay. Never throws. */
  #decide(exchange: RequestInProgress): Outcome | DelayedRequest {
    const { call, resolved, match, nowMs } = exchange;
    const { settings } = resolved;
    const { faults } = this.#state;
    let fault: FaultMatch | undefined;
    let bannedKey: ApiKey | undefined;
    try {
      const key = this.#authenticate(call.header('authorization'), nowMs);
      exchange.key = key.key;
      exchange.plan = key.plan;
      if (faults.size > 0 && match.refusal === undefined)
        fault = faults.match(this.#faultRequest(exchange, key), nowMs);
      const counts = fault?.rule?.countsQuota ?? true;
      const refused = this.#look(exchange, key, counts);
      if (refused !== undefined) return refused;
      bannedKey = fault?.rule?.effect.kind === 'ban' ? key : undefined;
    } catch (error) {
      exchange.rate ??= rateWithoutKey(resolved, nowMs);
      return this.#failure(error, settings);
    }
    if (match.refusal !== undefined) return errorOutcome(match.refusal, settings);
    fault?.commit();
    if (fault?.rule === undefined) return this.#runOperation(exchange);
    const { rule, delayMs } = fault;
    exchange.fault = rule;
    const first = bannedKey
      ? this.#ban(exchange, bannedKey, rule)
      : beforeDelay(rule, () => this.#runOperation(exchange));
    if (delayMs === 0) return injectFault(rule, first, () => this.#runOperation(exchange));
    return { dueMs: Math.ceil(nowMs + delayMs), exchange, rule, first };
  }

  /** Ban, then limit. @returns the refusal, if the request is refused */
  #look(exchange: RequestInProgress, key: ApiKey, counts: boolean): Outcome | undefined {
    const { resolved, nowMs, isLimited } = exchange;
    const admission = admit(key, this.#state.keys.algorithm, resolved.settings, nowMs, { isLimited, counts });
    exchange.rate = admission.rate;
    exchange.isStrike = admission.isStrike;
    exchange.strikes = key.strikes;
    exchange.episode = key.episodes;
    if (admission.refusal === undefined) return undefined;
    exchange.refusal = admission.refusal.code === 'key_banned' ? 'ban' : 'limit';
    return this.#refuse(admission.refusal, resolved.settings);
  }

  /** Bans the key of a request, and refuses the request for it. */
  #ban(exchange: RequestInProgress, key: ApiKey, { effect }: FaultRule): Outcome | undefined {
    if (effect.kind === 'ban') startBan(key, exchange.nowMs, effect.forMs, 'set');
    return this.#look(exchange, key, false);
  }

  /** The key of a request, brought up to date. @throws {ApiError} 401 */
  #authenticate(authorization: string | undefined, nowMs: number): ApiKey {
    const { keys, shared } = this.#state;
    const key = findKey(shared.readToken(authorization), (token) => keys.find(token, nowMs));
    keys.bringUpToDate(key, nowMs);
    requireValid(key, nowMs);
    return key;
  }

  #runOperation(exchange: RequestInProgress): Outcome {
    const { call, resolved, match } = exchange;
    try {
      const { service, data } = this.#mounted(exchange);
      const outcome = service.run(call, match, { data, scenario: resolved, nowMs: this.#state.clock.now() });
      exchange.storedId = outcome.storedId;
      return outcome;
    } catch (error) {
      return this.#failure(error, resolved.settings);
    }
  }

  /** The properties of a request that fault rules compare. */
  #faultRequest(exchange: RequestInProgress, { key, plan }: ApiKey): FaultRequest {
    const { call, match } = exchange;
    const { method, path, query, body } = call;
    return {
      operation: match.operation ?? '',
      method,
      key,
      plan,
      values: this.#mounted(exchange).service.conditions?.(call, match) ?? {},
      callText: () => `${key} ${method} ${path}?${query} ${new TextDecoder().decode(body)}`,
    };
  }

  /** @throws {Error} if a log was written with a service that is missing now */
  #mounted({ service: name }: RequestInProgress): MountedService {
    const mounted = this.#state.services.find(({ service }) => service.name === name);
    if (mounted === undefined) throw new Error(`Failed to serve a request: expected a service ${name}, got none`);
    return mounted;
  }

  #failure(error: unknown, settings: Settings): Outcome {
    return errorOutcome(this.#toApiError(error), settings);
  }

  /** The error to respond with. Reports each error that is not one. */
  #toApiError(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    this.#onError(error);
    return new ApiError(500, 'internal_error', 'The simulator failed; this is a bug of the simulator.');
  }

  /** @param atMs the instant of the headers: of the request, or of the end of its delay */
  #answer(exchange: RequestInProgress, outcome: Outcome, atMs: number, arrivedBehind = 0): Answer {
    const { id, call, resolved, match, key, plan, rate, fault } = exchange;
    const { settings, hostileHeaders: hostile, windowSeconds } = resolved;
    const { clock, journal, shared } = this.#state;
    const { status, isRefusal = false, wire } = outcome;
    const more = match.headers === undefined ? outcome.headers : { ...match.headers, ...outcome.headers };
    const nowSeconds = Math.floor(atMs / 1000);
    const headers = shared.writeHeaders({ nowSeconds, rate, isRefusal, settings, windowSeconds, hostile, more });
    const asksToWait = status === 401 || status === 429 || status === 503 || isRefusal;
    const isPage = isRefusal && hostile?.html === true;
    const isHeld = call.holdsRefusals && asksToWait && wire === undefined;
    const finished: Answer = {
      status,
      headers: call.adapterHeaders === undefined ? headers : { ...headers, ...call.adapterHeaders },
      body: isPage ? htmlPage(status) : outcome.body,
      // A fault may have changed the text.
      bodyKey: fault === undefined && !isPage ? outcome.bodyKey : undefined,
      operation: match.operation,
      key,
      plan,
      fault: fault?.name,
      wire,
      sent: isHeld
        ? (heldMs, nowMs = clock.now()) =>
            journal.complete(id, { answeredAtMs: nowMs, finishedAtMs: nowMs, lastArrivedId: journal.lastId, heldMs })
        : undefined,
      finish:
        wire?.kind === 'drip'
          ? (isWhole) => journal.complete(id, { finishedAtMs: clock.now(), isAbandoned: !isWhole })
          : undefined,
    };
    const record = toRecord(exchange, finished, atMs, journal.lastId + arrivedBehind, outcome.assumption);
    if (isHeld) journal.hold(record);
    else journal.add(record);
    return finished;
  }

  /**
   * Authenticates and counts a request that an extension serves.
   * @returns the 401 or 429 to answer with, or an empty 200 with the headers for the answer
   */
  admitExtension(authorization: string | undefined): Answer {
    const { resolved, clock, keys, shared } = this.#state;
    const { settings, hostileHeaders: hostile } = resolved;
    const nowMs = clock.now();
    let key: ApiKey | undefined;
    let rate: RateReport | undefined;
    let outcome = emptyOutcome;
    try {
      key = this.#authenticate(authorization, nowMs);
      const options = { isLimited: isLimited(undefined, settings), counts: true };
      const admission = admit(key, keys.algorithm, settings, nowMs, options);
      rate = admission.rate;
      if (admission.refusal) outcome = this.#refuse(admission.refusal, settings);
    } catch (error) {
      rate ??= rateWithoutKey(resolved, nowMs);
      outcome = this.#failure(error, settings);
    }
    const { status, body, isRefusal = false, headers: more } = outcome;
    return {
      status,
      headers: shared.writeHeaders({
        nowSeconds: Math.floor(nowMs / 1000),
        rate,
        isRefusal,
        settings,
        windowSeconds: resolved.windowSeconds,
        hostile,
        more,
      }),
      body: isRefusal && hostile?.html ? htmlPage(status) : body,
      operation: undefined,
      key: key?.key,
      plan: key?.plan,
      fault: undefined,
      wire: undefined,
    };
  }
}
