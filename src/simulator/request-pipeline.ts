import type { FaultRule } from '../faults/fault-rule.js';
import type { FaultMatch } from '../faults/fault-rules.js';
import { htmlPage } from '../faults/hostile-headers.js';
import { beforeDelay, injectFault } from '../faults/inject-fault.js';
import type { OperationName } from '../petstore/document.js';
import { operations } from '../petstore/operations.js';
import { deprecationHeaders, findRoute, type Route } from '../petstore/routes.js';
import type { Settings } from '../petstore/settings.js';
import { admit } from '../rate-limits/admission.js';
import { type ApiKey, startBan } from '../rate-limits/api-key.js';
import { findKey, requireValid } from '../rate-limits/authentication.js';
import type { RateReport } from '../rate-limits/rate-report.js';
import type { Answer, ApiCall } from '../requests/api-call.js';
import { ApiError } from '../requests/api-error.js';
import { emptyOutcome, errorOutcome, type Outcome } from '../requests/outcome.js';
import { createDelayedRequests } from './delayed-requests.js';
import { faultRequest } from './fault-request.js';
import { rateWithoutKey } from './limit-headers.js';
import { createRefusals } from './refusals.js';
import type { SimulatorState } from './simulator-state.js';
import { type DelayedRequest, type RequestInProgress, toRecord } from './to-record.js';

/** A route that an extension serves, after the request is authenticated and counted. */
const extensionRoute: Route = { operation: undefined, petId: '' };

/** Whether the plan limits apply to a route; an unknown one only where they apply to all. */
function isLimited({ operation }: Route, { limitsApply }: Settings): boolean {
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
    const route = findRoute(call, resolved.settings, nowMs);
    const exchange: RequestInProgress = {
      id,
      call,
      resolved,
      route,
      isLimited: isLimited(route, resolved.settings),
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
    const { call, resolved, route, nowMs } = exchange;
    const { settings } = resolved;
    const { faults } = this.#state;
    let fault: FaultMatch | undefined;
    let bannedKey: ApiKey | undefined;
    try {
      const key = this.#authenticate(call.header('authorization'), nowMs);
      exchange.key = key.key;
      exchange.plan = key.plan;
      const hasFaults = faults.size > 0 && route.operation !== undefined && route.refusal === undefined;
      if (hasFaults) fault = faults.match(faultRequest(call, key, route), nowMs);
      const counts = fault?.rule?.countsQuota ?? true;
      const refused = this.#look(exchange, key, counts);
      if (refused !== undefined) return refused;
      bannedKey = fault?.rule?.effect.kind === 'ban' ? key : undefined;
    } catch (error) {
      exchange.rate ??= rateWithoutKey(resolved, nowMs);
      return this.#failure(error, settings);
    }
    if (route.refusal !== undefined) return errorOutcome(route.refusal, settings);
    if (route.operation === undefined) return emptyOutcome;
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
    const { call, resolved, route } = exchange;
    const { settings, categories } = resolved;
    const { pets, shared } = this.#state;
    try {
      const outcome = operations[route.operation as OperationName](
        call,
        { pets, lists: shared.lists, categories, settings },
        route.petId,
      );
      exchange.storedId = outcome.storedId;
      return outcome;
    } catch (error) {
      return this.#failure(error, settings);
    }
  }

  #failure(error: unknown, settings: Settings): Outcome {
    if (error instanceof ApiError) return errorOutcome(error, settings);
    this.#onError(error);
    const message = 'The simulator failed; this is a bug of the simulator.';
    return errorOutcome(new ApiError(500, 'internal_error', message), settings);
  }

  /** @param atMs the instant of the headers: of the request, or of the end of its delay */
  #answer(exchange: RequestInProgress, outcome: Outcome, atMs: number, arrivedBehind = 0): Answer {
    const { id, call, resolved, route, key, plan, rate, fault } = exchange;
    const { settings, hostileHeaders: hostile, windowSeconds } = resolved;
    const { clock, journal, shared } = this.#state;
    const { status, isRefusal = false, wire } = outcome;
    const isDeprecated = route.operation === 'getPet' && settings.deprecation === 'headers';
    const more = isDeprecated ? { ...deprecationHeaders(call.baseUrl), ...outcome.headers } : outcome.headers;
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
      operation: route.operation,
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
      const options = { isLimited: isLimited(extensionRoute, settings), counts: true };
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
