// @module-tag extended
import { expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { Learner } from '../../src/fidelity/deduce/learner.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { tries } from '../support/prove.js';
import { assumptionsOf, hiddenWorld, setText, truth } from './hidden-worlds.js';
import { fileOf, recordTraffic } from './recorded-traffic.js';

const key = 'secret-key-of-a-team';

test('learns from a recording of 200 entries without a request, and without a wrong certain value', async () => {
  const count = tries(6, 200);
  const wrong: string[] = [];
  let certain = 0;
  for (let seed = 1; seed <= count; seed++) {
    const world = hiddenWorld(5_000 + seed, 'ours');
    const { limits, usage } = world;
    const scenario: Scenario = {
      clock: { start: world.transport.now() },
      categories: [1, 2],
      keys: { [key]: { plan: 'enterprise', usage } },
      plans: { enterprise: limits },
      assumptions: assumptionsOf(world.choices),
    };
    // In every third world, an unrecorded client uses the same key.
    const unseen = seed % 3 === 0 ? 0.3 : 0;
    const { har } = await recordTraffic(scenario, { seed, count: 200, key, unseen });
    const { exchanges } = await readRecording([fileOf(har, 50_000)], recordedPetstore);
    const learner = new Learner();
    for (const exchange of exchanges) learner.add(exchange);
    for (const { about, state, value, evidence } of learner.knowledge()) {
      const real = truth(world, about);
      if (state === 'certain') certain++;
      if (real === undefined || state === 'not asked' || state === 'likely') continue;
      if (setText(value) !== setText(real)) {
        wrong.push(`seed ${seed}: ${about} is ${setText(real)}, not ${setText(value)} (${state}): ${evidence}`);
      }
    }
    for (const { observation, exchange } of learner.contradictions)
      wrong.push(`seed ${seed}: ${observation.description} ${exchange.path}`);
  }
  expect(wrong).toEqual([]);
  expect(certain / count).toBeGreaterThan(9);
});
