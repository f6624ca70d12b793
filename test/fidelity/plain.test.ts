import { expect, test } from 'vitest';
import { calibrate } from '../../src/fidelity/ask-service/calibrate.js';
import type { Subject } from '../../src/fidelity/deduce/clue.js';
import { type PlainSettings, plainService, plainSettings } from './plain-service.js';

const learn = (settings: Partial<PlainSettings>) =>
  calibrate(plainService({ ...plainSettings, ...settings }), {
    budget: 40,
    allowsWrite: false,
    allowsExhaust: true,
    allowsBan: false,
    patienceMs: 150_000,
  });

/** The choices among these that are called certain. */
const certainOf = async (settings: Partial<PlainSettings>, subjects: readonly Subject[]) => {
  const { learner } = await learn(settings);
  return subjects.filter((subject) => learner.about(subject).state === 'certain');
};

const unlike: [string, Partial<PlainSettings>][] = [
  ['a list costs 2', { listCost: 2 }],
  ['every second request is counted', { countsEvery: 2 }],
  ['two instances share the traffic', { instances: 2 }],
  ['three instances share the traffic', { instances: 3 }],
];

test.each(unlike)('the limits of a plan are not certain where %s', async (_, settings) => {
  const { startMs } = plainSettings;
  for (const algorithm of ['fixed-window', 'sliding-log', 'token-bucket'] as const) {
    for (const limit of [7, 12, 25]) {
      for (const later of [0, 17_777]) {
        const world = { ...settings, algorithm, limit, startMs: startMs + later };
        expect(await certainOf(world, ['enterpriseLimits']), JSON.stringify(world)).toEqual([]);
      }
    }
  }
});
