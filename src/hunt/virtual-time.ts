import type { SimulatedClock } from '../clock/simulated-clock.js';

/** Start of each run, in Unix milliseconds: 2026-01-01T12:00:00Z, a whole second, so that runs are comparable. */
export const startMs = Date.UTC(2026, 0, 1, 12);

/** Longest simulated time of a run, in milliseconds: 100 years, beyond a Unix time taken for a wait. */
const longestMs = 36_500 * 86_400_000;
/** Longest wait of `setTimeout`; any other wait lasts one millisecond. */
const longestTimerMs = 2 ** 31 - 1;

/** Time of one run, as the client experiences it. It passes only by `step`. */
export interface VirtualTime {
  /** The client's own clock, in Unix milliseconds; the service's may differ by a skew. */
  now(): number;
  /** Waits as `setTimeout` does. Rejects with the reason of `signal`. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Moves to the next instant that something waits for, unless nothing waits or that lies beyond the longest run. */
  step(): 'moved' | 'nothing' | 'beyond';
}

const timerMs = (ms: number) => (ms >= 1 && ms <= longestTimerMs ? ms : 1);

/** Time of a client that takes its waits from the run: the simulator's frozen clock, moved from one wait to the next. */
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

/** The part of a fake clock that Vitest and Jest install, by @sinonjs/fake-timers. */
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

/** The installed fake clock; `undefined` while timers are real. */
export const fakeClock = (): FakeClock | undefined => (globalThis.setTimeout as { clock?: FakeClock }).clock;

/** Time of a client under fake timers: client and simulator wait on the same fake clock. */
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

/** The machine's `setImmediate`, which a browser lacks and fake timers replace. */
const machineImmediate = (setImmediateOfMachine: typeof setImmediate | undefined) =>
  setImmediateOfMachine === undefined || 'clock' in setImmediateOfMachine ? undefined : setImmediateOfMachine;
const immediate = machineImmediate(globalThis.setImmediate);

/** One turn of the event loop. Fake timers do not stop it. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    if (immediate !== undefined) return void immediate(() => resolve());
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
