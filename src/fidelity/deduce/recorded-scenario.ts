import { documentedPlans } from '../../petstore/document.js';
import { isOperationName, type OperationName } from '../../petstore/operations.js';
import type { Fault } from '../../scenario/fault-schema.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { type Exchange, isGivenUp } from '../../traffic-files/exchange.js';
import { textOfBytes } from '../../values/json-bytes.js';
import { type DocumentedWindow, documentedNames, forDocumented } from '../../values/window-fields.js';
import type { Learner } from './learner.js';
import { unseenLimit } from './limit-hypotheses.js';
import { isRefusal, rateOf, secondsOf } from './observed-rate.js';

type KeyOfScenario = NonNullable<Scenario['keys']>[string];
type Limits = Readonly<Record<DocumentedWindow, number | undefined>>;

/**
 * Creates a scenario that simulates a recorded real API: its keys, stored data, faults and undocumented behavior.
 * @param learner facts that were deduced from the recorded responses
 */
export function recordedScenario(exchanges: readonly Exchange[], learner: Learner, name: string): Scenario {
  const { facts, limits } = learner;
  const { enterpriseLimits: _, ...assumptions } = learner.settings();
  const tokens = [...new Set(exchanges.flatMap(({ token }) => token ?? []))];
  const keys = Object.fromEntries(tokens.map((token) => [token, keyOf(exchanges, token, learner)]));
  const { enterprise } = limits;
  const created = exchanges.flatMap(({ operation, status, responseBody }) =>
    operation === 'createPet' && status === 201 ? [/"id":(-?\d+)/.exec(textOfBytes(responseBody))?.[1]] : [],
  );
  const minuteSeconds = minuteLength(exchanges);
  const faults = recordedFaults(exchanges);
  const [first] = exchanges;
  return {
    name,
    clock: { start: new Date(first?.arrivedAtMs ?? 0).toISOString() },
    ...(first?.token !== undefined && {
      client: { key: first.token, ...(isOperationName(first.operation) && { operation: first.operation }) },
    }),
    keys,
    ...(enterprise && {
      plans: { enterprise: forDocumented((name) => enterprise.limits[name] ?? unseenLimit) },
    }),
    ...(minuteSeconds !== undefined && { windows: { minute: `${minuteSeconds}s` } }),
    ...(created[0] !== undefined && Number.isSafeInteger(Number(created[0])) && { ids: { start: Number(created[0]) } }),
    ...(assumptions.unknownCategory === 'reject' && { categories: [...facts.categories] }),
    pets: facts.initialPets.map(({ extra: _, ...pet }) => pet),
    ...(faults.length > 0 && { faults }),
    ...(Object.keys(assumptions).length > 0 && { assumptions: assumptions as NonNullable<Scenario['assumptions']> }),
  };
}

function keyOf(exchanges: readonly Exchange[], token: string, { limits }: Learner): KeyOfScenario {
  const ownExchanges = exchanges.filter((exchange) => exchange.token === token && exchange.status > 0);
  const isUnauthorized = (exchange: Exchange) => exchange.status === 401 && !isRefusal(exchange);
  if (ownExchanges.length > 0 && ownExchanges.every(isUnauthorized)) return { plan: 'free', state: 'revoked' };
  const [first] = ownExchanges;
  const seen = limits.planOf(token);
  const plan = seen?.plan ?? guessedPlan(first);
  const documented = documentedPlans[plan as keyof typeof documentedPlans] as Partial<Limits> | undefined;
  const known = forDocumented((name) => seen?.limits[name] ?? documented?.[name]);
  const ended = ownExchanges.find(isUnauthorized);
  const expiresInMs = ended === undefined || first === undefined ? undefined : ended.arrivedAtMs - first.arrivedAtMs;
  return {
    plan,
    ...startOf(first, known),
    ...(expiresInMs !== undefined && expiresInMs > 0 && { expiresIn: expiresInMs }),
  };
}

