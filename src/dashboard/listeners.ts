let isPressed = false;

/**
 * Records whether a pointer button is pressed. The page waits with updates until the release, because a button that
 * moves meanwhile gets no click.
 */
export const rememberPressedElement = ({ buttons }: PointerEvent) => {
  isPressed = buttons === 1;
};

/** Functions that run after a change of the dashboard's data, at most once per animation frame. */
export class Listeners {
  readonly #listeners = new Set<() => void>();
  #isAsked = false;

  /**
   * Adds a listener: a function to run after changes of the dashboard's data.
   * @returns function that removes the listener
   */
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
    // A timer replaces the animation frames in a hidden browser tab, which gets none.
    if (document.hidden) setTimeout(run, 100);
    else requestAnimationFrame(run);
  }
}
