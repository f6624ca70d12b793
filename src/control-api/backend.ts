import type { Outage } from '../journal/outage.js';
import type { Answer, ApiCall } from '../requests/api-call.js';
import type { Sandbox, Sandboxes } from '../sandboxes/sandboxes.js';
import type { Simulator } from '../simulator/simulator.js';
import type { AnyControlOperation, Caller, LogHealth } from './control-operation.js';

/** A control operation that changes something, and what it is to change. */
export interface ControlRequest {
  readonly name: string;
  readonly operation: AnyControlOperation;
  /** The sandbox whose control API was called. */
  readonly sandbox: string | undefined;
  readonly input: unknown;
  readonly caller: Caller;
  /** The origin that the caller used: `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** Does it here and now. */
  run(): unknown;
}

/** What stands behind a server: its simulators themselves, or a log in front of them. */
export interface Backend {
  readonly sim: Simulator;
  readonly sandboxes: Sandboxes;
  /**
   * Answers a call.
   * @param sandbox `undefined`: the server's own simulator
   * @param fail called instead of `deliver` where there is no answer: the client has gone, or the simulator was reset
   */
  handle(
    sandbox: Sandbox | undefined,
    call: ApiCall,
    deliver: (answer: Answer) => void,
    fail: (error: unknown) => void,
  ): void;
  /** The sandbox for a request or a change. */
  useSandbox(name: string): Sandbox | undefined;
  /** Makes a sandbox for a request. @throws {SandboxError} as the rejection of its promise where it gives one */
  makeSandbox(name: string): Sandbox | Promise<Sandbox>;
  /** The sandbox for one who only reads. */
  readSandbox(name: string): Sandbox | undefined;
  /** Resolves when everything that came before can be read. */
  settled(): Promise<void> | undefined;
  /** Does what a control request says. @throws {ControlError} */
  change(request: ControlRequest): unknown;
  /** What `/__sim/health` tells of the log. */
  readonly health?: (() => LogHealth) | undefined;
  /**
   * When this process could write nothing, as far as the log does not tell it yet: what the journal of a sandbox lacks besides
   * its own `outages`.
   * @param sandbox `undefined`: the server's own simulator
   */
  readonly outages?: ((sandbox: string | undefined) => readonly Outage[]) | undefined;
}

/** The simulators of a server themselves: everything is done at once. */
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
