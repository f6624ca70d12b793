import { useMemo } from 'preact/hooks';
import type { JournalEntry } from '../control-api/journal-entry.js';
import type { WhyStep } from '../control-api/why.js';
import { clockText } from '../rate-limits/served-again.js';
import { formatRemaining } from '../values/format-duration.js';
import { pathWithQuery } from '../values/request-target.js';
import { Button, RequestLink } from './controls.js';
import { type CopiedEntry, requestAsMarkdown } from './copy-as.js';
import type { CurrentState } from './copy-as-test.js';
import { Drawer, type DrawerProps } from './drawer.js';
import type { Row } from './entry-buffer.js';
import { escapeBidiControls, formatCount, indentJson } from './format.js';
import { propertiesOf } from './request-properties.js';
import type { Session } from './session.js';
import { useValue } from './session-hooks.js';
import { SourceError } from './source.js';

interface DetailProps extends DrawerProps {
  session: Session;
  row: Row;
  onShowText(title: string, text: string): void;
  /** Copies the request as a curl command, as soon as its journal entry is loaded. */
  onCurl(entry: Promise<CopiedEntry>): void;
  onFailure(text: string): void;
  /** Saves a report in which this request is selected. `undefined` if the page has no server. */
  onReport: (() => void) | undefined;
  /** Whether the page can load the code that copies a request as a scenario. False in a report. */
  hasScenario: boolean;
  onRequest(id: number): void;
  onPet(id: string): void;
  /** Whether the request is pinned, so that the next selected one is compared with it. */
  isPinned: boolean;
  onPin(): void;
}

/** Journal entry with the steps that led to the response. An entry from a file may lack the steps. */
type Explained = JournalEntry & { why?: WhyStep[] };

const stepSigns: Record<WhyStep['result'], [symbol: string, says: string]> = {
  passed: ['✓', 'passed: '],
  noted: ['!', 'noted: '],
  stopped: ['✗', 'stopped: '],
  'not reached': ['·', ''],
};

/** Maximum length of a displayed body, in characters. */
const maximumShown = 20_000;

/** Details of one request: reasons for the response, headers and bodies, and buttons to copy the request. */
export function Detail(props: DetailProps) {
  const { session, row, hasScenario, onClose, onShowText, onCurl, onFailure, onReport, onRequest, onPet } = props;
  const { isPinned, onPin, onLink } = props;
  const { send } = session.source;
  const asked = useMemo(() => readEntry(session, row), [session, row.id]);
  const got = useValue(useMemo(() => asked.catch((error: SourceError) => error), [asked]));
  const failure = got instanceof SourceError ? got : undefined;
  const whole = got instanceof SourceError ? undefined : got;
  const entry: CopiedEntry = whole ?? row;
  const steps = whole?.why ?? [];
  const { request: _, status, why, ...properties } = propertiesOf(row);
  const findings = session.state.verdict?.findings.filter(({ requests }) => requests.includes(row.id)) ?? [];
  const before = async (entry: CopiedEntry) => {
    const [{ scenarioBefore, asTest }, { scenario }, list] = await Promise.all([
      import('./copy-as-test.js'),
      send<{ scenario: CurrentState['scenario'] }>('GET', '/scenario'),
      send<CurrentState['known']>('GET', '/scenarios').catch(() => []),
    ]);
    return { asTest, scenario: scenarioBefore(entry, { scenario, known: list, faults: session.state.faults }) };
  };
  const asTestOf = async (entry: CopiedEntry) => {
    const { asTest, scenario } = await before(entry);
    return asTest(entry, scenario);
  };
  const asScenario = async (entry: CopiedEntry) => JSON.stringify((await before(entry)).scenario, null, 2);
  const show = (title: string, write: (entry: CopiedEntry) => string | Promise<string>) => () =>
    orRow(asked, row)
      .then(write)
      .then(
        (text) => onShowText(title, text),
        ({ message }: Error) => onFailure(message),
      );
  return (
    <Drawer
      name={`Request ${row.id}`}
      title={
        <>
          Why {status} <small>request {row.id}</small>
        </>
      }
      onClose={onClose}
      onLink={onLink}
      button={
        onReport && (
          <Button class="quiet" title="Save a file that shows this request to others" onClick={onReport}>
            save report
          </Button>
        )
      }
    >
      <p class="what">
        <b>{row.method}</b> {pathWithQuery(row)}
      </p>
      <p class="note">
        {Object.entries({ ...properties, client: whole?.client })
          .flatMap(([name, text]) => (text ? `${name} ${text}` : []))
          .join(' · ')}
      </p>
      <div class="acts">
        <Button onClick={() => onCurl(orRow(asked, row))}>copy as curl</Button>
        <Button onClick={show('As Markdown', (entry) => requestAsMarkdown(entry, session.source.baseUrl))}>
          as Markdown
        </Button>
        {hasScenario && (
          <>
            <Button onClick={show('As a test', asTestOf)}>as a test</Button>
            <Button onClick={show('Scenario starting here', asScenario)}>as a scenario</Button>
          </>
        )}
        <Button aria-pressed={isPinned} onClick={onPin}>
          {isPinned ? 'choose another' : 'compare…'}
        </Button>
        {row.storedId !== undefined && session.isLive && (
          <Button onClick={() => onPet(row.storedId as string)}>pet {row.storedId}</Button>
        )}
      </div>
      {steps.length === 0 && <p class="note">{why ?? 'served'}</p>}
      <ol class="why">
        {steps.map(({ step, result, text, assumption }, index) => (
          <li key={`${step}-${index}`} class={result.replace(' ', '-')}>
            <span aria-hidden="true">{stepSigns[result][0]}</span>
            <span class="said">{stepSigns[result][1]}</span>
            <Linked text={text} onRequest={onRequest} />
            {assumption !== undefined && <small class="by">assumption {assumption}</small>}
          </li>
        ))}
      </ol>
      {findings.map(({ code, severity, text }) => (
        <p key={code + text} class={`finding ${severity}`}>
          <b>{code}</b> {text}
        </p>
      ))}
      {failure && (
        <p class="note">
          {failure.status === 404 ? 'The journal no longer contains its headers and bodies.' : failure.message}
        </p>
      )}
      <Headers title="Request headers" headers={entry.requestHeaders} atMs={row.atMs + row.durationMs} />
      <Headers title="Response headers" headers={entry.headers} atMs={row.atMs + row.durationMs} />
      <Body title="Request body" body={entry.requestBody} />
      <Body title="Response body" body={entry.responseBody} />
    </Drawer>
  );
}

