import type { FaultRule } from '../faults/fault-rule.js';
import type { FaultMatch, FaultRequest } from '../faults/fault-rules.js';
import { htmlPage } from '../faults/hostile-headers.js';
import { injectFault, needsOperation } from '../faults/inject-fault.js';
import { admit, limitsApplyTo } from '../rate-limits/admission.js';
import { type ApiKey, countLater, startBan } from '../rate-limits/api-key.js';
import { findKey, readToken, requireValid } from '../rate-limits/authentication.js';
import { maximumCost } from '../rate-limits/plan-limits.js';
import { reportServed } from '../rate-limits/rate-report.js';
import type { Answer, ApiCall, Route } from '../requests/api-call.js';
import { ApiError, maximumBodyBytes, payloadTooLarge, unauthorized } from '../requests/api-error.js';
import { refuseUnknown } from '../requests/operation-table.js';
import { errorOutcome, isStream, type Outcome } from '../requests/outcome.js';
import { isSafe } from '../requests/request-record.js';
import { createMatch, type Match, refusedMatch } from '../requests/service.js';
import { arrivesWhole } from '../requests/wire-fault.js';
import type { Costs } from '../scenario/resolve-costs.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Settings } from '../scenario/settings.js';
import type { SentKey } from '../values/key-place.js';
import { rateWithoutKey } from './limit-headers.js';
import { keyPlaceOf, readSentKey } from './sent-key.js';
import type { MountedService, SimulatorState } from './simulator-state.js';
import { type DelayedRequest, type RequestInProgress, type RunningRequest, toRecord } from './to-record.js';
import { createWaitingRequests } from './waiting-requests.js';
import { inWords } from './words.js';

/** Creates the match between a request and a custom route (the user's own handler). */
const matchOfRoute = ({ operation, isWrite }: Route, { method, body }: ApiCall): Match =>
  createMatch(
    operation,
    isWrite ?? !isSafe(method),
    body && body.length > maximumBodyBytes ? payloadTooLarge() : undefined,
  );

/**
 * Decision to run the function of a custom route. `rule` is the fault rule that changes or delays the function's
 * outcome.
 */
type Run = Pick<RunningRequest, 'rule' | 'delayMs'>;

const delayed = (exchange: RequestInProgress, rule: FaultRule, first: Outcome | undefined, dueMs: number) => ({
  dueMs: Math.ceil(dueMs),
  exchange,
  rule,
  first,
});

/** Returns the number of requests as which a request counts, by scenario, handler or service; `undefined` for one. */
function costOf(
  { costs }: ResolvedScenario,
  operation: string,
  { route }: ApiCall,
  mounted: MountedService | undefined,
): number | undefined {
  const ofService = route === undefined ? mounted?.service.costs : undefined;
  if (costs === undefined && ofService === undefined) return route?.cost;
  const own = ofService !== undefined && Object.hasOwn(ofService, operation) ? ofService[operation] : route?.cost;
  return costs?.ofOperations.get(operation) ?? own;
}

/** Reads the cost that a response states; `NaN` without one. */
function statedCost({ header, bodyPath = [] }: Costs, { headers, body }: Outcome): number {
  if (header !== undefined) return Number(headers?.[header]);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return Number.NaN;
  }
  for (const step of bodyPath) value = Object.hasOwn(Object(value), step) ? Object(value)[step] : undefined;
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/** Schemes of the challenge in a 401, by the place of the key. */
const challenges: Readonly<Record<string, string>> = { bearer: 'Bearer', token: 'Bearer', basic: 'Basic' };

/** Handles requests in stages: authentication, ban, rate limit, custom route, faults, operation, headers, journal. */
export class RequestPipeline {
  readonly #state: SimulatorState;
  readonly #onError: (error: unknown) => void;
  readonly #refuse = createRefusals();
  readonly waiting: ReturnType<typeof createWaitingRequests>;

  constructor(state: SimulatorState, onError: (error: unknown) => void) {
    this.#state = state;
    this.#onError = onError;
    this.waiting = createWaitingRequests(state, {
      afterDelay: ({ dueMs, exchange, rule, first }) =>
        this.#continue(exchange, this.#inject(exchange, rule, first, dueMs), dueMs),
      charge: (exchange, outcome) => this.#charge(exchange, outcome),
      afterRun: ({ exchange, rule, delayMs }, outcome) => {
        const nowMs = state.clock.now();
        return this.#continue(exchange, this.#afterRun(exchange, { rule, delayMs }, outcome, nowMs), nowMs);
      },
    });
  }

