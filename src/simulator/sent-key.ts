import type { ApiKey } from '../rate-limits/api-key.js';
import { findKey, readToken, tokenOf } from '../rate-limits/authentication.js';
import type { ApiCall } from '../requests/api-call.js';
import { type PlainCall, toPlainCall } from '../requests/plain-call.js';
import { clientOf } from '../scenario/client.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { type KeyedCall, type KeyPlace, placeOf, readKey, type SentKey, toKeyPlace } from '../values/key-place.js';
import type { MountedService, SimulatorState } from './simulator-state.js';

type Served = Pick<SimulatorState, 'resolved' | 'services'>;

const bearer = toKeyPlace('bearer');

/**
 * Returns the place of the key in a request to a service or to a route of the user. `undefined` for the main service as
 * documented, whose key is read without the search for a key in another place.
 */
export const keyPlaceOf = (
  { resolved, services }: Served,
  call: Pick<ApiCall, 'route'>,
  mounted: MountedService | undefined,
): KeyPlace | undefined =>
  (call.route === undefined ? mounted?.keyPlace : undefined) ??
  resolved.keyPlace ??
  (call.route !== undefined || (mounted !== undefined && mounted !== services.at(-1)) ? bearer : undefined);

/** Place of the keys in requests to an operation, for outputs. */
export const shownKeyPlace = ({ resolved, services }: Served, operation: string | undefined): KeyPlace | undefined =>
  services.find(({ service, keyPlace }) => keyPlace && service.operations.includes(operation ?? ''))?.keyPlace ??
  resolved.keyPlace;

/** Reads the key of a request at a place, or of the log, which has the key instead of the credential. */
export const readSentKey = (
  { scenario }: Pick<ResolvedScenario, 'scenario'>,
  place: KeyPlace,
  call: KeyedCall & Pick<ApiCall, 'sentKey'>,
): SentKey => call.sentKey ?? readKey(place, call, place.from === 'one' ? clientOf(scenario).key : undefined);

/**
 * Reads the key of a request for the log, with its place; `undefined` if the log stores the header Authorization as sent.
 * A log has no other service than the main one.
 */
function readForLog(state: Served, call: ApiCall): [SentKey, KeyPlace] | undefined {
  const place = keyPlaceOf(state, call, state.services.at(-1));
  if (place === undefined) return undefined;
  const read = readSentKey(state.resolved, place, call);
  return place === bearer && read.isElsewhere === undefined ? undefined : [read, place];
}

/**
 * Copies a request for the log, which has the API key instead of the credential, unless the key is where the main service's
 * document says.
 */
export function toLoggedCall(state: Served, call: ApiCall): PlainCall {
  const [sentKey, place] = readForLog(state, call) ?? [];
  return toPlainCall(call, sentKey, place);
}

/** Returns the token of a request without an operation, such as one outside the API. */
export const tokenAt = (
  { resolved }: Pick<SimulatorState, 'resolved'>,
  call: KeyedCall,
  place = resolved.keyPlace,
): string | undefined => (place === undefined ? tokenOf(call) : readSentKey(resolved, place, call).token);

/** Finds the API key of a request that the pipeline does not handle. @throws {ApiError} 401 without a known key */
export function keyOfCall(state: Served & Pick<SimulatorState, 'keys'>, call: ApiCall): ApiKey {
  const [sent] = readForLog(state, call) ?? [];
  return findKey(sent === undefined ? readToken(call.header('authorization')) : (sent.token ?? ''), (token) =>
    state.keys.get(token),
  );
}

/** Whether a request has a credential, at the place of the scenario or elsewhere. */
export const hasCredential = ({ resolved }: Pick<SimulatorState, 'resolved'>, call: KeyedCall): boolean =>
  call.header('authorization') !== undefined ||
  placeOf(call) !== undefined ||
  (resolved.keyPlace !== undefined && readKey(resolved.keyPlace, call).token !== undefined);
