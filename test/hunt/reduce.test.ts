import { expect, test } from 'vitest';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { complexityOf, isSimpler, simplerForms } from '../../src/hunt/reduce.js';
import { judge } from '../../src/judge/judge.js';

const scenario = (nth: number, delay: string): Scenario => ({ faults: [{ when: { nth }, then: { delay } }] });

test('a simpler scenario lacks a field, or has a smaller number or a plainer duration', () => {
  const forms = [...simplerForms(scenario(3, '5s'), () => false, false)];
  const shorter = forms.filter((form) => !(form.faults?.[0]?.when && form.faults[0].then));
  // A part without its last field is gone as well.
  expect(new Set(shorter.map((form) => JSON.stringify(form)))).toEqual(
    new Set(['{}', '{"faults":[{"then":{"delay":"5s"}}]}', '{"faults":[{"when":{"nth":3}}]}']),
  );
  expect(forms.filter((form) => form.faults?.[0]?.when && form.faults[0].then)).toEqual([
    scenario(1, '5s'),
    scenario(2, '5s'),
    scenario(3, '10s'),
    scenario(3, '1m'),
  ]);
});

test('a kept path stays as it is', () => {
  const forms = [...simplerForms(scenario(3, '10s'), (path) => path.includes('when'), false)];
  expect(forms.map((form) => form.faults?.[0])).toEqual([
    undefined,
    undefined,
    { when: { nth: 3 } },
    { when: { nth: 3 } },
  ]);
});

test('no duration gets longer where runs take real time', () => {
  const durations = (minute: string, isRealTime: boolean) =>
    [...simplerForms({ windows: { minute } }, () => false, isRealTime)].flatMap((form) => form.windows?.minute ?? []);
  expect(durations('2s', false)).toEqual(['10s', '1m', '5s']);
  expect(durations('2s', true)).toEqual([]);
  expect(durations('8s', true)).toEqual(['5s', '2s', '1s']);
});

test.each<Scenario>([
  { hostileHeaders: { retryAfter: 'fractional' } },
  { hostileHeaders: {} },
  { faults: [] },
  { keys: { 'free-key': {} } },
  { windows: { minute: null } } as unknown as Scenario,
])('a scenario without the field of %j is simpler', (more) => {
  const verdict = judge(createSimulator());
  const of = (fields: Scenario) =>
    complexityOf({ scenario: fields, verdict, entries: [], failure: undefined, failures: [], end: 'returned' });
  expect(isSimpler(of({}), of(more))).toBe(true);
});
