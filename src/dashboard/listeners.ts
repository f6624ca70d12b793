let isPressed = false;

/**
 * Records whether the pointer's button is down. Listeners wait for its release: an element that moved in between would get
 * no click.
 */
export const notePress = ({ buttons }: PointerEvent) => {
  isPressed = buttons === 1;
};

/** Functions to call after a change, at most once per frame. */
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
    // A hidden tab has no frames.
    if (document.hidden) setTimeout(run, 100);
    else requestAnimationFrame(run);
  }
}
