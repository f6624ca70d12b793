import { createSimulator, type Scenario, type Simulator } from '../../src/index.js';

/** The instant at which every frozen scenario starts. */
export const noon = '2026-01-01T12:00:00Z';
export const noonSeconds = Date.parse(noon) / 1000;

/** A simulator whose clock stands still at noon; only `sim.clock` moves it. */
export function frozen(scenario: Scenario = {}): Simulator {
  const clock = { start: noon, mode: 'frozen' as const, ...scenario.clock };
  return createSimulator({ scenario: { ...scenario, clock } });
}
