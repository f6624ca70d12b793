import { longestTimerMs, type SimulatedClock } from '../clock/simulated-clock.js';

/**
 * Default simulated start time of each client run of `hunt`: 2026-01-01T12:00:00Z. A fraction of a second would
 * influence verdicts, because X-RateLimit-Reset has whole seconds.
 */
export const startMs = Date.UTC(2026, 0, 1, 12);

/** Maximum simulated time of a run: 100 years. Longer than the wait of a client that uses a Unix time as a duration. */
const longestMs = 36_500 * 86_400_000;

/** Virtual time of a run, which advances only by `step`. */
export interface VirtualTime {
  /** Current time of the client, in Unix milliseconds. The service's clock may differ by the scenario's skew. */
  now(): number;
  /** Waits as `setTimeout` does. Rejects with the reason of `signal` if aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Advances the virtual time to the end of the next wait of the client or the simulator. Returns `nothing` if neither
   * waits, or `beyond` if the maximum time of a run is exceeded.
   */
  step(): 'moved' | 'nothing' | 'beyond';
}

const timerMs = (ms: number) => (ms >= 1 && ms <= longestTimerMs ? ms : 1);

/**
 * Creates the virtual time for a client function, which waits by calling the function `sleep` that it receives. Each
 * `step` sets the simulator's frozen clock to the end of the next wait.
 */
export function frozenTime(clock: SimulatedClock): VirtualTime {
  const firstMs = clock.now();
  return {
    now: () => startMs + clock.now() - firstMs,
    sleep: (ms, signal) => clock.sleep(timerMs(ms), signal),
    step() {
      const dueMs = clock.nextDueMs();
      if (dueMs === Number.POSITIVE_INFINITY) return 'nothing';
      if (dueMs - firstMs > longestMs) return 'beyond';
      clock.set(Math.max(clock.now(), Math.ceil(dueMs)));
      return 'moved';
    },
  };
}

/** The used part of the fake clock that Vitest and Jest install (from @sinonjs/fake-timers). */
export interface FakeClock {
  readonly now: number;
  next(): number;
  countTimers(): number;
  reset(): void;
  setSystemTime(now: number): void;
  setTickMode?(mode: { mode: string }): void;
  readonly tickMode?: { mode: string; delta?: number };
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Returns the fake clock of the test runner; `undefined` if timers are real. */
export const fakeClock = (): FakeClock | undefined => (globalThis.setTimeout as { clock?: FakeClock }).clock;

/** Virtual time for a client under a test runner's fake timers. The simulator waits on that fake clock, too. */
export function fakeTime(clock: FakeClock): VirtualTime {
  return {
    now: () => clock.now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = () => {
          clock.clearTimeout(timer);
          reject(signal?.reason);
        };
        const timer = clock.setTimeout(() => {
          signal?.removeEventListener('abort', abort);
          resolve();
        }, timerMs(ms));
        if (signal?.aborted) abort();
        else signal?.addEventListener('abort', abort);
      }),
    step() {
      if (clock.countTimers() === 0) return 'nothing';
      clock.next();
      return clock.now - startMs > longestMs ? 'beyond' : 'moved';
    },
  };
}

/** Returns the real `setImmediate`; `undefined` in a browser, or if fake timers have replaced the function. */
const machineImmediate = (setImmediateOfMachine: typeof setImmediate | undefined) =>
  setImmediateOfMachine === undefined || 'clock' in setImmediateOfMachine ? undefined : setImmediateOfMachine;
const immediate = machineImmediate(globalThis.setImmediate);

/** Waits for one turn of the event loop, even if fake timers are installed. */
export const eventLoopTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (immediate !== undefined) return void immediate(() => resolve());
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