function guessedPlan(first: Exchange | undefined): string {
  const limit = first && rateOf(first)?.limit;
  const found = Object.entries(documentedPlans).find(([, limits]) =>
    Object.values(limits).some((each) => each === limit),
  );
  return found?.[0] ?? 'free';
}

/**
 * Derives the state of an API key before its first recorded request: the usage of its window, or the rest of its ban. A
 * scenario made from the recording starts with this state.
 */
function startOf(first: Exchange | undefined, limits: Limits): Pick<KeyOfScenario, 'usage' | 'bannedFor'> {
  const rate = first && rateOf(first);
  if (first === undefined || rate === undefined) return {};
  const seconds = rate.reset - secondsOf(first);
  const isBan = isRefusal(first) && (first.status !== 429 || /"key_banned"/.test(textOfBytes(first.responseBody)));
  if (isBan) return { bannedFor: `${Math.max(1, seconds)}s` };
  const used = rate.limit - rate.remaining - (isRefusal(first) ? 0 : 1);
  if (used <= 0) return {};
  // The shortest window that can have the limit of the headers.
  const window = documentedNames.find((name) => (limits[name] ?? rate.limit) === rate.limit);
  return { usage: { [window ?? (documentedNames.at(-1) as DocumentedWindow)]: used } };
}

/**
 * Derives the length of the rate-limit window `minute` from a recording, in seconds. Returns `undefined` unless the
 * window is shorter than 60 s.
 */
function minuteLength(exchanges: readonly Exchange[]): number | undefined {
  const fresh = exchanges.flatMap((exchange) => {
    const rate = rateOf(exchange);
    const isFirst = rate !== undefined && rate.remaining === rate.limit - 1 && exchange.dateMs !== undefined;
    return isFirst && exchange.status !== 401 ? [rate.reset - secondsOf(exchange)] : [];
  });
  const longest = Math.max(...fresh);
  return fresh.length > 0 && longest > 0 && longest < 60 ? longest : undefined;
}

/** Minimum response time for which a recorded response becomes a fault rule with the same delay. */
const slowMs = 1_000;
/** Assumed ratio between an API's response time and the time until the client aborted the request. */
const guessedShare = 2;
/** Maximum number of fault rules in a scenario that is created from recorded requests. */
const maximumFaults = 50;
const longestBody = 2_000;

/** Creates fault rules from the failures in a recording. Each applies to the n-th request of its operation. */
function recordedFaults(exchanges: readonly Exchange[]): Fault[] {
  const counts = new Map<OperationName, number>();
  const faults: Fault[] = [];
  for (const exchange of exchanges) {
    const { operation, status } = exchange;
    // Fault rules never apply to requests that got a 401 or were rate-limited.
    if (!isOperationName(operation) || status === 401 || isRefusal(exchange)) continue;
    const nth = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, nth);
    const then = effectOf(exchange);
    if (then === undefined || faults.length === maximumFaults) continue;
    faults.push({ name: `recorded-${faults.length + 1}`, when: { operation, nth }, then });
  }
  return faults;
}

function effectOf(exchange: Exchange): Fault['then'] | undefined {
  const { status, arrivedAtMs, answeredAtMs, headers, responseBody } = exchange;
  const lastedMs = Math.round(answeredAtMs - arrivedAtMs);
  const isSlow = lastedMs >= slowMs;
  if (isGivenUp(exchange)) return isSlow ? { delay: guessedShare * lastedMs } : undefined;
  const delay = isSlow ? { delay: lastedMs } : {};
  if (status === 0) return { reset: true, ...delay };
  if (status < 500) return isSlow ? delay : undefined;
  const wait = headers['Retry-After'];
  return {
    respond: {
      status: Math.min(status, 599),
      ...(wait !== undefined && { headers: { 'Retry-After': wait } }),
      ...(responseBody !== '' && { body: textOfBytes(responseBody).slice(0, longestBody) }),
    },
    ...delay,
  };
}
