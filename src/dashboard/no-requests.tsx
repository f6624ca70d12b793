import { countOf, unrecordedText } from '../judge/unrecorded.js';
import { formatCount, formatThousands } from './format.js';
import type { Session } from './session.js';

const missed = 'No request reached the API.';

/** Text in place of an empty request list. */
export function NoRequests({ session }: { session: Session }) {
  return <>{session.isMissed ? missed : `No requests${session.isLive ? ' yet' : ''}.`}</>;
}

/**
 * Text that the dashboard shows in place of an empty timeline. While the dashboard is connected to a server, the text
 * contains an example `curl` request.
 */
export function NoTimeline({ session }: { session: Session }) {
  const line = curlLine(session);
  if (line === undefined || session.isMissed || session.state.connection === 'gone')
    return <NoRequests session={session} />;
  return (
    <>
      Each key gets a line here with its first request. Send one: <code>{line}</code>
    </>
  );
}

function curlLine({ source: { kind, baseUrl }, state: { keys } }: Session): string | undefined {
  if (kind !== 'server') return undefined;
  const key = keys.find(({ state }) => state === 'active')?.key ?? 'KEY';
  return `curl -i '${baseUrl}/pets?limit=3' -H 'Authorization: Bearer ${key}'`;
}

/** Maximum number of rows in the dashboard's list of requests to addresses outside the API. */
const maximumLines = 8;

/** List of received requests that the journal does not contain, with the reasons. */
export function Unrecorded({ session }: { session: Session }) {
  const { unrecorded = [] } = session.state.verdict ?? {};
  if (unrecorded.length === 0) return null;
  const rest = countOf(unrecorded.slice(maximumLines));
  return (
    <ul class="unrecorded" aria-label="Requests that the journal does not have">
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
