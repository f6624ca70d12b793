import type { Answer, ApiCall } from '../adapters/api-call.js';
import { ApiError } from '../contract/api-error.js';
import { documentedPlans, type OperationName } from '../contract/document.js';
import type { Settings } from '../contract/settings.js';
import { hasRule } from '../faults/fault-rules.js';
import { htmlPage } from '../faults/hostile-headers.js';
import { injectFault } from '../faults/inject-fault.js';
import { emptyOutcome, errorOutcome, type Outcome } from '../faults/outcome.js';
import { admit } from '../limits/admission.js';
import type { ApiKey } from '../limits/api-key.js';
import { findKey, requireValid } from '../limits/authentication.js';
import { type RateReport, reportUnauthorized } from '../limits/rate-report.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { ResetError } from '../state/clock.js';
import { parseInt64 } from '../values/int64.js';
import { createListCache } from './list-cache.js';
import { operations } from './operations.js';
import { type Exchange, toRecord, unanswered } from './request-record.js';
import { createHeaderWriter } from './response-headers.js';
import { deprecationHeaders, extensionRoute, findRoute, isLimited, type Route } from './routes.js';
import type { SimulatorState } from './simulator-state.js';

/** The path of a request: authentication, ban, rate limit, route, faults, operation, headers, journal. */
export function createRequestPipeline(state: SimulatorState, onError: (error: unknown) => void) {
  const { clock, pets, keys, faults, journal } = state;
  const writeHeaders = createHeaderWriter();
  const listCache = createListCache(pets);

  /** Answers one call: at once, or after the delay of a fault rule. */
  function handle(call: ApiCall): Answer | Promise<Answer> {
    const { resolved } = state;
    const nowMs = clock.now();
    const route = findRoute(call, resolved.settings, nowMs);
    const exchange: Exchange = {
      id: journal.open(),
      call,
      resolved,
      route,
      isLimited: isLimited(route, resolved.settings),
      nowMs,
      key: undefined,
      isStrike: false,
      rate: undefined,
      refusal: undefined,
      fault: undefined,
      storedId: undefined,
    };
    const outcome = decide(exchange);
    if (!(outcome instanceof Promise)) return hold(exchange, outcome, nowMs);
    return outcome.then(
      (delayed) => hold(exchange, delayed, clock.now()),
      (reason) => {
        // The client has gone, or the simulator was reset; after a reset the request belongs to no journal.
        if (reason instanceof ResetError) journal.abandon(exchange.id);
        else journal.add(toRecord(exchange, unanswered, clock.now(), 0, journal.lastId));
        throw reason;
      },
    );
  }

  /** What the request leads to. Never throws. */
  function decide(exchange: Exchange): Outcome | Promise<Outcome> {
    const { call, resolved, route, nowMs } = exchange;
    const { settings } = resolved;
    try {
      const key = authenticate(call.header('authorization'), nowMs);
      exchange.key = key;
      const hasFaults = faults.size > 0 && route.operation !== undefined && route.refusal === undefined;
      const fault = hasFaults ? faults.match(faultRequest(call, key, route), nowMs) : undefined;
      const counts = fault?.rule?.countsQuota ?? true;
      const admission = admit(key, keys.algorithm, settings, nowMs, { isLimited: exchange.isLimited, counts });
      exchange.rate = admission.rate;
      exchange.isStrike = admission.isStrike;
      if (admission.refusal !== undefined) {
        exchange.refusal = admission.refusal.code === 'key_banned' ? 'ban' : 'limit';
        return { ...errorOutcome(admission.refusal, settings), isRefusal: true };
      }
      exchange.fault = fault;
    } catch (error) {
      exchange.rate ??= rateWithoutKey(resolved, nowMs);
      return failure(error, settings);
    }
    if (route.refusal !== undefined) return errorOutcome(route.refusal, settings);
    const { operation } = route;
    if (operation === undefined) return emptyOutcome;
    const { fault } = exchange;
    fault?.commit();
    const run = () => runOperation(exchange, operation);
    return hasRule(fault) ? injectFault(fault, run, (ms) => clock.sleep(ms, call.signal)) : run();
  }

  /** The key of a request, brought up to date. @throws {ApiError} 401 */
  function authenticate(authorization: string | undefined, nowMs: number): ApiKey {
    const key = findKey(authorization, (token) => keys.find(token, nowMs));
    keys.bringUpToDate(key, nowMs);
    requireValid(key, nowMs);
    return key;
  }

  function runOperation(exchange: Exchange, operation: OperationName): Outcome {
    const { call, resolved, route } = exchange;
    const { settings, categories } = resolved;
    try {
      const outcome = operations[operation](call, { pets, categories, settings, listCache }, route.petId);
      exchange.storedId = outcome.storedId;
      return outcome;
    } catch (error) {
      return failure(error, settings);
    }
  }

  function failure(error: unknown, settings: Settings): Outcome {
    if (error instanceof ApiError) return errorOutcome(error, settings);
    onError(error);
    const message = 'The simulator failed; this is a bug of the simulator.';
    return errorOutcome(new ApiError(500, 'internal_error', message), settings);
  }

  /**
   * Answers at once, or a little later where the adapter holds back answers that tell a client to wait.
   * @param writtenAtMs the instant of the headers: of the request, or of the end of its delay
   */
  function hold(exchange: Exchange, outcome: Outcome, writtenAtMs: number): Answer | Promise<Answer> {
    const { call } = exchange;
    const { status, isRefusal, wire } = outcome;
    const asksToWait = status === 401 || status === 429 || status === 503 || isRefusal;
    if (call.hold === undefined || !asksToWait || wire !== undefined) {
      return answer(exchange, outcome, writtenAtMs, writtenAtMs, 0);
    }
    return call.hold().then((heldMs) => answer(exchange, outcome, writtenAtMs, clock.now(), heldMs));
  }

  function answer(
    exchange: Exchange,
    outcome: Outcome,
    writtenAtMs: number,
    answeredAtMs: number,
    heldMs: number,
  ): Answer {
    const { call, resolved, route, key, rate, fault } = exchange;
    const { settings, hostileHeaders: hostile } = resolved;
    const { status, isRefusal = false, wire } = outcome;
    const nowSeconds = Math.floor(writtenAtMs / 1000);
    const isDeprecated = route.operation === 'getPet' && settings.deprecation === 'headers';
    const more = isDeprecated ? { ...deprecationHeaders(call.baseUrl), ...outcome.headers } : outcome.headers;
    const { windowSeconds } = resolved;
    const headers = writeHeaders({ nowSeconds, rate, isRefusal, settings, windowSeconds, hostile, more });
    const finished: Answer = {
      status,
      headers: call.adapterHeaders === undefined ? headers : { ...headers, ...call.adapterHeaders },
      body: isRefusal && hostile?.html ? htmlPage(status) : outcome.body,
      // A fault may have changed the text.
      bodyKey: fault === undefined ? outcome.bodyKey : undefined,
      operation: route.operation,
      key: key?.key,
      plan: key?.plan,
      fault: fault?.rule?.name,
      wire,
      finish: wire?.kind === 'drip' ? (isWhole) => journal.finish(exchange.id, clock.now(), isWhole) : undefined,
    };
    journal.add(toRecord(exchange, finished, answeredAtMs, heldMs, journal.lastId));
    return finished;
  }

  /**
   * Authenticates and counts a request that an extension serves.
   * @returns the 401 or 429 to answer with, or an empty 200 with the headers for the answer
   */
  function admitExtension(authorization: string | undefined): Answer {
    const { resolved } = state;
    const { settings, hostileHeaders: hostile } = resolved;
    const nowMs = clock.now();
    let key: ApiKey | undefined;
    let rate: RateReport | undefined;
    let outcome = emptyOutcome;
    try {
      key = authenticate(authorization, nowMs);
      const options = { isLimited: isLimited(extensionRoute, settings), counts: true };
      const admission = admit(key, keys.algorithm, settings, nowMs, options);
      rate = admission.rate;
      if (admission.refusal) outcome = { ...errorOutcome(admission.refusal, settings), isRefusal: true };
    } catch (error) {
      rate ??= rateWithoutKey(resolved, nowMs);
      outcome = failure(error, settings);
    }
    const { status, body, isRefusal = false, headers: more } = outcome;
    return {
      status,
      headers: writeHeaders({
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

  return { handle, admitExtension };
}

function rateWithoutKey({ plans, windowSeconds, settings }: ResolvedScenario, nowMs: number): RateReport | undefined {
  const { minute } = plans.free ?? documentedPlans.free;
  return reportUnauthorized(minute, windowSeconds.minute, settings.unauthorizedHeaders, Math.floor(nowMs / 1000));
}

function faultRequest(call: ApiCall, { key, plan }: ApiKey, { operation, petId }: Route) {
  return {
    operation: operation as OperationName,
    method: call.method,
    key,
    plan,
    status: operation === 'listPets' ? new URLSearchParams(call.query).get('status') : null,
    petId: parseInt64(petId),
    callText: () => `${key} ${call.method} ${call.path}?${call.query} ${new TextDecoder().decode(call.body)}`,
  };
}
