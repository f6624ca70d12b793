import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario-schema.js';
import { scenarioChanges } from '../../src/scenario-files/scenario-changes.js';

const rex = { id: 1, name: 'Rex', categoryId: 1 };
const max = { id: 2n, name: 'Max', categoryId: 1 };
const down = { name: 'down', then: { hang: true as const } };

describe('scenarioChanges', () => {
  test.each<[string, Scenario, Scenario, string[]]>([
    ['nothing', { seed: 1, pets: [rex] }, { pets: [{ ...rex }], seed: 1 }, []],
    ['a value', { seed: 1 }, { seed: 2 }, ['seed']],
    ['a value that is new', {}, { limits: 'off' }, ['limits']],
    ['a value that is gone', { ban: 'strict' }, {}, ['ban']],
    [
      'a field',
      { limits: { algorithm: 'sliding-log' } },
      { limits: { windowStart: 'clock' } },
      ['limits.algorithm', 'limits.windowStart'],
    ],
    ['a map for a word', { limits: 'off' }, { limits: {} }, ['limits']],
    [
      'a field of a key',
      { keys: { a: { usage: { minute: 1 } } } },
      { keys: { a: { usage: { minute: 2 } } } },
      ['keys.a.usage'],
    ],
    ['a key', { keys: { a: {} } }, { keys: { b: {} } }, ['keys.a', 'keys.b']],
    ['a plan', { plans: { free: { minute: 1, day: 1 } } }, { plans: { free: { minute: 1, day: 2 } } }, ['plans.free']],
    ['a pet that is new', { pets: [rex] }, { pets: [rex, max] }, ['pets (1 added)']],
    ['pets that are gone', { pets: [rex, max] }, { pets: [] }, ['pets (2 removed)']],
    ['a pet with another name', { pets: [rex] }, { pets: [{ ...rex, name: 'Ra' }] }, ['pets (1 changed)']],
    ['pets in another order', { pets: [rex, max] }, { pets: [max, rex] }, ['pets (order)']],
    ['generated pets', { pets: { generate: { sold: 1 } } }, { pets: { generate: { sold: 2 } } }, ['pets.generate']],
    ['a list for generated pets', { pets: { generate: { sold: 1 } } }, { pets: [rex] }, ['pets (1 added)']],
    [
      'rules',
      { faults: [down, { then: { close: true } }] },
      {
        faults: [
          { ...down, when: { nth: 2 } },
          { name: 'slow', then: { delay: 5 } },
        ],
      },
      ['faults (1 added, 1 removed, 1 changed)'],
    ],
    ['categories', { categories: [1, 2] }, { categories: [1, 3, 4] }, ['categories (2 added, 1 removed)']],
  ])('reports %s', (_, before, after, changes) => {
    expect(scenarioChanges(before, after)).toEqual(changes);
  });
});
