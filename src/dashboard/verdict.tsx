import { describeCost, shownCosts } from '../judge/cost.js';
import type { Finding } from '../judge/finding.js';
import type { Verdict } from '../judge/judge-run.js';
import { fixCommand, remedyText } from '../judge/report/wording.js';
import type { RunResult } from '../judge/run-result.js';
import { type ShownFinding, selectFindings } from '../judge/select-findings.js';
import { describeLeftOut } from '../judge/unrecorded.js';
import { groupBy } from '../values/group-by.js';
import { Button, Coded, Select, Sourced } from './controls.js';
import { firstSentence, formatCount, formatThousands } from './format.js';
import { hasMinuteWall, LoadMinuteWall } from './no-requests.js';
import type { Session } from './session.js';

export const outcomeSymbols = { pass: '✓', fail: '✗', inconclusive: '?' } as const;

/**
 * Badge with the outcome of the client's run, such as `✓ pass`. The space after the badge separates it from the next
 * text for screen readers.
 */
export function OutcomeBadge({ session: { outcome: shown, state } }: { session: Session }) {
  if (shown === undefined) return null;
  const key = state.keys.find(({ id }) => id === state.verdictKey)?.key;
  return (
    <>
      <span class={`pill ${shown.outcome}`}>
        {outcomeSymbols[shown.outcome]} {shown.title}
        {key && ` · ${key} only`}
      </span>{' '}
    </>
  );
}

interface FindingsProps {
  session: Session;
  /** Id of the finding whose requests the request list shows. */
  chosen: string | undefined;
  onFind(finding: Finding, requests?: number[]): void;
  onCompare(id: number, otherId: number): void;
  onCopy(text: string): void;
  /** Lists the scenarios that a text names. */
  onScenarios(text: string): void;
  /** Formats a finding as Markdown, for an issue or a chat. */
  asMarkdown(finding: Finding, key: string): string;
  /**
   * Returns the dashboard's URL for a finding of the judge; `undefined` in a dashboard that is embedded in another
   * page.
   */
  linkTo: ((finding: Finding) => string) | undefined;
}

/** Names the API keys with which a finding's requests were sent. */
export function keysOf({ entries, keyNames, state }: Session, finding: Finding): string {
  const known = keyNames.get(finding);
  if (known !== undefined) return known;
  const lanes = new Set(finding.requests.map((id) => entries.find(id)?.lane.name));
  lanes.delete(undefined);
  const names = [...lanes].join(', ');
  if (state.behind === 0) keyNames.set(finding, names);
  return names;
}

/** Identifies a finding in a URL by its code. Adds the key if findings on several keys have this code. */
export function findingId(session: Session, finding: Finding): string {
  const alike = session.state.verdict?.findings.filter(({ code }) => code === finding.code) ?? [];
  return alike.length < 2 ? finding.code : `${finding.code}:${keysOf(session, finding)}`;
}

/**
 * Returns the ids of the two requests that the dashboard compares for a finding. These are the finding's first request
 * and the refusal before that request; without such a refusal, the finding's first two requests.
 */
function pairOf({ entries }: Session, { requests: [first = 0, second = 0] }: Finding): [number, number] | undefined {
  const refused = entries.find(first)?.after?.id ?? 0;
  const other = entries.find(refused) ? refused : second;
  return entries.find(other) && entries.find(first) && [Math.min(first, other), Math.max(first, other)];
}

/**
 * Outcome of a key: `fail` if the shown verdict has a failure of the key, otherwise that of the verdict on the key alone,
 * or on a run without another key. `undefined` if only the verdict on the key alone has its failure, such as a call that
 * the client made with another key.
 */
export function outcomeOn(session: Session, keyId: string): Verdict['outcome'] | undefined {
  const { entries, state } = session;
  const { verdict, verdicts, verdictKey } = state;
  const lane = entries.lanes.get(keyId);
  if (lane && entries.lanes.size === 1) return verdict?.counts.requests ? verdict.outcome : undefined;
  const own = verdicts.get(keyId)?.outcome;
  if (own === undefined || verdictKey !== undefined) return own;
  const isFailed = verdict?.findings.some(
    (finding) =>
      finding.severity === 'fail' &&
      keysOf(session, finding)
        .split(', ')
        .includes(lane?.name ?? ''),
  );
  return isFailed ? 'fail' : own === 'fail' ? undefined : own;
}

/** Name of a key after the sign of its outcome, if it has one: `✗ wrong-client`. */
export function markedName(session: Session, keyId: string, name: string): string {
  const own = outcomeOn(session, keyId);
  return own === undefined ? name : `${outcomeSymbols[own]} ${name}`;
}

/** Maximum number of keys whose verdicts the dashboard shows in place of the verdict on all. */
const maximumClients = 4;

