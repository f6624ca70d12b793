import type { ClientEnd } from '../judge/run.js';
import type { Outcome } from '../requests/outcome.js';
import type { PlainCall } from '../requests/plain-call.js';
import type { Delivery } from '../requests/request-record.js';
import type { Scenario } from '../scenario/scenario-schema.js';

/**
 * Command in the server's append-only log: an API request to the server's own simulator or to a sandbox. Applying the
 * command creates a missing sandbox.
 */
export interface RequestCommand {
  readonly kind: 'request';
  readonly sandbox?: string | undefined;
  readonly call: PlainCall;
}

/** Command in the server's append-only log that records when and how responses were sent, by request id. */
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

/**
 * Log entry: the user's function that serves a custom route has ended with this outcome. Appended by the server that
 * received the request. A replay uses the stored outcome instead of a new call of the function.
 */
export interface RouteEndedCommand {
  readonly kind: 'routeEnded';
  readonly sandbox?: string | undefined;
  readonly id: number;
  readonly outcome: Outcome;
}

/** Command in the server's append-only log: a control operation that changes the server's state. */
export interface ControlCommand {
  readonly kind: 'control';
  /**
   * Sandbox whose control API received the command; absent for the server's own control API. The sandbox that an
   * operation creates, changes or deletes is named in `input`.
   */
  readonly sandbox?: string | undefined;
  /** Name of the control operation, such as `changeClock`. */
  readonly operation: string;
  /**
   * Input of the control operation, already checked. Contains a scenario by its content, also if the caller has sent
   * only the scenario's name.
   */
  readonly input: unknown;
  /** Origin of the URL at which the control operation was requested, such as `http://127.0.0.1:4010`. */
  readonly origin?: string | undefined;
  /** Name that the caller of the control operation sent in X-Sim-Caller or User-Agent. */
  readonly client?: string | undefined;
}

/**
 * Entry of the append-only log that loads a changed scenario file. Pets and clock stay unchanged, unless `reseed` is
 * set.
 */
export interface ScenarioCommand {
  readonly kind: 'scenario';
  readonly scenario: Scenario;
  readonly hash: string;
  readonly reseed?: boolean | undefined;
}

/**
 * Entry of the append-only log that marks a sandbox as used, because sandboxes without use are removed. With `make`,
 * the entry also creates a missing sandbox.
 */
export interface KeepAliveCommand {
  readonly kind: 'touch';
  readonly sandbox: string;
  readonly make?: boolean | undefined;
}

/**
 * Command in the server's append-only log: advances the simulated clock to the next whole second when a client's run
 * starts. Reset times, which are whole seconds, are then exact.
 */
export interface AlignClockCommand {
  readonly kind: 'alignClock';
}

/**
 * Entry in the server's log of state changes: the process of the judged client ended. Contains the exit code and
 * signal, which the verdict on the client uses.
 */
export interface RunEndedCommand extends ClientEnd {
  readonly kind: 'runEnded';
}

/** First command of every log. It contains the initial scenario of the server whose state the log stores. */
export interface BeginCommand {
  readonly kind: 'begin';
  /**
   * Scenario at the start of the server's append-only log. Absent for a large scenario, which the log's first snapshot
   * contains instead.
   */
  readonly scenario?: Scenario | undefined;
  readonly hash: string;
}

/**
 * Log command: records the start of a server. Applying the command abandons the pending responses of earlier server
 * processes, because their clients have disconnected.
 */
export interface StartedCommand {
  readonly kind: 'started';
}

/**
 * Entry in the server's log of state changes: delayed requests whose time has come are completed. Appended by a timer
 * if no other log command completes these requests.
 */
export interface TickCommand {
  readonly kind: 'tick';
}

/**
 * One change of the server's state, such as a request, as plain data. The server appends each command to its log and
 * then applies the command. A replay of the log restores the state.
 */
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
  | TickCommand;
