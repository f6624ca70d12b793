import { ResetError } from '../clock/simulated-clock.js';
import type { Answer } from '../requests/api-call.js';
import type { Outcome } from '../requests/outcome.js';
import type { SimulatorState } from './simulator-state.js';
import { type DelayedRequest, type RequestInProgress, type RunningRequest, toRecord, unanswered } from './to-record.js';

/**
 * Functions that continue a waiting request after its delay, or after its custom route's function. Each returns the
 * response, or `undefined` if the request must wait again.
 */
interface Steps {
  /** Charges the cost that the outcome of a custom route's function states. */
  charge(exchange: RequestInProgress, outcome: Outcome): void;
  /** Continues a request after its delay. */
  afterDelay(request: DelayedRequest): Answer | undefined;
  /** Continues a request after its custom route's function returned an outcome. */
  afterRun(request: RunningRequest, outcome: Outcome): Answer | undefined;
}

/**
 * Manages waiting requests, which are delayed by a fault rule or wait for a custom route's function. Delayed requests
 * continue in the order of their due times, then ids.
 */
export function createWaitingRequests(
  { clock, journal, delayed, running, shared }: SimulatorState,
  { charge, afterDelay, afterRun }: Steps,
) {
  /** Functions by request id. Each function ends the wait of one request, with a response or with an error. */
  const waiters = new Map<number, (answer?: Answer, reason?: unknown) => void>();
  const settle = (id: number, answer?: Answer, reason?: unknown) => {
    waiters.get(id)?.(answer, reason);
    waiters.delete(id);
  };

  /** Continues the delayed requests whose delay has ended. */
  function complete(nowMs: number): void {
    while ((delayed[0]?.dueMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const request = delayed.shift() as DelayedRequest;
      const answer = afterDelay(request);
      if (answer !== undefined) settle(request.exchange.id, answer);
    }
  }

  const recordUnanswered = (exchange: RequestInProgress, leftAtMs: number) =>
    journal.add(toRecord(exchange, unanswered, leftAtMs, journal.lastId, shared.recordHeaders));

  /** Ends the wait of a request whose client disconnected. Has no effect if the request does not wait. */
  function leave(id: number, reason?: unknown): void {
    const runs = running.get(id);
    if (runs !== undefined) {
      // Adds the request to the journal only when its custom route's function ends. The function continues after the
      // client's disconnect, and may still store an object.
      runs.leftAtMs = clock.now();
      settle(id, undefined, reason);
      return;
    }
    const position = delayed.findIndex(({ exchange }) => exchange.id === id);
    const [left] = position < 0 ? [] : delayed.splice(position, 1);
    if (left === undefined) return;
    recordUnanswered(left.exchange, clock.now());
    settle(id, undefined, reason);
    clock.rearm();
  }

  function delay(request: DelayedRequest): void {
    const isBehind = ({ dueMs }: DelayedRequest) => dueMs <= request.dueMs;
    delayed.splice(delayed.findLastIndex(isBehind) + 1, 0, request);
    // Starts the timer of a delayed response only after the caller waits for the response. If the process was paused,
    // the delay may be over already.
    Promise.resolve().then(() => clock.rearm());
  }

  function run(exchange: RequestInProgress, rule: RunningRequest['rule'], delayMs = 0): void {
    // The process that ran the custom route's function has ended, so that the request gets no response.
    if (exchange.isOrphaned) recordUnanswered(exchange, clock.now());
    else {
      running.set(exchange.id, { exchange, rule, delayMs, leftAtMs: undefined });
      const whole = rule !== undefined ? 'all' : exchange.resolved.costs?.bodyPath !== undefined ? 'json' : undefined;
      exchange.call.route?.start?.(exchange.id, whole, exchange.isLimited);
    }
  }

  /**
   * Continues a request with the outcome of its custom route's function. Has no effect if the simulator was reset
   * meanwhile.
   */
  function finishRoute(id: number, outcome: Outcome): void {
    const request = running.get(id);
    if (request === undefined) return;
    running.delete(id);
    const { exchange, leftAtMs } = request;
    exchange.storedId = outcome.storedId;
    complete(clock.now());
    charge(exchange, outcome);
    const answer = leftAtMs === undefined ? afterRun(request, outcome) : undefined;
    if (leftAtMs !== undefined) recordUnanswered(exchange, leftAtMs);
    if (answer !== undefined) settle(id, answer);
  }

  /** Records a request to a custom route whose function can never return, because the function's process has ended. */
  function abandonRoute(id: number): void {
    const request = running.get(id);
    if (request === undefined) return;
    running.delete(id);
    request.exchange.isOrphaned = true;
    recordUnanswered(request.exchange, request.leftAtMs ?? clock.now());
    settle(id, undefined, new ResetError());
  }

  /**
   * Waits for the response to a delayed request or custom route.
   * @param signal aborted when the client disconnects
   */
  function wait(id: number, signal: AbortSignal | undefined): Promise<Answer> {
    const answered = new Promise<Answer>((resolve, reject) => {
      waiters.set(id, (answer, reason) => (answer === undefined ? reject(reason) : resolve(answer)));
    });
    if (signal !== undefined) {
      const abort = () => leave(id, signal.reason);
      const stop = () => signal.removeEventListener('abort', abort);
      signal.addEventListener('abort', abort);
      answered.then(stop, stop);
      if (signal.aborted) abort();
    }
    return answered;
  }

  clock.scheduledWork = {
    nextDueMs: () => delayed[0]?.dueMs ?? Number.POSITIVE_INFINITY,
    complete,
    giveUp() {
      const waiting = [...delayed.splice(0), ...running.values()];
      running.clear();
      for (const { exchange } of waiting) {
        // A restart of the simulated clock ends all waiting requests without a response.
        journal.abandon(exchange.id);
        settle(exchange.id, undefined, new ResetError());
      }
    },
  };
  return { wait, delay, run, finishRoute, abandonRoute, complete, leave };
}
