import { ApiError, errorBody } from '../contract/api-error.js';
import type { Settings } from '../contract/assumptions.js';
import { documentedPlans, type OperationName } from '../contract/document.js';
import type { FaultMatch, FaultRule, WireFault } from '../faults/faults.js';
import { htmlPage } from '../faults/hostile-headers.js';
import { applyFault } from '../faults/inject-fault.js';
import { admit } from '../limits/admission.js';
import { authenticate } from '../limits/authentication.js';
import type { ApiKey } from '../limits/keys.js';
import { type RateReport, reportUnauthorized } from '../limits/rate-report.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { ResetError } from '../state/clock.js';
import type { Refusal } from '../state/journal.js';
import { parseInt64 } from '../values/int64.js';
import type { Answer, ApiCall } from './api-call.js';
import { createKeptLists } from './list-cache.js';
import { operations } from './operations.js';
import { createHeaderWriter } from './response-headers.js';
import { deprecationHeaders, findRoute, isLimited, type Route } from './routes.js';
import type { SimulatorState } from './simulator-state.js';

/** An answer before the headers that every answer carries. */
export interface Outcome {
  status: number;
  body: string;
  bodyKey?: object | undefined;
  headers?: Readonly<Record<string, string | null>> | undefined;
  isRefusal?: boolean;
  wire?: WireFault | undefined;
}

/** One request on its way: what is known of it so far. */
interface Exchange {
  /** In the journal; 0 for a request of an extension, which is in none. */
  readonly id: number;
  readonly call: ApiCall;
  /** The scenario that was in force when the request came; a delayed answer stays of it. */
  readonly resolved: ResolvedScenario;
  readonly route: Route;
  readonly isLimited: boolean;
  readonly nowMs: number;
  key: ApiKey | undefined;
  strikesBefore: number;
  rate: RateReport | undefined;
  refusal: Refusal | undefined;
  fault: FaultMatch | undefined;
  storedId: string | undefined;
}

