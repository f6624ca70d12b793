import { countOf, unrecordedText } from '../verdict/unrecorded.js';
import { counted, whole } from './format.js';
import type { Session } from './session.js';

/** In place of the list: a request to try, where there is a server. */
export function NoRequests({ session }: { session: Session }) {
  const line = curlLine(session);
  if (line === undefined) return <>No requests in the {session.source.kind}.</>;
  return (
    <>
      No requests yet. Try one: <code>{line}</code>
    </>
  );
}

/** In place of the timeline: the same request, and its effect. */
export function NoTimeline({ session }: { session: Session }) {
  const line = curlLine(session);
  if (line === undefined) return <>Nothing to draw: there are no requests.</>;
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

/** Lines of unrecorded requests. */
const mostLines = 8;

/** Requests that arrived and that the journal does not have, with the reason. */
export function Unrecorded({ session }: { session: Session }) {
  const { unrecorded = [] } = session.state.verdict ?? {};
  if (unrecorded.length === 0) return null;
  const rest = countOf(unrecorded.slice(mostLines));
  return (
    <ul class="unrecorded" aria-label="Requests that the journal does not have">
      {unrecorded.slice(0, mostLines).map((group) => (
        <li key={[group.why, group.method, group.path, group.status].join(' ')}>
          <code>
            {group.method} {group.path}
          </code>{' '}
          {group.status} {unrecordedText(group)} {group.count > 1 && `${whole(group.count)} times`}
        </li>
      ))}
      {rest > 0 && <li>and {counted(rest, 'request')} more</li>}
    </ul>
  );
}
