import type { Answer, ApiCall } from './api-call.js';
import { fetchDoor } from './fetch.js';
import type { Settings } from './interface/assumptions.js';
import { documentedPlans, rateLimitHeaders, retryAfterHeader } from './interface/contract.js';
import { ApiError, errorBody } from './interface/errors.js';
import { type OperationResult, operations } from './operations.js';
import { admit } from './policies/admission.js';
import { authenticate } from './policies/auth.js';
import { type ApiKey, Keys } from './policies/keys.js';
import { type RateReport, reportUnauthorized } from './policies/rate-limit.js';
import { windowAlgorithm } from './policies/windows.js';
import { deprecationHeaders, findRoute, isLimited, type Route } from './routes.js';
import { type GeneratePets, loadScenario } from './scenario/load.js';
import type { Scenario } from './scenario/schema.js';
import { Clock, type ClockState } from './state/clock.js';
import { createHttpDate } from './state/http-date.js';
import { Pets } from './state/pets.js';

export interface SimulatorOptions {
  /** What the simulator starts with and does. What it leaves out comes from the default scenario. */
  scenario?: Scenario;
  /** Needed only for a scenario with `pets.generate`: `generatePets` of `petstore-sim/seed`. */
  generatePets?: GeneratePets;
  /** Told of every answer with status 500, which is a bug of the simulator. Default: `console.error`. */
  onError?: (error: unknown) => void;
}

/** Everything that requests and the clock can change, to go back to with `restore`. Nothing in it is ever changed. */
export interface Snapshot {
  readonly clock: ClockState;
  readonly pets: ReturnType<Pets['state']>;
  readonly keys: ReturnType<Keys['state']>;
}

/** A whole world: animals, API keys with their limits and bans, and the clock that drives them. */
export interface Simulator {
  /** The name of the scenario. */
  readonly name: string;
  readonly clock: Clock;
  readonly pets: Pets;
  readonly keys: Keys;
  /** What it does where the document is silent. */
  readonly settings: Readonly<Settings>;
  /** Answers one call, at once. The doors (HTTP, msw, fetch) all come here. */
  handle(call: ApiCall): Answer;
  /**
   * The simulator as a `fetch`: any origin, API under `/v1`. Hand it to a client that accepts one.
   * @example const response = await sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
   */
  readonly fetch: typeof fetch;
  /** Goes back to the start of the scenario: animals, identifiers, keys, limits, bans and clock. */
  reset(): void;
  snapshot(): Snapshot;
  restore(snapshot: Snapshot): void;
}

/**
 * Builds a simulator. Synchronous and without I/O, in Node and in browsers; two simulators share nothing.
 * @throws {ScenarioError} naming every mistake of the scenario with its path
 * @example const sim = createSimulator({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
 */
export function createSimulator({
  scenario = {},
  generatePets,
  onError = console.error,
}: SimulatorOptions = {}): Simulator {
  const world = loadScenario(scenario, generatePets);
  const { settings, plans, windowSeconds, seed } = world;
  const algorithm = windowAlgorithm(settings);
  const clock = new Clock(world.clock);
  const pets = new Pets(world.pets, { order: settings.listOrder, seed, idStart: world.idStart });
  const keys = new Keys({
    definitions: world.keys,
    plans,
    windowSeconds,
    algorithm,
    acceptAnyKey: settings.acceptAnyKey,
    clock,
  });
  const context = { pets, categories: world.categories, settings };
  const freeMinuteLimit = (plans.free ?? documentedPlans.free).minute;
  const httpDate = createHttpDate();

  const handle = (call: ApiCall): Answer => {
    const nowMs = clock.now();
    const nowSeconds = Math.floor(nowMs / 1000);
    const route = findRoute(call, settings, nowMs);
    let key: ApiKey | undefined;
    let rate = reportUnauthorized(freeMinuteLimit, windowSeconds.minute, settings.unauthorizedHeaders, nowSeconds);
    let result: OperationResult;
    try {
      key = authenticate(call.header('authorization'), keys, nowMs);
      keys.startPreset(key);
      const admission = admit(key, algorithm, settings, nowMs, isLimited(route, settings));
      rate = admission.rate;
      if (admission.refusal !== undefined) {
        result = errorResult(admission.refusal, refusalHeaders(rate, nowSeconds));
      } else if (route.refusal !== undefined) {
        result = errorResult(route.refusal);
      } else {
        result = operations[route.operation](call, context, route.petId);
      }
    } catch (error) {
      result = errorResult(error);
    }
    const headers = answerHeaders(nowSeconds, rate, route, call, result.headers);
    return {
      status: result.status,
      headers,
      body: result.body,
      operation: route.operation,
      key: key?.key,
      plan: key?.plan,
    };
  };

  const errorResult = (error: unknown, headers: Record<string, string> = {}): OperationResult => {
    if (error instanceof ApiError) {
      const { status, message } = error;
      const code = settings.errorCodes[error.code] ?? error.code;
      return { status, body: errorBody({ code, message, status }), headers: { ...error.headers, ...headers } };
    }
    onError(error);
    return errorResult(new ApiError(500, 'internal_error', 'The simulator failed; this is a bug of the simulator.'));
  };

  const refusalHeaders = ({ resetAtSeconds }: RateReport, nowSeconds: number) => ({
    [retryAfterHeader]:
      settings.retryAfterForm === 'seconds' ? String(resetAtSeconds - nowSeconds) : httpDate(resetAtSeconds),
    // RFC 6585 section 4: "Responses with the 429 status code MUST NOT be stored by a cache."
    'Cache-Control': 'no-store',
  });

  /** The one writer of headers: Date from the clock, and "Every API response carries these headers." */
  const answerHeaders = (
    nowSeconds: number,
    rate: RateReport | undefined,
    route: Route,
    call: ApiCall,
    more: Record<string, string> | undefined,
  ): Record<string, string> => {
    const headers: Record<string, string> = { 'Content-Type': 'application/json', Date: httpDate(nowSeconds) };
    if (rate !== undefined) {
      headers[rateLimitHeaders.limit] = String(rate.limit);
      headers[rateLimitHeaders.remaining] = String(rate.remaining);
      headers[rateLimitHeaders.reset] = String(rate.resetAtSeconds);
    }
    if (route.operation === 'getPet' && settings.deprecation === 'headers') {
      Object.assign(headers, deprecationHeaders(call.baseUrl));
    }
    return more === undefined ? headers : Object.assign(headers, more);
  };

  return {
    name: world.name,
    clock,
    pets,
    keys,
    settings,
    handle,
    fetch: fetchDoor(handle),
    reset() {
      clock.reset();
      pets.reset();
      keys.reset();
    },
    snapshot: () => ({ clock: clock.state(), pets: pets.state(), keys: keys.state() }),
    restore(snapshot) {
      clock.restore(snapshot.clock);
      pets.restore(snapshot.pets);
      keys.restore(snapshot.keys);
    },
  };
}
