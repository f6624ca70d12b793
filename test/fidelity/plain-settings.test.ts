import { expect, test } from 'vitest';
import { calibrate } from '../../src/fidelity/ask-service/calibrate.js';
import type { Subject } from '../../src/fidelity/deduce/observation.js';
import { type PlainSettings, plainChoices, plainService, plainSettings } from './foreign-service.js';
import { asking, createDraw } from './hidden-worlds.js';

const noChoice = Symbol('no choice of the simulator responds like this');

/** Measured choices of a plain service. */
function truth(settings: PlainSettings): Partial<Record<Subject, unknown>> {
  const { algorithm, instances, listCost, countsEvery, refuses, pages, limit } = settings;
  const { windowStart, retryAfterForm: _, rejectedCounts: __, errorCodes: ___, bans: ____, ...measured } = plainChoices;
  const isAlike = instances === 1 && listCost === 1 && countsEvery === 1;
  const ifAlike = (value: unknown) => (isAlike ? value : noChoice);
  const has = (feature: PlainSettings['refuses'][number]) => refuses.includes(feature);
  return {
    ...measured,
    algorithm: ifAlike(algorithm),
    ...((algorithm === 'fixed-window' || !isAlike) && { windowStart: ifAlike(windowStart) }),
    limitsApply: ifAlike('all'),
    reportedWindow: ifAlike('minute'),
    ...(!isAlike && ![60, 300, 1000].includes(limit) && { enterpriseLimits: noChoice }),
    unknownCategory: has('unknown-category') ? 'reject' : 'accept',
    unknownFields: has('unknown-field') ? 'reject' : 'ignore',
    emptyName: has('empty-name') ? 'reject' : 'accept',
    paging: pages === 'none' ? 'none' : noChoice,
  };
}

function drawSettings(seed: number): PlainSettings {
  const { pick, below, chance } = createDraw(seed);
  return {
    algorithm: pick(['fixed-window', 'sliding-log', 'token-bucket']),
    limit: pick([5, 9, 20, 60, 60, 100, 300]),
    fractions: pick(['seconds', 'down', 'up']),
    instances: pick([1, 1, 1, 2, 3]),
    listCost: pick([1, 1, 1, 2]),
    countsEvery: pick([1, 1, 1, 2]),
    pages: pick(['none', 'none', 'page', 'offset', 'both']),
    refuses: (['status', 'digits', 'unknown-category', 'unknown-field', 'empty-name'] as const).filter(() =>
      chance(0.2),
    ),
    startMs: plainSettings.startMs + below(90_000),
  };
}

test('every certain choice is correct for 150 plain services with random settings', { timeout: 600_000 }, async () => {
  const sums: Record<string, number> = {};
  const wrong: string[] = [];
  for (let seed = 7_001; seed <= 7_150; seed++) {
    const settings = drawSettings(seed);
    const options = { ...asking, allowsWrite: true, allowsExhaust: true };
    const { learner } = await calibrate(plainService(settings), options);
    for (const [about, expected] of Object.entries(truth(settings))) {
      const { state, value } = learner.about(about as Subject);
      const name = `${state} ${value === expected ? 'right' : 'wrong'}`;
      sums[name] = (sums[name] ?? 0) + 1;
      if (name === 'certain wrong') wrong.push(`seed ${seed}: ${about} = ${JSON.stringify(value)}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(sums['certain right']).toBeGreaterThanOrEqual(2_280);
});
