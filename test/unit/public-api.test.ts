import { expect, expectTypeOf, test } from 'vitest';
import {
  type Clock,
  createSimulator,
  type Journal,
  type Keys,
  type Pets,
  type Scenario,
  ScenarioError,
} from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { frozen } from '../support/frozen.js';
import { code, send } from '../support/plain-call.js';

const { minute: perMinute } = documentedPlans.free;

const namesOf = (face: object) => Object.keys(face).sort().join(' ');

test('keys, pets, faults and journal expose only their public operations', () => {
  const sim = createSimulator();
  expect(namesOf(sim.keys)).toBe('add ban get list restore revoke setUsage texts unban unlisted');
  expect(namesOf(sim.pets)).toBe('add count get list remove size update');
  expect(namesOf(sim.faults)).toBe('add list remove replace');
  expect(namesOf(sim.journal)).toBe('clear dropped listen outcomes pending query report size');
  expectTypeOf(sim.keys).toEqualTypeOf<Keys>();
  expectTypeOf(sim.pets).toEqualTypeOf<Pets>();
  expectTypeOf(sim.journal).toEqualTypeOf<Journal>();
  expectTypeOf(sim.clock).toEqualTypeOf<Clock>();
});

test('a key is added with the same fields as in a scenario', () => {
  const sim = frozen();
  sim.keys.add('used', { usage: { minute: 'all' } });
  expect(send(sim, { key: 'used' }).status).toBe(429);
  sim.keys.add('banned', { plan: 'pro', bannedFor: '90s' });
  expect(code(send(sim, { key: 'banned' }))).toBe('key_banned');
  sim.keys.add('short', { expiresIn: '5s' });
  expect(send(sim, { key: 'short' }).status).toBe(200);
  sim.clock.advance('5s');
  expect(send(sim, { key: 'short' }).status).toBe(401);
  sim.keys.add('late', { expiresAt: '2026-01-01T12:00:06Z' });
  expect(send(sim, { key: 'late' }).status).toBe(200);
  sim.clock.advance('1s');
  expect(send(sim, { key: 'late' }).status).toBe(401);
});

test.each([
  [{ bannedForMs: 5 }, 'API key at bannedForMs: expected a known field; did you mean bannedFor?'],
  [
    { usage: { minuet: 1 } },
    'API key at usage.minuet: expected a window of the plan (minute, day), got "minuet"; did you mean minute?',
  ],
  [
    { usage: { minute: perMinute + 1 } },
    `API key at usage.minute: expected at most the limit of the plan (${perMinute}), got ${perMinute + 1}`,
  ],
  [{ plan: 'gold' }, 'API key at plan: expected a plan (free, pro, business, enterprise), got "gold"'],
  [{ bannedFor: 'long' }, 'API key at bannedFor: expected a duration such as "500ms", "2s", "5m" or "1d", got "long"'],
])('a key with %j is rejected', (input, message) => {
  const sim = frozen();
  expect(() => sim.keys.add('alice', input as never)).toThrow(ScenarioError);
  expect(() => sim.keys.add('alice', input as never)).toThrow(message);
  expect(sim.keys.texts).not.toContain('alice');
});

test('the text of a key follows the same rules as in a scenario', () => {
  expect(() => frozen().keys.add('two words')).toThrow('API key at key: expected an API key that a header can carry');
});

test('an id given as a number or a bigint is the same pet', () => {
  const sim = frozen();
  expect(() => sim.pets.add({ id: 1n, name: 'Rex', categoryId: 1 })).toThrow('expected a free id, got 1');
  sim.pets.add({ id: 77n, name: 'Rex', categoryId: 2n });
  expect(sim.pets.get(77)).toEqual(sim.pets.get(77n));
  expect(send(sim, { path: '/pets/77' }).body).toBe('{"id":77,"name":"Rex","categoryId":2}');
  expect(sim.pets.update(77n, { name: 'Max' })?.json).toBe('{"id":77,"name":"Max","categoryId":2}');
  sim.pets.add({ id: 9_223_372_036_854_775_807n, name: 'Last', categoryId: 1 });
  expect(send(sim, { path: '/pets/9223372036854775807' }).status).toBe(200);
  expect([sim.pets.remove(77n), sim.pets.remove(77)]).toEqual([true, false]);
});

