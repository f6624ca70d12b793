/** A scenario file with one mistake. */
export interface BadFile {
  text: string;
  /** `line:column: path` of the mistake. */
  place: string;
  message: string;
  /** Reason why the JSON Schema accepts the file, which cannot check semantics. */
  fineForJsonSchema?: string;
}

const noField = 'expected a known field';
const duration = 'expected a duration such as "500ms", "2s", "5m" or "1d"';
const twoFields = 'two fields together';

export const badFiles: BadFile[] = [
  { text: 'petz: []', place: '1:1: petz', message: `${noField}; did you mean pets?` },
  { text: 'name: x\n\nSeed: 4', place: '3:1: Seed', message: `${noField}; did you mean seed?` },
  { text: 'seed: -1', place: '1:7: seed', message: 'expected a whole number from 0, got -1' },
  { text: 'seed: 1.5', place: '1:7: seed', message: 'expected a whole number from 0, got 1.5' },
  { text: 'seed: "1"', place: '1:7: seed', message: 'expected a number, got "1"' },
  { text: 'name: 7', place: '1:7: name', message: 'expected text, got 7' },
  { text: 'name: true', place: '1:7: name', message: 'expected text, got true' },
  { text: 'clock:\n  start: noon', place: '2:10: clock.start', message: 'expected an instant such as' },
  { text: 'clock: { start: 2026-01-01 }', place: '1:17: clock.start', message: 'got "2026-01-01"' },
  { text: 'clock: { mode: still }', place: '1:16: clock.mode', message: 'expected "real" or "frozen", got "still"' },
  { text: 'clock: { spede: 2 }', place: '1:10: clock.spede', message: `${noField}; did you mean speed?` },
  { text: 'clock: { speed: 0 }', place: '1:17: clock.speed', message: 'expected a number above 0, got 0' },
  { text: 'clock: [frozen]', place: '1:8: clock', message: 'expected a map, got a list' },
  { text: 'clock:', place: '1:7: clock', message: 'expected a map, got null' },
  { text: 'ids: { start: 1.5 }', place: '1:15: ids.start', message: 'expected a whole number within int64' },
  {
    text: 'ids:\n  start: 9223372036854775808',
    place: '2:10: ids.start',
    message: 'expected a whole number within int64',
    fineForJsonSchema: 'no number of JSON Schema has so many digits',
  },
  { text: 'categories: 5', place: '1:13: categories', message: 'expected a list, got 5' },
  { text: 'categories:\n  - 1\n  - one', place: '3:5: categories[1]', message: 'expected a whole number within int64' },
  { text: 'pets: 40', place: '1:7: pets', message: 'expected a list or a map, got 40' },
  { text: 'pets:\n  - { id: 1, categoryId: 1 }', place: '2:5: pets[0].name', message: 'expected text, got none' },
  {
    text: 'pets:\n  - name: Rex\n    categoryId: 1\n    status: lost',
    place: '4:13: pets[0].status',
    message: 'expected "available", "pending", "sold" or null, got "lost"',
  },
  { text: 'pets: { generate: { lost: 5 } }', place: '1:21: pets.generate.lost', message: noField },
  {
    text: 'pets:\n  - { id: 4, name: A, categoryId: 1 }\n  - { id: 4, name: B, categoryId: 1 }',
    place: '3:11: pets[1].id',
    message: 'expected a free id, got 4, which is the id of pets[0] ("A")',
    fineForJsonSchema: twoFields,
  },
  {
    text: 'plans: { gold: { minute: null } }',
    place: '1:16: plans.gold',
    message: 'expected a limit, got none: a plan needs at least one',
    fineForJsonSchema: 'it does not know which plans the service has',
  },
  {
    text: 'plans: { free: { hour: 5 } }',
    place: '1:18: plans.free.hour',
    message: 'expected a window of the scenario (minute, day), got "hour"',
  },
  {
    text: 'windows: { hour: 1h }\nplans: { free: { huor: 5, hour: 6 } }',
    place: '2:18: plans.free.huor',
    message: 'expected a window of the scenario (minute, day, hour), got "huor"; did you mean hour?',
    fineForJsonSchema: 'it does not compare names with each other',
  },
  {
    text: 'windows: { constructor: 1h }',
    place: '1:12: windows.constructor',
    message: 'expected the name of a window: a small letter, then letters and digits, such as hour, got "constructor"',
    fineForJsonSchema: 'its pattern does not exclude names of Object.prototype',
  },
  {
    text: 'limits: { reportedWindow: hour }',
    place: '1:27: limits.reportedWindow',
    message: 'expected "least-remaining", "minute" or "day", got "hour"',
    fineForJsonSchema: 'it does not compare names with each other',
  },
  {
    text: 'faults:\n  - { when: { key: fre-key }, then: { reset: true } }',
    place: '2:20: faults[0].when.key',
    message: 'expected an API key of the scenario, got "fre-key"; did you mean free-key?',
    fineForJsonSchema: twoFields,
  },
  {
    text: 'background: { nobody: 1 }',
    place: '1:15: background.nobody',
    message: 'expected an API key of the scenario, got "nobody"',
    fineForJsonSchema: twoFields,
  },
  {
    text: 'faults:\n  - { when: { operation: createPet, method: GET }, then: { reset: true } }',
    place: '2:13: faults[0].when',
    message: 'expected conditions of one operation',
    fineForJsonSchema: twoFields,
  },
  {
    text: 'faults:\n  - { when: { nth: 5, first: 2 }, then: { reset: true } }',
    place: '2:13: faults[0].when',
    message: 'expected nth to be a multiple of every',
    fineForJsonSchema: twoFields,
  },
  {
    text: 'clock: { start: 1767225600 }',
    place: '1:17: clock.start',
    message: 'expected Unix milliseconds, got 1767225600, which are seconds: write 1767225600000',
    fineForJsonSchema: 'a number has no unit',
  },
  {
    text: 'plans: { free: { minute: 0, day: 5 } }',
    place: '1:26: plans.free.minute',
    message: 'expected a whole number from 1 to 1,000,000,000, got 0',
  },
  {
    text: 'windows: { minute: 500ms }',
    place: '1:20: windows.minute',
    message: 'expected whole seconds, at least "1s"',
  },
  { text: 'windows: { minute: "60" }', place: '1:20: windows.minute', message: `${duration}, got "60"` },
  { text: 'windows: { Hour: 1h }', place: '1:12: windows.Hour', message: 'expected the name of a window' },
  { text: 'keys: [free-key]', place: '1:7: keys', message: 'expected a map, got a list' },
  {
    text: 'keys:\n  two words: {}',
    place: '2:3: keys.two words',
    message: 'expected an API key that a header can carry',
  },
  { text: 'keys:\n  a: { plna: pro }', place: '2:8: keys.a.plna', message: `${noField}; did you mean plan?` },
  {
    text: 'keys:\n  a:\n    plan: gold',
    place: '3:11: keys.a.plan',
    message: 'expected a plan (free, pro, business, enterprise), got "gold"',
  },
  {
    text: 'keys: { a.b: { usage: { minute: 61 } } }',
    place: '1:33: keys.a.b.usage.minute',
    message: 'expected at most the limit of the plan (60), got 61',
  },
  {
    text: 'keys: { a: { plan: pro, usage: { day: 10001 } } }',
    place: '1:39: keys.a.usage.day',
    message: 'expected at most the limit of the plan (10000), got 10001',
  },
  {
    text: 'extends: nope',
    place: '1:10: extends',
    message: 'expected a shipped scenario or a file such as ./base.yaml',
  },
  { text: 'extends: ./base.txt', place: '1:10: extends', message: 'expected a file that ends in .yaml, .yml or .json' },
  { text: 'clock: { start: 2026-02-31T00:00:00Z }', place: '1:17: clock.start', message: 'a day that the month has' },
  { text: 'windows: { day: 1.5s }', place: '1:17: windows.day', message: 'expected whole seconds, at least "1s"' },
  { text: 'clock: { skew: +40s }', place: '1:16: clock.skew', message: `${duration}, got "+40s"` },
  {
    text: 'ids: { start: "9223372036854775808" }',
    place: '1:15: ids.start',
    message: 'expected a whole number within int64',
  },
  {
    text: 'keys: { a: { bannedFor: 3651d } }',
    place: '1:25: keys.a.bannedFor',
    message: 'at most 3650d',
    fineForJsonSchema: 'a number in a text',
  },
  { text: 'keys: { a: { state: banned } }', place: '1:21: keys.a.state', message: 'expected "active" or "revoked"' },
  { text: 'keys: { a: { bannedFor: soon } }', place: '1:25: keys.a.bannedFor', message: `${duration}, got "soon"` },
  { text: 'limits: none', place: '1:9: limits', message: 'expected "off" or a map, got "none"' },
  { text: 'limits: { algorithm: leaky }', place: '1:22: limits.algorithm', message: 'got "leaky"' },
  { text: 'ban: strickt', place: '1:6: ban', message: 'expected "default", "strict", "binance", "strava"' },
  { text: 'ban: { secnds: 5 }', place: '1:8: ban.secnds', message: `${noField}; did you mean seconds?` },
  { text: 'ban: { status: 200 }', place: '1:16: ban.status', message: 'expected 429, 403, 401 or 418, got 200' },
  { text: 'faults: { then: { reset: true } }', place: '1:9: faults', message: 'expected a list, got a map' },
  { text: 'faults:\n  - when: { nth: 2 }', place: '2:5: faults[0].then', message: 'expected a map, got none' },
  {
    text: 'faults:\n  - then: { reset: true, close: true }',
    place: '2:11: faults[0].then',
    message: 'expected one of respond, reset',
  },
  {
    text: 'faults:\n  - then: { phase: after }',
    place: '2:11: faults[0].then',
    message: 'expected an effect: delay or one of respond, reset',
  },
  {
    text: 'faults:\n  - then: { phase: before, truncate: { bytes: 1 } }',
    place: '2:11: faults[0].then',
    message: 'expected phase after: truncate',
  },
  {
    text: 'faults:\n  - { name: a, then: { hang: true } }\n  - { name: a, then: { hang: true } }',
    place: '3:13: faults[1].name',
    message: 'expected a free name, got "a", which is taken',
    fineForJsonSchema: twoFields,
  },
  {
    text: 'faults:\n  - then: { delay: { p50: 5ms } }',
    place: '2:20: faults[0].then.delay.p99',
    message: 'expected a duration such as "90s", got none',
  },
  {
    text: 'faults:\n  - when: { probability: 1.5 }\n    then: { hang: true }',
    place: '2:26: faults[0].when.probability',
    message: 'expected a number from 0 to 1, got 1.5',
  },
  {
    text: 'faults: [{ then: { respond: { status: 600 } } }]',
    place: '1:39: faults[0].then.respond.status',
    message: 'expected a status from 200 to 599, got 600',
  },
  {
    text: 'hostileHeaders: { retryAfter: never }',
    place: '1:31: hostileHeaders.retryAfter',
    message: 'got "never"',
  },
  { text: 'background: { free-key: -1 }', place: '1:25: background.free-key', message: 'expected a number above 0' },
  { text: 'assumptions: { paging: cursr }', place: '1:24: assumptions.paging', message: 'got "cursr"' },
  {
    text: 'assumptions: { listOrders: shuffled }',
    place: '1:16: assumptions.listOrders',
    message: `${noField}; did you mean listOrder?`,
  },
  {
    text: 'limits: off\nassumptions:\n  limitsApply: all',
    place: '3:16: assumptions.limitsApply',
    message: 'expected the same value as in plans, limits or ban ("none"), got "all"',
    fineForJsonSchema: twoFields,
  },
  { text: 'expect: { verdict: fail }', place: '1:20: expect.verdict', message: 'expected "pass", got "fail"' },
  { text: '- name: x', place: '1:1: ', message: 'expected a map, got a list' },
  { text: 'just text', place: '1:1: ', message: 'expected a map, got "just text"' },
];

