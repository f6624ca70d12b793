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

/** What a server has beside its simulators. */
export interface ServerPiece {
  readonly kind: 'server';
  /** The instant of the last entry. */
  readonly atMs: number;
  /** Of each writer the last entry that was applied. */
  readonly applied: Readonly<Record<string, readonly [incarnation: number, sequence: number]>>;
  /** The hash of the last content of the scenario's file that was loaded. */
  readonly scenarioHash?: string | undefined;
  readonly runEnd?: ClientEnd | undefined;
  /** Of a log that several write to. */
  readonly replicas?: ReplicasState | undefined;
  readonly sandboxes: {
    /** All of their names, in one order for every reader of the log. */
    readonly used: readonly string[];
    readonly dropped: readonly string[];
    readonly lastNumber: number;
  };
}

/** The content of a scenario; the first has number 0. A list of pets follows in pieces. */
export interface ScenarioPiece {
  readonly kind: 'scenario';
  readonly content: Scenario;
  readonly hasPets?: true;
}

export interface ScenarioPetsPiece {
  readonly kind: 'scenarioPets';
  readonly pets: readonly unknown[];
}

/** What a simulator and a named snapshot have in common. Pets and keys follow, unless the pets are those of the scenario. */
interface StateHead {
  /** The numbers of scenarios. */
  readonly resolved: number;
  readonly petsFrom: number;
  readonly nextId?: Int64;
  /** The data of services beside the Petstore. */
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

/** A named snapshot of the simulator before it. */
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

/** Entries of the journal; `held`: those whose answers are held back. */
export interface EntriesPiece {
  readonly kind: 'entries' | 'held';
  readonly entries: readonly RequestRecord[];
}

/** A request in progress as JSON. */
export type JsonExchange = Omit<RequestInProgress, 'call' | 'resolved' | 'fault'> & {
  call: JsonCall;
  resolved: number;
};

/** A delayed request as JSON. */
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

/** A part of the state of a server. In order they are all of it, as plain data; each is short enough to be written in a turn. */
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
