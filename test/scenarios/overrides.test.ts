import { expect, test } from 'vitest';
import { documentedPlans } from '../../src/petstore/document.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { clientOf } from '../../src/scenario/client.js';
import type { Scenario } from '../../src/scenario/scenario-schema.js';
import { applyOverrides, readSetFlag } from '../../src/scenario-files/overrides.js';

const { minute: perMinute } = documentedPlans.free;

/** A scenario with fields set, resolved. */
async function resolved(scenario: Scenario, ...flags: string[]) {
  const overrides = await Promise.all(flags.map(readSetFlag));
  return resolveScenario(applyOverrides(scenario, overrides) as Scenario, () => []);
}

const own: Scenario = { name: 'own', keys: { 'my-key': { usage: { minute: perMinute - 1 } } } };

test('a client gets the first key of its scenario, even if --set changes another field', async () => {
  const { scenario } = await resolved(own, 'ban.seconds=5');
  expect(clientOf(scenario).key).toBe('my-key');
  expect(clientOf((await resolved(own)).scenario).key).toBe('my-key');
});

test('--set does not add the description of the default scenario', async () => {
  expect((await resolved(own)).scenario).not.toHaveProperty('description');
  expect((await resolved(own, 'ban.seconds=5')).scenario).not.toHaveProperty('description');
});

test('--set changes a field of the default scenario, a new field, and an item of a default or own list', async () => {
  const { scenario, settings, keys } = await resolved(
    own,
    'keys.free-key.usage.minute=all',
    'pets[1].name=Kiwi',
    'ban.seconds=5',
    'plans.tiny.minute=2',
    'plans.tiny.day=3',
  );
  expect(keys.get('free-key')).toMatchObject({ plan: 'free', usage: { minute: perMinute } });
  expect(keys.get('my-key')?.usage.minute).toBe(perMinute - 1);
  expect(scenario.pets).toHaveLength(40);
  expect((scenario.pets as { name: string }[])[1]?.name).toBe('Kiwi');
  expect(settings.banSeconds).toBe(5);
  expect(scenario.plans).toMatchObject({ tiny: { minute: 2, day: 3 } });
  const { pets } = await resolved({ pets: [{ id: 1, name: 'Rex', categoryId: 1 }] }, 'pets[0].name=Kiwi');
  expect(pets.map(({ name }) => name)).toEqual(['Kiwi']);
});

test.each([
  ['pets[40].name=Kiwi', 'expected a list with item 40, got a list of 40 items, counted from 0'],
  ['keys[0]=x', 'expected a list with item 0, got no list'],
  ['seed.more=1', 'expected a map, got 1'],
  ['pets.name=1', 'expected a map, got a list'],
])('--set %s reports the existing fields', async (flag, message) => {
  await expect(resolved({ seed: 1 }, flag)).rejects.toThrow(message);
});

test.each([
  ['pets.generate.available=5000', 'pets', "replace it, write --set 'pets={generate: {available: 5000}}'"],
  [
    'pets.generate={available: 5, locale: de}',
    'pets',
    "replace it, write --set 'pets={generate: {available: 5, locale: de}}'",
  ],
  ['limits.retryAfterForm=http-date', 'limits', "replace it, write --set 'limits={retryAfterForm: http-date}'"],
  ['ban.for=5s', 'ban', "replace it, write --set 'ban={for: 5s}'"],
  ['pets.name=Kiwi', 'pets', "change its first item, write --set 'pets[0].name=Kiwi'"],
  ["pets.name=Dog's", 'pets', "change its first item, write --set 'pets[0].name=\"Dog'\\''s\"'"],
  ['faults[0].then.delay=2s', 'faults', "replace it, write --set 'faults=[{then: {delay: 2s}}]'"],
])('--set %s names an option that works', async (flag, path, remedy) => {
  const scenario: Scenario = { limits: 'off', ban: 'off' };
  const error = await resolved(scenario, flag).catch(({ message }) => message);
  expect(error).toMatch(`${path}: expected a`);
  expect(error).toContain(`; to ${remedy}`);
  const [, option = ''] = /write --set '(.*)'$/.exec(error) ?? [];
  await resolved(scenario, option.replaceAll("'\\''", "'"));
});

test.each([
  ['seed.more=1'],
  ['pets.name=1'],
  ['pets[40].name=Kiwi'],
  ['faults[1].then.delay=2s'],
  // Only a scenario file may name a file of pets.
  ['pets.file=pets.yaml'],
])('--set %s gets no advice, because none would work', async (flag) => {
  await expect(resolved({ seed: 1 }, flag)).rejects.toThrow(/^(?!.*write --set).*expected a /);
});

test('--set sends the number of a response header as it is written', async () => {
  const scenario: Scenario = { faults: [{ then: { respond: { status: 503, headers: { A: '1' } } } }] };
  const { faults } = await resolved(scenario, 'faults[0].then.respond.headers.A=1.10');
  expect(faults[0]?.effect).toMatchObject({ headers: { A: '1.10' } });
  const { faults: all } = await resolved({}, 'faults=[{ then: { respond: { status: 503, headers: { B: 007 } } } }]');
  expect(all[0]?.effect).toMatchObject({ headers: { B: '007' } });
});
