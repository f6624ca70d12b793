/** Where a clock has the machine's time from, in Unix milliseconds. */
export interface TimeSource {
  /** Never goes back but by `restart`. */
  now(): number;
  /** Forgets how often the machine's time was set. */
  restart(): void;
  /** Whether commands carry the time: then somebody else completes what is due, and no timer is set for it. */
  readonly isLogged?: boolean;
}

/** The machine's own time. It reads `Date.now()` when called, so the fake timers of a test runner move it. */
export function createMachineTime(): TimeSource {
  /** The last reading, and that of a time that nobody can set. */
  let lastMs = 0;
  let lastMonotonicMs = 0;
  /** By how much the time was set back in all. */
  let setBackMs = 0;
  return {
    now() {
      const machineMs = Date.now();
      const monotonicMs = performance.now();
      if (machineMs < lastMs) setBackMs += lastMs + Math.max(0, monotonicMs - lastMonotonicMs) - machineMs;
      lastMs = machineMs;
      lastMonotonicMs = monotonicMs;
      return machineMs + setBackMs;
    },
    restart() {
      lastMs = 0;
      setBackMs = 0;
    },
  };
}
