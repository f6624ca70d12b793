import type { ComponentChildren } from 'preact';
import { Button, CloseButton } from './controls.js';

/**
 * Properties of the buttons in the header of the dashboard's side panel: close the panel and copy a link to its
 * content.
 */
export interface DrawerProps {
  onClose(): void;
  /**
   * Action of the button "copy link" in a drawer, the panel for one request or a comparison. `undefined` if the
   * dashboard is embedded in the user's own page, which hides the button.
   */
  onLink: (() => void) | undefined;
}

interface Props extends DrawerProps {
  /** Name of the side panel, read aloud by screen readers. */
  name: string;
  title: ComponentChildren;
  /** Further buttons beside "copy link". */
  buttons?: ComponentChildren;
  isWide?: boolean;
  children: ComponentChildren;
}

/** Side panel of the dashboard that shows one request or compares two requests. */
export function Drawer({ name, title, buttons, isWide, onClose, onLink, children }: Props) {
  return (
    <section class={isWide ? 'detail compare' : 'detail'} aria-label={name}>
      <header>
        <h2>{title}</h2>
        <span>
          {buttons}
          {onLink && (
            <Button class="quiet" onClick={onLink}>
              link
            </Button>
          )}
          <CloseButton onClick={onClose} />
        </span>
      </header>
      {children}
    </section>
  );
}
