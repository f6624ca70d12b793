import { limitSettings, open } from '../../src/rate-limits/settings.js';
import { createScenarioRules, type ServiceScenario } from '../../src/scenario/scenario-rules.js';
import type { Settings } from '../../src/scenario/settings.js';
import { type SimulatorOptions, simulate } from '../../src/simulator/simulator.js';
import type { MainService, ServiceProperties } from '../../src/simulator/simulator-state.js';
import { depot } from './depot.js';

const settings = { errorCodes: open({}), ...limitSettings, cors: open<Settings['cors']>('loopback') };

/** Rules of a service without scenario fields of its own. The casts are needed only beside the Petstore's types. */
const rules = createScenarioRules({
  base: { name: 'default', keys: { 'free-key': { plan: 'free' } } },
  operations: depot.operations,
  plans: { free: { minute: 60, day: 1_000 } },
  settings,
  defaults: Object.fromEntries(Object.entries(settings).map(([id, { default: value }]) => [id, value])),
  fields: {},
  conditions: {},
  canMatch: () => true,
  matching: 'conditions of one operation',
  // biome-ignore lint/correctness/useYield: the service resolves nothing
  *resolve() {
    return {};
  },
} as unknown as ServiceScenario);

const main: MainService = { ...depot, rules, simulatorFields: () => ({}) as ServiceProperties } as MainService;

/** Creates a simulator of the depot alone, without the Petstore. */
export const createDepotSimulator = (options: SimulatorOptions = {}) => simulate(main, { onWarning() {}, ...options });
