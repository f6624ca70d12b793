import { parseDuration } from '../values/duration.js';
import { latestMs, parseInstant } from '../values/instant.js';
import type { Clock } from './clock.js';
import { MachineTime, type TimeSource } from './machine-time.js';

/** How a clock starts. Everything is optional; without any of it the clock is the machine's own. */
export interface ClockStart {
  /** The first instant, in Unix milliseconds. Default: the machine's time. */
  startMs?: number | undefined;
  /** `real` runs, `frozen` stands still until `advance`, `set` or `resume`. Default `real`. */
  mode?: 'real' | 'frozen' | undefined;
  /** How many simulated seconds pass in one real second. Default 1. */
  speed?: number | undefined;
  /** How far the clock is ahead of the machine's, in milliseconds; below 0 it is behind. Default 0. */
  skewMs?: number | undefined;
}

/** The moving part of a clock, as plain data. */
export interface ClockState {
  nowMs: number;
  frozen: boolean;
  movedMs: number;
}

/** What a clock shows is a function of this, of the speed and of the machine's time. */
export interface ClockAnchor {
  /** Simulated instant at the anchor, and the machine's instant that it belongs to. */
  anchorMs: number;
  machineMs: number;
  frozen: boolean;
  movedMs: number;
}

/** What waits for instants of a clock, besides those who sleep. */
export interface Waiting {
  /** The next instant that is waited for; Infinity: none. */
  nextDueMs(): number;
  /** Completes what is due. */
  complete(nowMs: number): void;
  /** Ends every wait: the clock starts again. */
  giveUp(): void;
}

/** A wait on the clock ended early because the simulator was reset. */
export class ResetError extends Error {
  override readonly name = 'ResetError';
  override readonly message = 'The simulator was reset.';
}

/** A wait for an instant of the clock. */
interface Sleeper {
  dueMs: number;
  wake(): void;
  giveUp(reason: unknown): void;
}

/** The longest wait of `setTimeout`; a longer one fires at once. */
const longestTimerMs = 2 ** 31 - 1;
/** How long a wait on a frozen clock may last before it looks like a mistake. */
const standstillMs = 1_000;

/** A clock as the simulator itself sees it: it starts, is captured and restored, and completes what waits for it. */
export class SimulatedClock implements Clock {
  readonly #time: TimeSource;
  #start: ClockStart = {};
  /** The function of the machine's time that the clock is now. */
  anchor: ClockAnchor = { anchorMs: 0, machineMs: 0, frozen: false, movedMs: 0 };
  /** Completed whenever the clock is moved, and when the next of its instants has come. */
  waiting: Waiting | undefined;
  /** Called when a wait has lasted a second of the machine's time on a frozen clock. */
  onStandstill: ((waitMs: number) => void) | undefined;
  readonly #sleepers = new Set<Sleeper>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isUnref = false;

  constructor(start: ClockStart = {}, time: TimeSource = new MachineTime()) {
    this.#time = time;
    this.configure(start);
  }

  /** Starts again from other settings. */
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

  /** How many waits are under way. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  /** The next instant that a sleeper or a delayed request waits for; Infinity: none. */
  nextDueMs(): number {
    const ofSleepers = Array.from(this.#sleepers, ({ dueMs }) => dueMs);
    return Math.min(this.waiting?.nextDueMs() ?? Number.POSITIVE_INFINITY, ...ofSleepers);
  }

  get frozen(): boolean {
    return this.anchor.frozen;
  }

  /** How much of the machine's time has passed since the clock was frozen or moved; 0 while it runs. */
  get stoodMs(): number {
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

  /** From now on no wait keeps a process of Node alive. */
  unref(): void {
    this.#isUnref = true;
    // A timer of a browser has no such function, and keeps nothing.
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  /** To be called when what waits has another next instant. */
  rearm(): void {
    this.#wake();
  }

  /** Goes back to how the scenario started it. */
  reset(): void {
    this.#endWaits();
    this.#time.restart();
    const machineMs = this.#time.now();
    const { startMs = machineMs, skewMs = 0, mode } = this.#start;
    this.anchor.movedMs = 0;
    // Whole, because a skew may have a fraction, and a frozen clock shows its anchor.
    this.#run(Math.floor(Math.min(latestMs, Math.max(0, startMs + skewMs))), mode === 'frozen', machineMs);
  }

  state(): ClockState {
    const { frozen, movedMs } = this.anchor;
    return { nowMs: this.now(), frozen, movedMs };
  }

  restore({ nowMs, frozen, movedMs }: ClockState): void {
    // First, because the move would complete waits of the state that is being replaced.
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

  /** Goes on from an instant. */
  #run(anchorMs: number, frozen: boolean, machineMs = this.#time.now()): void {
    Object.assign(this.anchor, { anchorMs, machineMs, frozen });
    this.waiting?.complete(this.now());
    this.#wake();
  }

  /** Wakes in time order those whose instant has come, and sets one timer for the next. */
  #wake(): void {
    clearTimeout(this.#timer);
    const nowMs = this.now();
    const waiting = this.#time.isLogged ? undefined : this.waiting;
    waiting?.complete(nowMs);
    const sleepers = [...this.#sleepers].sort((a, b) => a.dueMs - b.dueMs);
    for (const sleeper of sleepers) if (sleeper.dueMs <= nowMs) sleeper.wake();
    const nextSleeper = sleepers.find(({ dueMs }) => dueMs > nowMs);
    const never = Number.POSITIVE_INFINITY;
    const nextMs = Math.min(waiting?.nextDueMs() ?? never, nextSleeper?.dueMs ?? never);
    if (nextMs === never) return;
    const waitMs = Math.ceil((nextMs - nowMs) / this.#speed);
    if (this.frozen) this.#watchStandstill(nextMs - nowMs);
    else this.#timer = setTimeout(() => this.#wake(), Math.min(waitMs, longestTimerMs));
    if (this.#isUnref) this.unref();
  }

  #watchStandstill(waitMs: number): void {
    if (this.onStandstill === undefined) return;
    // In Node it keeps the process until it is told: where nothing else does, that would end without a word.
    this.#timer = setTimeout(this.onStandstill, standstillMs, waitMs);
  }
}
