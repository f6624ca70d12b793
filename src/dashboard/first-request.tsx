import type { ComponentChildren } from 'preact';
import { type KeyFrom, sentKeyText, sentQuery } from '../values/key-place.js';
import { ActionButton } from './action-button.js';
import { Button } from './controls.js';
import { quoted } from './copy-as.js';
import type { Session } from './session.js';

// The page loads this module for a run without requests. Reports lack it.

interface FirstRequestProps {
  session: Session;
  onCopy(text: string): void;
  onFailure(text: string): void;
  onMessage(text: string): void;
  onOpen(): void;
  /** Runs the demo's clients. `undefined` if the page cannot show another sandbox. */
  onDemo: (() => void) | undefined;
  /** Button that loads a scenario for a first test. */
  children: ComponentChildren;
}

/** Example `curl` request, and buttons for first requests. */
export function FirstRequest({ session, onCopy, onFailure, onMessage, onOpen, onDemo, children }: FirstRequestProps) {
  const { apiUrl = '', baseUrl } = session.source;
  const { keys, clientKey, keyFrom } = session.state;
  const key = clientKey ?? keys.find(({ state }) => state === 'active')?.key ?? 'KEY';
  const query = sentQuery(keyFrom, key);
  const header = sentHeader(keyFrom, key);
  // With --no-api, a backend has all paths.
  const path = baseUrl.endsWith('/v1') ? `/pets?limit=3${query && `&${query}`}` : `/${query && `?${query}`}`;
  const line = `curl -i ${quoted(baseUrl + path)}${header ? ` -H ${quoted(header.join(': '))}` : ''}`;
  const send = () => {
    onMessage('Request sent.');
    fetch(apiUrl + path, header && { headers: [header] }).catch(() => onFailure('The server does not respond.'));
  };
  return (
    <>
      Each key gets a line here with its first request. Send one: <code>{line}</code>
      <span class="acts">
        <Button onClick={() => onCopy(line)}>Copy curl</Button>
        <ActionButton isPossible={session.canAct} onAct={send}>
          Send a request
        </ActionButton>
        {children}
        <Button onClick={onOpen}>Drop a HAR file to judge it, or choose one…</Button>
        {onDemo && (
          <ActionButton isPossible={session.canAct} onAct={onDemo}>
            Show me a wrong and a right client
          </ActionButton>
        )}
      </span>
    </>
  );
}

/** Header that sends a key where the scenario expects it; `undefined` for a key in the query, or none. */
function sentHeader(from: KeyFrom, key: string): [name: string, value: string] | undefined {
  if (from === 'one' || from.startsWith('query ')) return undefined;
  const [name = '', value = ''] = sentKeyText(from, key).split(': ');
  return [name, value.replace(/BASE64\((.*)\)$/, (_, pair) => btoa(pair))];
}
