import { parseDuration } from './duration.js';

/** How a clock starts. Everything is optional; without any of it the clock is the machine's own. */
export interface ClockStart {
  /** The first instant, in Unix milliseconds. Default: the machine's time. */
  startMs?: number | undefined;
  /** `real` runs, `frozen` stands still until `advance`, `set` or `resume`. Default `real`. */
  mode?: 'real' | 'frozen' | undefined;
  /** How many simulated seconds pass in one real second. Default 1. */
  speed?: number | undefined;
  /** How far the clock is ahead of the machine's, in milliseconds. Default 0. */
  skewMs?: number | undefined;
}

/** The moving part of a clock, as plain data. */
export interface ClockState {
  nowMs: number;
  frozen: boolean;
  movedMs: number;
}

/** Latest instant that a `Date` can hold and an HTTP date can write with four digits: the end of the year 9999. */
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The one clock that drives windows, bans, `Date`, key expiry and the removal of getPet.
 * It reads `Date.now()` when called, so the fake timers of a test runner move it.
 */
export class Clock {
  readonly #start: ClockStart;
  readonly #speed: number;
  #frozen = false;
  /** Simulated instant at the anchor, and the machine's instant that it belongs to. */
  #anchorMs = 0;
  #machineAnchorMs = 0;
  #movedMs = 0;

  constructor(start: ClockStart = {}) {
    this.#start = start;
    this.#speed = start.speed ?? 1;
    this.reset();
  }

  /** The simulated instant, in whole Unix milliseconds. */
  now(): number {
    if (this.#frozen) return this.#anchorMs;
    return Math.min(latestMs, Math.floor(this.#anchorMs + (Date.now() - this.#machineAnchorMs) * this.#speed));
  }

  /** How far `advance` and `set` have moved the clock since it started. */
  get movedMs(): number {
    return this.#movedMs;
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  /**
   * Moves the clock forward.
   * @param duration milliseconds, or text such as `500ms`, `61s`, `5m`, `2h`, `1d`
   * @throws {RangeError} for a negative or unreadable duration, or past the year 9999
   * @example sim.clock.advance('61s')
   */
  advance(duration: number | string): void {
    this.#moveTo(this.now() + parseDuration(duration));
  }

  /**
   * Moves the clock to an instant, forward or back.
   * @param instant a `Date`, Unix milliseconds, or an ISO 8601 text with its zone
   * @throws {RangeError} for anything that is not an instant of the years 1970 to 9999
   * @example sim.clock.set('2030-12-05T00:00:00Z')
   */
  set(instant: Date | number | string): void {
    this.#moveTo(parseInstant(instant));
  }

  /** Stops the clock where it is; `advance` and `set` still move it. */
  freeze(): void {
    this.#anchorMs = this.now();
    this.#frozen = true;
  }

  /** Lets the clock run on from where it is. */
  resume(): void {
    this.#anchorMs = this.now();
    this.#machineAnchorMs = Date.now();
    this.#frozen = false;
  }

  /** Goes back to how the scenario started it. */
  reset(): void {
    const machineMs = Date.now();
    this.#machineAnchorMs = machineMs;
    this.#anchorMs = Math.min(latestMs, (this.#start.startMs ?? machineMs) + (this.#start.skewMs ?? 0));
    this.#frozen = this.#start.mode === 'frozen';
    this.#movedMs = 0;
  }

  state(): ClockState {
    return { nowMs: this.now(), frozen: this.#frozen, movedMs: this.#movedMs };
  }

  restore(state: ClockState): void {
    this.#moveTo(state.nowMs);
    this.#frozen = state.frozen;
    this.#movedMs = state.movedMs;
  }

  #moveTo(instantMs: number): void {
    if (!(instantMs >= 0 && instantMs <= latestMs)) {
      throw new RangeError('Failed to move the clock: expected an instant of the years 1970 to 9999');
    }
    this.#movedMs += Math.floor(instantMs) - this.now();
    this.#anchorMs = Math.floor(instantMs);
    this.#machineAnchorMs = Date.now();
  }
}

const isoInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads an instant as Unix milliseconds.
 * @throws {RangeError} when `instant` is not a date, Unix milliseconds or ISO 8601 text with its zone, of 1970 to 9999
 */
export function parseInstant(instant: Date | number | string): number {
  const isText = typeof instant === 'string';
  const ms = isText && !isoInstant.test(instant) ? Number.NaN : new Date(instant).getTime();
  if (ms >= 0 && ms <= latestMs) return ms;
  if (Number.isFinite(ms)) {
    throw new RangeError(`expected an instant of the years 1970 to 9999, got ${JSON.stringify(instant)}`);
  }
  throw new RangeError(`expected an instant such as "2030-12-05T00:00:00Z", got ${JSON.stringify(instant)}`);
}
