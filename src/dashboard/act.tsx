import type { ComponentChildren } from 'preact';

interface ActProps {
  /** Accessible name of a button, if its visible text is ambiguous. */
  name?: string | undefined;
  /** `false` disables the button, which keeps its place and the keyboard focus. */
  isPossible?: boolean | undefined;
  onAct(): void;
  children: ComponentChildren;
}

/** Button that changes the simulator. It is disabled while the change is impossible. */
export function Act({ name, isPossible = true, onAct, children }: ActProps) {
  return (
    <button
      type="button"
      aria-label={name}
      aria-disabled={!isPossible}
      onClick={() => {
        if (isPossible) onAct();
      }}
    >
      {children}
    </button>
  );
}

/** Shortcut of a button, which its accessible name leaves out. */
export const Cap = ({ name }: { name: string }) => (
  <span class="cap" aria-hidden="true">
    {name}
  </span>
);
