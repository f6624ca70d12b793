import type { PlainCall } from '../adapters/plain-call.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Delivery } from '../state/request-record.js';
import type { ClientEnd } from '../verdict/run.js';

/** A request to the API, of the server's own simulator or of a sandbox, which it makes where there is none. */
export interface RequestCommand {
  readonly kind: 'request';
  readonly sandbox?: string | undefined;
  readonly call: PlainCall;
  /** From the arrival of the request until it was handed in to be written, in milliseconds of the machine; 0: left out. */
  readonly waitedMs?: number | undefined;
}

/** When and how answers were sent, by the ids of their requests. What is not known is left out. */
export interface SentCommand {
  readonly kind: 'sent';
  readonly sandbox?: string | undefined;
  readonly answers: readonly (readonly [id: number, delivery: Partial<Delivery>])[];
}

/** The client of a delayed request went away. */
export interface LeftCommand {
  readonly kind: 'left';
  readonly sandbox?: string | undefined;
  readonly id: number;
}

/** A control operation that changes something. */
export interface ControlCommand {
  readonly kind: 'control';
  /** The sandbox whose control API was called; for an operation on sandboxes it is in the input. */
  readonly sandbox?: string | undefined;
  /** Its name in the table of operations. */
  readonly operation: string;
  /** As it was sent and checked, a scenario by its content. */
  readonly input: unknown;
  /** The origin that the caller used: `http://127.0.0.1:4010`. */
  readonly origin?: string | undefined;
  /** Who sent it: what it calls itself. */
  readonly client?: string | undefined;
}

/** The scenario's file has this content now: pets and clock go on, unless `reseed`. */
export interface ScenarioCommand {
  readonly kind: 'scenario';
  readonly scenario: Scenario;
  readonly hash: string;
  readonly reseed?: boolean | undefined;
  /** Only where the content that was loaded last has this hash: of several replicas that find a new content one loads it. */
  readonly after?: string | undefined;
}

/** A sandbox is used, though nothing is asked of it; `make`: it is made where there is none. */
export interface TouchCommand {
  readonly kind: 'touch';
  readonly sandbox: string;
  readonly make?: boolean | undefined;
}

/** Puts the clock forward to the next whole second, as a run of a client begins. */
export interface AlignClockCommand {
  readonly kind: 'alignClock';
}

/** The client's process ended: what `judge` is told of it. */
export interface RunEndedCommand extends ClientEnd {
  readonly kind: 'runEnded';
}

/** The first command of a log: what everything began with. */
export interface BeginCommand {
  readonly kind: 'begin';
  /** Left out where it is so large that a snapshot is written instead. */
  readonly scenario?: Scenario | undefined;
  readonly hash: string;
}

/** A process has opened the log: no client of one before it is there any more. */
export interface StartedCommand {
  readonly kind: 'started';
}

/** Time has come for a delayed request, and nothing else has happened. */
export interface TickCommand {
  readonly kind: 'tick';
}

/** A replica begins to write: its clients' requests follow. Written by itself, and again when it was thought to be gone. */
export interface JoinCommand {
  readonly kind: 'join';
  /** The version of petstore-sim that it runs. */
  readonly version: string;
}

/** A replica is there, and has nothing else to write. */
export interface BeatCommand {
  readonly kind: 'beat';
}

/** A replica has answered its last request and goes. */
export interface PartCommand {
  readonly kind: 'part';
}

/** For a time a replica could not write, and refused requests that are in no journal. */
export interface StoreAwayCommand {
  readonly kind: 'storeAway';
  readonly sandbox?: string | undefined;
  /** Machine instants. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly refused: number;
}

/** Everything that a log can hold: what changes the state of a server, as plain data. */
export type Command =
  | BeginCommand
  | RequestCommand
  | SentCommand
  | LeftCommand
  | ControlCommand
  | ScenarioCommand
  | TouchCommand
  | AlignClockCommand
  | RunEndedCommand
  | StartedCommand
  | TickCommand
  | JoinCommand
  | BeatCommand
  | PartCommand
  | StoreAwayCommand;