/** Files that are not YAML, or that exceed the JSON data model. */
export const unreadableFiles: BadFile[] = [
  { text: 'keys:\n\tfree-key: {}', place: '2:1: ', message: 'Tabs are not allowed as indentation; indent with spaces' },
  { text: 'name: a: b', place: '1:7: ', message: 'put text that contains ": " in quotes' },
  { text: 'name: a\n  seed: 1', place: '1:7: ', message: 'indent fields and items alike' },
  { text: 'name: a\nseed\nids: {}', place: '2:1: ', message: 'Implicit keys need to be on a single line' },
  { text: 'categories: [1, 2', place: '1:18: ', message: 'end with a ]' },
  { text: 'ids: { start: 1', place: '1:16: ', message: 'end with a }' },
  { text: 'name: "abc', place: '1:11: ', message: 'Missing closing "quote' },
  { text: 'name: @home', place: '1:7: ', message: 'cannot start with reserved character @; put the text in quotes' },
  { text: 'name: a\n---\nname: b', place: '2:1: ', message: 'expected one document' },
  { text: '%YAML 1.1\n---\nname: a', place: '1:1: ', message: 'expected YAML 1.2 without a %YAML line' },
  { text: 'seed: 1\nname: a\nseed: 2', place: '3:1: seed', message: 'expected each field once' },
  { text: 'seed: &a 1\nids: { start: *a }', place: '2:15: ids.start', message: 'aliases are not supported' },
  { text: 'clock: &a { speed: 2 }\n<<: *a', place: '2:5: <<', message: 'aliases are not supported' },
  { text: 'name: !!binary aGVsbG8=', place: '1:16: name', message: 'got the tag !!binary' },
  { text: 'name: !!js/function "x"', place: '1:21: name', message: 'got the tag !!js/function' },
  { text: 'keys: !!set { a: }', place: '1:13: keys', message: 'got the tag !!set' },
  { text: '? [a]\n: 1', place: '1:3: ', message: 'expected text as the name of a field' },
  { text: '[a, b]: 1', place: '1:1: ', message: 'expected text as the name of a field' },
  { text: '{"name": "a" "seed": 1}', place: '1:14: ', message: 'Unexpected double-quoted-scalar token' },
  {
    text: 'pets:\n  - { id: 1 name: Rex }',
    place: '2:11: ',
    message: 'Block collections are not allowed within flow collections',
  },
  { text: 'keys: { a: { } } }\nseed: 1', place: '1:18: ', message: 'Unexpected flow-map-end token' },
  {
    text: 'faults:\n  - name: a\n   then: {}',
    place: '3:1: ',
    message: 'Sequence item without - indicator',
  },
  { text: 'ban: { after:3 }', place: '1:8: ban.after:3', message: 'expected a known field' },
  {
    text: 'categories:\n  - 1\n - 2',
    place: '3:1: ',
    message: 'A block sequence may not be used as an implicit map key; indent fields and items alike',
  },
  {
    text: 'keys: { other-key: {} }\nclient: { key: othr-key }',
    place: '2:16: client.key',
    message: 'expected an API key of the scenario, got "othr-key"; did you mean other-key?',
    fineForJsonSchema: twoFields,
  },
  {
    text: 'client: { key: zzz }',
    place: '1:16: client.key',
    message: 'expected an API key of the scenario, got "zzz"',
    fineForJsonSchema: twoFields,
  },
];
