import { parseDuration } from '../values/duration.js';
import { latestMs, parseInstant } from '../values/instant.js';
import type { Clock } from './clock.js';
import { MachineTime, type TimeSource } from './machine-time.js';

/** Start settings of a clock. By default, the clock shows the machine's time. */
export interface ClockStart {
  /** The first instant, in Unix milliseconds. Default: the machine's time. */
  startMs?: number | undefined;
  /** `real` runs; `frozen` is stopped until `advance`, `set` or `resume`. Default `real`. */
  mode?: 'real' | 'frozen' | undefined;
  /** Simulated seconds per real second. Default 1. */
  speed?: number | undefined;
  /** Lead over the machine's clock, in milliseconds; negative if behind. Default 0. */
  skewMs?: number | undefined;
}

/** Changing state of a clock, as plain data. */
export interface ClockState {
  nowMs: number;
  frozen: boolean;
  movedMs: number;
}

/** Reference point of a clock. The current time follows from the anchor, the speed and the machine's time. */
export interface ClockAnchor {
  /** Simulated time at the anchor, and the machine's time at the same moment, in Unix milliseconds. */
  anchorMs: number;
  machineMs: number;
  frozen: boolean;
  movedMs: number;
}

/** Work scheduled for instants of a clock, other than sleepers. */
export interface Waiting {
  /** Next due time, in Unix milliseconds; Infinity if nothing is scheduled. */
  nextDueMs(): number;
  /** Completes due work. */
  complete(nowMs: number): void;
  /** Aborts all scheduled work, because the clock restarts. */
  giveUp(): void;
}

/** Error when a reset of the simulator ends a wait on the clock early. */
export class ResetError extends Error {
  override readonly name = 'ResetError';
  override readonly message = 'The simulator was reset.';
}

/** A pending `sleep` call. */
interface Sleeper {
  dueMs: number;
  wake(): void;
  giveUp(reason: unknown): void;
}

/** Maximum delay of `setTimeout`, in milliseconds. A longer delay would fire at once. */
const longestTimerMs = 2 ** 31 - 1;
/** Time after which a wait on a frozen clock is reported as a likely mistake, in milliseconds. */
const standstillMs = 1_000;

/** The simulator's view of its clock, which can be configured, captured and restored. */
export class SimulatedClock implements Clock {
  readonly #time: TimeSource;
  #start: ClockStart = {};
  /** The current reference point. */
  anchor: ClockAnchor = { anchorMs: 0, machineMs: 0, frozen: false, movedMs: 0 };
  /** Completed after every move of the clock, and at the next due time. */
  waiting: Waiting | undefined;
  /** Called if a wait on a frozen clock has lasted a second of the machine's time. */
  onStandstill: ((waitMs: number) => void) | undefined;
  readonly #sleepers = new Set<Sleeper>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isUnref = false;

  constructor(start: ClockStart = {}, time: TimeSource = new MachineTime()) {
    this.#time = time;
    this.configure(start);
  }

  /** Restarts the clock with other settings. */
  configure(start: ClockStart): void {
    this.#start = start;
    this.reset();
  }

