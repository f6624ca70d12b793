import type { ClientEnd } from '../judge/run.js';
import type { Outcome } from '../requests/outcome.js';
import type { PlainCall } from '../requests/plain-call.js';
import type { Delivery } from '../requests/request-record.js';
import type { Scenario } from '../scenario/scenario-schema.js';

/** Log command: an API request to the server's own simulator or to a sandbox. Creates a missing sandbox. */
export interface RequestCommand {
  readonly kind: 'request';
  readonly sandbox?: string | undefined;
  readonly call: PlainCall;
  /** Time between the request's arrival and its log entry, in milliseconds of machine time. Default: 0. */
  readonly waitedMs?: number | undefined;
}

/** Log command: records when and how responses were sent, by request id. Unknown fields are absent. */
export interface SentCommand {
  readonly kind: 'sent';
  readonly sandbox?: string | undefined;
  readonly answers: readonly (readonly [id: number, delivery: Partial<Delivery>])[];
}

/**
 * Command in the log: a client disconnected while its request waited for the end of a fault rule's delay or of a custom
 * route's function.
 */
export interface DisconnectCommand {
  readonly kind: 'left';
  readonly sandbox?: string | undefined;
  readonly id: number;
}

/** Log command: the function of a custom route has ended. Appended by the server that received the request. */
export interface RouteEndedCommand {
  readonly kind: 'routeEnded';
  readonly sandbox?: string | undefined;
  readonly id: number;
  readonly outcome: Outcome;
}

/** Log command: a control operation that changes state. */
export interface ControlCommand {
  readonly kind: 'control';
  /** Sandbox whose control API was called. An operation on sandboxes names its sandbox in the input instead. */
  readonly sandbox?: string | undefined;
  /** Name of the control operation, such as `changeClock`. */
  readonly operation: string;
  /**
   * Input of the control operation, already checked. Contains a scenario by its content, also if the caller has sent
   * only the scenario's name.
   */
  readonly input: unknown;
  /** Origin of the called control URL: `http://127.0.0.1:4010`. */
  readonly origin?: string | undefined;
  /** Name that the caller of the control operation sent in X-Sim-Caller or User-Agent. */
  readonly client?: string | undefined;
}

/** Log command: loads the changed content of the scenario file. Pets and clock stay, unless `reseed` is set. */
export interface ScenarioCommand {
  readonly kind: 'scenario';
  readonly scenario: Scenario;
  readonly hash: string;
  readonly reseed?: boolean | undefined;
  /**
   * Hash of the scenario that this command replaces. The command has no effect if the current scenario has another
   * hash, because another replica has then loaded the new content.
   */
  readonly after?: string | undefined;
}

/**
 * Command of the log that marks a sandbox as used, so that it is not removed as idle. With `make`, the command creates
 * a missing sandbox.
 */
export interface KeepAliveCommand {
  readonly kind: 'touch';
  readonly sandbox: string;
  readonly make?: boolean | undefined;
}

/**
 * Log command: advances the clock to the next whole second when a client's run starts, so that reset times, which are whole
 * seconds, are exact.
 */
export interface AlignClockCommand {
  readonly kind: 'alignClock';
}

/** Log command: the judged client process ended. The judge uses its exit code and signal. */
export interface RunEndedCommand extends ClientEnd {
  readonly kind: 'runEnded';
}

/** Log command: the first one of every log, with the initial scenario. */
export interface BeginCommand {
  readonly kind: 'begin';
  /**
   * Scenario with which the log starts. Absent for a large scenario, which the log's first snapshot contains instead.
   */
  readonly scenario?: Scenario | undefined;
  readonly hash: string;
}

/** Log command: a server opened the log. The clients of earlier servers have disconnected. */
export interface StartedCommand {
  readonly kind: 'started';
}

/** Log command: completes the delayed requests that are due. Appended if no other command does so. */
export interface TickCommand {
  readonly kind: 'tick';
}

/**
 * Log command: a replica joins the servers that share the log. Appended by this replica, also after it was silent for too
 * long.
 */
export interface JoinCommand {
  readonly kind: 'join';
  /** Version of petstore-sim that the replica runs. */
  readonly version: string;
}

/** Log command: shows that an idle replica is alive. Appended every two seconds. */
export interface HeartbeatCommand {
  readonly kind: 'beat';
}

/** Log command: a replica leaves the servers that share the log, after its last response. */
export interface LeaveCommand {
  readonly kind: 'part';
}

/** Log command: records a period in which a replica could not reach the store. The journal lacks the rejected requests. */
export interface OutageCommand {
  readonly kind: 'storeAway';
  readonly sandbox?: string | undefined;
  /** Start of the period without the store, in Unix milliseconds of machine time. */
  readonly fromMs: number;
  /** End of the period without the store, in Unix milliseconds of machine time. */
  readonly toMs: number;
  readonly refused: number;
}

/** Command of a log: a request or another change of the server's state, as plain data. */
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
  | HeartbeatCommand
  | LeaveCommand
  | OutageCommand;
