import type { Outage } from '../journal/outage.js';
import type { Answer, ApiCall } from '../requests/api-call.js';
import type { Sandbox, Sandboxes } from '../sandboxes/sandboxes.js';
import type { Simulator } from '../simulator/simulator.js';
import type { AnyControlOperation, Caller, LogHealth } from './control-operation.js';

/** Control operation that changes state, with its target and input. */
export interface ControlRequest {
  readonly name: string;
  readonly operation: AnyControlOperation;
  /** Sandbox whose control API was called. */
  readonly sandbox: string | undefined;
  readonly input: unknown;
  readonly caller: Caller;
  /** Origin of the called URL: `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** Runs the operation in this process, immediately. */
  run(): unknown;
}

/** State behind a server: its simulators directly, or a log in front of them. */
export interface Backend {
  readonly sim: Simulator;
  readonly sandboxes: Sandboxes;
  /**
   * Handles a request to the API.
   * @param sandbox `undefined` for the server's own simulator
   * @param fail called instead of `deliver` if there is no response: the client disconnected, or the simulator was reset
   */
  handle(
    sandbox: Sandbox | undefined,
    call: ApiCall,
    deliver: (answer: Answer) => void,
    fail: (error: unknown) => void,
  ): void;
  /** Finds the sandbox for a request or a change, and extends its idle time. */
  useSandbox(name: string): Sandbox | undefined;
  /** Creates a sandbox for a request. @throws {SandboxError} directly, or as the rejection of the returned promise */
  makeSandbox(name: string): Sandbox | Promise<Sandbox>;
  /** Finds the sandbox for a read. */
  readSandbox(name: string): Sandbox | undefined;
  /** Resolves when all earlier changes are visible to reads. */
  settled(): Promise<void> | undefined;
  /** Performs a change. @throws {ControlError} */
  change(request: ControlRequest): unknown;
  /** Health of the log, for `/__sim/health`. */
  readonly health?: (() => LogHealth) | undefined;
  /**
   * Outages of this process that neither the log nor the journal contains yet.
   * @param sandbox `undefined` for the server's own simulator
   */
  readonly outages?: ((sandbox: string | undefined) => readonly Outage[]) | undefined;
}

/** Creates a backend without a log: every change happens immediately in the server's simulators. */
export function createDirectBackend(sim: Simulator, sandboxes: Sandboxes): Backend {
  return {
    sim,
    sandboxes,
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
