import { countOf, unrecordedText } from '../judge/unrecorded.js';
import { ActionButton } from './action-button.js';
import { Button } from './controls.js';
import { formatCount, formatThousands } from './format.js';
import type { Session } from './session.js';

const missed = 'No request reached the API.';

/** Text in place of an empty request list. */
export function NoRequests({ session }: { session: Session }) {
  return <>{session.isMissed ? missed : `No requests${session.isLive ? ' yet' : ''}.`}</>;
}

/** Whether the server has the scenario for a first test of a client. */
export const hasMinuteWall = ({ state }: Session) => state.scenarios.some(({ name }) => name === 'minute-wall');

interface LoadProps {
  session: Session;
  onLoad(scenario: string): void;
}

/** Button that loads the scenario for a first test of a client, if the server has the scenario. */
export const LoadMinuteWall = ({ session, onLoad }: LoadProps) =>
  hasMinuteWall(session) && session.state.scenario !== 'minute-wall' ? (
    <ActionButton isPossible={session.canAct} onAct={() => onLoad('minute-wall')}>
      Load minute-wall
    </ActionButton>
  ) : null;

interface NoTimelineProps extends LoadProps {
  onCopy(text: string): void;
  onFailure(text: string): void;
  onMessage(text: string): void;
  onOpen(): void;
  /** Runs the demo's clients. `undefined` if the page cannot show another sandbox. */
  onDemo: (() => void) | undefined;
}

/**
 * Text that the dashboard shows in place of an empty timeline. While the dashboard is connected to a server, the text
 * contains an example `curl` request, and buttons for first requests.
 */
export function NoTimeline({ session, onCopy, onFailure, onMessage, onLoad, onOpen, onDemo }: NoTimelineProps) {
  const { apiUrl, baseUrl } = session.source;
  const { connection, keys, clientKey } = session.state;
  if (apiUrl === undefined || session.isMissed || connection === 'gone') return <NoRequests session={session} />;
  const path = '/pets?limit=3';
  const authorization = `Bearer ${clientKey ?? keys.find(({ state }) => state === 'active')?.key ?? 'KEY'}`;
  const line = `curl -i '${baseUrl}${path}' -H 'Authorization: ${authorization}'`;
  const send = () => {
    onMessage('Request sent.');
    fetch(apiUrl + path, { headers: { authorization } }).catch(() => onFailure('The server does not respond.'));
  };
  return (
    <>
      Each key gets a line here with its first request. Send one: <code>{line}</code>
      <span class="acts">
        <Button onClick={() => onCopy(line)}>Copy curl</Button>
        <ActionButton isPossible={session.canAct} onAct={send}>
          Send a request
        </ActionButton>
        <LoadMinuteWall session={session} onLoad={onLoad} />
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

/** Maximum number of rows in the dashboard's list of requests to addresses outside the API. */
const maximumLines = 8;

/** List of received requests that the journal does not contain, with the reasons. */
export function Unrecorded({ session }: { session: Session }) {
  const { unrecorded = [] } = session.state.verdict ?? {};
  if (unrecorded.length === 0) return null;
  const rest = countOf(unrecorded.slice(maximumLines));
  return (
    <ul class="note unrecorded" aria-label="Requests that the journal does not have">
      {unrecorded.slice(0, maximumLines).map((group) => (
        <li key={[group.why, group.method, group.path, group.status].join(' ')}>
          <code>
            {group.method} {group.path}
          </code>{' '}
          {group.status} {unrecordedText(group)} {group.count > 1 && `${formatThousands(group.count)} times`}
        </li>
      ))}
      {rest > 0 && <li>and {formatCount(rest, 'request')} more</li>}
    </ul>
  );
}
