import type { ComponentChildren } from 'preact';

interface ActProps {
  /** Accessible name, if the text alone is ambiguous. */
  name?: string | undefined;
  /** `false` disables the button. It keeps its place and the focus. */
  isPossible?: boolean | undefined;
  onAct(): void;
  children: ComponentChildren;
}

/** Button for a change, disabled while the change does not apply. */
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
