import type { StateMachine } from './state-machine.js';

/** Maximum delay of a timer in Node. Longer delays are divided. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Calls a function after a delay.
 * @returns a function that cancels the call
 */
type After = (ms: number, run: () => void) => () => void;

/**
 * Timer that calls back when the next delayed request is due. The server then appends a log entry, which completes the
 * request even if no other request arrives.
 */
export class TickTimer {
  readonly #machine: StateMachine;
  readonly #after: After;
  readonly #onDue: () => void;
  #dueMs = Number.POSITIVE_INFINITY;
  #stop: (() => void) | undefined;

  constructor(machine: StateMachine, after: After, onDue: () => void) {
    this.#machine = machine;
    this.#after = after;
    this.#onDue = onDue;
  }

  /** Sets the timer to the time at which the next delayed request is due. Stops the timer if no request is delayed. */
  set(): void {
    const dueMs = this.#machine.nextDueMs();
    if (dueMs === this.#dueMs) return;
    this.stop();
    this.#dueMs = dueMs;
    if (dueMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(0, dueMs - this.#machine.time.liveMs());
    this.#stop = this.#after(Math.min(waitMs, longestTimerMs), () => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      if (dueMs > this.#machine.time.liveMs()) this.set();
      else this.#onDue();
    });
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
