import { expect, test } from 'vitest';
import { LimitHypotheses } from '../../src/fidelity/deduce/limit-hypotheses.js';
import { allLimitRules, type LimitRules, limitAssumptions } from '../../src/fidelity/deduce/limit-rules.js';
import { admit, limitsApplyTo } from '../../src/rate-limits/admission.js';
import { createApiKey } from '../../src/rate-limits/api-key.js';
import { windowAlgorithm } from '../../src/rate-limits/window.js';
import { emptyRecord } from '../../src/requests/request-record.js';
import type { Exchange } from '../../src/traffic-files/exchange.js';
import { documentedNames, documentedWindows, forDocumented } from '../../src/values/window-fields.js';
import { tries } from '../support/prove.js';
import { createDraw } from './hidden-worlds.js';

// Dialogues with the simulator's own admission, in whole seconds or in milliseconds: the rules that made a dialogue
// must never be ruled out by it.

const everyRule = allLimitRules();

/**
 * Requests of one key to a service with the rules, at random instants. @param lost share of the responses that are lost
 */
function dialogue(seed: number, rules: LimitRules, lost: number): Exchange[] {
  const { pick, below, chance } = createDraw(seed);
  const { settings, rounding } = rules;
  const units = rounding === 'seconds' ? 1 : 1_000;
  const [first, last] = pick([
    [60, 1_000],
    [5 + below(12), 30 + below(60)],
    [3 + below(4), 8 + below(8)],
  ]);
  const step = (last - first) / (documentedNames.length - 1);
  const plan = forDocumented((name) => Math.round(first + step * documentedNames.indexOf(name)));
  const lengths = forDocumented((name) => documentedWindows[name] * units);
  const key = createApiKey(
    'key',
    { plan: 'any', state: 'active', usage: forDocumented(() => 0), bannedForMs: 0 },
    plan,
    lengths,
    0,
    0,
  );
  const algorithm = windowAlgorithm(settings);
  const skewMs = below(8_000) - 4_000;
  const latencyMs = pick([0, 10, 60, 700]);
  let nowMs = Date.UTC(2026, 4, 1 + below(20), below(22), below(60), below(60)) + below(1_000);
  const exchanges: Exchange[] = [];
  // Requests before the first one that is recorded.
  let hidden = chance(0.5) ? below(first) : 0;
  while (exchanges.length < 60) {
    nowMs += pick([20, 120, 120, 900, 5_000, 13_000, chance(0.3) ? 61_000 : 1_000]);
    const sentMs = nowMs;
    const countedMs = sentMs + below(latencyMs + 1);
    const operation = pick(['listPets', 'listPets', 'getPet', 'createPet', undefined] as const);
    const isLimited = limitsApplyTo(settings, operation);
    const { rate, refusal } = admit(key, algorithm, settings, countedMs * units, { isLimited, counts: true });
    nowMs = countedMs + below(latencyMs + 1);
    if (hidden-- > 0) continue;
    const resetSeconds = rate.resetAtSeconds / units;
    const reset = rounding === 'down' ? Math.floor(resetSeconds) : Math.ceil(resetSeconds);
    exchanges.push({
      ...emptyRecord,
      id: exchanges.length + 1,
      token: 'own',
      operation,
      method: 'GET',
      path: '/pets',
      arrivedAtMs: sentMs - skewMs,
      answeredAtMs: nowMs - skewMs,
      status: chance(lost) ? 0 : refusal === undefined ? 200 : 429,
      headers: {
        'X-RateLimit-Limit': `${rate.limit}`,
        'X-RateLimit-Remaining': `${rate.remaining}`,
        'X-RateLimit-Reset': `${reset}`,
      },
      requestHeaders: {},
      dateMs: Math.floor(countedMs / 1_000) * 1_000,
      missing: [],
      isOwn: false,
    });
  }
  return exchanges;
}

const nameOf = ({ settings, rounding }: LimitRules) =>
  JSON.stringify([rounding, ...limitAssumptions.map((about) => settings[about])]);