  /** Responds to a request at once, after a fault rule's delay, or after a custom route's function. */
  handle(call: ApiCall): Answer | Promise<Answer> {
    const state = this.#state;
    const { journal } = state;
    const nowMs = state.clock.now();
    const id = journal.open();
    // Completes the due responses of earlier requests before the new request is handled. The new request gets its id
    // first, because it arrived before these responses were sent.
    if (state.delayed.length > 0) this.waiting.complete(nowMs);
    const { resolved } = state;
    const basePath = call.basePath ?? state.basePaths[0];
    let mounted: MountedService | undefined;
    let match: Match | undefined;
    try {
      if (call.route !== undefined) match = matchOfRoute(call.route, call);
      else
        for (mounted of state.services) {
          const { service } = mounted;
          if (service.basePath === basePath) match = service.find(call, resolved, nowMs);
          if (match !== undefined) break;
        }
    } catch (error) {
      match = refusedMatch(this.#toApiError(error));
    }
    if (match === undefined) {
      const under = state.services.filter(({ service }) => service.basePath === basePath);
      const services = under.map(({ service }) => service);
      match = refusedMatch(refuseUnknown(call, services, resolved.settings.unknownMethod === 'not-found'));
      mounted = under[0];
    }
    const operation = state.shared.nameInScenario(match.operation);
    const exchange: RequestInProgress = {
      id,
      call,
      resolved,
      match,
      service: mounted?.service.name,
      isLimited: limitsApplyTo(resolved.settings, operation),
      cost: costOf(resolved, operation, call, mounted),
      nowMs,
      keyPlace: keyPlaceOf(state, call, mounted),
      sentKey: undefined,
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
    return (
      this.#continue(exchange, this.#decide(exchange, operation), nowMs, call.arrivedBehind) ??
      this.waiting.wait(id, call.signal)
    );
  }

  /**
   * Performs the next step of a request: responds with an outcome (status, headers and body), starts a delay, or runs a
   * custom route. Returns the response, or `undefined` if the request waits for the delay or the route.
   */
  #continue(exchange: RequestInProgress, next: Outcome | DelayedRequest | Run, atMs: number, arrivedBehind?: number) {
    if ('status' in next) return this.#answer(exchange, next, atMs, arrivedBehind);
    if ('dueMs' in next) this.waiting.delay(next);
    else this.waiting.run(exchange, next.rule, next.delayMs);
    return undefined;
  }

  /**
   * Decides how a request continues: with an outcome, a delay or the function of a custom route. Never throws.
   * @param operation name by which scenarios refer to the request's operation
   */
  #decide(exchange: RequestInProgress, operation: string): Outcome | DelayedRequest | Run {
    const { call, resolved, match, nowMs } = exchange;
    const { settings } = resolved;
    const { faults } = this.#state;
    let fault: FaultMatch | undefined;
    let bannedKey: ApiKey | undefined;
    try {
      const key = this.#authenticate(exchange);
      exchange.key = key.key;
      exchange.plan = key.plan;
      if (faults.size > 0 && match.refusal === undefined)
        fault = faults.match(this.#faultRequest(exchange, operation, key), nowMs);
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
    const isRoute = call.route !== undefined;
    if (fault?.rule === undefined) return isRoute ? { rule: undefined, delayMs: 0 } : this.#runOperation(exchange);
    const { rule, delayMs } = fault;
    exchange.fault = rule;
    if (isRoute && bannedKey === undefined && rule.phase === 'after') return { rule, delayMs };
    let first: Outcome | undefined;
    if (bannedKey) first = this.#ban(exchange, bannedKey, rule);
    else if (rule.phase === 'after') first = this.#runOperation(exchange);
    return delayMs === 0 ? this.#inject(exchange, rule, first, nowMs) : delayed(exchange, rule, first, nowMs + delayMs);
  }

  /**
   * Returns the outcome of a request under a fault rule, after the rule's delay. Returns a `Run` instead if the
   * function of the user's custom route must run first.
   */
  #inject(exchange: RequestInProgress, rule: FaultRule, first: Outcome | undefined, nowMs: number): Outcome | Run {
    if (exchange.call.route !== undefined && first === undefined && needsOperation(rule)) return { rule, delayMs: 0 };
    return injectFault(rule, first, nowMs, () => this.#runOperation(exchange));
  }

  #afterRun(exchange: RequestInProgress, { rule, delayMs }: Run, outcome: Outcome, nowMs: number) {
    if (rule === undefined) return outcome;
    if (delayMs > 0) return delayed(exchange, rule, outcome, nowMs + delayMs);
    return injectFault(rule, outcome, nowMs, () => outcome);
  }

  /**
   * Checks a request's key for a ban and exhausted limits, and counts the request.
   * @returns the response if the request is refused
   */
  #look(exchange: RequestInProgress, key: ApiKey, counts: boolean): Outcome | undefined {
    const { resolved, nowMs, isLimited, cost } = exchange;
    const admission = admit(key, this.#state.keys.algorithm, resolved.settings, nowMs, { isLimited, counts, cost });
    exchange.rate = admission.rate;
    exchange.isStrike = admission.isStrike;
    exchange.strikes = key.strikes;
    exchange.episode = key.episodes;
    if (admission.refusal === undefined) return undefined;
    if (admission.refusal.code === 'invalid_request') return errorOutcome(admission.refusal, resolved.settings);
    exchange.refusal = admission.refusal.code === 'key_banned' ? 'ban' : 'limit';
    return this.#refuse(admission.refusal, resolved.settings);
  }

  /** Charges the cost that only the response of a route states, at the time of the response. */
  #charge(exchange: RequestInProgress, outcome: Outcome): void {
    const { resolved, isLimited, fault } = exchange;
    const { costs } = resolved;
    const isStated = costs?.header !== undefined || costs?.bodyPath !== undefined;
    if (!isStated || !isLimited || fault?.countsQuota === false) return;
    const { keys, clock } = this.#state;
    const key = keys.get(exchange.key ?? '');
    if (key === undefined) return;
    const cost = Math.min(Math.ceil(statedCost(costs, outcome)), maximumCost);
    const counted = exchange.cost ?? 1;
    if (!(cost > counted)) return;
    exchange.cost = cost;
    const nowMs = clock.now();
    keys.bringUpToDate(key, nowMs);
    countLater(key, keys.algorithm, nowMs, cost - counted);
    exchange.rate = reportServed(key, resolved.settings.reportedWindow);
  }

