import { joinWords } from '../../src/values/join-words.js';
import { documentedNames } from '../../src/values/window-fields.js';

/** A scenario file with one mistake. */
export interface BadFile {
  text: string;
  /** `line:column: path` of the mistake. */
  place: string;
  message: string;
  /** Reason why the JSON Schema accepts the file, which cannot check semantics. */
  fineForJsonSchema?: string | undefined;
}

const noField = 'expected a known field';
const duration = 'expected a duration such as "500ms", "2s", "5m" or "1d"';
const twoFields = 'two fields together';

type Row = [text: string, place: string, message: string, fineForJsonSchema?: string];

const toFile = ([text, place, message, fineForJsonSchema]: Row): BadFile => ({
  text,
  place,
  message,
  fineForJsonSchema,
});

const badRows: Row[] = [
  ['petz: []', '1:1: petz', `${noField}; did you mean pets?`],
  ['name: x\n\nSeed: 4', '3:1: Seed', `${noField}; did you mean seed?`],
  ['seed: -1', '1:7: seed', 'expected a whole number from 0, got -1'],
  ['seed: 1.5', '1:7: seed', 'expected a whole number from 0, got 1.5'],
  ['seed: "1"', '1:7: seed', 'expected a number, got "1"'],
  ['name: 7', '1:7: name', 'expected text, got 7'],
  ['name: true', '1:7: name', 'expected text, got true'],
  ['clock:\n  start: noon', '2:10: clock.start', 'expected an instant such as'],
  ['clock: { start: 2026-01-01 }', '1:17: clock.start', 'got "2026-01-01"'],
  ['clock: { mode: still }', '1:16: clock.mode', 'expected "real" or "frozen", got "still"'],
  ['clock: { spede: 2 }', '1:10: clock.spede', `${noField}; did you mean speed?`],
  ['clock: { speed: 0 }', '1:17: clock.speed', 'expected a number above 0, got 0'],
  ['clock: [frozen]', '1:8: clock', 'expected a map, got a list'],
  ['clock:', '1:7: clock', 'expected a map, got null'],
  ['ids: { start: 1.5 }', '1:15: ids.start', 'expected a whole number within int64'],
  [
    'ids:\n  start: 9223372036854775808',
    '2:10: ids.start',
    'expected a whole number within int64',
    'no number of JSON Schema has so many digits',
  ],
  ['categories: 5', '1:13: categories', 'expected a list, got 5'],
  ['categories:\n  - 1\n  - one', '3:5: categories[1]', 'expected a whole number within int64'],
  ['pets: 40', '1:7: pets', 'expected a list or a map, got 40'],
  ['pets:\n  - { id: 1, categoryId: 1 }', '2:5: pets[0].name', 'expected text, got none'],
  [
    'pets:\n  - name: Rex\n    categoryId: 1\n    status: lost',
    '4:13: pets[0].status',
    'expected "available", "pending", "sold" or null, got "lost"',
  ],
  ['pets: { generate: { lost: 5 } }', '1:21: pets.generate.lost', noField],
  [
    'pets:\n  - { id: 4, name: A, categoryId: 1 }\n  - { id: 4, name: B, categoryId: 1 }',
    '3:11: pets[1].id',
    'expected a free id, got 4, which is the id of pets[0] ("A")',
    twoFields,
  ],
  [
    'plans: { gold: { minute: null } }',
    '1:16: plans.gold',
    'expected a limit, got none: a plan needs at least one',
    'it does not know which plans the service has',
  ],
  [
    'plans: { free: { turn: 5 } }',
    '1:18: plans.free.turn',
    `expected a window of the scenario (${documentedNames.join(', ')}), got "turn"`,
  ],
  [
    'windows: { turn: 1h }\nplans: { free: { trun: 5, turn: 6 } }',
    '2:18: plans.free.trun',
    `expected a window of the scenario (${documentedNames.join(', ')}, turn), got "trun"; did you mean turn?`,
    'it does not compare names with each other',
  ],
  [
    'windows: { constructor: 1h }',
    '1:12: windows.constructor',
    'expected the name of a window: a small letter, then letters and digits, such as hour, got "constructor"',
    'its pattern does not exclude names of Object.prototype',
  ],
  [
    'limits: { reportedWindow: turn }',
    '1:27: limits.reportedWindow',
    `expected ${joinWords(
      ['least-remaining', ...documentedNames].map((name) => `"${name}"`),
      'or',
    )}, got "turn"`,
    'it does not compare names with each other',
  ],
  [
    'faults:\n  - { when: { key: fre-key }, then: { reset: true } }',
    '2:20: faults[0].when.key',
    'expected an API key of the scenario, got "fre-key"; did you mean free-key?',
    twoFields,
  ],
  [
    'background: { nobody: 1 }',
    '1:15: background.nobody',
    'expected an API key of the scenario, got "nobody"',
    twoFields,
  ],
  [
    'faults:\n  - { when: { operation: createPet, method: GET }, then: { reset: true } }',
    '2:13: faults[0].when',
    'expected conditions of one operation',
    twoFields,
  ],
  [
    'faults:\n  - { when: { nth: 5, first: 2 }, then: { reset: true } }',
    '2:13: faults[0].when',
    'expected nth to be a multiple of every',
    twoFields,
  ],
  [
    'clock: { start: 1767225600 }',
    '1:17: clock.start',
    'expected Unix milliseconds, got 1767225600, which are seconds: write 1767225600000',
    'a number has no unit',
  ],
  [
    'plans: { free: { minute: 0, day: 5 } }',
    '1:26: plans.free.minute',
    'expected a whole number from 1 to 1,000,000,000, got 0',
  ],
  ['windows: { minute: 500ms }', '1:20: windows.minute', 'expected whole seconds, at least "1s"'],
  ['windows: { minute: "60" }', '1:20: windows.minute', `${duration}, got "60"`],
  ['windows: { Hour: 1h }', '1:12: windows.Hour', 'expected the name of a window'],
  ['keys: [free-key]', '1:7: keys', 'expected a map, got a list'],
  ['keys:\n  two words: {}', '2:3: keys.two words', 'expected an API key that a header can carry'],
  ['keys:\n  a: { plna: pro }', '2:8: keys.a.plna', `${noField}; did you mean plan?`],
  ['keys:\n  a:\n    plan: gold', '3:11: keys.a.plan', 'expected a plan (free, pro, business, enterprise), got "gold"'],
  [
    'keys: { a.b: { usage: { minute: 61 } } }',
    '1:33: keys.a.b.usage.minute',
    'expected at most the limit of the plan (60), got 61',
  ],
  [
    'keys: { a: { plan: pro, usage: { day: 10001 } } }',
    '1:39: keys.a.usage.day',
    'expected at most the limit of the plan (10000), got 10001',
  ],
  ['extends: nope', '1:10: extends', 'expected a shipped scenario or a file such as ./base.yaml'],
  ['extends: ./base.txt', '1:10: extends', 'expected a file that ends in .yaml, .yml or .json'],
  ['clock: { start: 2026-02-31T00:00:00Z }', '1:17: clock.start', 'a day that the month has'],
  ['windows: { day: 1.5s }', '1:17: windows.day', 'expected whole seconds, at least "1s"'],
  ['clock: { skew: +40s }', '1:16: clock.skew', `${duration}, got "+40s"`],
  ['ids: { start: "9223372036854775808" }', '1:15: ids.start', 'expected a whole number within int64'],
  ['keys: { a: { bannedFor: 3651d } }', '1:25: keys.a.bannedFor', 'at most 3650d', 'a number in a text'],
  ['keys: { a: { state: banned } }', '1:21: keys.a.state', 'expected "active" or "revoked"'],
  ['keys: { a: { bannedFor: soon } }', '1:25: keys.a.bannedFor', `${duration}, got "soon"`],
  ['limits: none', '1:9: limits', 'expected "off" or a map, got "none"'],
  ['limits: { algorithm: leaky }', '1:22: limits.algorithm', 'got "leaky"'],
  ['ban: strickt', '1:6: ban', 'expected "default", "strict", "binance", "strava"'],
  ['ban: { secnds: 5 }', '1:8: ban.secnds', `${noField}; did you mean seconds?`],
  ['ban: { status: 200 }', '1:16: ban.status', 'expected 429, 403, 401 or 418, got 200'],
  ['faults: { then: { reset: true } }', '1:9: faults', 'expected a list, got a map'],
  ['faults:\n  - when: { nth: 2 }', '2:5: faults[0].then', 'expected a map, got none'],
  ['faults:\n  - then: { reset: true, close: true }', '2:11: faults[0].then', 'expected one of respond, reset'],
  ['faults:\n  - then: { phase: after }', '2:11: faults[0].then', 'expected an effect: delay or one of respond, reset'],
  [
    'faults:\n  - then: { phase: before, truncate: { bytes: 1 } }',
    '2:11: faults[0].then',
    'expected phase after: truncate',
  ],
  [
    'faults:\n  - { name: a, then: { hang: true } }\n  - { name: a, then: { hang: true } }',
    '3:13: faults[1].name',
    'expected a free name, got "a", which is taken',
    twoFields,
  ],
  [
    'faults:\n  - then: { delay: { p50: 5ms } }',
    '2:20: faults[0].then.delay.p99',
    'expected a duration such as "90s", got none',
  ],
  [
    'faults:\n  - when: { probability: 1.5 }\n    then: { hang: true }',
    '2:26: faults[0].when.probability',
    'expected a number from 0 to 1, got 1.5',
  ],
  [
    'faults: [{ then: { respond: { status: 600 } } }]',
    '1:39: faults[0].then.respond.status',
    'expected a status from 200 to 599, got 600',
  ],
  ['hostileHeaders: { retryAfter: never }', '1:31: hostileHeaders.retryAfter', 'got "never"'],
  ['background: { free-key: -1 }', '1:25: background.free-key', 'expected a number above 0'],
  ['assumptions: { paging: cursr }', '1:24: assumptions.paging', 'got "cursr"'],
  ['assumptions: { listOrders: shuffled }', '1:16: assumptions.listOrders', `${noField}; did you mean listOrder?`],
  [
    'limits: off\nassumptions:\n  limitsApply: all',
    '3:16: assumptions.limitsApply',
    'expected the same value as in plans, limits or ban ("none"), got "all"',
    twoFields,
  ],
  ['expect: { verdict: fail }', '1:20: expect.verdict', 'expected "pass", got "fail"'],
  ['- name: x', '1:1: ', 'expected a map, got a list'],
  ['just text', '1:1: ', 'expected a map, got "just text"'],
];

