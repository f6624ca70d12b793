import { toControlError, unavailable } from '../control-api/control-error.js';
import type { LogHealth } from '../control-api/control-operation.js';
import { findScenario } from '../control-api/input-values.js';
import { checkInput } from '../control-api/perform.js';
import type { ControlCall, ServedSimulators } from '../control-api/served-simulators.js';
import type { Answer, ApiCall } from '../requests/api-call.js';
import type { Sandbox } from '../sandboxes/sandboxes.js';
import { unknownOperations } from '../scenario/operations.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { toLoggedCall } from '../simulator/sent-key.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { isMap, mapOf } from '../values/plain-data.js';
import type { Command } from './command.js';
import type { HandledRequest } from './command-result.js';
import { LogUnavailableError } from './log.js';
import type { Sequencer } from './sequencer.js';
import type { StateMachine } from './state-machine.js';
import { unavailableResponse } from './unavailable-response.js';

/** Minimum response time from which the server always logs when it sent the response. */
const unloggedDeliveryMs = 5;

/** Creates the simulators of a server that stores each request and change in a log before it takes effect. */
export function createLoggedSimulators(
  machine: StateMachine,
  sequencer: Sequencer,
  health: () => LogHealth,
): ServedSimulators {
  const { sim, sandboxes } = machine;
  const submit = (command: Command) =>
    new Promise<unknown>((resolve, reject) => {
      sequencer.submit(command, (commandResult) =>
        'error' in commandResult ? reject(readable(commandResult.error)) : resolve(commandResult.value),
      );
    });

  const simulators: ServedSimulators = {
    sim,
    sandboxes,
    loadService: async () => machine.service,
    handle(sandbox, call, deliver, fail) {
      // Omits the header `X-Sim-Sandbox: recreated` from the logged request. The server adds the header when it applies
      // the log entry, because the sandbox's first request is known only then.
      const logged = toLoggedCall(coreOf(sandbox?.sim ?? sim).state, call);
      const plain = call.adapterHeaders ? { ...logged, adapterHeaders: undefined } : logged;
      sequencer.submit({ kind: 'request', sandbox: sandbox?.name, call: plain }, (commandResult) => {
        if ('error' in commandResult) {
          if (commandResult.error instanceof LogUnavailableError)
            deliver(unavailableResponse(sandbox?.sim ?? sim, call));
          else fail(commandResult.error);
          return;
        }
        deliverHandled(commandResult.value as HandledRequest, call, sandbox?.name, deliver, fail);
      });
    },
    useSandbox: (name) => sandboxes.find(name),
    makeSandbox: (name) => submit({ kind: 'touch', sandbox: name, make: true }) as Promise<Sandbox>,
    readSandbox(name) {
      const sandbox = sandboxes.find(name);
      if (sandbox !== undefined && sandboxes.isRenewalDue(name)) sequencer.submit({ kind: 'touch', sandbox: name });
      return sandbox;
    },
    settled: () => sequencer.settled()?.catch((error) => Promise.reject(readable(error))),
    change({ name, operation, sandbox, input, caller, origin }: ControlCall) {
      const content = withContent(input);
      checkInput(operation, sim, content);
      checkOperations(content);
      return submit({ kind: 'control', sandbox, operation: name, input: content, origin, client: caller.name });
    },
    health,
  };
  logRoutes(sim);
  for (const sandbox of sandboxes.list()) logRoutes(sandbox.sim, sandbox);
  machine.onSandbox = (sandbox) => logRoutes(sandbox.sim, sandbox);
  return simulators;

  /**
   * Stores each request to a custom route in the server's log. After the route's function has ended, also stores its
   * outcome.
   */
  function logRoutes(of: Simulator, sandbox?: Sandbox): void {
    const { routes } = coreOf(of);
    const name = sandbox?.name;
    routes.handle = (call) =>
      new Promise<Answer>((resolve, reject) => simulators.handle(sandbox, call, resolve, reject));
    routes.finish = (id, outcome) => {
      // Ignores the outcome of a custom route if its sandbox was removed meanwhile. The request was removed with the
      // sandbox, and a new sandbox of the same name does not contain the request.
      if (machine.simOf(name) === of) sequencer.submit({ kind: 'routeEnded', sandbox: name, id, outcome });
    };
  }

  function deliverHandled(
    { sim, id, atMs, answer }: HandledRequest,
    call: ApiCall,
    sandbox: string | undefined,
    deliver: (answer: Answer) => void,
    fail: (error: unknown) => void,
  ): void {
    const delivery = () => {
      const nowMs = sim.clock.now();
      return { answeredAtMs: nowMs, finishedAtMs: nowMs, lastArrivedId: sequencer.lastArrivedId(sandbox) };
    };
    /**
     * Sends a response to the client, and records the sending time in the log. If the adapter, such as the HTTP server,
     * delays the response, the adapter calls `sent`, which records the time.
     */
    const send = (ready: Answer, isLate: boolean) => {
      const { sent, finish } = ready;
      if (sent === undefined) {
        const seen = delivery();
        // Writes no log entry for the sending of an immediate response, because the request's entry implies it.
        const isImplied =
          !isLate &&
          seen.lastArrivedId === coreOf(sim).state.journal.lastId &&
          seen.answeredAtMs < atMs + unloggedDeliveryMs;
        if (!isImplied) sequencer.noteDelivery(sandbox, id, seen);
      }
      if (sent === undefined && finish === undefined) {
        deliver(ready);
        return;
      }
      deliver({
        ...ready,
        sent: sent && ((heldMs) => sequencer.noteDelivery(sandbox, id, { ...delivery(), heldMs })),
        finish:
          finish &&
          ((isWhole, responseBody) =>
            sequencer.noteDelivery(sandbox, id, {
              finishedAtMs: sim.clock.now(),
              isAbandoned: !isWhole,
              ...(responseBody !== undefined && { responseBody }),
            })),
      });
    };
    if (!(answer instanceof Promise)) {
      send(answer, false);
      return;
    }
    const { signal } = call;
    const leave = () => sequencer.submit({ kind: 'left', sandbox, id });
    signal?.addEventListener('abort', leave);
    if (signal?.aborted) leave();
    answer.finally(() => signal?.removeEventListener('abort', leave)).then((late) => send(late, true), fail);
  }

  /**
   * Checks that a scenario, fault rule or state in a control request names only operations of the simulated API.
   * @throws {ControlError} for an unknown operation of the API
   */
  function checkOperations(input: unknown): void {
    const { operations } = coreOf(sim).state.shared;
    const { scenario, dataFrom, fault } = mapOf(input);
    const contents = { scenario: [scenario, dataFrom], 'fault rule': [fault], input: [input] };
    for (const [subject, values] of Object.entries(contents)) {
      const issues = values.filter(isMap).flatMap((content) => [...unknownOperations(content, operations)]);
      if (issues.length > 0) throw toControlError(new ScenarioError(issues, subject));
    }
  }

  /**
   * Replaces a scenario's name in the input of a control operation by the scenario's content. The log must contain the
   * content, because the name may refer to another scenario when the log is replayed.
   */
  function withContent(input: unknown): unknown {
    if (!isMap(input) || typeof input.scenario !== 'string') return input;
    return { ...input, scenario: findScenario(sim, input.scenario) };
  }
}

/**
 * Converts the error of an unavailable log to a 503 for the caller of a control operation. Returns any other error
 * unchanged.
 */
const readable = (error: unknown) => (error instanceof LogUnavailableError ? unavailable(error.message) : error);
