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

/** Waits for a time in milliseconds, or until `signal` is aborted. */
const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });

/** Duration of the demo. */
const demoMs = 20_000;

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
  const leaving = 'leaving';
  const showDemo = async () => {
    const { demoScenario, runDemoClients } = await import('../control-api/demo.js');
    const name = `demo-${Math.random().toString(36).slice(2, 8)}`;
    await session.source.sendToServer?.('POST', '/sandboxes', { name, scenario: demoScenario });
    const source = createServerSource(serverUrl, name);
    const over = new AbortController();
    setLeave(() => () => {
      over.abort(leaving);
      setLeave(undefined);
      changeSandbox(sandbox);
      void source.sendToServer?.('DELETE', `/sandboxes/${name}`);
    });
    changeSandbox(name);
    const timer = setTimeout(() => over.abort(), demoMs);
    await runDemoClients(source.apiUrl as string, over.signal, { sleep, random: Math.random });
    clearTimeout(timer);
    // A running clock would suggest that the clients are still active.
    if (over.signal.reason !== leaving) await source.send('POST', '/clock', { freeze: true });
  };
  return (
    <App
      key={shown}
      session={shown}
      sandbox={sandbox}
      place={document}
      hasAddress
      onSandbox={changeSandbox}
      onDemo={showDemo}
      {...opening}
      onBack={opening.onBack ?? leave}
    />
  );
}

keepFocus(document);
render(<Page />, document.getElementById('page') as HTMLElement);