/**
 * Returns the verdicts on the keys of a run, each the work of another client, and the keys that nothing put to the test.
 * Returns `undefined` if these say less than the verdict on all keys.
 */
function clientVerdicts(session: Session) {
  const { verdict, verdicts, verdictKey } = session.state;
  const all = [...verdicts].map(([id, own]) => [session.entries.lanes.get(id)?.name ?? '', own] as const);
  const judged = all.filter(([, { outcome }]) => outcome !== 'inconclusive');
  const untested = all.flatMap(([name, { outcome }]) => (outcome === 'inconclusive' ? name : []));
  const worst = judged.some(([, { outcome }]) => outcome === 'fail') ? 'fail' : 'pass';
  const agrees = ([id, { outcome, findings }]: [string, Verdict]) =>
    outcome === outcomeOn(session, id) &&
    findings.every(({ code }) => verdict?.findings.some((shown) => shown.code === code));
  const isWhole = verdictKey === undefined && verdict?.outcome === worst && [...verdicts].every(agrees);
  return isWhole && all.length > 1 && judged.length > 0 && judged.length <= maximumClients
    ? { judged, untested }
    : undefined;
}

/** Maximum number of keys whose findings are grouped by key. Those of more keys are grouped by code. */
const maximumGroups = 6;

/** Advice of an inconclusive verdict to run a command, in place of which the dashboard has a button. */
const advice = / "npx [^"]* minute-wall [^"]*"[^.]*\./;

/** Verdict on the client in one sentence, or on each of several clients, with counts of requests. */
export function Outcome({ session, onLoad }: { session: Session; onLoad(scenario: string): void }) {
  const { verdict, verdictKey, keys, connection } = session.state;
  const waiting = connection === 'gone' ? 'This sandbox does not exist, or it has ended.' : '…';
  const {
    outcome,
    reason = waiting,
    counts,
    failures = [],
    about,
    costs,
    leftOut,
    notes = [],
  }: Partial<RunResult> = verdict ?? {};
  const clients = clientVerdicts(session);
  const { isUndecided } = session;
  const failed = new Set(verdict?.findings.flatMap((each) => (each.severity === 'fail' ? keysOf(session, each) : [])));
  const isMany = session.entries.lanes.size > maximumClients && failed.size > 0;
  const newer = verdict !== undefined && session.canAct ? session.state.total - session.state.judged : 0;
  const others = counts === undefined ? 0 : counts.requests - counts.served - counts.refused - counts.lost;
  return (
    <section class="verdict" aria-label="Verdict">
      <div class="reason">
        {clients === undefined ? (
          <span class={outcome}>
            {isMany && `${failed.size} of ${session.entries.lanes.size} keys: `}
            {isUndecided
              ? 'The client was refused. Its next request decides.'
              : hasMinuteWall(session)
                ? reason.replace(advice, '')
                : reason}{' '}
            {advice.test(reason) && <LoadMinuteWall session={session} onLoad={onLoad} />}
          </span>
        ) : (
          <ul>
            {clients.judged.map(([key, { outcome, reason }]) => (
              <li key={key}>
                <span class={`pill ${outcome}`}>
                  {outcomeSymbols[outcome]} {key}
                </span>{' '}
                {reason}
              </li>
            ))}
            {clients.untested.length > 0 && <li class="note">Not put to the test: {clients.untested.join(', ')}.</li>}
          </ul>
        )}
        {newer > 0 && <span class="note">Judging {formatCount(newer, 'newer request')}…</span>}
        {(session.entries.lanes.size > 1 || verdictKey !== undefined) && (
          // biome-ignore lint/a11y/noLabelWithoutControl: Select contains the control
          <label class="judge">
            Judge{' '}
            <Select
              name="Judge"
              value={verdictKey ?? ''}
              options={[['', 'all keys'], ...keys.map(({ id, key }) => [id, markedName(session, id, key)] as const)]}
              onSelect={(id) => session.judge(id || undefined)}
            />
          </label>
        )}
      </div>
      {failures.map(({ code, text }) => (
        <p key={code}>{text}</p>
      ))}
      {shownCosts(costs).map((cost) => (
        <p key={cost.key} class="cost">
          {describeCost(cost, cost.key ?? 'no key')}
        </p>
      ))}
      {about !== undefined && (
        <p class="note">
          <Sourced text={about} />
        </p>
      )}
      {leftOut !== undefined && <p class="note">Entries that are no requests: {describeLeftOut(leftOut)}.</p>}
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {counts !== undefined && counts.requests > 0 && (
        <p class="note">
          {formatCount(counts.requests, 'request')}: {formatThousands(counts.served)} served,{' '}
          {formatThousands(counts.refused)} refused
          {counts.banned > 0 && ` (${formatThousands(counts.banned)} by a ban)`}
          {counts.lost > 0 && `, ${formatCount(counts.lost, 'response')} lost`}
          {others > 0 && `, ${formatThousands(others)} with another error`}
          {counts.dropped > 0 && `; judged on these, ${formatThousands(counts.dropped)} older ones dropped`}
        </p>
      )}
    </section>
  );
}

/**
 * Section of the dashboard that lists the verdict's findings with their requests, grouped by API key. Also lists the
 * untested rules of the judge, and the client's command.
 */
export function Findings(props: FindingsProps) {
  const { session } = props;
  const { verdict } = session.state;
  if (verdict === undefined) return null;
  const byKey = groupBy(verdict.findings, (finding) => keysOf(session, finding));
  const isFolded = byKey.size > maximumGroups;
  const groups = [...(isFolded ? groupBy(verdict.findings, ({ code }) => code as string) : byKey)];
  const { command, counts, untested = [], unknown = [], remedies = [] }: Partial<RunResult> & Verdict = verdict;
  return (
    <>
      {groups.length === 0 ? (
        <p class="empty">No findings.</p>
      ) : (
        <section class="findings" aria-label="Findings" id="findings">
          <h2>
            Findings <small>{verdict.findings.length}</small>
          </h2>
          {groups.map(([key, findings]) => (
            <section key={key} class="group" aria-label={key || 'no key'}>
              <h3>
                <b class="of">{key || 'no key'}</b> {formatCount(findings.length, 'finding')}
              </h3>
              {selectFindings(findings).map((shown) => (
                <FindingView
                  key={shown.finding.code + shown.finding.requests[0]}
                  shown={shown}
                  of={isFolded ? keysOf(session, shown.finding) : key}
                  isFolded={isFolded}
                  {...props}
                />
              ))}
            </section>
          ))}
          {remedies.map((remedy) => (
            <p key={remedy.fix}>
              <Coded text={`${remedyText(remedy)}: \`${fixCommand(remedy)}\` `} />
              <Button class="quiet" onClick={() => props.onCopy(fixCommand(remedy))}>
                copy
              </Button>
            </p>
          ))}
        </section>
      )}
      {counts.requests > 0 && untested.length > 0 && (
        <details class="untested">
          <summary>Not put to the test: {formatCount(untested.length, 'rule')}</summary>
          <p class="note">{untested.join(', ')}</p>
        </details>
      )}
      {unknown.length > 0 && (
        <details class="untested">
          <summary>Not known from a recording: {formatCount(unknown.length, 'rule')}</summary>
          <p class="note">{unknown.join(', ')}</p>
        </details>
      )}
      {command && (
        <p class="note">
          <code>{command.line ?? 'command'}</code> · exit code {command.exitCode}
        </p>
      )}
    </>
  );
}

interface FindingViewProps extends FindingsProps {
  shown: ShownFinding;
  /** Names of the finding's keys. */
  of: string;
  /** Whether the finding's group has its code, so that the finding names its keys. */
  isFolded: boolean;
}

function FindingView(props: FindingViewProps) {
  const { shown, of, isFolded, session, chosen, onFind, onCompare, onCopy, onScenarios, asMarkdown, linkTo } = props;
  const { finding, hidden } = shown;
  const { code, severity, text, measured, allowed, requests } = finding;
  const [first, rest] = firstSentence(text);
  const pair = pairOf(session, finding);
  const isChosen = chosen === findingId(session, finding);
  return (
    <div class={`finding ${severity}${isChosen ? ' chosen' : ''}`}>
      <div>
        <span class="severity">{severity}</span> <b>{code}</b> {isFolded && of}
        <span class="tail">
          {session.state.scenarios.some(({ fail }) => fail?.includes(code)) && (
            <Button class="quiet" aria-label={`Scenarios that test ${code}`} onClick={() => onScenarios(code)}>
              scenarios
            </Button>
          )}
          <Button
            class="quiet"
            aria-label={`Copy as Markdown: ${code} of ${of}`}
            onClick={() => onCopy(asMarkdown(finding, of))}
          >
            copy
          </Button>
          {linkTo && (
            <Button class="quiet" aria-label={`Copy link: ${code} of ${of}`} onClick={() => onCopy(linkTo(finding))}>
              link
            </Button>
          )}
        </span>
      </div>
      {first}{' '}
      <Button class="link" onClick={() => onFind(finding)}>
        {formatCount(requests.length, 'request')}
      </Button>
      {pair && (
        <>
          {' · '}
          <Button class="link" onClick={() => onCompare(...pair)}>
            compare {pair.join(' and ')}
          </Button>
        </>
      )}
      {rest && <p>{rest}</p>}
      <p class="note measured">
        {measured}; allowed: {allowed}
      </p>
      {hidden[0] && (
        <Button
          class="link"
          onClick={() =>
            onFind(
              finding,
              hidden.flatMap((each) => each.requests),
            )
          }
        >
          and {hidden.length} more
        </Button>
      )}
    </div>
  );
}
