import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';

/** Start time of every frozen scenario. */
export const noon = '2026-01-01T12:00:00Z';
export const noonSeconds = Date.parse(noon) / 1000;

/** A simulator with a clock frozen at noon, which only `sim.clock` moves. */
export function frozen(scenario: Scenario = {}): Simulator {
  const clock = { start: noon, mode: 'frozen' as const, ...scenario.clock };
  return createSimulator({ scenario: { ...scenario, clock } });
}