test.each([
  [{ name: 'Rex', categoryId: Number.NaN }, 'pet at categoryId: expected a whole number within int64'],
  [{ name: 'Rex', categoryId: 1.5 }, 'pet at categoryId: expected a whole number within int64'],
  [{ id: 2n ** 63n, name: 'Rex', categoryId: 1 }, 'pet at id: expected a whole number within int64'],
  [{ name: 7, categoryId: 1 }, 'pet at name: expected text, got 7'],
  [{ name: '\ud800', categoryId: 1 }, 'pet at name: expected well-formed Unicode'],
  [{ name: 'Rex', categoryId: 1, status: 'lost' }, 'pet at status: expected "available", "pending" or "sold"'],
  [{ name: 'Rex', categoryId: 1, colour: 'red' }, 'pet at colour: expected a known field'],
])('a pet such as %o is rejected, and the lists stay readable', (pet, message) => {
  const sim = frozen();
  expect(() => sim.pets.add(pet as never)).toThrow(message);
  const { categoryId, name } = pet as { categoryId: number; name: string };
  if (Number.isNaN(categoryId)) expect(() => sim.pets.update(1, { categoryId })).toThrow(message);
  if (typeof name !== 'string') expect(() => sim.pets.update(1, { name })).toThrow(message);
  expect(JSON.parse(send(sim, { query: 'limit=100' }).body)).toHaveLength(40);
});

test('two simulators share nothing, and returned data cannot be changed', () => {
  const sim = createSimulator();
  const scenario = sim.scenario as { pets: unknown[]; keys: Record<string, { plan: string }> };
  expect(() => {
    scenario.pets.length = 0;
  }).toThrow(TypeError);
  expect(() => {
    (scenario.keys['free-key'] as { plan: string }).plan = 'pro';
  }).toThrow(TypeError);
  expect(() => {
    (sim.scenarios.get('default') as { pets: unknown[] }).pets.length = 0;
  }).toThrow(TypeError);
  expect(() => {
    (sim.settings as { errorCodes: Record<string, string> }).errorCodes.not_found = 'GONE';
  }).toThrow(TypeError);
  const other = createSimulator();
  expect([other.pets.size, other.keys.get('free-key').plan]).toEqual([40, 'free']);
});

test('later changes to a scenario object do not affect the simulator', () => {
  const scenario = { pets: [{ id: 1, name: 'Rex', categoryId: 1 }], keys: { alice: { plan: 'pro' } } };
  const sim = createSimulator({ scenario });
  scenario.pets.length = 0;
  scenario.keys.alice.plan = 'free';
  sim.reset();
  expect([sim.pets.size, sim.keys.get('alice').plan, sim.fork().pets.size]).toEqual([1, 'pro', 1]);
});

test('the next reset after a restored snapshot restores the pets of its own scenario', () => {
  const first: Scenario = { name: 'first', pets: [{ id: 1, name: 'One', categoryId: 1 }] };
  const second: Scenario = { name: 'second', pets: [{ id: 2, name: 'Two', categoryId: 1 }] };
  const sim = createSimulator({ scenario: first });
  const atFirst = sim.snapshot();
  sim.load(second);
  const mixed = sim.snapshot();
  sim.load(second, { reseed: true });
  sim.restore(mixed);
  sim.reset();
  expect([sim.name, sim.pets.list().map(({ name }) => name)]).toEqual(['second', ['One']]);
  sim.load(second, { reseed: true });
  sim.restore(atFirst);
  sim.reset();
  expect([sim.name, sim.pets.list().map(({ name }) => name)]).toEqual(['first', ['One']]);
});

test('a scenario loaded without reseed lists the remaining pets in its own order', () => {
  const sim = createSimulator();
  sim.pets.add({ id: 500, name: 'New', categoryId: 1 });
  sim.load({ assumptions: { listOrder: 'newest-first' } });
  const ids = () => JSON.parse(send(sim, { query: 'limit=3' }).body).map(({ id }: { id: number }) => id);
  expect(ids()).toEqual([500, 40, 39]);
  sim.reset();
  expect(ids()).toEqual([40, 39, 38]);
  sim.load({});
  expect(ids()).toEqual([1, 2, 3]);
});
