import { describe, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { parseInstant } from '../../src/values/instant.js';
import { outcome } from '../control-api/both-controls.js';
import { frozen } from '../support/frozen.js';

const impossible = ['2026-02-29', '2026-02-31', '2026-04-31', '2100-02-29', '2026-01-00', '2026-13-01', '2026-00-10'];

describe('a day that does not exist in its month', () => {
  test.each(impossible)('%s is not an instant', (day) => {
    expect(() => parseInstant(`${day}T00:00:00Z`)).toThrow(RangeError);
    expect(() => parseInstant(`${day}T12:30+01:00`)).toThrow(day);
  });

  test('is rejected in every field with an instant, and nothing changes', async () => {
    const instant = '2026-02-31T00:00:00Z';
    const message = 'expected a day that the month has, got "2026-02-31T00:00:00Z"';
    expect(() => frozen({ clock: { start: instant } })).toThrow(`clock.start: ${message}`);
    expect(() => frozen({ keys: { a: { expiresAt: instant } } })).toThrow(`keys.a.expiresAt: ${message}`);
    const sim = frozen();
    const before = sim.clock.now();
    expect(() => sim.clock.set(instant)).toThrow(message);
    expect(() => sim.keys.add('a', { expiresAt: instant })).toThrow(message);
    const control = createControl(sim);
    for (const call of [
      () => control.changeClock({ set: instant }),
      () => control.addKey({ key: 'a', expiresAt: instant }),
      () => control.loadScenario({ scenario: { clock: { start: instant } } }),
    ]) {
      expect(await outcome(call)).toMatchObject({ status: 400, message: expect.stringContaining(message) });
    }
    expect(sim.clock.now()).toBe(before);
    expect(sim.keys.texts).not.toContain('a');
  });
});

test.each([
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ['2000-02-29T23:59:59.999Z', Date.UTC(2000, 1, 29, 23, 59, 59, 999)],
  ['2026-12-31T23:59-01:00', Date.UTC(2027, 0, 1, 0, 59)],
  ['2026-03-01T00:30:00+01:00', Date.UTC(2026, 1, 28, 23, 30)],
])('%s is an instant', (text, ms) => {
  expect(parseInstant(text)).toBe(ms);
});

test.each(['2026-01-01T24:00:00Z', '2026-01-01T12:60:00Z', '2026-01-01T12:00:61Z', '2026-01-01T12:00:00+24:00'])(
  '%s is not a time of day',
  (text) => {
    expect(() => parseInstant(text)).toThrow('expected an instant such as');
  },
);
