import { unknownOperations } from '../scenario/operations.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { coreOf, type Simulator, type Snapshot } from '../simulator/simulator.js';
import { fields, list, string } from '../validation/schemas.js';
import { clockInfo, clockInfoSchema } from './clock-operations.js';
import { invalid, notFound } from './control-error.js';
import { operation } from './control-operation.js';
import { exportLazily, importState, stateSchemaOf } from './export-state.js';
import { described, instantText, name, removed } from './input-values.js';
import type { ServiceControl } from './served-service.js';
import type { ExportedState } from './state-schema.js';

/** Maximum number of named snapshots; each can contain all pets. */
const maximumSnapshots = 50;

const named = fields({ name: described(name, 'Name of the snapshot.') });
const example = { name: 'before' };
const scenario = described(string, 'Name of the scenario.');
const noSnapshot = () => notFound('Unknown snapshot; expected a name that GET /__sim/snapshots lists.');

/**
 * Creates the control operations that export and import a simulator's complete state, and the control operations for
 * named snapshots.
 */
export function createStateOperations({ state: form, counts }: Pick<ServiceControl<never>, 'state' | 'counts'>) {
  const countsOf = (sim: Simulator, { services }: Snapshot) => counts.of(services[coreOf(sim).main.name]);
  const snapshotInfo = fields({
    name,
    scenario: described(string, 'Name of the scenario.'),
    now: described(instantText, 'Simulated time.'),
    ...counts.schemas,
  });
  return {
    exportState: operation({
      method: 'GET',
      path: '/state',
      summary: 'Exports the complete state of the simulator, with scenario and API keys',
      input: fields({}),
      result: form.schema,
      run: (sim): ExportedState => exportLazily(sim, form),
    }),
    importState: operation({
      method: 'PUT',
      path: '/state',
      summary: 'Restores an exported state with its scenario; an invalid state changes nothing',
      input: form.schema,
      inputOf: (sim) => stateSchemaOf(sim, form),
      maximumBytes: 32 * 1024 * 1024,
      result: fields({ scenario, clock: clockInfoSchema, ...counts.schemas }),
      *run(sim, state) {
        const snapshot = yield* importState(sim, state, form);
        // Not in `importState`, because a page restores its saved state before it adds its own routes.
        const issues = [...unknownOperations(state, coreOf(sim).state.shared.operations)];
        if (issues.length > 0) throw new ScenarioError(issues, 'state');
        yield* coreOf(sim).restoreInSteps(snapshot);
        return { scenario: sim.name, clock: clockInfo(sim), ...countsOf(sim, snapshot) };
      },
    }),
    listSnapshots: operation({
      method: 'GET',
      path: '/snapshots',
      summary: 'Lists the named snapshots',
      input: fields({}),
      result: list(snapshotInfo),
      run: (sim) =>
        [...sim.snapshots].map(([name, snapshot]) => ({
          name,
          scenario: snapshot.resolved.name,
          now: new Date(snapshot.clock.nowMs).toISOString(),
          ...countsOf(sim, snapshot),
        })),
    }),
    saveSnapshot: operation({
      method: 'PUT',
      path: '/snapshots/{name}',
      isQuiet: true,
      summary: 'Saves the state as a named snapshot, or replaces the snapshot of that name; at most 50',
      input: named,
      example,
      result: fields({ saved: name }),
      run(sim, { name }) {
        if (sim.snapshots.size >= maximumSnapshots && !sim.snapshots.has(name)) {
          throw invalid(`Failed to save a snapshot: expected at most ${maximumSnapshots} of them; remove one first`);
        }
        sim.snapshots.set(name, sim.snapshot());
        return { saved: name };
      },
    }),
    restoreSnapshot: operation({
      method: 'POST',
      path: '/snapshots/{name}/restore',
      summary: 'Restores a named snapshot with its scenario; the journal and the snapshot remain',
      input: named,
      example,
      result: fields({ scenario, clock: clockInfoSchema }),
      *run(sim, { name }) {
        const snapshot = sim.snapshots.get(name);
        if (snapshot === undefined) throw noSnapshot();
        yield* coreOf(sim).restoreInSteps(snapshot);
        return { scenario: sim.name, clock: clockInfo(sim) };
      },
    }),
    removeSnapshot: operation({
      method: 'DELETE',
      path: '/snapshots/{name}',
      isQuiet: true,
      summary: 'Removes a named snapshot',
      input: named,
      example,
      result: removed,
      run(sim, { name }) {
        if (!sim.snapshots.delete(name)) throw noSnapshot();
        return { removed: name };
      },
    }),
  };
}
