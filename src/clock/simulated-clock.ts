import { parseDuration } from '../values/duration.js';
import { latestMs, parseInstant } from '../values/instant.js';
import type { Clock } from './clock.js';
import { MachineTime, type TimeSource } from './machine-time.js';

/** Start settings of a simulated clock. By default, a simulated clock shows the machine's time. */
export interface ClockStart {
  /** First simulated instant. Default: the machine's time. */
  startMs?: number | undefined;
  /**
   * Mode of the simulated clock: `real` runs; `frozen` is stopped until `advance`, `set` or `resume` is called. Default
   * `real`.
   */
  mode?: 'real' | 'frozen' | undefined;
  /** Simulated seconds per real second. Default 1. */
  speed?: number | undefined;
  /** Lead of the simulated clock over the machine's clock; negative if behind. Default 0. */
  skewMs?: number | undefined;
}

/** State of a simulated clock, as plain data. */
export interface ClockState {
  nowMs: number;
  frozen: boolean;
  movedMs: number;
}

/**
 * Reference point of a simulated clock: a simulated time, and the machine's time at that moment. The current simulated
 * time is computed from the reference point and the speed.
 */
export interface ClockAnchor {
  /** Simulated time at the last change of the clock, and the machine's time at the same moment. */
  anchorMs: number;
  machineMs: number;
  frozen: boolean;
  movedMs: number;
}

/** Scheduled work of a simulated clock, such as delayed requests. Does not include `sleep` calls. */
export interface ScheduledWork {
  /** Time at which the next work is due; Infinity if no work is scheduled. */
  nextDueMs(): number;
  /** Completes the scheduled work, such as delayed responses, that is due at `nowMs`. */
  complete(nowMs: number): void;
  /** Aborts all work that the simulated clock has scheduled, such as delayed responses, because the clock restarts. */
  giveUp(): void;
}

/** Error of a wait on the simulated clock that a reset of the simulator ended early. */
export class ResetError extends Error {
  override readonly name = 'ResetError';
  override readonly message = 'The simulator was reset.';
}

/** A pending `sleep` call of a simulated clock. */
interface Sleeper {
  dueMs: number;
  wake(): void;
  giveUp(reason: unknown): void;
}

/** Maximum delay of `setTimeout`. A longer delay would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;
/** Time after which a wait on a frozen clock is reported as a likely mistake, in real time. */
const standstillMs = 1_000;

/**
 * The simulated clock. Besides the methods of `Clock`, has methods for the simulator: configure, capture and restore.
 */
export class SimulatedClock implements Clock {
  readonly #time: TimeSource;
  #start: ClockStart = {};
  /** Reference point from which the current simulated time is computed. */
  anchor: ClockAnchor = { anchorMs: 0, machineMs: 0, frozen: false, movedMs: 0 };
  /**
   * Work to do at a time of the simulated clock, such as delayed responses. Done after each change of the clock, and by
   * a timer.
   */
  scheduledWork: ScheduledWork | undefined;
  /** Callback for a likely mistake: a wait on a frozen clock has lasted one second of real time. */
  onStandstill: ((waitMs: number) => void) | undefined;
  readonly #sleepers = new Set<Sleeper>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isUnref = false;

  constructor(start: ClockStart = {}, time: TimeSource = new MachineTime()) {
    this.#time = time;
    this.configure(start);
  }

  /** Restarts the simulated clock with other settings. */
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

  /** Number of pending `sleep` calls. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  /** Time at which the next `sleep` call or delayed request is due; Infinity if neither exists. */
  nextDueMs(): number {
    let nextMs = this.#ownWork?.nextDueMs() ?? Number.POSITIVE_INFINITY;
    for (const { dueMs } of this.#sleepers) nextMs = Math.min(nextMs, dueMs);
    return nextMs;
  }

  /**
   * Scheduled work that this clock starts itself when due, such as delayed responses. `undefined` on a server that
   * stores its commands in a log, because entries of the log start the work there.
   */
  get #ownWork(): ScheduledWork | undefined {
    return this.#time.isLogged ? undefined : this.scheduledWork;
  }

