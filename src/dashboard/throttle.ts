/** Maximum pause between two runs of a throttled task. */
const maximumPauseMs = 10_000;

/** Functions of a throttle, which limits how often a task reads from the server. */
export interface Throttle {
  /**
   * Runs the throttled task now. If the task is running, or in the pause after a run, runs the task once after that
   * pause.
   */
  ask(): void;
  /**
   * Ends the pause of the throttle, or leaves out the next one, if `ask` has already requested another run of the
   * throttled task. Without a requested run, does nothing.
   */
  hurry(): void;
  /** Ends the throttle. What a running read finds is not used. */
  stop(): void;
}

/**
 * Returns a function that creates throttles of reads from one server: one run at a time, with pauses that grow with the
 * task's duration, so that the reads take at most 1 % of the server's time. The duration of the fastest read of all these
 * throttles counts as network time. The rest of a read's duration counts as server work.
 */
export function createThrottles() {
  let wayMs = Number.POSITIVE_INFINITY;
  /**
   * Creates a throttle of `read`, which reads from the server, with pauses of at least `minimumMs`. `use` gets what a
   * read found, unless the throttle was stopped meanwhile, because a later read with another query may have ended before.
   */
  return <Found>(read: () => Promise<Found>, minimumMs: number, use?: (found: Found) => void): Throttle => {
    let endPause = () => {};
    let lastTookMs = 0;
    let isAsked = false;
    let isRunning = false;
    let isStopped = false;
    let isHurried = false;

    async function run(): Promise<void> {
      isRunning = true;
      while (isAsked && !isStopped) {
        isAsked = false;
        const startMs = performance.now();
        // Ignores a failed read from the server, because the next change starts another read. The dashboard's update
        // stream reports a lost connection.
        await read()
          .then((found) => isStopped || use?.(found))
          .catch(() => {});
        const wholeMs = performance.now() - startMs;
        wayMs = Math.min(wayMs, wholeMs);
        const tookMs = wholeMs - wayMs;
        const pauseMs = Math.min(maximumPauseMs, Math.max(minimumMs, Math.min(tookMs, lastTookMs) * 100));
        lastTookMs = tookMs;
        if (!isHurried)
          await new Promise<void>((resolve) => {
            endPause = resolve;
            setTimeout(resolve, pauseMs);
          });
        isHurried = false;
      }
      isRunning = false;
    }

    return {
      ask() {
        isAsked = true;
        if (!isRunning && !isStopped) void run();
      },
      hurry() {
        if (!isAsked) return;
        isHurried = true;
        endPause();
      },
      stop() {
        isStopped = true;
      },
    };
  };
}