  now(): number {
    const { anchorMs, machineMs, frozen } = this.anchor;
    if (frozen) return anchorMs;
    return Math.min(latestMs, Math.floor(anchorMs + (this.#time.now() - machineMs) * this.#speed));
  }

  get movedMs(): number {
    return this.anchor.movedMs;
  }

  get #speed(): number {
    return this.#start.speed ?? 1;
  }

  /** Number of pending waits. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  /** The next instant that a sleeper or a delayed request waits for; Infinity: none. */
  nextDueMs(): number {
    let nextMs = this.#waiting?.nextDueMs() ?? Number.POSITIVE_INFINITY;
    for (const { dueMs } of this.#sleepers) nextMs = Math.min(nextMs, dueMs);
    return nextMs;
  }

  /** What this clock itself has to complete. */
  get #waiting(): Waiting | undefined {
    return this.#time.isLogged ? undefined : this.waiting;
  }

  get frozen(): boolean {
    return this.anchor.frozen;
  }

  /** Machine's time since the clock was frozen or last moved, in milliseconds; 0 while it runs. */
  get frozenForMs(): number {
    return this.frozen ? this.#time.now() - this.anchor.machineMs : 0;
  }

  advance(duration: number | string): void {
    this.#moveTo(this.now() + parseDuration(duration, Number.POSITIVE_INFINITY));
  }

  set(instant: Date | number | string): void {
    this.#moveTo(parseInstant(instant));
  }

  freeze(): void {
    this.#run(this.now(), true);
  }

  resume(): void {
    this.#run(this.now(), false);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => {
        sleeper.giveUp(signal?.reason);
        // A timer without a sleeper would keep the process alive.
        this.#wake();
      };
      const sleeper: Sleeper = {
        dueMs: this.now() + ms,
        wake: () => {
          leave();
          resolve();
        },
        giveUp: (reason) => {
          leave();
          reject(reason);
        },
      };
      this.#sleepers.add(sleeper);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort);
      this.#wake();
    });
  }

  /** Lets a Node process exit despite pending waits. */
  unref(): void {
    this.#isUnref = true;
    // Browser timers have no `unref`.
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  /** Updates the timer after a change of the next due time. */
  rearm(): void {
    this.#wake();
  }

  /** Restores the start settings. */
  reset(): void {
    this.#endWaits();
    this.#time.restart();
    const machineMs = this.#time.now();
    const { startMs = machineMs, skewMs = 0, mode } = this.#start;
    this.anchor.movedMs = 0;
    // Rounded down, because a skew can have a fraction and a frozen clock returns its anchor.
    this.#run(Math.floor(Math.min(latestMs, Math.max(0, startMs + skewMs))), mode === 'frozen', machineMs);
  }

  state(): ClockState {
    const { frozen, movedMs } = this.anchor;
    return { nowMs: this.now(), frozen, movedMs };
  }

  restore({ nowMs, frozen, movedMs }: ClockState): void {
    // Before the move, which would complete waits of the replaced state.
    this.#endWaits();
    this.anchor.movedMs = movedMs;
    this.#run(nowMs, frozen);
  }

  #endWaits(): void {
    for (const sleeper of this.#sleepers) sleeper.giveUp(new ResetError());
    this.waiting?.giveUp();
  }

  #moveTo(instantMs: number): void {
    if (!(instantMs >= 0 && instantMs <= latestMs)) {
      throw new RangeError('Failed to move the clock: expected an instant of the years 1970 to 9999');
    }
    this.anchor.movedMs += Math.floor(instantMs) - this.now();
    this.#run(Math.floor(instantMs), this.frozen);
  }

  /** Continues from an instant. */
  #run(anchorMs: number, frozen: boolean, machineMs = this.#time.now()): void {
    Object.assign(this.anchor, { anchorMs, machineMs, frozen });
    this.waiting?.complete(this.now());
    this.#wake();
  }

  /** Wakes due sleepers in order of time, and sets one timer for the next. */
  #wake(): void {
    clearTimeout(this.#timer);
    const nowMs = this.now();
    this.#waiting?.complete(nowMs);
    const sleepers = [...this.#sleepers].sort((a, b) => a.dueMs - b.dueMs);
    for (const sleeper of sleepers) if (sleeper.dueMs <= nowMs) sleeper.wake();
    const nextMs = this.nextDueMs();
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.ceil((nextMs - nowMs) / this.#speed);
    if (this.frozen) this.#watchStandstill(nextMs - nowMs);
    else this.#timer = setTimeout(() => this.#wake(), Math.min(waitMs, longestTimerMs));
    if (this.#isUnref) this.unref();
  }

  #watchStandstill(waitMs: number): void {
    if (this.onStandstill === undefined) return;
    // Keeps a Node process alive until the notice. Otherwise the process could exit without any message.
    this.#timer = setTimeout(this.onStandstill, standstillMs, waitMs);
  }
}
