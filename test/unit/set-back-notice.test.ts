import { afterEach, expect, test, vi } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';

afterEach(() => vi.useRealTimers());

const init = { headers: { authorization: 'Bearer free-key' } };

/** A simulator that a test file creates once, before its tests set fake timers. */
function shared(scenario = {}) {
  const warnings: string[] = [];
  const sim = createSimulator({ scenario, onWarning: (message) => warnings.push(message) });
  const list = () => sim.fetch('/v1/pets', init);
  return { sim, warnings, list };
}

test('warns once if fake timers go back, and follows after a reset', async () => {
  const { sim, warnings, list } = shared();
  await list();
  vi.useFakeTimers({ now: new Date('2020-01-01T00:00:00Z') });
  await list();
  await list();
  expect(warnings).toEqual([expect.stringMatching(/went back by \d.*call sim\.reset\(\)/)]);
  sim.reset();
  const { headers } = await list();
  expect(headers.get('Date')).toBe('Wed, 01 Jan 2020 00:00:00 GMT');
  expect(Number(headers.get('X-RateLimit-Reset')) * 1000 - Date.now()).toBeLessThanOrEqual(60_000);
  expect(warnings).toHaveLength(1);
});

test('warns if real timers return after a time in the future', async () => {
  const { warnings, list } = shared();
  vi.useFakeTimers({ now: new Date('2031-01-01T00:00:00Z') });
  await list();
  expect(warnings).toEqual([]);
  vi.useRealTimers();
  await list();
  expect(warnings).toHaveLength(1);
});

test.each([
  ['time goes forward', {}, '2031-01-01'],
  ['the scenario has a start', { clock: { start: '2026-01-01T00:00:00Z' } }, '2020-01-01'],
  ['the clock is frozen', { clock: { mode: 'frozen' } }, '2020-01-01'],
])('does not warn if %s', async (_case, scenario, now) => {
  const { warnings, list } = shared(scenario);
  await list();
  vi.useFakeTimers({ now: new Date(now) });
  await list();
  expect(warnings).toEqual([]);
});
