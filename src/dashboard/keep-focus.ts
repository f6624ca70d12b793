/** Selector of elements that accept the focus. */
const focusable = 'input, button, summary, select, [tabindex="0"]';

/**
 * Moves the focus to the nearest remaining element when a change removes or hides the focused element, because keyboard
 * and screen reader would start again at the top of the page.
 */
export function keepFocus(root: Document | ShadowRoot): void {
  /** Focused element and its ancestors, innermost first. */
  let path: Element[] = [];
  root.addEventListener('focusin', (event) => {
    path = event.composedPath().filter((target) => target instanceof Element);
  });
  // Does not restore the keyboard focus after a click outside of all focusable elements, which removes the focus on
  // purpose. After a click on a focusable element, the event `focusin` sets `path` again.
  root.addEventListener('pointerdown', () => {
    path = [];
  });
  new MutationObserver(() => {
    if (path[0] === undefined || isVisible(path[0])) return;
    const near = path.find((element) => isVisible(element) && [...element.querySelectorAll(focusable)].some(isVisible));
    path = [];
    [...(near?.querySelectorAll<HTMLElement>(focusable) ?? [])].find(isVisible)?.focus({ preventScroll: true });
  }).observe(root, { childList: true, subtree: true, attributeFilter: ['hidden'] });
}

const isVisible = (element: Element) => element.checkVisibility();
