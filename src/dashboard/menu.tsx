import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Menu that opens on a click. It closes on Esc, on a click outside, or when the user clicks an item. */
export function Menu({
  label,
  name,
  children,
}: {
  label: string;
  name?: string | undefined;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDetailsElement>(null);
  const close = (toSummary: boolean) => {
    const menu = element.current;
    if (!menu?.open) return;
    menu.open = false;
    if (toSummary) menu.querySelector('summary')?.focus();
  };
  useEffect(() => {
    const menu = element.current as HTMLDetailsElement;
    const leave = new AbortController();
    menu.getRootNode().addEventListener(
      'pointerdown',
      ({ target }) => {
        if (!menu.contains(target as Node)) close(false);
      },
      leave,
    );
    return () => leave.abort();
  }, []);
  return (
    <details
      class="menu"
      ref={element}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !element.current?.open) return;
        event.preventDefault();
        close(true);
      }}
      onClick={({ target }) => {
        const button = (target as Element).closest('button');
        if (button?.type === 'button' && button.ariaDisabled !== 'true') close(true);
      }}
      onSubmit={() => close(true)}
      onToggle={({ currentTarget }) => {
        // A button near the left edge would place its menu outside of the page.
        const list = currentTarget.lastElementChild as HTMLElement;
        list.style.translate = '';
        list.style.translate = `${Math.max(0, 8 - list.getBoundingClientRect().left)}px`;
      }}
    >
      <summary aria-label={name}>{label}</summary>
      <div>{children}</div>
    </details>
  );
}