/** Builds the whole path of a request: authentication, ban, rate limit, route, faults, operation, headers. */
export function createHandle(state: SimulatorState, onError: (error: unknown) => void) {
  const { clock, pets, keys, faults, journal } = state;
  const writeHeaders = createHeaderWriter();
  const keepList = createKeptLists(pets);

  /** @param own the route, where it is not the call that leads to one */
  return function handle(call: ApiCall, own?: Route): Answer | Promise<Answer> {
    const { resolved, algorithm } = state;
    const { settings, plans, windowSeconds } = resolved;
    const nowMs = clock.now();
    const route = own ?? findRoute(call, settings, nowMs);
    const exchange: Exchange = {
      id: own === undefined ? journal.open() : 0,
      call,
      resolved,
      route,
      isLimited: isLimited(route, settings),
      nowMs,
      key: undefined,
      strikesBefore: 0,
      rate: undefined,
      refusal: undefined,
      fault: undefined,
      storedId: undefined,
    };

    try {
      const key = authenticate(call.header('authorization'), keys, nowMs);
      exchange.key = key;
      keys.catchUp(key);
      exchange.strikesBefore = key.strikes;
      const fault =
        faults.size > 0 && route.operation !== undefined && route.refusal === undefined
          ? faults.match(faultRequest(call, key, route))
          : undefined;
      const counts = fault?.rule?.countsQuota ?? true;
      const { rate, refusal } = admit(key, algorithm, settings, nowMs, { isLimited: exchange.isLimited, counts });
      exchange.rate = rate;
      if (refusal !== undefined) {
        exchange.refusal = refusal.code === 'key_banned' ? 'ban' : 'limit';
        return answer(exchange, { ...errorOutcome(refusal, settings), isRefusal: true });
      }
      exchange.fault = fault;
    } catch (error) {
      // Without a key that was admitted, there is no window to tell of.
      const freeMinute = (plans.free ?? documentedPlans.free).minute;
      const nowSeconds = Math.floor(nowMs / 1000);
      exchange.rate ??= reportUnauthorized(freeMinute, windowSeconds.minute, settings.unauthorizedHeaders, nowSeconds);
      return answer(exchange, failure(error, settings));
    }
    if (route.refusal !== undefined) return answer(exchange, errorOutcome(route.refusal, settings));
    const { operation } = route;
    if (operation === undefined) return answer(exchange, admitted);
    const { fault } = exchange;
    fault?.commit();
    if (fault?.rule === undefined) return answer(exchange, run(exchange, operation));
    const outcome = applyFault(
      fault,
      () => run(exchange, operation),
      (ms) => clock.sleep(ms, call.signal),
    );
    if (!(outcome instanceof Promise)) return answer(exchange, outcome);
    return outcome.then(
      (delayed) => answer(exchange, delayed),
      (reason) => {
        // The client has gone, or the simulator was reset; if the latter, the request belongs to no journal any more.
        if (reason instanceof ResetError) journal.abandon(exchange.id);
        else note(exchange, { status: 0, headers: {}, body: '' }, clock.now(), true);
        throw reason;
      },
    );
  };

  function run(exchange: Exchange, operation: OperationName): Outcome {
    const { call, resolved, route } = exchange;
    const { settings, categories } = resolved;
    try {
      const result = operations[operation](call, { pets, categories, settings, keepList }, route.petId);
      exchange.storedId = result.storedId;
      return result;
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

  function answer(exchange: Exchange, outcome: Outcome): Answer {
    const { id, call, resolved, route, key, rate, fault, nowMs } = exchange;
    const { settings, hostileHeaders: hostile } = resolved;
    const { status, isRefusal = false, wire } = outcome;
    // Only a fault delays.
    const answeredAtMs = fault === undefined ? nowMs : clock.now();
    const nowSeconds = Math.floor(answeredAtMs / 1000);
    const deprecated = route.operation === 'getPet' && settings.deprecation === 'headers';
    const more = deprecated ? { ...deprecationHeaders(call.baseUrl), ...outcome.headers } : outcome.headers;
    const finished: Answer = {
      status,
      headers: writeHeaders({ nowSeconds, rate, isRefusal, settings, hostile, more }),
      body: isRefusal && hostile?.html ? htmlPage(status) : outcome.body,
      // A fault may have changed the text.
      bodyKey: fault === undefined ? outcome.bodyKey : undefined,
      operation: route.operation,
      key: key?.key,
      plan: key?.plan,
      fault: fault?.rule?.name,
      wire,
    };
    if (id > 0) note(exchange, finished, answeredAtMs, fault?.rule !== undefined && makesUnreadable(fault.rule));
    return finished;
  }

  function note(
    { id, call, route, isLimited, nowMs, key, strikesBefore, rate, refusal, fault, storedId }: Exchange,
    { status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>,
    answeredAtMs: number,
    isUnreadable: boolean,
  ): void {
    const authorization = call.header('authorization');
    const strikes = key?.strikes ?? 0;
    journal.add({
      id,
      arrivedAtMs: nowMs,
      answeredAtMs,
      token: key?.key ?? authorization?.slice(authorization.lastIndexOf(' ') + 1),
      plan: key?.plan,
      operation: route.operation,
      method: call.method,
      path: call.path,
      query: call.query,
      status,
      requestBody: call.body,
      responseBody: body,
      headers,
      window: rate?.window,
      refusal,
      promisedAtMs: refusal && rate && rate.resetAtSeconds * 1000,
      strikes,
      isStrike: strikes > strikesBefore,
      isLimited: key !== undefined && isLimited,
      episode: key?.episodes ?? 0,
      storedId,
      fault: fault?.rule?.name,
      isUnreadable,
      connection: call.connection,
      call: call.header('x-sim-call'),
    });
  }
}

function errorOutcome({ status, code, message, headers }: ApiError, { errorCodes }: Settings): Outcome {
  return { status, body: errorBody({ code: errorCodes[code] ?? code, message, status }), headers };
}

/** What stands for the answer that an extension gives. */
const admitted: Outcome = { status: 200, body: '' };

/** Whether the client cannot read the answer: another status, a delay and a slow body can all be read. */
const makesUnreadable = ({ effect }: FaultRule) =>
  effect.kind === 'wire' ? effect.wire.kind !== 'drip' : effect.kind !== 'none' && effect.kind !== 'respond';

function faultRequest(call: ApiCall, { key, plan }: ApiKey, { operation, petId }: Route) {
  return {
    operation: operation as OperationName,
    method: call.method,
    key,
    plan,
    status: operation === 'listPets' ? new URLSearchParams(call.query).get('status') : null,
    petId: parseInt64(petId),
    fingerprint: () => `${key} ${call.method} ${call.path}?${call.query} ${new TextDecoder().decode(call.body)}`,
  };
}
