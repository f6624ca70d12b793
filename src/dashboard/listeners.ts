let isPressed = false;

/**
 * Records whether a pointer button is pressed. Updates of the page wait until the release, because a moved button would
 * miss the click.
 */
export const notePress = ({ buttons }: PointerEvent) => {
  isPressed = buttons === 1;
};

/** Functions that run after a change, at most once per animation frame. */
export class Listeners {
  readonly #listeners = new Set<() => void>();
  #isAsked = false;

  /** @returns function that removes the listener */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  call(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const run = () => {
      if (isPressed) return void setTimeout(run, 50);
      this.#isAsked = false;
      for (const listener of this.#listeners) listener();
    };
    // A hidden tab gets no animation frames, so a timer replaces them.
    if (document.hidden) setTimeout(run, 100);
    else requestAnimationFrame(run);
  }
}
