import { render } from 'preact';
import { useState } from 'preact/hooks';
import { App } from './app.js';
import { Button } from './controls.js';
import { keepFocus } from './keep-focus.js';
import { type AnswerControl, createPageSource } from './page-source.js';
import panelCss from './panel.css?inline';
import { Session } from './session.js';
import { useChanges, useFile } from './session-hooks.js';
import pageCss from './style.css?inline';
import { OutcomeBadge } from './verdict.js';

/**
 * Adds a button to the user's page, which opens the dashboard in a drawer. A shadow root keeps the page's styles apart.
 * @returns function that removes the button and the drawer
 */
export function createPanel(answer: AnswerControl): () => void {
  const host = document.createElement('petstore-sim-panel');
  const root = host.attachShadow({ mode: 'open' });
  // Constructed style sheets work even if the page's Content-Security-Policy forbids inline styles.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(pageCss + panelCss);
  root.adoptedStyleSheets = [sheet];
  document.body.append(host);
  keepFocus(root);
  const session = new Session(createPageSource(answer));
  render(<Panel session={session} root={root} />, root);
  return () => {
    session.close();
    render(null, root);
    host.remove();
  };
}

/** Moves the keyboard focus to the opened drawer, so that the shortcuts work. */
const focusOnce = (drawer: HTMLElement | null) => drawer?.focus();

function Panel({ session, root }: { session: Session; root: ShadowRoot }) {
  useChanges(session);
  const [isOpen, setOpen] = useState(false);
  const { file, ...opening } = useFile(session);
  const { scenario } = session.state;
  const shown = file ?? session;
  return (
    <>
      {!isOpen && (
        <div class="sim corner">
          <Button onClick={() => setOpen(true)}>
            <OutcomeBadge session={session} />
            petstore-sim{scenario && `: ${scenario}`}
          </Button>
        </div>
      )}
      {isOpen && (
        <section class="drawer" aria-label="petstore-sim" tabIndex={-1} ref={focusOnce}>
          <App key={shown} session={shown} place={root} {...opening} onClose={() => setOpen(false)} />
        </section>
      )}
    </>
  );
}
