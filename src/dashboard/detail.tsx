import { useEffect, useMemo, useState } from 'preact/hooks';
import type { JournalEntry } from '../control-api/journal-entry.js';
import type { WhyStep } from '../control-api/why.js';
import { asCurl, asTest, type Present, scenarioBefore, type Whole } from './copy-as.js';
import type { Row } from './entry-buffer.js';
import { clockTime, counted, target } from './format.js';
import type { Session } from './session.js';
import { SourceError } from './source.js';

interface DetailProps {
  session: Session;
  row: Row;
  onClose(): void;
  onShowText(title: string, text: string): void;
  onCopied(): void;
  onFind(ids: number[], label: string): void;
  onFailure(text: string): void;
}

/** A file may hold requests without the steps. */
type Explained = JournalEntry & { why?: WhyStep[] };

const stepSigns: Record<WhyStep['result'], [sign: string, says: string]> = {
  passed: ['✓', 'passed: '],
  noted: ['!', 'noted: '],
  stopped: ['✗', 'stopped: '],
  'not reached': ['·', ''],
};

/** More of a body is not shown. */
const mostShown = 20_000;

/** One request: why it got its answer, what was sent and answered, and how to have it again. */
export function Detail({ session, row, onClose, onShowText, onCopied, onFind, onFailure }: DetailProps) {
  const { send } = session.source;
  const asked = useMemo(
    () => send<Explained>('GET', `/journal/${row.id}`).catch((error: SourceError) => error),
    [session, row.id],
  );
  const [answer, setAnswer] = useState<{ asked: typeof asked; got: Explained | SourceError }>();
  useEffect(() => {
    let isWanted = true;
    void asked.then((got) => isWanted && setAnswer({ asked, got }));
    return () => {
      isWanted = false;
    };
  }, [asked]);

  const got = answer?.asked === asked ? answer.got : undefined;
  const failure = got instanceof SourceError ? got : undefined;
  const whole = got instanceof SourceError ? undefined : got;
  const entry: Whole = whole ?? row;
  const steps = whole?.why ?? [];
  const findings = session.state.verdict?.findings.filter(({ requests }) => requests.includes(row.id)) ?? [];
  // A button that is pressed before it has come waits for it: without its body the command would be another.
  const read = async (): Promise<Whole> => {
    const got = await asked;
    if (!(got instanceof SourceError)) return got;
    if (got.status !== 404) throw got;
    return row;
  };
  const before = async (entry: Whole) => {
    const [{ scenario }, list] = await Promise.all([
      send<{ scenario: Present['scenario'] }>('GET', '/scenario'),
      send<Present['known']>('GET', '/scenarios').catch(() => []),
    ]);
    return scenarioBefore(entry, { scenario, known: list, faults: session.state.faults });
  };
  const show = (title: string, write: (entry: Whole) => string | Promise<string>) => () =>
    read()
      .then(write)
      .then(
        (text) => onShowText(title, text),
        ({ message }: Error) => onFailure(message),
      );
  const showCurl = async (text: string) => {
    // Only a page of this machine or with https may copy; elsewhere the text is shown.
    try {
      await navigator.clipboard.writeText(text);
      onCopied();
    } catch {
      onShowText('As a command', text);
    }
  };
  const copyCurl = () =>
    read()
      .then((entry) => showCurl(asCurl(entry, session.source.baseUrl)))
      .catch(({ message }: Error) => onFailure(message));
  return (
    <section class="detail" aria-label={`Request ${row.id}`}>
      <header>
        <h2>
          Why {row.status || 'no answer'} <small>request {row.id}</small>
        </h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      <p class="what">
        <b>{row.method}</b> {target(row)}
        <small>
          {' '}
          {clockTime(row.atMs)} · {row.key || 'no key'} · {row.durationMs} ms
          {row.call !== undefined && ` · call ${row.call}`}
          {row.connection !== undefined && ` · connection ${row.connection}`}
        </small>
      </p>
      {steps.length === 0 && <p class="note">{row.inShort ?? 'served'}</p>}
      <ol class="why">
        {steps.map(({ step, result, text, assumption }, index) => (
          <li key={`${step}-${index}`} class={result.replace(' ', '-')}>
            <span aria-hidden="true">{stepSigns[result][0]}</span>
            <span class="said">{stepSigns[result][1]}</span>
            {text}
            {assumption !== undefined && <small class="by">assumption {assumption}</small>}
          </li>
        ))}
      </ol>
      {findings.map(({ code, severity, text, requests }) => (
        <p key={code} class={`finding ${severity}`}>
          <b>{code}</b> {text}{' '}
          <button type="button" class="link" onClick={() => onFind(requests, code)}>
            {requests.length === 1 ? 'this request' : `its ${requests.length} requests`}
          </button>
        </p>
      ))}
      <div class="acts">
        <button type="button" onClick={copyCurl}>
          copy as curl
        </button>
        <button type="button" onClick={show('As a test', async (entry) => asTest(entry, await before(entry)))}>
          as a test
        </button>
        <button
          type="button"
          onClick={show('As a scenario from here', async (entry) => JSON.stringify(await before(entry), null, 2))}
        >
          scenario from here
        </button>
      </div>
      {failure && (
        <p class="note">
          {failure.status === 404 ? 'The journal no longer holds its headers and bodies.' : failure.message}
        </p>
      )}
      {entry.headers !== undefined && (
        <>
          <h3>Headers of the answer</h3>
          <pre>
            {Object.entries(entry.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          </pre>
        </>
      )}
      <Body title="Body of the request" body={entry.requestBody} />
      <Body title="Body of the answer" body={entry.responseBody} />
    </section>
  );
}

/** Characters that change the direction of the text after them (Unicode Standard Annex 9): a body would look like another. */
const bidiControls = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16)}`;

function Body({ title, body }: { title: string; body: JournalEntry['requestBody'] }) {
  if (body === undefined) return null;
  const isCut = body.truncated === true || body.text.length > mostShown;
  return (
    <>
      <h3>
        {title} <small>{counted(body.bytes, 'byte')}</small>
      </h3>
      <pre>{body.text.slice(0, mostShown).replace(bidiControls, escaped)}</pre>
      {isCut && <p class="note">The rest is not shown.</p>}
    </>
  );
}