  get frozen(): boolean {
    return this.anchor.frozen;
  }

  /**
   * Time by which the machine's clock was set back, as by fake timers, and by which this clock is ahead of it since. 0 for
   * a clock with a start time of its own.
   */
  get setBackMs(): number {
    return this.frozen || this.#start.startMs !== undefined ? 0 : (this.#time.setBackMs ?? 0);
  }

  /** Real time since the clock was frozen or last moved; 0 for a running clock. */
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
    this.#setAnchor(this.now(), true);
  }

  resume(): void {
    this.#setAnchor(this.now(), false);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => {
        sleeper.giveUp(signal?.reason);
        // Clears the timer of the aborted wait, which would keep the process alive.
        this.rearm();
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
      this.rearm();
    });
  }

  /** Allows a Node process to exit while waits on the clock are pending. */
  unref(): void {
    this.#isUnref = true;
    // Calls `unref` only if the timer has it. A timer in a browser is a number.
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  /** Restarts the clock with its start settings. */
  reset(): void {
    this.#endWaits();
    this.#time.restart();
    const machineMs = this.#time.now();
    const { startMs = machineMs, skewMs = 0, mode } = this.#start;
    this.anchor.movedMs = 0;
    // Rounds the clock's start time down, because `skewMs` can have a fraction, but `now` returns whole milliseconds.
    this.#setAnchor(Math.floor(Math.min(latestMs, Math.max(0, startMs + skewMs))), mode === 'frozen', machineMs);
  }

  state(): ClockState {
    const { frozen, movedMs } = this.anchor;
    return { nowMs: this.now(), frozen, movedMs };
  }

  restore({ nowMs, frozen, movedMs }: ClockState): void {
    // Aborts the clock's pending `sleep` calls and delayed responses before the clock's time is restored. Without the
    // abort, the restored time could complete work of the replaced state.
    this.#endWaits();
    this.anchor.movedMs = movedMs;
    this.#setAnchor(nowMs, frozen);
  }

  #endWaits(): void {
    for (const sleeper of this.#sleepers) sleeper.giveUp(new ResetError());
    this.scheduledWork?.giveUp();
  }

  #moveTo(instantMs: number): void {
    if (!(instantMs >= 0 && instantMs <= latestMs)) {
      throw new RangeError('Failed to move the clock: expected an instant of the years 1970 to 9999');
    }
    this.anchor.movedMs += Math.floor(instantMs) - this.now();
    this.#setAnchor(Math.floor(instantMs), this.frozen);
  }

  /** Sets the simulated time to `anchorMs`, and stops or starts the simulated clock. */
  #setAnchor(anchorMs: number, frozen: boolean, machineMs = this.#time.now()): void {
    Object.assign(this.anchor, { anchorMs, machineMs, frozen });
    this.scheduledWork?.complete(this.now());
    this.rearm();
  }

  /** Completes the waits that are due, earliest first, and sets one timer for the next wait. */
  rearm(): void {
    clearTimeout(this.#timer);
    const nowMs = this.now();
    this.#ownWork?.complete(nowMs);
    const sleepers = [...this.#sleepers].sort((a, b) => a.dueMs - b.dueMs);
    for (const sleeper of sleepers) if (sleeper.dueMs <= nowMs) sleeper.wake();
    const nextMs = this.nextDueMs();
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const waitMs = nextMs - nowMs;
    if (!this.frozen) {
      const timerMs = Math.min(Math.ceil(waitMs / this.#speed), longestTimerMs);
      this.#timer = setTimeout(() => this.rearm(), timerMs);
    } else if (this.onStandstill !== undefined) {
      // Keeps the Node process alive while requests wait for a frozen simulated clock, until a warning about this wait
      // is printed.
      this.#timer = setTimeout(this.onStandstill, standstillMs, waitMs);
    }
    if (this.#isUnref) this.unref();
  }
}
