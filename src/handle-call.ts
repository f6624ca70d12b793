import { createHeaderWriter } from './answer-headers.js';
import type { Answer, ApiCall } from './api-call.js';
import { applyFault } from './apply-fault.js';
import { documentedPlans, type OperationName } from './interface/contract.js';
import { ApiError, errorBody } from './interface/errors.js';
import { parseInt64 } from './interface/int64.js';
import { createKeptLists } from './kept-lists.js';
import { operations } from './operations.js';
import type { Parts } from './parts.js';
import { admit } from './policies/admission.js';
import { authenticate } from './policies/auth.js';
import type { FaultMatch, FaultRule, WireFault } from './policies/faults.js';
import { htmlPage } from './policies/hostile-headers.js';
import type { ApiKey } from './policies/keys.js';
import { type RateReport, reportUnauthorized } from './policies/rate-limit.js';
import { deprecationHeaders, findRoute, isLimited, type Route } from './routes.js';
import type { World } from './scenario/load.js';
import { ResetError } from './state/clock.js';
import type { Refusal } from './state/journal.js';

/** An answer before the headers that every answer carries. */
export interface Outcome {
  status: number;
  body: string;
  headers?: Readonly<Record<string, string | null>> | undefined;
  isRefusal?: boolean;
  wire?: WireFault | undefined;
}

/** Builds the whole path of a request: authentication, ban, rate limit, route, faults, operation, headers. */
export function createHandle(parts: Parts, onError: (error: unknown) => void) {
  const { clock, pets, keys, faults, journal } = parts;
  const writeHeaders = createHeaderWriter();
  const keepList = createKeptLists(pets);

  /** @param own the route, where it is not the call that leads to one */
  return function handle(call: ApiCall, own?: Route): Answer | Promise<Answer> {
    // A delayed answer stays of the scenario that was in force when the request came.
    const { world, algorithm } = parts;
    const { settings, plans, windowSeconds } = world;
    const nowMs = clock.now();
    const nowSeconds = Math.floor(nowMs / 1000);
    const route = own ?? findRoute(call, settings, nowMs);
    const limited = isLimited(route, settings);
    let rate: RateReport | undefined;
    let key: ApiKey | undefined;
    let fault: FaultMatch | undefined;
    let refusal: Refusal | undefined;
    let storedId: string | undefined;
    let strikesBefore = 0;
    const id = own === undefined ? journal.open() : 0;

    const failure = (error: unknown): Outcome => {
      if (error instanceof ApiError) return errorOutcome(error);
      onError(error);
      return errorOutcome(new ApiError(500, 'internal_error', 'The simulator failed; this is a bug of the simulator.'));
    };
    const errorOutcome = ({ status, code, message, headers }: ApiError): Outcome => ({
      status,
      body: errorBody({ code: settings.errorCodes[code] ?? code, message, status }),
      headers,
    });
    const run = (operation: OperationName): Outcome => {
      try {
        const context = { pets, categories: world.categories, settings, keepList };
        const result = operations[operation](call, context, route.petId);
        storedId = result.storedId;
        return result;
      } catch (error) {
        return failure(error);
      }
    };
    const note = (answer: Pick<Answer, 'status' | 'headers' | 'body'>, answeredAtMs: number, isSpoiled: boolean) => {
      const authorization = call.header('authorization');
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
        status: answer.status,
        requestBody: call.body,
        responseBody: answer.body,
        headers: answer.headers,
        window: rate?.window,
        refusal,
        promisedAtMs: refusal && rate && rate.resetAtSeconds * 1000,
        strikes: key?.strikes ?? 0,
        isStrike: (key?.strikes ?? 0) > strikesBefore,
        isLimited: key !== undefined && limited,
        episode: key?.episodes ?? 0,
        storedId,
        fault: fault?.rule?.name,
        isSpoiled,
        connection: call.connection,
        call: call.header('x-sim-call'),
      });
    };
    const answer = (outcome: Outcome): Answer => {
      // Only a fault delays.
      const answeredAtMs = fault === undefined ? nowMs : clock.now();
      const finished = finish(call, world, route, key, rate, fault, outcome, Math.floor(answeredAtMs / 1000));
      if (own === undefined) note(finished, answeredAtMs, fault?.rule !== undefined && isSpoiling(fault.rule));
      return finished;
    };

    try {
      key = authenticate(call.header('authorization'), keys, nowMs);
      keys.catchUp(key);
      strikesBefore = key.strikes;
      if (faults.size > 0 && route.operation !== undefined && route.refusal === undefined)
        fault = faults.match(faultRequest(call, key, route));
      const counts = fault?.rule?.countsQuota ?? true;
      const admission = admit(key, algorithm, settings, nowMs, { isLimited: limited, counts });
      rate = admission.rate;
      if (admission.refusal !== undefined) {
        fault = undefined;
        refusal = admission.refusal.code === 'key_banned' ? 'ban' : 'limit';
        return answer({ ...errorOutcome(admission.refusal), isRefusal: true });
      }
    } catch (error) {
      // Without a key that was admitted, there is no window to tell of.
      const freeMinute = (plans.free ?? documentedPlans.free).minute;
      rate ??= reportUnauthorized(freeMinute, windowSeconds.minute, settings.unauthorizedHeaders, nowSeconds);
      return answer(failure(error));
    }
    if (route.refusal !== undefined) return answer(errorOutcome(route.refusal));
    const { operation } = route;
    if (operation === undefined) return answer(admitted);
    fault?.commit();
    if (fault?.rule === undefined) return answer(run(operation));
    const outcome = applyFault(
      fault,
      () => run(operation),
      (ms) => clock.sleep(ms, call.signal),
    );
    if (!(outcome instanceof Promise)) return answer(outcome);
    return outcome.then(answer, (reason) => {
      // The client has gone, or the simulator was reset; if the latter, the request belongs to no journal any more.
      if (reason instanceof ResetError) journal.abandon(id);
      else note({ status: 0, headers: {}, body: '' }, clock.now(), true);
      throw reason;
    });
  };

  function finish(
    call: ApiCall,
    { settings, hostileHeaders }: World,
    route: Route,
    key: ApiKey | undefined,
    rate: RateReport | undefined,
    fault: FaultMatch | undefined,
    outcome: Outcome,
    nowSeconds: number,
  ): Answer {
    const { status, isRefusal = false, wire } = outcome;
    const deprecated = route.operation === 'getPet' && settings.deprecation === 'headers';
    const more = deprecated ? { ...deprecationHeaders(call.baseUrl), ...outcome.headers } : outcome.headers;
    const headers = writeHeaders({ nowSeconds, rate, isRefusal, settings, hostile: hostileHeaders, more });
    return {
      status,
      headers,
      body: isRefusal && hostileHeaders?.html ? htmlPage(status) : outcome.body,
      operation: route.operation,
      key: key?.key,
      plan: key?.plan,
      fault: fault?.rule?.name,
      wire,
    };
  }
}

/** What stands for the answer that an extension gives. */
const admitted: Outcome = { status: 200, body: '' };

/** Whether the client cannot read the answer: another status, a delay and a slow body can all be read. */
const isSpoiling = ({ effect }: FaultRule) =>
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
