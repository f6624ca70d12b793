import type { ClockAnchor, ClockState } from '../clock/simulated-clock.js';
import type { ExportedKey, ExportedState } from '../control-api/state-schema.js';
import type { FaultRule } from '../faults/fault-rule.js';
import type { Outage } from '../journal/outage.js';
import type { ClientEnd } from '../judge/run.js';
import type { Pet } from '../petstore/pet.js';
import type { ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { ControlChanges } from '../simulator/control-change.js';
import type { ServiceCopies } from '../simulator/simulator-state.js';
import type { RequestInProgress, RunningRequest } from '../simulator/to-record.js';
import type { Int64 } from '../values/int64.js';
import type { JsonCall, JsonOutcome } from './command-json.js';
import type { ReplicasState } from './replicas.js';

/** State of a server outside its simulators. */
export interface ServerPiece {
  readonly kind: 'server';
  /** Time of the last entry, in Unix milliseconds. */
  readonly atMs: number;
  /** Last applied entry of each writer. */
  readonly applied: Readonly<Record<string, readonly [incarnation: number, sequence: number]>>;
  /** Hash of the last loaded content of the scenario file. */
  readonly scenarioHash?: string | undefined;
  readonly runEnd?: ClientEnd | undefined;
  /** Replicas of a log with several writers. */
  readonly replicas?: ReplicasState | undefined;
  readonly sandboxes: {
    /** Names of all sandboxes, in the same order for every reader of the log. */
    readonly used: readonly string[];
    readonly dropped: readonly string[];
    readonly lastNumber: number;
  };
}

/** Content of a scenario; scenarios are numbered from 0. Pieces with a list of pets follow if `hasPets`. */
export interface ScenarioPiece {
  readonly kind: 'scenario';
  readonly content: Scenario;
  readonly hasPets?: true;
}

export interface ScenarioPetsPiece {
  readonly kind: 'scenarioPets';
  readonly pets: readonly unknown[];
}

/**
 * Common part of a simulator and a named snapshot. Pieces with pets and keys follow; unchanged scenario pets are
 * omitted.
 */
interface StateHead {
  /** Number of the current scenario. */
  readonly resolved: number;
  /** Number of the scenario that the pets are from. */
  readonly petsFrom: number;
  readonly nextId?: Int64;
  /** Data of the services other than the Petstore. */
  readonly services?: ServiceCopies | undefined;
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
    outages?: readonly Outage[];
  };
}

/** Named snapshot of the preceding simulator. */
export interface SnapshotPiece extends StateHead {
  readonly kind: 'snapshot';
  readonly name: string;
  readonly clock: ClockState;
}

export interface PetsPiece {
  readonly kind: 'pets';
  readonly pets: readonly Pet[];
}

export interface KeysPiece {
  readonly kind: 'keys' | 'unlistedKeys';
  readonly keys: readonly ExportedKey[];
}

/** Records of the journal; `held` records have an undelivered response. */
export interface EntriesPiece {
  readonly kind: 'entries' | 'held';
  readonly entries: readonly RequestRecord[];
}

/** JSON form of a request in progress. */
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

/** A request whose route runs, as JSON. */
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

/** Part of a server's state, as plain data, short enough for one write. All pieces in order are the whole state. */
export type Piece =
  | ServerPiece
  | ScenarioPiece
  | ScenarioPetsPiece
  | SimulatorPiece
  | SnapshotPiece
  | PetsPiece
  | KeysPiece
  | EntriesPiece
  | DelayedPiece
  | RunningPiece;
