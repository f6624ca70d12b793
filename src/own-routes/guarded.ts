import type { HttpResponseResolver, PathParams } from 'msw';
import { checkSimulator, coreOf, type Simulator } from '../simulator/simulator.js';
import { type RouteOptions, serveRoute } from './serve-route.js';

type Info<Params extends PathParams> = Parameters<HttpResponseResolver<Params>>[0];
type Resolver<Params extends PathParams> = (info: Info<Params>) => Response | Promise<Response>;
type Guarded<Params extends PathParams> = (info: Info<Params>) => Promise<Response>;

type GuardedOptions = Pick<RouteOptions, 'operation' | 'reads' | 'cost'>;

/**
 * Wraps an msw resolver, so that its route works like an operation of the API: authentication, limits, faults, journal
 * and verdict apply. An input that `sim.pets` or `parseJson` rejects becomes a 400 of the API; any other error of the
 * resolver becomes a 500.
 * @param operation name for scenarios, journal and verdict; default: method and path, such as `GET /v1/categories/{id}`.
 * Or the name, whether the route only reads, and its cost: `{ operation: 'search', reads: true, cost: 5 }`
 * @param resolver must return a response within 30 s, and must not send its request to the simulated API, because the
 * request would count twice
 * @example http.get('https://api.petstore.example/v1/categories', guarded(sim, 'listCategories', () =>
 * HttpResponse.json(categories)))
 */
export function guarded<Params extends PathParams = PathParams>(
  sim: Simulator,
  operation: string | GuardedOptions,
  resolver: Resolver<Params>,
): Guarded<Params>;
export function guarded<Params extends PathParams = PathParams>(
  sim: Simulator,
  resolver: Resolver<Params>,
): Guarded<Params>;
export function guarded<Params extends PathParams>(
  sim: Simulator,
  ...given: [Resolver<Params>] | [string | GuardedOptions, Resolver<Params>]
): Guarded<Params> {
  const resolver = given.at(-1);
  const [about] = given.length === 2 ? given : [undefined];
  const { operation, reads, cost }: GuardedOptions = typeof about === 'object' ? about : { operation: about };
  checkSimulator('guarded', sim);
  if (typeof resolver !== 'function' || operation === '') {
    throw new TypeError('guarded: expected a simulator, the name of an operation (optional) and a resolver');
  }
  if (operation !== undefined) coreOf(sim).state.shared.operations.names.add(operation);
  const guard = (info: Info<Params>) =>
    serveRoute(sim, info.request, () => resolver(info), { operation, reads, cost, params: info.params });
  return Object.assign(guard, { [operationKey]: operation });
}

/**
 * Symbol property of the resolver of a rate-limited msw handler: its operation name. `Symbol.for`, because the package
 * may be loaded twice.
 */
const operationKey = Symbol.for('petstore-sim operation');

/**
 * Finds an operation name that two rate-limited msw handlers of the user share; `undefined` if all names differ.
 * @param handlers msw handlers, whose `resolver` is an internal property of msw
 */
export function sharedOperation(handlers: readonly object[]): string | undefined {
  const names = handlers.flatMap((handler) => {
    const { resolver } = handler as { resolver?: { [operationKey]?: string | undefined } };
    return resolver?.[operationKey] ?? [];
  });
  return names.find((name, index) => names.indexOf(name) !== index);
}
