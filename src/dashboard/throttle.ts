/** Maximum pause between two runs of a throttled task, in milliseconds. */
const maximumPauseMs = 10_000;

/**
 * Throttle of a task that reads from the server: one run at a time, with pauses of at least `pauseMs`. Pauses grow with
 * the task's duration, so that the reads take at most 1 % of the server's time.
 */
export class Throttle {
  /**
   * Estimated network time of a read, in milliseconds: the duration of the fastest read so far. The rest of a read's
   * duration is work of the server, after which the page pauses accordingly.
   */
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

  /** Ends the current pause if a run of the task is already requested. */
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
      // Ignores a failed read. The next change repeats it, and the update stream reports a lost connection.
      await this.#task().catch(() => {});
      const wholeMs = performance.now() - startMs;
      Throttle.#wayMs = Math.min(Throttle.#wayMs, wholeMs);
      const tookMs = wholeMs - Throttle.#wayMs;
      const pauseMs = Math.min(maximumPauseMs, Math.max(this.#pauseMs, Math.min(tookMs, this.#tookMs) * 100));
      this.#tookMs = tookMs;
      await new Promise<void>((resolve) => {
        this.#endPause = resolve;
        setTimeout(resolve, pauseMs);
      });
    }
    this.#isRunning = false;
  }
}
