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
const publicUrl = document.querySelector<HTMLMetaElement>('meta[name=public-url]')?.content;
const first = () => {
  if (run !== undefined) return { session: new Session(createFileSource(run)), sandbox: undefined };
  const sandbox = new URLSearchParams(location.search).get('sandbox') ?? undefined;
  return { session: new Session(createServerSource(serverUrl, sandbox, publicUrl)), sandbox };
};

function Page() {
  const [{ session, sandbox }, setOpened] = useState(first);
  // Removes the selected requests from the URL fragment when a file is opened or closed, because their ids belong to
  // the run displayed before.
  const forget = () => history.replaceState(null, '', location.pathname + location.search);
  const { file, ...opening } = useFile(forget);
  const shown = file ?? session;
  useEffect(() => showOutcomeInTab(shown), [shown]);
  const changeSandbox = (name: string | undefined) => {
    session.close();
    history.replaceState(null, '', name === undefined ? location.pathname : `?sandbox=${encodeURIComponent(name)}`);
    setOpened(first());
  };
  return (
    <App
      key={shown}
      session={shown}
      sandbox={sandbox}
      place={document}
      hasAddress
      onSandbox={changeSandbox}
      {...opening}
    />
  );
}

keepFocus(document);
render(<Page />, document.getElementById('page') as HTMLElement);
