let isPressed = false;

/**
 * Notes whether the button of the pointer is down. Nothing is called then: what moved away from under the pointer between
 * press and release would get no click.
 */
export const notePress = ({ buttons }: PointerEvent) => {
  isPressed = buttons === 1;
};

/** Functions to call when something has changed, each at most once a frame. */
export class Listeners {
  readonly #listeners = new Set<() => void>();
  #isAsked = false;

  /** @returns a function that ends it */
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
