import { limitSettings, open } from '../../src/rate-limits/settings.js';
import { createScenarioRules, type ServiceScenario } from '../../src/scenario/scenario-rules.js';
import type { Settings } from '../../src/scenario/settings.js';
import { type SimulatorOptions, simulate } from '../../src/simulator/simulator.js';
import type { MainService, ServiceProperties } from '../../src/simulator/simulator-state.js';
import { depot, parcelRows } from './depot.js';

const settings = { errorCodes: open({}), ...limitSettings, cors: open<Settings['cors']>('loopback') };

/** Scenario rules of the depot, which defines no fields. The Petstore's declarations require the casts. */
const rules = createScenarioRules({
  base: { name: 'default', keys: { 'free-key': { plan: 'free' } } },
  rows: parcelRows,
  plans: { free: { minute: 60, day: 1_000 } },
  settings,
  defaults: Object.fromEntries(Object.entries(settings).map(([id, { default: value }]) => [id, value])),
  fields: {},
  conditions: {},
  // biome-ignore lint/correctness/useYield: the service resolves nothing
  *resolve() {
    return {};
  },
} as unknown as ServiceScenario);

/** The depot as a main service. */
export const depotService: MainService = {
  ...depot,
  rules,
  simulatorFields: () => ({}) as ServiceProperties,
} as MainService;

/** Creates a simulator with the depot as its main service. */
export const createDepotSimulator = (options: SimulatorOptions = {}) =>
  simulate(depotService, { onWarning() {}, ...options });
