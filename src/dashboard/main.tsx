import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { runElementId } from '../control-api/run-report.js';
import { App } from './app.js';
import { createFileSource } from './file-source.js';
import { keepFocus } from './keep-focus.js';
import { readReport } from './read-file.js';
import { createServerSource } from './server-source.js';
import { Session } from './session.js';
import { useFile } from './session-hooks.js';
import './style.css';
import { showOutcomeInTab } from './tab.js';

/**
 * Run that is embedded in the dashboard's HTML, if the HTML is a saved report. `undefined` if a server sent the HTML.
 */
const run = readReport(document.getElementById(runElementId)?.outerHTML ?? '');
/** URL of the server, without the dashboard's path. A proxy may serve it under a path. */
const serverUrl = location.origin + location.pathname.replace(/\/__sim\/.*/, '');
/** Returns a fact about the server that the HTML contains. */
const metaOf = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content;
const isWithoutApi = metaOf('without-api') !== undefined;
const first = () => {
  if (run !== undefined) return { session: new Session(createFileSource(run)), sandbox: undefined };
  const sandbox = new URLSearchParams(location.search).get('sandbox') ?? undefined;
  return {
    session: new Session(
      createServerSource(serverUrl, sandbox, metaOf('public-url'), metaOf('about'), isWithoutApi ? '' : undefined),
    ),
    sandbox,
  };
};

/** The dashboard of a server or of a saved report. */
function Page() {
  const [{ session, sandbox }, setOpened] = useState(first);
  /** Ends the demo, if it is shown. */
  const [leave, setLeave] = useState<() => void>();
  // Removes the selected requests from the URL fragment when a file is opened or closed, because their ids belong to
  // the run displayed before.
  const forget = () => history.replaceState(null, '', location.pathname + location.search);
  const { file, ...opening } = useFile(session, forget);
  const shown = file ?? session;
  useEffect(() => showOutcomeInTab(shown), [shown]);
  const changeSandbox = (name: string | undefined) => {
    history.replaceState(null, '', name === undefined ? location.pathname : `?sandbox=${encodeURIComponent(name)}`);
    // Closes the shown session, which is not that of the rendering in which a button was created.
    setOpened((opened) => {
      opened.session.close();
      return first();
    });
  };
  const showDemo = async () => {
    const { showDemo } = await import('./show-demo.js');
    await showDemo(session.source, serverUrl, (name = sandbox, leave) => {
      setLeave(() => leave);
      changeSandbox(name);
    });
  };
  return (
    <App
      key={shown}
      session={shown}
      sandbox={sandbox}
      place={document}
      hasAddress
      onSandbox={changeSandbox}
      loadFirst={() => import('./first-request.js')}
      onDemo={isWithoutApi ? undefined : showDemo}
      {...opening}
      onBack={opening.onBack ?? leave}
    />
  );
}

keepFocus(document);
const place = document.getElementById('page') as HTMLElement;
// The HTML says that it loads.
place.textContent = '';
render(<Page />, place);
