import { fields } from '../schema/schemas.js';
import { clockInfo } from './clock-operations.js';
import { invalid, notFound } from './control-error.js';
import { operation } from './control-operation.js';
import { exportState, importState } from './export-state.js';
import { name } from './input-values.js';
import { stateSchema } from './state-schema.js';

/** A snapshot that a simulator keeps under a name. */
export interface SnapshotInfo {
  name: string;
  /** The scenario that was in force. */
  scenario: string;
  /** The instant of the simulator's clock, ISO 8601. */
  now: string;
  pets: number;
}

/** Each holds a list of all pets. */
const mostSnapshots = 50;

const named = fields({ name });
const noSnapshot = () => notFound('There is no snapshot of this name; expected one that GET /__sim/snapshots lists.');

export const stateOperations = {
  exportState: operation({
    method: 'GET',
    path: '/state',
    summary: 'Everything that requests and the clock can change, with the scenario; API keys whole, int64 exact',
    input: fields({}),
    run: (sim) => exportState(sim.snapshot()),
  }),
  importState: operation({
    method: 'PUT',
    path: '/state',
    summary: 'Puts an exported state in force, with its scenario; one with a mistake changes nothing',
    input: stateSchema,
    maximumBytes: 32 * 1024 * 1024,
    run(sim, state) {
      sim.restore(importState(sim, state));
      return { scenario: sim.name, clock: clockInfo(sim), pets: sim.pets.size };
    },
  }),
  listSnapshots: operation({
    method: 'GET',
    path: '/snapshots',
    summary: 'The named snapshots',
    input: fields({}),
    run: ({ snapshots }): SnapshotInfo[] =>
      [...snapshots].map(([name, { resolved, clock, pets }]) => ({
        name,
        scenario: resolved.name,
        now: new Date(clock.nowMs).toISOString(),
        pets: pets.pets.length,
      })),
  }),
  saveSnapshot: operation({
    method: 'PUT',
    path: '/snapshots/{name}',
    summary: 'Saves the state under a name, in the place of one of that name; 50 are kept',
    input: named,
    run(sim, { name }) {
      if (sim.snapshots.size >= mostSnapshots && !sim.snapshots.has(name)) {
        throw invalid(`Failed to save a snapshot: expected at most ${mostSnapshots} of them; remove one first`);
      }
      sim.snapshots.set(name, sim.snapshot());
      return { saved: name };
    },
  }),
  restoreSnapshot: operation({
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Goes back to a named snapshot and its scenario, as often as wanted; the journal stays',
    input: named,
    run(sim, { name }) {
      const snapshot = sim.snapshots.get(name);
      if (snapshot === undefined) throw noSnapshot();
      sim.restore(snapshot);
      return { scenario: sim.name, clock: clockInfo(sim) };
    },
  }),
  removeSnapshot: operation({
    method: 'DELETE',
    path: '/snapshots/{name}',
    summary: 'Removes a named snapshot',
    input: named,
    run(sim, { name }) {
      if (!sim.snapshots.delete(name)) throw noSnapshot();
      return { removed: name };
    },
  }),
};
