import type { RowStep } from './requests.js';

const stepOf: Readonly<Record<string, RowStep>> = {
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  PageDown: 'pageDown',
  PageUp: 'pageUp',
  Home: 'first',
  End: 'last',
};

/** CSS selector of elements that react to Enter themselves. */
const controls = 'button, a, summary, select, label, [type=checkbox]';
const fields = 'input:not([type=checkbox]), textarea, select';

/**
 * Performs the action of a keyboard shortcut. Ignores keys in fields and keys that the focused element handles.
 * @param actions actions by key, which the key `?` lists
 * @param onStep selects another request, relative to the selected one
 */
export function handleKey(
  event: KeyboardEvent,
  actions: Readonly<Record<string, () => void>>,
  onStep: (step: RowStep) => void,
): void {
  const { key } = event;
  const step = Object.hasOwn(stepOf, key) ? stepOf[key] : undefined;
  const act = Object.hasOwn(actions, key) ? actions[key] : step && (() => onStep(step));
  const target = event.composedPath()[0] as Element;
  if (act === undefined || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (target.closest?.('dialog')) return;
  // A keyboard key that is held down repeats only movements in the list, no other action.
  if (event.repeat && step === undefined) return;
  if (target.matches?.(fields)) {
    if (key !== 'Escape') return;
    (target as HTMLElement).blur();
    event.preventDefault();
    return;
  }
  if (key === 'Enter' && target.closest?.(controls)) return;
  // Arrow and page keys select requests only in the list. Elsewhere the browser scrolls.
  if (/^(Arrow|Page|Home|End)/.test(key) && !target.closest?.('.list')) return;
  event.preventDefault();
  act();
}
