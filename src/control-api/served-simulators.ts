import type { Answer, ApiCall } from '../requests/api-call.js';
import type { Sandbox, Sandboxes } from '../sandboxes/sandboxes.js';
import type { Simulator } from '../simulator/simulator.js';
import type { AnyControlOperation, Caller, LogHealth } from './control-operation.js';
import type { ServedService } from './served-service.js';

/** Control operation that changes state, with its input and the simulator or sandbox to change. */
export interface ControlCall {
  readonly name: string;
  readonly operation: AnyControlOperation;
  /** Name of the sandbox to change; `undefined` for the server's own simulator. */
  readonly sandbox: string | undefined;
  readonly input: unknown;
  readonly caller: Caller;
  /** Origin of the called URL: `http://127.0.0.1:4010`. */
  readonly origin: string;
  /**
   * Applies the control operation to the simulators of this process. A server with a log (`--data`) first appends the
   * operation to the log.
   */
  run(): unknown;
}

/**
 * Simulators of an HTTP server: the server's own simulator and its sandboxes. A server with a log (`--data`) applies a
 * change only after the log has stored the change.
 */
export interface ServedSimulators {
  readonly sim: Simulator;
  readonly sandboxes: Sandboxes;
  /** Loads the control operations of the simulated API (the Petstore), at the first request to the control API. */
  loadService(): Promise<ServedService>;
  /**
   * Runs an API request and passes the response to `deliver`.
   * @param sandbox `undefined` for the server's own simulator
   * @param fail called instead of `deliver` if the client disconnected or a reset of the simulator ended the request
   */
  handle(
    sandbox: Sandbox | undefined,
    call: ApiCall,
    deliver: (answer: Answer) => void,
    fail: (error: unknown) => void,
  ): void;
  /** Finds a sandbox by name, and postpones the automatic removal of this sandbox. */
  useSandbox(name: string): Sandbox | undefined;
  /**
   * Creates the sandbox that a request names and that does not exist yet.
   * @throws {SandboxError} at once, or by rejecting the returned promise
   */
  makeSandbox(name: string): Sandbox | Promise<Sandbox>;
  /**
   * Finds the sandbox of a request that only reads. The request postpones the removal of an idle sandbox, but at most
   * once per `renewalMs`, because each postponement is stored in the log.
   */
  readSandbox(name: string): Sandbox | undefined;
  /** Resolves when reads can see all earlier changes. A server with a log stores changes asynchronously. */
  settled(): Promise<void> | undefined;
  /**
   * Runs a control operation that changes state.
   * @throws {ControlError} for a mistake of the caller
   */
  change(request: ControlCall): unknown;
  /**
   * Returns the health of the server's append-only log (`--data`), for the control operation `/__sim/health`. Absent
   * for a server without a log.
   */
  readonly health?: (() => LogHealth) | undefined;
}

/** Creates the simulators of a server without a log. Every change applies directly. */
export function createServedSimulators(
  sim: Simulator,
  sandboxes: Sandboxes,
  loadService: ServedSimulators['loadService'],
): ServedSimulators {
  return {
    sim,
    sandboxes,
    loadService,
    handle(sandbox, call, deliver, fail) {
      const answer = (sandbox?.sim ?? sim).handle(call);
      if (answer instanceof Promise) answer.then(deliver, fail);
      else deliver(answer);
    },
    useSandbox: (name) => sandboxes.use(name),
    makeSandbox: (name) => sandboxes.createForRequest(name),
    readSandbox(name) {
      const sandbox = sandboxes.find(name);
      if (sandbox !== undefined && sandboxes.isRenewalDue(name)) sandboxes.use(name);
      return sandbox;
    },
    settled: () => undefined,
    change: (request) => request.run(),
  };
}
