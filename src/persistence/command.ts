import type { ClientEnd } from '../judge/run.js';
import type { Outcome } from '../requests/outcome.js';
import type { PlainCall } from '../requests/plain-call.js';
import type { Delivery } from '../requests/request-record.js';
import type { Scenario } from '../scenario/scenario-schema.js';

/** A request to the API, in the server's own simulator or in a sandbox, which is created if missing. */
export interface RequestCommand {
  readonly kind: 'request';
  readonly sandbox?: string | undefined;
  readonly call: PlainCall;
  /** Time between the arrival and the append of the request, in milliseconds of machine time. Default: 0. */
  readonly waitedMs?: number | undefined;
}

/** Deliveries of responses, by request id. Unknown fields are absent. */
export interface SentCommand {
  readonly kind: 'sent';
  readonly sandbox?: string | undefined;
  readonly answers: readonly (readonly [id: number, delivery: Partial<Delivery>])[];
}

/** The client of a delayed request disconnected. */
export interface DisconnectCommand {
  readonly kind: 'left';
  readonly sandbox?: string | undefined;
  readonly id: number;
}

/** The function of a route of the user's own ended. Appended by the process that received the request. */
export interface RouteEndedCommand {
  readonly kind: 'routeEnded';
  readonly sandbox?: string | undefined;
  readonly id: number;
  readonly outcome: Outcome;
}

/** A control operation that changes something. */
export interface ControlCommand {
  readonly kind: 'control';
  /** The sandbox whose control API was called; for an operation on sandboxes it is in the input. */
  readonly sandbox?: string | undefined;
  /** Name of the operation in the table of control operations. */
  readonly operation: string;
  /** Checked input of the operation. A scenario is present as its content, not as a name. */
  readonly input: unknown;
  /** Origin of the called URL: `http://127.0.0.1:4010`. */
  readonly origin?: string | undefined;
  /** The caller's own name. */
  readonly client?: string | undefined;
}

/** Loads the changed content of the scenario file. Pets and clock stay, unless `reseed`. */
export interface ScenarioCommand {
  readonly kind: 'scenario';
  readonly scenario: Scenario;
  readonly hash: string;
  readonly reseed?: boolean | undefined;
  /** Hash of the content to replace. A mismatch does nothing, so that one of several replicas loads a new content. */
  readonly after?: string | undefined;
}

/** Extends the idle time of a sandbox without a request; with `make`, creates a missing sandbox. */
export interface KeepAliveCommand {
  readonly kind: 'touch';
  readonly sandbox: string;
  readonly make?: boolean | undefined;
}

/** Advances the clock to the next whole second at the start of a client run. */
export interface AlignClockCommand {
  readonly kind: 'alignClock';
}

/** The client process ended; `judge` uses its exit code and signal. */
export interface RunEndedCommand extends ClientEnd {
  readonly kind: 'runEnded';
}

/** First command of a log, with the initial scenario. */
export interface BeginCommand {
  readonly kind: 'begin';
  /** Absent for a large scenario, which is in a snapshot instead. */
  readonly scenario?: Scenario | undefined;
  readonly hash: string;
}

/** A process opened the log; the clients of earlier processes have disconnected. */
export interface StartedCommand {
  readonly kind: 'started';
}

/** Completes due delayed requests when no other command is pending. */
export interface TickCommand {
  readonly kind: 'tick';
}

/** A replica joins the log. Appended by that replica, also after its lease has expired. */
export interface JoinCommand {
  readonly kind: 'join';
  /** The replica's version of petstore-sim. */
  readonly version: string;
}

/** Heartbeat of an idle replica. */
export interface BeatCommand {
  readonly kind: 'beat';
}

/** A replica leaves the log after its last response. */
export interface LeaveCommand {
  readonly kind: 'part';
}

/** Outage of the store at one replica. The refused requests are in no journal. */
export interface OutageCommand {
  readonly kind: 'storeAway';
  readonly sandbox?: string | undefined;
  /** Start of the outage, in Unix milliseconds of machine time. */
  readonly fromMs: number;
  /** End of the outage, in Unix milliseconds of machine time. */
  readonly toMs: number;
  readonly refused: number;
}

/** A command in a log: a change of the server's state, as plain data. */
export type Command =
  | BeginCommand
  | RequestCommand
  | SentCommand
  | DisconnectCommand
  | RouteEndedCommand
  | ControlCommand
  | ScenarioCommand
  | KeepAliveCommand
  | AlignClockCommand
  | RunEndedCommand
  | StartedCommand
  | TickCommand
  | JoinCommand
  | BeatCommand
  | LeaveCommand
  | OutageCommand;