/** Files that are not YAML, or that exceed the JSON data model. */
const unreadableRows: Row[] = [
  ['keys:\n\tfree-key: {}', '2:1: ', 'Tabs are not allowed as indentation; indent with spaces'],
  ['name: a: b', '1:7: ', 'put text that contains ": " in quotes'],
  ['name: a\n  seed: 1', '1:7: ', 'indent fields and items alike'],
  ['name: a\nseed\nids: {}', '2:1: ', 'Implicit keys need to be on a single line'],
  ['categories: [1, 2', '1:18: ', 'end with a ]'],
  ['ids: { start: 1', '1:16: ', 'end with a }'],
  ['name: "abc', '1:11: ', 'Missing closing "quote'],
  ['name: @home', '1:7: ', 'cannot start with reserved character @; put the text in quotes'],
  ['name: a\n---\nname: b', '2:1: ', 'expected one document'],
  ['%YAML 1.1\n---\nname: a', '1:1: ', 'expected YAML 1.2 without a %YAML line'],
  ['seed: 1\nname: a\nseed: 2', '3:1: seed', 'expected each field once'],
  ['seed: &a 1\nids: { start: *a }', '2:15: ids.start', 'aliases are not supported'],
  ['clock: &a { speed: 2 }\n<<: *a', '2:5: <<', 'aliases are not supported'],
  ['name: !!binary aGVsbG8=', '1:16: name', 'got the tag !!binary'],
  ['name: !!js/function "x"', '1:21: name', 'got the tag !!js/function'],
  ['keys: !!set { a: }', '1:13: keys', 'got the tag !!set'],
  ['? [a]\n: 1', '1:3: ', 'expected text as the name of a field'],
  ['[a, b]: 1', '1:1: ', 'expected text as the name of a field'],
  ['{"name": "a" "seed": 1}', '1:14: ', 'Unexpected double-quoted-scalar token'],
  ['pets:\n  - { id: 1 name: Rex }', '2:11: ', 'Block collections are not allowed within flow collections'],
  ['keys: { a: { } } }\nseed: 1', '1:18: ', 'Unexpected flow-map-end token'],
  ['faults:\n  - name: a\n   then: {}', '3:1: ', 'Sequence item without - indicator'],
  ['ban: { after:3 }', '1:8: ban.after:3', 'expected a known field'],
  [
    'categories:\n  - 1\n - 2',
    '3:1: ',
    'A block sequence may not be used as an implicit map key; indent fields and items alike',
  ],
  [
    'keys: { other-key: {} }\nclient: { key: othr-key }',
    '2:16: client.key',
    'expected an API key of the scenario, got "othr-key"; did you mean other-key?',
    twoFields,
  ],
  ['client: { key: zzz }', '1:16: client.key', 'expected an API key of the scenario, got "zzz"', twoFields],
];

export const badFiles = badRows.map(toFile);
export const unreadableFiles = unreadableRows.map(toFile);
