import { describe, expect, test } from 'vitest';
import type { ExportedState } from '../../src/control-api/state-schema.js';
import { otherFields } from '../../src/dashboard/pets.js';
import { createControl, readStart } from '../../src/entries/control.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { Learner } from '../../src/fidelity/deduce/learner.js';
import { recordedScenario } from '../../src/fidelity/deduce/recorded-scenario.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { type NewPetField, newPetFieldNames, newPetFields, type Pet } from '../../src/petstore/pet.js';
import { stateAsScenario } from '../../src/petstore/state-as-scenario.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { parseJson, stringifyJson } from '../../src/values/json.js';
import { harOf } from '../fidelity/recorded-traffic.js';
import { send } from '../support/plain-call.js';

/** Two values of each field of NewPet, and an invalid one. A field of the table without a sample fails to compile. */
const samples: { [Field in NewPetField]: { values: [Pet[Field], Pet[Field]]; invalid: unknown } } = {
  name: { values: ['Ada', 'Zoë "Z"'], invalid: 7 },
  categoryId: { values: [3, 9_007_199_254_740_993n], invalid: '3' },
  status: { values: ['pending', 'sold'], invalid: 'lost' },
};
const pets = ([0, 1] as const).map(
  (index) =>
    Object.fromEntries(newPetFieldNames.map((field) => [field, samples[field].values[index]])) as Omit<Pet, 'id'>,
) as [Omit<Pet, 'id'>, Omit<Pet, 'id'>];
const [first, second] = pets;
const lenient: Scenario = { pets: [], keys: { 'free-key': { plan: 'business' } } };
const fieldsOf = (pet: object | undefined) =>
  Object.fromEntries(newPetFieldNames.map((field) => [field, (pet as Pet | undefined)?.[field]]));

/** A simulator with the two sample pets, created by requests. */
function withPets() {
  const sim = createSimulator({ scenario: lenient });
  for (const pet of pets) expect(send(sim, { body: stringifyJson(pet as never) }).status).toBe(201);
  return sim;
}

describe.each(newPetFieldNames)('the field %s of a pet', (field) => {
  const { isRequired } = newPetFields[field];

  test('is created, listed and returned', () => {
    const sim = withPets();
    const listed = parseJson(send(sim).body) as never as Pet[];
    expect(listed.map((pet) => pet[field])).toEqual([first[field], second[field]]);
    expect((parseJson(send(sim, { path: '/pets/2' }).body) as never as Pet)[field]).toEqual(second[field]);
    expect(sim.pets.get(2)?.[field]).toEqual(second[field]);
  });

  test('is checked by createPet and by code', () => {
    const sim = createSimulator({ scenario: lenient });
    const wrong = { ...first, [field]: samples[field].invalid } as Omit<Pet, 'id'>;
    const refused = send(sim, { body: stringifyJson(wrong as never) });
    expect([refused.status, refused.body]).toEqual([400, expect.stringContaining(`${field} is `)]);
    const { [field]: _, ...rest } = first;
    expect(send(sim, { body: stringifyJson(rest as never) }).status).toBe(isRequired ? 400 : 201);
    if (!newPetFields[field].schema.accepts(samples[field].invalid))
      expect(() => sim.pets.add(wrong)).toThrow(`pet at ${field}`);
  });

  test('is changed by code and by the control API, and restored by a snapshot and a reset', () => {
    const sim = withPets();
    const control = createControl(sim);
    const before = sim.snapshot();
    sim.pets.update(1, { [field]: second[field] });
    expect(fieldsOf(sim.pets.get(1))).toEqual({ ...first, [field]: second[field] });
    control.updateStoredPet({ id: 2, [field]: first[field] });
    expect(fieldsOf(sim.pets.get(2))).toEqual({ ...second, [field]: first[field] });
    sim.restore(before);
    expect(sim.pets.list().map(fieldsOf)).toEqual(pets);
  });

  test('is in the control API, and either a column of the page or among its other fields', () => {
    const [newest] = createControl(withPets()).listStoredPets({ limit: 1 }).pets;
    const listed = newest as never as Record<string, unknown> & { json: string };
    const value = second[field];
    expect(listed[field]).toEqual(typeof value === 'bigint' ? String(value) : value);
    const other = otherFields(listed as never);
    expect(['name', 'categoryId', 'status'].includes(field)).toBe(!other.includes(`"${field}":`));
  });

  test('is exported and imported, also as a scenario', () => {
    const state = createControl(withPets()).exportState() as ExportedState;
    const text = stringifyJson(state as never);
    const copy = createSimulator();
    createControl(copy).importState(parseJson(text) as never);
    expect(copy.pets.list().map(fieldsOf)).toEqual(pets);
    const again = createSimulator({ scenario: stateAsScenario(parseJson(text) as never), readStart });
    expect(again.pets.list().map(fieldsOf)).toEqual(pets);
    expect(
      createSimulator({ scenario: { ...lenient, pets } as Scenario })
        .pets.list()
        .map(fieldsOf),
    ).toEqual(pets);
  });

  test('makes a write another one for the judge', () => {
    const duplicates = (other: object) => {
      const scenario: Scenario = { ...lenient, faults: [{ when: { nth: 1 }, then: { reset: true, phase: 'after' } }] };
      const sim = createSimulator({ scenario });
      for (const pet of [first, other]) send(sim, { body: stringifyJson(pet as never) });
      return createControl(sim)
        .getVerdict()
        .findings.filter(({ code }) => code === 'duplicate-write').length;
    };
    expect([duplicates(first), duplicates({ ...first, [field]: second[field] })]).toEqual([1, 0]);
  });

  test('is learned by calibrate, without a contradiction', async () => {
    const sim = withPets();
    send(sim);
    const { exchanges } = await readRecording(
      [{ name: 'own.har', pieces: [new TextEncoder().encode(harOf(sim))] }],
      recordedPetstore,
    );
    const learner = new Learner();
    for (const exchange of exchanges) learner.add(exchange);
    expect(learner.contradictions).toEqual([]);
    expect([...learner.facts.pets.values()].map(fieldsOf)).toEqual(pets);
    expect(recordedScenario(exchanges, learner, 'own').assumptions?.unknownFields).toBeUndefined();
  });
});

test('a list or map in a pet cannot be changed from outside', () => {
  const extra = { note: ['x'] };
  const sim = createSimulator({ scenario: { pets: [{ id: 1, ...first, extra }] } as Scenario });
  extra.note.push('y');
  const stored = sim.pets.get(1) as unknown as Record<string, unknown>;
  for (const value of Object.values(stored).filter((value) => typeof value === 'object'))
    expect(() => Object.assign(value as object, { note: ['z'] })).toThrow(TypeError);
  expect(() => (stored.extra as typeof extra).note.push('z')).toThrow(TypeError);
  expect(stored.json).toContain('"note":["x"]');
});