/** Reads a request, with the bodies of request and response, from the journal. */
export const readEntry = ({ source }: Session, { id }: Row) => source.send<Explained>('GET', `/journal/${id}`);

/**
 * Returns the request with its bodies from the journal. If the journal no longer contains the request, returns its row
 * of the request list, which has no bodies.
 */
export const orRow = (asked: Promise<Explained>, row: Row): Promise<CopiedEntry> =>
  asked.catch((error: SourceError) => {
    if (error.status !== 404) throw error;
    return row;
  });

/** Explains the time in a rate-limit reset header: `= 16:33:27, in 60 s`. */
function instantOf(name: string, value: string, fromMs: number): string {
  const ms = Number(value) * 1000;
  if (!/reset$/i.test(name) || !(ms > 1e11)) return '';
  return `  (= ${clockText(ms, fromMs)}, in ${formatRemaining(ms - fromMs)})`;
}

/** Text in which the first mention of a request, such as `request 97`, is a link. */
function Linked({ text, onRequest }: { text: string; onRequest(id: number): void }) {
  const [, before = '', id, after = text] = /^(.*?\b)request (\d+)(.*)$/s.exec(text) ?? [];
  if (id === undefined) return <>{text}</>;
  return (
    <>
      {before}
      <RequestLink id={Number(id)} onRequest={onRequest} />
      {after}
    </>
  );
}

interface HeadersProps {
  title: string;
  headers: Readonly<Record<string, string>> | undefined;
  /** Time of the response. */
  atMs: number;
}

function Headers({ title, headers, atMs }: HeadersProps) {
  if (headers === undefined) return null;
  return (
    <>
      <h3>{title}</h3>
      <pre>
        {Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}${instantOf(name, value, atMs)}`)
          .join('\n')}
      </pre>
    </>
  );
}

function Body({ title, body }: { title: string; body: JournalEntry['requestBody'] }) {
  if (body === undefined) return null;
  const isCut = body.truncated === true || body.text.length > maximumShown;
  return (
    <>
      <h3>
        {title} <small>{formatCount(body.bytes, 'byte')}</small>
      </h3>
      <pre>{escapeBidiControls(indentJson(body.text).slice(0, maximumShown))}</pre>
      {isCut && <p class="note">The rest is not shown.</p>}
    </>
  );
}
