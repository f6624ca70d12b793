/** What the keys do; `?` shows the list. */
export interface KeyActions {
  filter(): void;
  next(): void;
  previous(): void;
  open(): void;
  close(): void;
  pause(): void;
  reset(): void;
  undo(): void;
  freeze(): void;
  help(): void;
}

const actionOf: Readonly<Record<string, keyof KeyActions>> = {
  '/': 'filter',
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  Enter: 'open',
  Escape: 'close',
  p: 'pause',
  r: 'reset',
  u: 'undo',
  ' ': 'freeze',
  '?': 'help',
};

/** What Enter, space and arrows mean something to by themselves. */
const controls = 'button, a, summary, select, label, [type=checkbox]';
const fields = 'input:not([type=checkbox]), textarea, select';

/** Does what a key says, unless it is meant for a field, a button or the browser. */
export function handleKey(event: KeyboardEvent, actions: KeyActions): void {
  const name = Object.hasOwn(actionOf, event.key) ? actionOf[event.key] : undefined;
  const target = event.composedPath()[0] as Element;
  if (name === undefined || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (target.closest?.('dialog')) return;
  if (target.matches?.(fields)) {
    if (event.key !== 'Escape') return;
    (target as HTMLElement).blur();
    event.preventDefault();
    return;
  }
  const isOwn = event.key === 'Enter' || event.key === ' ';
  if (isOwn && target.closest?.(controls)) return;
  // Arrows scroll, but for the list itself.
  if (event.key.startsWith('Arrow') && !target.closest?.('.list')) return;
  event.preventDefault();
  actions[name]();
}
