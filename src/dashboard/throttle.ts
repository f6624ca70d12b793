/** A longest pause between two runs. */
const mostPauseMs = 10_000;

/**
 * Runs a task when it is asked for, one at a time, and not sooner than `pauseMs` after the last; a task that takes long
 * runs more rarely, so that it takes at most a hundredth of the time of whoever answers it; one slow run alone says
 * nothing.
 */
export class Throttle {
  /** How long the way there and back takes, as far as it is known: the shortest run of all. It is nobody's work. */
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

  /** Does at once what is asked for: somebody waits for it, or nothing else is to be done. */
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
      // What fails is asked again with the next change; a lost connection is shown by the stream.
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
