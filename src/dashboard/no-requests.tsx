import { countOf, unrecordedText } from '../judge/unrecorded.js';
import { ActionButton } from './action-button.js';
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
