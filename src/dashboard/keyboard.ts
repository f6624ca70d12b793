import type { RowStep } from './requests.js';

/** Actions of the dashboard's keyboard shortcuts. The key `?` lists the shortcuts. */
export interface KeyActions {
  filter(): void;
  open(): void;
  /** Selects another request, relative to the selected one. */
  step(step: RowStep): void;
  close(): void;
  pause(): void;
  /** Copies the selected request as a `curl` command. */
  curl(): void;
  /** Opens the list of scenarios. */
  scenario(): void;
  reset(): void;
  undo(): void;
  freeze(): void;
  help(): void;
}

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

const actionOf: Readonly<Record<string, Exclude<keyof KeyActions, 'step'>>> = {
  '/': 'filter',
  Enter: 'open',
  Escape: 'close',
  p: 'pause',
  c: 'curl',
  s: 'scenario',
  r: 'reset',
  u: 'undo',
  f: 'freeze',
  '?': 'help',
};

/** CSS selector of elements that react to Enter themselves. */
const controls = 'button, a, summary, select, label, [type=checkbox]';
const fields = 'input:not([type=checkbox]), textarea, select';

/** Performs the action of a keyboard shortcut. Ignores keys in fields and keys that the focused element handles. */
export function handleKey(event: KeyboardEvent, actions: KeyActions): void {
  const name = Object.hasOwn(actionOf, event.key) ? actionOf[event.key] : undefined;
  const step = Object.hasOwn(stepOf, event.key) ? stepOf[event.key] : undefined;
  const target = event.composedPath()[0] as Element;
  if ((name ?? step) === undefined || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (target.closest?.('dialog')) return;
  // A keyboard key that is held down repeats only movements in the list, no other action.
  if (event.repeat && step === undefined) return;
  if (target.matches?.(fields)) {
    if (event.key !== 'Escape') return;
    (target as HTMLElement).blur();
    event.preventDefault();
    return;
  }
  if (event.key === 'Enter' && target.closest?.(controls)) return;
  // Arrow and page keys select requests only in the list. Elsewhere the browser scrolls.
  if (/^(Arrow|Page|Home|End)/.test(event.key) && !target.closest?.('.list')) return;
  event.preventDefault();
  if (step !== undefined) actions.step(step);
  else if (name !== undefined) actions[name]();
}
