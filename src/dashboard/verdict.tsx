import type { Finding } from '../verdict/finding.js';
import { counted, whole } from './format.js';
import type { Session } from './session.js';

export const outcomeSigns = { pass: '✓', fail: '✗', inconclusive: '?' } as const;

interface FindingsProps {
  session: Session;
  onFind(ids: number[], label: string): void;
}

/** What the judge says of the client in a sentence. */
export function Outcome({ session }: { session: Session }) {
  const { verdict, verdictKey, keys, connection } = session.state;
  if (verdict === undefined) {
    return connection === 'file' ? <p class="verdict note">This file holds requests and no verdict.</p> : null;
  }
  const { outcome, reason, counts } = verdict;
  return (
    <section class="verdict" aria-label="Verdict">
      <div class="reason">
        <span class={outcome}>{counts.requests === 0 ? 'Nothing to judge yet.' : reason}</span>
        {session.isLive && keys.length > 1 && (
          <select
            aria-label="Judge"
            value={verdictKey ?? ''}
            onChange={(event) => session.judge(event.currentTarget.value || undefined)}
          >
            <option value="">all keys</option>
            {keys.map(({ id, key }) => (
              <option key={id} value={id}>
                {key}
              </option>
            ))}
          </select>
        )}
      </div>
      {counts.requests > 0 && (
        <p class="note">
          {counted(counts.requests, 'request')}: {whole(counts.served)} served, {whole(counts.refused)} refused
          {counts.banned > 0 && ` (${whole(counts.banned)} by a ban)`}
          {counts.lost > 0 && `, ${whole(counts.lost)} answers lost`}
          {counts.dropped > 0 && `, ${whole(counts.dropped)} before them dropped`}
        </p>
      )}
    </section>
  );
}

/** What the judge found, each with a way to its requests. */
export function Findings({ session, onFind }: FindingsProps) {
  const { verdict } = session.state;
  if (verdict === undefined || verdict.findings.length === 0) return null;
  return (
    <section class="findings" aria-label="Findings">
      {verdict.findings.map((finding) => (
        <FindingView key={`${finding.code}-${finding.requests[0]}`} finding={finding} onFind={onFind} />
      ))}
    </section>
  );
}

function FindingView({ finding, onFind }: { finding: Finding; onFind: FindingsProps['onFind'] }) {
  const { code, severity, text, measured, allowed, requests } = finding;
  const [, first = text, rest = ''] = /^(.*?\.)\s+(.*)$/s.exec(text) ?? [];
  return (
    <div class={`finding ${severity}`}>
      <span class="severity">{severity}</span> <b>{code}</b> {first}{' '}
      <button type="button" class="link" onClick={() => onFind(requests, code)}>
        show {requests.length === 1 ? 'the request' : `the ${whole(requests.length)} requests`}
      </button>
      <details>
        <summary>what to do</summary>
        {rest && <p>{rest}</p>}
        <p class="note">
          {measured}; allowed: {allowed}
        </p>
      </details>
    </div>
  );
}
