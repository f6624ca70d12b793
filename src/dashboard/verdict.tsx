import { fewFindings, type ShownFinding } from '../judge/few-findings.js';
import type { RunResult } from '../judge/run-result.js';
import { counted, whole } from './format.js';
import type { Session } from './session.js';

export const outcomeSigns = { pass: '✓', fail: '✗', inconclusive: '?' } as const;

/** Outcome of a run with its sign. The space is for those who hear or copy the text. */
export function Pill({ session: { outcome: shown } }: { session: Session }) {
  if (shown === undefined) return null;
  return (
    <>
      <span class={`pill ${shown.outcome}`}>
        {outcomeSigns[shown.outcome]} {shown.title}
      </span>{' '}
    </>
  );
}

interface FindingsProps {
  session: Session;
  onFind(ids: number[], label: string): void;
}

/** What the judge says of the client in a sentence. */
export function Outcome({ session }: { session: Session }) {
  const { verdict, verdictKey, keys, connection } = session.state;
  if (verdict === undefined && connection === 'file')
    return <p class="verdict note">This file holds requests and no verdict.</p>;
  const { outcome, reason = '…', counts, failures = [], about }: Partial<RunResult> = verdict ?? {};
  const others = counts === undefined ? 0 : counts.requests - counts.served - counts.refused - counts.lost;
  return (
    <section class="verdict" aria-label="Verdict">
      <div class="reason">
        <span class={outcome}>{reason}</span>
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
      {failures.map(({ code, text }) => (
        <p key={code}>{text}</p>
      ))}
      {about !== undefined && <p class="note">{about}</p>}
      {counts !== undefined && counts.requests > 0 && (
        <p class="note">
          {counted(counts.requests, 'request')}: {whole(counts.served)} served, {whole(counts.refused)} refused
          {counts.banned > 0 && ` (${whole(counts.banned)} by a ban)`}
          {counts.lost > 0 && `, ${counted(counts.lost, 'answer')} lost`}
          {others > 0 && `, ${whole(others)} with another error`}
          {counts.dropped > 0 && `, ${whole(counts.dropped)} before them dropped`}
        </p>
      )}
    </section>
  );
}

/** What the judge found, each with a way to its requests. */
export function Findings({ session, onFind }: FindingsProps) {
  const { findings = [] } = session.state.verdict ?? {};
  return (
    findings[0] && (
      <section class="findings" aria-label="Findings">
        {fewFindings(findings).map((shown) => findingView(shown, onFind))}
      </section>
    )
  );
}

function findingView({ finding, hidden }: ShownFinding, onFind: FindingsProps['onFind']) {
  const { code, severity, text, measured, allowed, requests } = finding;
  const [, first = text, rest = ''] = /^(.*?\.)\s+(.*)$/s.exec(text) ?? [];
  const show = (ids: number[], words: string) => (
    <button type="button" class="link" onClick={() => onFind(ids, code)}>
      {words}
    </button>
  );
  return (
    <div class={`finding ${severity}`} key={code + requests[0]}>
      <span class="severity">{severity}</span> <b>{code}</b> {first}{' '}
      {show(requests, counted(requests.length, 'request'))}
      <details>
        <summary>what to do</summary>
        {rest && <p>{rest}</p>}
        <p class="note">
          {measured}; allowed: {allowed}
        </p>
      </details>
      {hidden[0] &&
        show(
          hidden.flatMap((each) => each.requests),
          `and ${hidden.length} more`,
        )}
    </div>
  );
}