test('no dialogue with the simulator excludes its own rules, in whole seconds or in milliseconds', () => {
  const wrong: string[] = [];
  const count = tries(200, 3_000);
  let others = 0;
  for (let seed = 1; seed <= count; seed++) {
    const rules = createDraw(seed * 7).pick(everyRule);
    const limits = new LimitHypotheses([rules]);
    for (const exchange of dialogue(seed, rules, 0.03)) limits.add(exchange, false);
    const { unexplained } = limits;
    if (unexplained !== undefined) wrong.push(`seed ${seed}: ${nameOf(rules)} at #${unexplained.exchange.id}`);
    const stranger = createDraw(seed * 11).pick(everyRule);
    const foreign = new LimitHypotheses([stranger]);
    for (const exchange of dialogue(seed, rules, 0.03)) foreign.add(exchange, false);
    others += foreign.unexplained === undefined ? 1 : 0;
  }
  expect(wrong).toEqual([]);
  // Rules drawn at random differ mostly in what a dialogue shows.
  expect(others / count).toBeLessThan(0.2);
});

test('a change of one request or one second excludes the only remaining rules of a dialogue', () => {
  const missed: string[] = [];
  const changes = [
    ['X-RateLimit-Remaining', 1],
    ['X-RateLimit-Remaining', -1],
    ['X-RateLimit-Reset', 2],
    ['X-RateLimit-Reset', -2],
  ] as const;
  for (let seed = 1; seed <= 60; seed++) {
    const fixed = everyRule.filter(
      ({ settings }) => settings.algorithm === 'fixed-window' && settings.limitsApply === 'all',
    );
    const rules = createDraw(seed * 7).pick(fixed);
    const recorded = dialogue(seed, rules, 0);
    if (!recorded.slice(20).some(({ status }) => status === 200)) continue;
    for (const [header, delta] of changes) {
      const limits = new LimitHypotheses([rules]);
      let isBan = false;
      recorded.forEach((exchange, index) => {
        // A refusal always has Remaining 0, even if the count is wrong.
        const isChanged = index >= 20 && (header !== 'X-RateLimit-Remaining' || exchange.status === 200);
        const value = Math.max(0, Number(exchange.headers[header]) + (isChanged ? delta : 0));
        const changed = { ...exchange, headers: { ...exchange.headers, [header]: `${value}` } };
        isBan = limits.add(changed, false) || isBan;
      });
      // A later reset of a key with nothing left may be a ban.
      if (limits.unexplained === undefined && !isBan) missed.push(`seed ${seed}: ${header} ${delta}, ${nameOf(rules)}`);
    }
  }
  expect(missed).toEqual([]);
});

test('a window with more remaining requests excludes that the one with the fewest is reported', () => {
  const byDay = everyRule.filter(
    ({ settings }) =>
      settings.reportedWindow === 'day' && settings.limitsApply === 'all' && settings.algorithm !== 'token-bucket',
  );
  const missed: string[] = [];
  let checked = 0;
  for (let seed = 1; seed <= 200; seed++) {
    const rules = createDraw(seed * 7).pick(byDay);
    const recorded = dialogue(seed, rules, 0);
    const minute = recorded.find(({ status }) => status === 429);
    const hasMore = ({ id, status, headers }: Exchange) =>
      id > (minute?.id ?? Number.POSITIVE_INFINITY) &&
      status === 200 &&
      Number(headers['X-RateLimit-Remaining']) > Number(minute?.headers['X-RateLimit-Limit']);
    if (!recorded.some(hasMore)) continue;
    checked++;
    const limits = new LimitHypotheses([
      { ...rules, settings: { ...rules.settings, reportedWindow: 'least-remaining' } },
    ]);
    // Without the first responses, so that the minute is seen before the day.
    for (const exchange of recorded.slice((minute?.id ?? 1) - 1)) limits.add(exchange, false);
    if (limits.unexplained === undefined) missed.push(`seed ${seed}: ${nameOf(rules)}`);
  }
  expect(missed).toEqual([]);
  expect(checked).toBeGreaterThan(20);
});