  /** Bans the key of a request because of a fault rule, and refuses the request. */
  #ban(exchange: RequestInProgress, key: ApiKey, { effect }: FaultRule): Outcome | undefined {
    if (effect.kind === 'ban') startBan(key, exchange.nowMs, effect.forMs, 'set');
    return this.#look(exchange, key, false);
  }

  /**
   * Finds the API key of a request. Applies the key's initial usage from the scenario at the key's first request, and
   * adds simulated requests of other clients.
   * @throws {ApiError} 401 for a missing or invalid key
   */
  #authenticate(exchange: RequestInProgress): ApiKey {
    const { call, keyPlace, nowMs, resolved } = exchange;
    const { keys } = this.#state;
    if (keyPlace !== undefined) exchange.sentKey = readSentKey(resolved, keyPlace, call);
    const { token, problem }: SentKey = exchange.sentKey ?? {};
    if (problem !== undefined) throw unauthorized(problem, false, challenges[keyPlace?.from ?? 'bearer'] ?? 'ApiKey');
    const key = findKey(token ?? readToken(call.header('authorization')), (each) => keys.find(each, nowMs));
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

  /** Returns the request properties with which conditions of fault rules are compared. */
  #faultRequest(exchange: RequestInProgress, operation: string, { key, plan }: ApiKey): FaultRequest {
    const { call, match } = exchange;
    const { method, path, query, body } = call;
    return {
      operation,
      method,
      key,
      plan,
      values: call.route === undefined ? (this.#mounted(exchange).service.conditions?.(call, match) ?? {}) : {},
      callText: () => `${key} ${method} ${path}?${query} ${new TextDecoder().decode(body)}`,
    };
  }

  /**
   * Returns the simulated API that serves a request, such as the Petstore.
   * @throws {Error} if this process does not serve the API that the request names, because another process, with other
   * APIs, logged the request
   */
  #mounted({ service: name }: RequestInProgress): MountedService {
    const mounted = this.#state.services.find(({ service }) => service.name === name);
    if (mounted === undefined) throw new Error(`Failed to serve a request: expected a service ${name}, got none`);
    return mounted;
  }

  #failure(error: unknown, settings: Settings): Outcome {
    return errorOutcome(this.#toApiError(error), settings);
  }

  /**
   * Converts an error thrown by an operation to an error response. Returns an `ApiError` as it is; any other error is
   * reported and becomes a 500.
   */
  #toApiError(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    this.#onError(error);
    return new ApiError(500, 'internal_error', 'The simulator failed; this is a bug in the simulator.');
  }

  /**
   * Creates the response with all its headers.
   * @param atMs time by which the headers are computed: the arrival of the request, or the end of its delay
   */
  #answer(exchange: RequestInProgress, given: Outcome, atMs: number, arrivedBehind = 0): Answer {
    const { id, call, resolved, match, key, plan, rate, fault, refusal, cost } = exchange;
    const { settings, hostileHeaders: hostile, windowSeconds, words } = resolved;
    const isInWords = words !== undefined && given.hasOwnLimits !== true;
    let outcome = given;
    if (isInWords) {
      const banStatus = refusal === 'ban' && settings.banStatus !== 429 ? settings.banStatus : undefined;
      outcome = inWords(words, given, { rate, banStatus, nowMs: atMs });
    }
    const { clock, journal, shared } = this.#state;
    const { status, isRefusal = false, hasOwnLimits = false, refusedBy, wire } = outcome;
    const more = match.headers === undefined ? outcome.headers : { ...match.headers, ...outcome.headers };
    const nowSeconds = Math.floor(atMs / 1000);
    const headers = shared.writeHeaders({
      status,
      nowSeconds,
      rate: hasOwnLimits || isInWords ? undefined : rate,
      isRefusal,
      settings,
      windowSeconds,
      hostile,
      more,
    });
    const asksToWait = status === 401 || status === 429 || status === 503 || isRefusal;
    const isPage = isRefusal && hostile?.html === true;
    const isHeld = call.holdsRefusals && asksToWait && wire === undefined;
    const finished: Answer = {
      status,
      headers: call.adapterHeaders === undefined ? headers : { ...headers, ...call.adapterHeaders },
      body: isPage ? htmlPage(status) : outcome.body,
      utf8: call.sendsUtf8 && !isPage ? outcome.utf8 : undefined,
      raw: outcome.raw,
      operation: match.operation,
      key,
      plan,
      refusal,
      cost,
      fault: fault?.name,
      refusedBy,
      wire,
      sent: isHeld
        ? (heldMs, nowMs = clock.now()) =>
            journal.complete(id, { answeredAtMs: nowMs, finishedAtMs: nowMs, lastArrivedId: journal.lastId, heldMs })
        : undefined,
      finish:
        (wire !== undefined && arrivesWhole(wire)) || isStream(outcome.raw)
          ? (isWhole, responseBody) =>
              journal.complete(id, {
                finishedAtMs: clock.now(),
                isAbandoned: !isWhole,
                ...(responseBody !== undefined && { responseBody }),
              })
          : undefined,
    };
    const record = toRecord(exchange, finished, atMs, journal.lastId + arrivedBehind, shared.recordHeaders, outcome);
    if (isHeld) journal.hold(record);
    else journal.add(record);
    return finished;
  }
}

/**
 * Creates a function that returns the response to a rate-limited or banned request. Reuses the previous response if it is
 * equal, so that the journal stores the text once. Rejections within one second have the same text.
 */
function createRefusals(): (error: ApiError, settings: Settings) => Outcome {
  let message: string | undefined;
  let status: number | undefined;
  let settings: Settings | undefined;
  let last: Outcome | undefined;
  return (error, current) => {
    if (last === undefined || error.message !== message || error.status !== status || current !== settings) {
      ({ message, status } = error);
      settings = current;
      last = { ...errorOutcome(error, current), isRefusal: true };
    }
    return last;
  };
}
