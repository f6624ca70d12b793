import { expect, test } from 'vitest';
import { createSimulator, type ScenarioError } from '../../src/entries/index.js';
import { readYaml } from '../../src/scenario/read-yaml.js';

/** Paths of the mistakes in a YAML scenario. */
function paths(text: string): string[] {
  try {
    createSimulator({ scenario: readYaml(text).value as object });
  } catch (error) {
    return (error as ScenarioError).issues.map(({ path }) => path);
  }
  return [];
}

test.each([
  ['keys: { a: { colour: red, usage: { minute: 61 } } }', ['keys.a.colour', 'keys.a.usage.minute']],
  ['keys: { a: { stat: revoked, plan: gold } }', ['keys.a.stat', 'keys.a.plan']],
  ['plans: { free: { minut: 3 } }\nkeys: { a: { plan: gold } }', ['plans.free.minut', 'keys.a.plan']],
  ['plans: { free: { minute: 0 } }\nkeys: { a: { plan: gold } }', ['plans.free.minute', 'keys.a.plan']],
  ['assumptions: { listOrdr: x }\nkeys: { a: { plan: gold } }', ['assumptions.listOrdr', 'keys.a.plan']],
  ['assumptions: { colour: x }\nclient: { key: nokey }', ['assumptions.colour', 'client.key']],
  ['client: { colour: red, key: nokey }', ['client.colour', 'client.key']],
  [
    'faults: [{ when: { colour: red }, then: { reset: true } }, { when: { key: nokey }, then: { reset: true } }]',
    ['faults[0].when.colour', 'faults[1].when.key'],
  ],
  [
    'faults: [{ when: { plan: gold }, then: { reset: true, colour: red } }]',
    ['faults[0].then.colour', 'faults[0].when.plan'],
  ],
  [
    'pets: [{ id: 1, name: A, categoryId: 1, colour: red }, { id: 1, name: B, categoryId: 1 }]',
    ['pets[0].colour', 'pets[1].id'],
  ],
  // The generator of pets is missing.
  ['pets: { generate: { lost: 1 } }', ['pets.generate.lost', 'pets.generate']],
  ['ban: { colour: red, after: 1 }\nassumptions: { banAfter: 2 }', ['ban.colour', 'assumptions.banAfter']],
])('an unknown field does not hide other mistakes: %s', (text, expected) => {
  expect(paths(text)).toEqual(expected);
});

test.each([
  [
    'faults: [{ when: { operation: lstPets, nth: 0 }, then: { delay: true, respond: { status: 99 } } }]',
    ['when.nth', 'then.respond.status', 'then.delay', 'when.operation'],
  ],
  [
    'faults: [{ when: { operation: createPet, method: GET, nth: 3, every: 2, colour: red }, then: { reset: true } }]',
    ['when.colour', 'when', 'when'],
  ],
  ['faults: [{ then: { reset: true, close: true, colour: red } }]', ['then.colour', 'then']],
  ['faults: [{ then: { reset: true, close: true, delay: soon } }]', ['then.delay', 'then']],
  ['faults: [{ then: { ban: 3s, empty: true, phase: before } }]', ['then', 'then', 'then']],
  ['faults: [{ then: { respond: { status: 204, body: a, colour: red } } }]', ['then.respond.colour', 'then.respond']],
])('one check reports all mistakes of a fault rule: %s', (text, expected) => {
  expect(paths(text)).toEqual(expected.map((path) => `faults[0].${path}`));
});

test.each([
  ['keys: { a: { plna: pro, usage: { minute: 61 } } }', ['keys.a.plna']],
  ['plans: { free: { minut: 100 } }\nkeys: { a: { usage: { minute: 99 } } }', ['plans.free.minut']],
  ['plans: { gold: { minute: 5, dya: 5 } }\nkeys: { a: { plan: gold, usage: { day: 99 } } }', ['plans.gold.dya']],
  [
    'plans: { enterprise: { minut: 5 } }\nassumptions: { enterpriseLimits: { minute: 10, day: 50 } }',
    ['plans.enterprise.minut'],
  ],
  [
    'assumptions: { enterpriseLimits: { minut: 5 } }\nkeys: { a: { plan: enterprise, usage: { day: 99 } } }',
    ['assumptions.enterpriseLimits.minut'],
  ],
  [
    'windows: { turn: 1x }\nplans: { gold: { turn: 5 } }\nkeys: { a: { plan: gold, usage: { turn: 4 } } }',
    ['windows.turn'],
  ],
  [
    'windows: { trun: 1h }\nplans: { gold: { turn: 5 } }\nkeys: { a: { plan: gold, usage: { turn: 4 } } }',
    ['plans.gold.turn'],
  ],
  ['windows: [turn]\nplans: { gold: { turn: 5 } }\nkeys: { a: { plan: gold, usage: { turn: 4 } } }', ['windows']],
  ['windows: { minut: 5s }\nkeys: { a: { usage: { minute: 5 } } }', ['windows.minut']],
  ['plans: { gold: { minute: null } }\nkeys: { a: { plan: gold, usage: { day: 99 } } }', ['plans.gold']],
  ['limits: { reportedWindow: trun }\nwindows: { turn: 1h }\nplans: { free: { turn: 5 } }', ['limits.reportedWindow']],
  [
    'assumptions: { enterpriseLimit: { minute: 9000, day: 9000 } }\nkeys: { a: { plan: enterprise, usage: { minute: 8000 } } }',
    ['assumptions.enterpriseLimit'],
  ],
  [
    'assumptions: { enterpriseLimits: { minute: 5, day: 6 } }\nplans: { enterprise: { minut: 5, day: 6 } }',
    ['plans.enterprise.minut'],
  ],
  ['assumptions: { acceptAnyKye: true }\nclient: { key: nokey }', ['assumptions.acceptAnyKye']],
  ['faults: [{ then: { resett: true } }]', ['faults[0].then.resett']],
  ['faults: [{ then: { delay: { p50: 1s, p98: 2s } } }]', ['faults[0].then.delay.p99', 'faults[0].then.delay.p98']],
  ['ban: { escalation: { factor: 2, mx: 1h } }', ['ban.escalation.mx']],
])('a misspelt field causes no further issues: %s', (text, expected) => {
  expect(paths(text)).toEqual(expected);
});
