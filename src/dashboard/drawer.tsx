import type { ComponentChildren } from 'preact';
import { Button, CloseButton } from './controls.js';

/** Properties of the buttons that close the dashboard's side panel and copy a link to its content. */
export interface DrawerProps {
  onClose(): void;
  /**
   * Action of the button "copy link" of one request or a comparison. `undefined` if the dashboard is embedded in the
   * user's own page, which hides the button.
   */
  onLink?: (() => void) | undefined;
}

interface Props extends DrawerProps {
  /** Name of the side panel, read aloud by screen readers. */
  name: string;
  title: ComponentChildren;
  /** Button beside "copy link". */
  button?: ComponentChildren;
  isWide?: boolean;
  children: ComponentChildren;
}

/** Whether only the user's machine can open a link to this page. */
const isLocal = /^(localhost|127\.|\[::1)/.test(location.hostname);

/** Side panel of the dashboard that shows one request or compares two requests. */
export function Drawer({ name, title, button, isWide, onClose, onLink, children }: Props) {
  return (
    <section class={isWide ? 'detail compare' : 'detail'} aria-label={name}>
      <header>
        <h2>{title}</h2>
        <span>
          {button}
          {onLink && (
            <Button class="quiet" onClick={onLink}>
              {isLocal ? 'local link' : 'copy link'}
            </Button>
          )}
          <CloseButton onClick={onClose} />
        </span>
      </header>
      {children}
    </section>
  );
}
