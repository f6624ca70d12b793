import type { ClockAnchor, ClockState } from '../clock/simulated-clock.js';
import type { ExportedKey, ExportedState } from '../control-api/state-schema.js';
import type { FaultRule } from '../faults/fault-rule.js';
import type { ClientEnd } from '../judge/run.js';
import type { ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { ControlChanges } from '../simulator/control-change.js';
import type { RequestInProgress, RunningRequest } from '../simulator/to-record.js';
import type { JsonValue } from '../values/json.js';
import type { JsonCall, JsonOutcome } from './command-json.js';

/**
 * Part of a stored snapshot: the state of a server outside its simulators, such as the names of sandboxes.
 */
export interface ServerPiece {
  readonly kind: 'server';
  /** Time of the last log entry before the snapshot. */
  readonly atMs: number;
  /** Hash of the content that was last loaded from the scenario file. */
  readonly scenarioHash?: string | undefined;
  readonly runEnd?: ClientEnd | undefined;
  readonly sandboxes: {
    /** Names of all sandboxes, in the order of their creation. */
    readonly used: readonly string[];
    readonly dropped: readonly string[];
    readonly lastNumber: number;
  };
}

/**
 * Part of a stored snapshot that contains a scenario. If `hasPets`, the scenario's pets follow in separate parts.
 * Other parts refer to a scenario by its number in the snapshot, counted from 0.
 */
export interface ScenarioPiece {
  readonly kind: 'scenario';
  readonly content: Scenario;
  readonly hasPets?: true;
}

export interface ScenarioPetsPiece {
  readonly kind: 'scenarioPets';
  readonly pets: readonly unknown[];
}

/** Fields that the stored state of a simulator and of its named snapshots have in common. */
interface StateHead {
  /** Number of the loaded scenario among the scenarios in the stored snapshot, counted from 0. */
  readonly resolved: number;
  /** Number of the scenario whose pets a reset restores, counted from 0 among the snapshot's scenarios. */
  readonly petsFrom: number;
  readonly faults: ExportedState['faults'];
}

export interface SimulatorPiece extends StateHead {
  readonly kind: 'simulator';
  readonly sandbox?: { name: string; number: number; lastUsedMs: number; isRecreated: boolean };
  readonly clock: ClockAnchor;
  readonly changes: ControlChanges;
  readonly journal: {
    lastId: number;
    pending: number;
    dropped: number;
    clearedId: number;
    outcomes: readonly ReportedOutcome[];
  };
}

/**
 * Part of a stored server state that begins a named snapshot, which a user has taken of a simulator. The named snapshot
 * belongs to the simulator in the nearest preceding part of the kind `simulator`.
 */
export interface SnapshotPiece extends StateHead {
  readonly kind: 'snapshot';
  readonly name: string;
  readonly clock: ClockState;
}

/**
 * Part of a stored snapshot of the server's state: data of one simulated API (service), such as pets. If the data needs
 * several parts, the parts follow each other.
 */
export interface DataPiece {
  readonly kind: 'data';
  readonly service: string;
  readonly values: readonly JsonValue[];
}

export interface KeysPiece {
  readonly kind: 'keys' | 'unlistedKeys';
  readonly keys: readonly ExportedKey[];
}

/**
 * Part of a stored snapshot with journal records. The kind `held` marks records whose responses were not sent yet when
 * the snapshot was taken.
 */
export interface EntriesPiece {
  readonly kind: 'entries' | 'held';
  readonly entries: readonly RequestRecord[];
}

/** Request in progress, as JSON. */
export type JsonExchange = Omit<RequestInProgress, 'call' | 'resolved' | 'fault'> & {
  call: JsonCall;
  resolved: number;
};

/** JSON form of a delayed request. */
export interface JsonDelayed {
  dueMs: number;
  rule: FaultRule['definition'];
  first?: JsonOutcome | undefined;
  exchange: JsonExchange;
}

/** Request whose custom route still runs, as JSON. */
export interface JsonRunning extends Pick<RunningRequest, 'delayMs' | 'leftAtMs'> {
  rule?: FaultRule['definition'] | undefined;
  exchange: JsonExchange;
}

export interface DelayedPiece {
  readonly kind: 'delayed';
  readonly requests: readonly JsonDelayed[];
}

export interface RunningPiece {
  readonly kind: 'running';
  readonly requests: readonly JsonRunning[];
}

/**
 * Part of a server's state as plain data, small enough for one write. All pieces together, in their order, are a
 * snapshot.
 */
export type Piece =
  | ServerPiece
  | ScenarioPiece
  | ScenarioPetsPiece
  | SimulatorPiece
  | SnapshotPiece
  | DataPiece
  | KeysPiece
  | EntriesPiece
  | DelayedPiece
  | RunningPiece;
