/** Maximum pause between two runs, in milliseconds. */
const mostPauseMs = 10_000;

/**
 * Runs a task on request, one run at a time, with at least `pauseMs` between runs. Longer pauses limit the server's
 * load to 1 %, measured by the faster of the last two runs.
 */
export class Throttle {
  /** Round-trip time in milliseconds: the shortest run of all tasks. Does not count as server time. */
  static #wayMs = Number.POSITIVE_INFINITY;
  #endPause = () => {};
  readonly #task: () => Promise<void>;
  readonly #pauseMs: number;
  #tookMs = 0;
  #isAsked = false;
  #isRunning = false;
  #isStopped = false;

  constructor(task: () => Promise<void>, pauseMs: number) {
    this.#task = task;
    this.#pauseMs = pauseMs;
  }

  ask(): void {
    this.#isAsked = true;
    if (!this.#isRunning && !this.#isStopped) void this.#run();
  }

  /** Ends the current pause if a run is requested. */
  hurry(): void {
    if (this.#isAsked) this.#endPause();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isAsked && !this.#isStopped) {
      this.#isAsked = false;
      const startMs = performance.now();
      // The next change repeats a failed read; the stream reports a lost connection.
      await this.#task().catch(() => {});
      const wholeMs = performance.now() - startMs;
      Throttle.#wayMs = Math.min(Throttle.#wayMs, wholeMs);
      const tookMs = wholeMs - Throttle.#wayMs;
      const pauseMs = Math.min(mostPauseMs, Math.max(this.#pauseMs, Math.min(tookMs, this.#tookMs) * 100));
      this.#tookMs = tookMs;
      await new Promise<void>((resolve) => {
        this.#endPause = resolve;
        setTimeout(resolve, pauseMs);
      });
    }
    this.#isRunning = false;
  }
}
