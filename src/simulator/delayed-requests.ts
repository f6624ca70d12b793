import { ResetError } from '../clock/simulated-clock.js';
import type { Answer } from '../requests/api-call.js';
import type { SimulatorState } from './simulator-state.js';
import { type DelayedRequest, toRecord, unanswered } from './to-record.js';

/**
 * The delayed requests of a simulator. They go on in the order of their instants, and of their ids, each at its own
 * instant.
 * @param finish answers one whose instant has come
 */
export function createDelayedRequests(
  { clock, journal, delayed }: Pick<SimulatorState, 'clock' | 'journal' | 'delayed'>,
  finish: (request: DelayedRequest) => Answer,
) {
  /** By id; without an answer the wait ends with the reason. */
  const waiters = new Map<number, (answer?: Answer, reason?: unknown) => void>();
  const settle = (id: number, answer?: Answer, reason?: unknown) => {
    waiters.get(id)?.(answer, reason);
    waiters.delete(id);
  };

  /** Goes on with those that are due. */
  function complete(nowMs: number): void {
    while ((delayed[0]?.dueMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const request = delayed.shift() as DelayedRequest;
      settle(request.exchange.id, finish(request));
    }
  }

  /** Ends one whose client has gone; without an effect for one that is not delayed. */
  function leave(id: number, reason?: unknown): void {
    const position = delayed.findIndex(({ exchange }) => exchange.id === id);
    const [left] = position < 0 ? [] : delayed.splice(position, 1);
    if (left === undefined) return;
    journal.add(toRecord(left.exchange, unanswered, clock.now(), journal.lastId));
    settle(id, undefined, reason);
    clock.rearm();
  }

  /** @param signal aborted when the client leaves */
  function add(request: DelayedRequest, signal: AbortSignal | undefined): Promise<Answer> {
    const { id } = request.exchange;
    const isBehind = ({ dueMs }: DelayedRequest) => dueMs <= request.dueMs;
    delayed.splice(delayed.findLastIndex(isBehind) + 1, 0, request);
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
    clock.rearm();
    return answered;
  }

  clock.waiting = {
    nextDueMs: () => delayed[0]?.dueMs ?? Number.POSITIVE_INFINITY,
    complete,
    giveUp() {
      for (const { exchange } of delayed.splice(0)) {
        // After a reset it belongs to no journal.
        journal.abandon(exchange.id);
        settle(exchange.id, undefined, new ResetError());
      }
    },
  };
  return { add, complete, leave };
}
