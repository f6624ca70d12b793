import type { ComponentChildren } from 'preact';
import { Button } from './controls.js';

interface ActionButtonProps {
  /** Accessible name of a button, if its visible text is ambiguous. */
  name?: string | undefined;
  /** Effect of the button in words, as a hint. */
  title?: string | undefined;
  /** Whether the button works; default `true`. A disabled button keeps its place and the keyboard focus. */
  isPossible?: boolean | undefined;
  onAct(): void;
  children: ComponentChildren;
}

/** Button that changes the simulator. It is disabled while the change is impossible. */
export function ActionButton({ name, title, isPossible = true, onAct, children }: ActionButtonProps) {
  return (
    <Button
      aria-label={name}
      title={title}
      aria-disabled={!isPossible}
      onClick={() => {
        if (isPossible) onAct();
      }}
    >
      {children}
    </Button>
  );
}

/** Keyboard shortcut that a button shows. The button's accessible name omits it. */
export const ShortcutKey = ({ name }: { name: string }) => (
  <span class="cap" aria-hidden="true">
    {name}
  </span>
);
