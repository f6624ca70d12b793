import { isMap } from '../../src/values/plain-data.js';
import type { Random } from '../support/random.js';

/** A scenario with every field, so that mutations reach all of them. */
export const everyField = {
  $schema: '../schema.json',
  name: 'every-field',
  description: 'One of each.',
  group: 'limits',
  extends: 'default',
  seed: 7,
  clock: { start: '2026-01-01T12:00:00Z', mode: 'frozen', speed: 60, skew: '-40s' },
  ids: { start: '9007199254740993' },
  categories: [1, 2, '9223372036854775807'],
  pets: [
    { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
    { id: '9007199254740994', name: 'Łódź 🐶', categoryId: 2, status: 'sold' },
    { name: '', categoryId: 3 },
  ],
  plans: { enterprise: { minute: 5_000, day: 1_000_000 }, own: { minute: 2, day: 3 } },
  windows: { minute: '6s', day: '1h' },
  keys: {
    'free-key': { plan: 'free', usage: { minute: 8, day: 10 } },
    'old-key': { plan: 'pro', state: 'revoked' },
    'late-key': { plan: 'business', expiresAt: '2026-01-01T12:05:00Z' },
    'soon-key': { plan: 'own', expiresIn: '30s', usage: { day: 2 } },
    'banned-key': { plan: 'enterprise', bannedFor: '90s' },
  },
  limits: {
    appliesTo: ['listPets', 'createPet'],
    algorithm: 'fixed-window',
    windowStart: 'clock',
    rejectedCounts: 'all',
    reportedWindow: 'day',
    retryAfterForm: 'http-date',
    unauthorizedHeaders: 'omit',
  },
  ban: {
    after: 2,
    grace: 0,
    tolerance: '10ms',
    for: '30s',
    extend: true,
    escalation: { factor: 2, max: '10m' },
    status: 418,
  },
  faults: [
    { name: 'busy', when: { probability: 0.2 }, then: { respond: { status: 503, headers: { 'Retry-After': 1 } } } },
    { when: { operation: ['listPets'], key: ['free-key'], nth: 2 }, then: { delay: '20ms', reset: true } },
    { when: { method: 'POST', plan: 'own', every: 3, times: 2 }, then: { phase: 'after', close: true } },
    { when: { petId: 1, after: '1s', for: '10s' }, then: { truncate: { fraction: 0.5 }, countsQuota: false } },
    { when: { status: 'sold', first: 2 }, then: { drip: { bytes: 16, every: '5ms' } } },
    { when: { key: 'late-key' }, then: { respond: { status: 302, body: { a: [1, null] } }, failTimes: 2 } },
    { when: { nth: 9 }, then: { delay: { p50: '1ms', p99: '9ms' }, malformed: true } },
    { when: { nth: 10 }, then: { delay: { fixed: 5 }, empty: true } },
    { when: { nth: 11 }, then: { contentLength: 3 } },
    { when: { nth: 12 }, then: { contentType: 'text/html' } },
    { when: { nth: 13 }, then: { truncate: { bytes: 4 } } },
    { when: { nth: 14 }, then: { hang: true } },
    { when: { operation: 'listPets' }, then: { respond: { status: 200, headers: { A: 'a', B: 'b', C: 3, D: null } } } },
    { when: { operation: 'createPet' }, then: { respond: { status: 400, headers: { E: 'e', F: 'f' }, body: 'text' } } },
  ],
  hostileHeaders: { retryAfter: 'negative', reset: 'delta', remaining: 5, html: true },
  background: { 'free-key': 0.5 },
  assumptions: { defaultStatus: 'pending', errorCodes: { not_found: 'gone' }, cors: ['https://app.test'] },
  client: { key: 'free-key', operation: 'createPet', calls: 2, parallel: 2 },
  expect: { verdict: 'pass', served: true, fail: ['retry-storm'] },
};

const texts = [
  ...['', ' ', 'default', 'free', 'gold', 'frozen', 'off', 'all', 'listPets', '__proto__', 'constructor', 'toString'],
  ...['2s', '0s', '-1s', '1e3s', '1.5d', '3650d', '3651d', '99999999999999999999d', '2s ', 'NaN', '1'],
  ...['2026-01-01T12:00:00Z', '2026-02-31T00:00:00Z', '+010000-01-01T00:00:00Z', '1969-12-31T23:59:59Z'],
  ...['9999-12-31T23:59:59.999Z'],
  ...['\0', '\ud800', '\u202e', '🐶', 'a\r\nb: c', 'é', '\u001b[2J', 'x'.repeat(5_000), '9223372036854775808'],
];
const numbers = [
  ...[0, -0, 1, -1, 2, 200, 304, 404, 599, 1_000, 0.5, 1.5, 1e-300, 2 ** 31, 2 ** 32, 1e9, 1e9 + 1, 10_000_001],
  ...[Date.UTC(9999, 11, 31), 8.64e15, Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 63, 1e21, 1e300, -1e300],
  ...[Number.MAX_VALUE, Number.MIN_VALUE],
];
/** Values that only code can pass, because no file can contain them. */
const codeValues = [
  ...[undefined, Number.NaN, Number.POSITIVE_INFINITY, 7n, 2n ** 64n, Symbol('x'), () => 1, /x/, new Date(0)],
  ...[new Date(Number.NaN), new Map([['a', 1]]), new Set([1]), new Uint8Array(3), Object.create(null), new Array(3)],
];
const names = [...texts, 'minute', 'plan', 'respond', 'Plan', 'stauts', 'hasOwnProperty', '0', '-1', 'length', 'then'];

const nested = (depth: number, isList: boolean): unknown =>
  depth === 0 ? 1 : isList ? [nested(depth - 1, isList)] : { a: nested(depth - 1, isList) };

/** A map with the name as an own field, even `__proto__`. */
const withField = (name: string, value: unknown): object => Object.fromEntries([[name, value]]);

/** Every map and list in a value. */
function containers(value: unknown, found: (Record<string, unknown> | unknown[])[] = []) {
  if (typeof value === 'object' && value !== null) {
    found.push(value as Record<string, unknown>);
    for (const part of Object.values(value)) containers(part, found);
  }
  return found;
}

/**
 * A copy of a scenario with one to four changes: values of another type or out of bounds, fields renamed, removed,
 * added and moved, items repeated, parts of other scenarios.
 * @param others scenarios whose parts are put in
 * @param hasCode whether there may be values that no file can hold
 */
export function mutatedValue(
  random: Random,
  scenario: object,
  others: readonly object[],
  { hasCode }: { hasCode: boolean },
): unknown {
  const { pick, below, chance } = random;
  const copy = structuredClone(scenario) as Record<string, unknown>;
  const junk = (): unknown => {
    const kind = below(hasCode ? 9 : 8);
    if (kind < 2) return pick(texts);
    if (kind < 4) return pick(numbers);
    if (kind === 4) return pick([null, true, false, [], {}, [[]], [null], { a: 1 }, { generate: { sold: 3 } }]);
    if (kind === 5) return nested(pick([1, 3, 40, 200]), chance(0.5));
    if (kind === 6) return withField(pick(names), pick(numbers));
    if (kind === 7) return structuredClone(pick(containers(pick(others))));
    return pick(codeValues);
  };

  function change(): void {
    if (chance(0.3)) {
      // A field of another scenario, valid by itself.
      const [name, value] = pick(Object.entries(pick(others)));
      copy[name] = structuredClone(value);
      return;
    }
    if (chance(0.5)) {
      // One value at any depth.
      const leaves = containers(copy).flatMap((owner) =>
        Object.entries(owner).flatMap(([name, value]) => (typeof value === 'object' ? [] : [{ owner, name }])),
      );
      const { owner, name } = pick([...leaves, { owner: copy, name: 'seed' }]);
      (owner as Record<string, unknown>)[name] = chance(0.4) ? pick(texts) : chance(0.6) ? pick(numbers) : junk();
      return;
    }
    const target = pick(containers(copy));
    if (Array.isArray(target)) {
      const at = below(target.length + 1);
      const kind = below(5);
      if (kind === 0) target[at] = junk();
      else if (kind === 1) target.splice(at, 1);
      else if (kind === 2) target.splice(at, 0, structuredClone(pick([...target, null])));
      else if (kind === 3) target.reverse();
      else target.push(...Array.from({ length: pick([1, 50]) }, () => structuredClone(target[0] ?? 1)));
      return;
    }
    const field = pick([...Object.keys(target), 'none']);
    const { [field]: value } = target;
    const set = (name: string, given: unknown) =>
      Object.defineProperty(target, name, { value: given, enumerable: true, writable: true, configurable: true });
    const kind = below(8);
    if (kind < 3) set(field, junk());
    else if (kind === 3) delete target[field];
    else if (kind === 4) set(pick(names), value ?? junk());
    else if (kind === 5) {
      delete target[field];
      set(chance(0.5) ? pick(names) : misspelt(random, field), value);
    } else if (kind === 6) set(field, typeof value === 'number' ? String(value) : [value]);
    else {
      const source = pick(containers(pick(others)));
      const name = pick([...Object.keys(source), 'none']);
      set(name, structuredClone((source as Record<string, unknown>)[name]));
    }
  }

  do change();
  while (chance(0.3));
  if (hasCode && chance(0.01)) {
    // A scenario that contains itself.
    pick(containers(copy).filter(isMap)).pets = copy;
  }
  return chance(0.01) ? junk() : copy;
}

/** A word with a letter omitted, doubled, in the other case or swapped with the next. */
function misspelt({ below }: Random, word: string): string {
  const at = below(word.length);
  const letter = word[at] ?? '';
  const [before, after] = [word.slice(0, at), word.slice(at + 1)];
  const kinds = [
    after,
    letter + letter + after,
    letter.toUpperCase() + after,
    (after[0] ?? '') + letter + after.slice(1),
  ];
  return before + kinds[below(kinds.length)];
}
