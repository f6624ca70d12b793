import type { ComponentChildren } from 'preact';
import { Button, CloseButton } from './controls.js';

/** Actions in the header of a drawer. */
export interface DrawerProps {
  onClose(): void;
  /** Copies a link to the drawer's content; `undefined` if the dashboard is embedded in the user's own page. */
  onLink: (() => void) | undefined;
}

interface Props extends DrawerProps {
  /** Name of the drawer for screen readers. */
  name: string;
  title: ComponentChildren;
  isWide?: boolean;
  children: ComponentChildren;
}

/** Panel for one request or a comparison, visible at every scroll position. */
export function Drawer({ name, title, isWide, onClose, onLink, children }: Props) {
  return (
    <section class={isWide ? 'detail compare' : 'detail'} aria-label={name}>
      <header>
        <h2>{title}</h2>
        <span>
          {onLink && (
            <Button class="quiet" onClick={onLink}>
              copy link
            </Button>
          )}
          <CloseButton onClick={onClose} />
        </span>
      </header>
      {children}
    </section>
  );
}
