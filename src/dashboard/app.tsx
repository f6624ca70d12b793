import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Finding } from '../judge/finding.js';
import type { RunResult } from '../judge/run-result.js';
import { createActions, type MessageButton } from './actions.js';
import { type Address, openingHash, readAddress, writeAddress } from './address.js';
import { Assumptions } from './assumptions.js';
import { Compare } from './compare.js';
import { ConnectionLost } from './connection-lost.js';
import { Button, Checkbox, CloseButton, Sourced } from './controls.js';
import { asCurl, asMarkdown, type CopiedEntry } from './copy-as.js';
import { Detail, orRow, readEntry } from './detail.js';
import { TextDialog } from './dialogs.js';
import type { Row, Span } from './entry-buffer.js';
import { Faults } from './faults.js';
import { type Filter, noFilter } from './filter.js';
import { firstSentence, formatCount } from './format.js';
import { Header } from './header.js';
import { handleKey } from './keyboard.js';
import { isUsed, Keys } from './keys.js';
import { rememberPressedElement } from './listeners.js';
import { LoadMinuteWall, NoRequests } from './no-requests.js';
import { Requests, type RowStep } from './requests.js';
import { keepToken, readToken } from './server-source.js';
import type { Session } from './session.js';
import { type Judged, useChanges, useModule } from './session-hooks.js';
import { Timeline } from './timeline.js';
import { Findings, findingId, Outcome } from './verdict.js';

export interface AppProps {
  session: Session;
  sandbox?: string | undefined;
  /**
   * DOM node that receives key presses and dropped files. This is the `document` of the dashboard page, or the root of
   * a dashboard panel in the user's own page.
   */
  place: EventTarget;
  /**
   * Whether the URL fragment stores the dashboard's selection, such as a request. False for a dashboard embedded in the
   * user's own page, whose URL must not change.
   */
  hasAddress?: boolean;
  onSandbox?(name: string | undefined): void;
  /** Whether a server judges opened recordings. */
  canJudge: boolean;
  /** Recording that is shown, if a server judged it. */
  judged: Judged | undefined;
  /** Opens a file. @param options facts about a recording that only the user knows */
  onFile(file: File, options?: Judged['options']): Promise<void>;
  /** Loads the example of a first request. `undefined` without a server. */
  loadFirst?: () => Promise<typeof import('./first-request.js')>;
  /** Runs the demo's clients in a sandbox of their own, and shows it. */
  onDemo?: (() => Promise<void>) | undefined;
  onBack?: (() => void) | undefined;
  onClose?: (() => void) | undefined;
}

type Shown = { kind: 'help' } | { kind: 'scenarios'; text?: string } | { kind: 'text'; title: string; text: string };

/**
 * Sections of the dashboard to which the navigation bar at the bottom of a small screen scrolls: CSS selector and
 * displayed name.
 */
const parts: readonly (readonly [selector: string, name: string, tab?: Tab])[] = [
  ['.head-of-body', 'Verdict'],
  ['.tabbed', 'Findings', 'findings'],
  ['.tabbed', 'Requests', 'requests'],
  ['.keys', 'Keys'],
];

/** Tabs of the dashboard. A wide page has the findings in a column of their own, and no tab for them. */
type Tab = 'requests' | 'findings' | 'pets';

const judgeOptions = [
  ['oneKey', 'All requests had the same key'],
  ['ended', 'The client had ended'],
] as const;

/** Root component of the dashboard. Its data comes from a server, a simulator in the same page, or a file. */
export function App(props: AppProps) {
  const { session, sandbox, place, hasAddress = false, canJudge, judged } = props;
  const { onSandbox, onFile, loadFirst, onDemo, onBack, onClose } = props;
  useChanges(session);
  const [filter, setFilter] = useState<Filter>(noFilter);
  const [selected, setSelected] = useState<Row>();
  const [pinned, setPinned] = useState<Row>();
  const [chosenOf, setChosenOf] = useState(session.entries);
  const [isPaused, setPaused] = useState(false);
  const [shown, setShown] = useState<Shown>();
  const [message, setMessage] = useState<Message>();
  const [chosenTab, setTab] = useState<Tab>();
  const [isDragging, setDragging] = useState(false);
  const [wide] = useState(() => matchMedia('(min-width: 1400px)'));
  const [, setWide] = useState(wide.matches);
  const [petText, setPetText] = useState('');
  const root = useRef<HTMLDivElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const stepRef = useRef((_: RowStep) => {});
  const showMessage = (text: string, remedy?: MessageButton) => setMessage({ text, remedy });
  const showFailure = (text: string) => setMessage({ text, isFailure: true });
  const fail = ({ message }: Error) => showFailure(message);
  const { connection } = session.state;
  const { TokenForm } = useModule(connection === 'locked', () => import('./token-form.js'), showFailure);
  /** Whether the page can load more code. A report cannot. */
  const hasServer = session.isLive || canJudge || onClose !== undefined;
  const tab = chosenTab ?? (!hasServer && session.outcome?.outcome === 'fail' ? 'findings' : 'requests');
  const isPicking = shown?.kind === 'scenarios';
  const { Pets } = useModule(tab === 'pets', () => import('./pets.js'), showFailure);
  const { Help } = useModule(shown?.kind === 'help', () => import('./help.js'), showFailure);
  const { ScenarioPicker } = useModule(
    isPicking,
    () => import('./scenario-picker.js'),
    (text) => {
      hide();
      showFailure(text);
    },
  );
  /** Whether the timeline has an example of a first request. */
  const isFirst =
    loadFirst !== undefined &&
    session.source.apiUrl !== undefined &&
    connection !== 'gone' &&
    session.entries.rows.length === 0 &&
    !session.isMissed;
  const { FirstRequest } = useModule(isFirst, loadFirst as NonNullable<typeof loadFirst>, showFailure);
  const actions = useMemo(() => createActions(session, showMessage, showFailure), [session]);
  const load = (scenario: string) => actions.load(scenario, true);

  useEffect(() => {
    let seconds = 0;
    const tick = setInterval(() => {
      session.onState.call();
      const { clock, keys } = session.state;
      // Reads the keys and the verdict regularly, because they change even without requests: windows reset, bans end,
      // retries are overdue.
      if (seconds++ % 2 === 0 && session.canAct && clock?.mode === 'real' && keys.some(isUsed)) session.refresh();
    }, 1_000);
    return () => clearInterval(tick);
  }, [session]);
  // Clears the selected requests and the filter while the dashboard renders another run. A React effect would run after
  // the rendering, and could clear what the user has selected in the new run.
  if (chosenOf !== session.entries) {
    setChosenOf(session.entries);
    setSelected(undefined);
    setPinned(undefined);
    setFilter(noFilter);
    setPaused(false);
  }
  const focusList = () => {
    root.current?.querySelector<HTMLElement>('.list')?.focus({ preventScroll: true });
  };
  /** Shows a tab, and scrolls to it where the whole page scrolls. */
  const goTo = (tab: Tab) => {
    setTab(tab);
    root.current?.querySelector('.tabbed')?.scrollIntoView({ block: 'nearest' });
  };
  const setRange = (range: Span | undefined) => setFilter((before) => ({ ...before, range }));
  const rowsOf = (ids: number[]) => ids.flatMap((id) => session.entries.find(id) ?? []);
  const find = (finding: Finding, requests = finding.requests) => {
    const wanted = new Set(requests);
    goTo('requests');
    setFilter({
      ...noFilter,
      only: { test: ({ id }) => wanted.has(id), label: finding.code, finding: findingId(session, finding) },
    });
    setSelected(rowsOf(requests)[0]);
    // A hidden tab cannot keep the focus. The list is visible after the next rendering.
    setTimeout(focusList);
  };
  const openRequest = (id: number) => {
    const row = session.entries.find(id);
    if (row === undefined) return showFailure(`Request ${id} is not in the list.`);
    goTo('requests');
    setSelected(row);
  };
  useEffect(() => {
    if (connection !== 'live') return;
    setMessage(undefined);
    actions.findUndo().catch(() => {});
  }, [connection]);
  const address = { range: filter.range, finding: filter.only?.finding, request: selected?.id, compare: pinned?.id };
  useAddress(hasAddress, address, (wanted) => {
    // Waits until a new run is rendered, because the rendering of a new run clears the selected request.
    if (chosenOf !== session.entries) return false;
    const { request, compare, finding, range } = wanted;
    const found = session.state.verdict?.findings.find(
      (each) => each.code === finding || findingId(session, each) === finding,
    );
    const row = session.entries.find(request ?? 0);
    const other = session.entries.find(compare ?? 0);
    const isMissing = (finding && !found) || (request && !row) || (compare && !other);
    if (isMissing) {
      // Postpones the selection that the dashboard's URL names until the journal and the verdict are loaded.
      const { connection, behind, verdict } = session.state;
      const isLoading = behind > 0 || (connection !== 'live' && session.entries.rows.length === 0);
      if (isLoading || (finding && verdict === undefined)) return false;
    }
    if (range && session.entries.rows.length === 0) return false;
    setMessage(isMissing ? { text: 'The link points to nothing in this run.', isFailure: true } : undefined);
    if (found) find(found);
    if (row) {
      setTab('requests');
      setSelected(row);
    }
    if (other) setPinned(other);
    if (range) setRange(range);
    return true;
  });
  // A modal dialog makes the rest inert until it is removed. The tab above the list keeps the focus when the list empties.
  const isTabWanted = useRef(false);
  useEffect(() => {
    if (shown !== undefined || !isTabWanted.current) return;
    isTabWanted.current = false;
    root.current?.querySelector<HTMLElement>('.tabbed button')?.focus({ preventScroll: true });
  }, [shown]);
  const hide = () => setShown(undefined);
  const close = () => {
    if (selected !== undefined || pinned !== undefined) {
      setSelected(undefined);
      setPinned(undefined);
      // Moves the keyboard focus from the closed request details to the request list.
      focusList();
    } else if (filter !== noFilter) setFilter(noFilter);
    else if (message !== undefined) setMessage(undefined);
    else onClose?.();
  };
  const copy = async (text: string, title = 'To copy', said = 'Copied.') => {
    // Shows the text in a dialog if the browser denies access to the clipboard. Browsers allow access only in a secure
    // context, such as HTTPS or localhost.
    try {
      await navigator.clipboard.writeText(text);
      showMessage(said);
    } catch {
      setShown({ kind: 'text', title, text });
    }
  };
  const copyCurl = (entry: Promise<CopiedEntry>) =>
    void entry.then((entry) => copy(asCurl(entry, session.source.baseUrl), 'As a command')).catch(fail);
  const copyRow = (row: Row) => copyCurl(orRow(readEntry(session, row), row));
  const exportAs = (what: 'har' | 'jsonl' | 'report', start?: string) =>
    void import('./export-run.js').then(({ exportRun }) => exportRun(session, what, start)).catch(fail);
  const linkTo = hasAddress ? (of: Address) => location.href.split('#')[0] + writeAddress(of) : undefined;
  const press = useRef((_: KeyboardEvent) => {});
  press.current = (event) =>
    // Keys that the user presses before a dialog is loaded are meant for the dialog.
    shown === undefined &&
    handleKey(
      event,
      {
        '/': () => root.current?.querySelector<HTMLElement>('.filter')?.focus(),
        Enter: () => tab !== 'pets' && selected === undefined && stepRef.current('next'),
        Escape: close,
        c: () => selected && copyRow(selected),
        f: () => session.canAct && actions.toggleClock(),
        p: () => setPaused(!isPaused),
        r: () => session.canAct && actions.reset(),
        s: () => session.canAct && setShown({ kind: 'scenarios' }),
        u: () => session.canAct && actions.undo(),
        '?': () => hasServer && setShown({ kind: 'help' }),
      },
      (step) => tab !== 'pets' && stepRef.current(step),
    );
  const open = (file: File | null | undefined, options?: Judged['options']) => {
    if (!file) return;
    onFile(file, options).catch(({ message }: Error) => {
      // A recording of another service: most of its requests are to this address.
      const url = /--base-url (\S+) judges/.exec(message)?.[1];
      if (url && !options?.baseUrl) open(file, { baseUrl: url });
      else showFailure(message);
    });
  };
  const drop = useRef(open);
  drop.current = open;
  useEffect(() => {
    const leave = new AbortController();
    const on = (name: string, listen: (event: never) => void) =>
      place.addEventListener(name, listen as (event: Event) => void, leave);
    for (const name of ['down', 'move', 'up', 'cancel'] as const)
      addEventListener(`pointer${name}`, rememberPressedElement, leave);
    on('keydown', (event: KeyboardEvent) => press.current(event));
    on('dragover', (event: DragEvent) => {
      event.preventDefault();
      if (event.dataTransfer?.types.includes('Files')) setDragging(true);
    });
    on('dragleave', ({ relatedTarget }: DragEvent) => relatedTarget ?? setDragging(false));
    on('drop', (event: DragEvent) => {
      event.preventDefault();
      setDragging(false);
      drop.current(event.dataTransfer?.files[0]);
    });
    wide.addEventListener('change', () => setWide(wide.matches), leave);
    return () => leave.abort();
  }, [place]);

  if (connection === 'locked') {
    return (
      <main class="sim">
        {TokenForm && (
          <TokenForm
            wasWrong={readToken() !== undefined}
            onToken={(token) => {
              keepToken(token);
              session.unlock();
            }}
          />
        )}
      </main>
    );
  }
  // Description of the scenario in the verdict. If it equals the scenario's own description, the dashboard shows it
  // only once.
  const { about }: Partial<RunResult> = session.state.verdict ?? {};
  const isComparing = pinned !== undefined && selected !== undefined && pinned !== selected;
  // An open request takes the place of the findings.
  const isBeside = wide.matches && (isComparing || !selected);
  const tabs: Partial<Record<Tab, string>> = {
    requests: formatCount(session.state.total, 'Request'),
    ...(!isBeside && { findings: formatCount(session.state.verdict?.findings.length ?? 0, 'Finding') }),
    ...(session.isLive && { pets: 'Pets' }),
  };
  const shownTab = tab in tabs ? tab : 'requests';
  const requestLink =
    linkTo &&
    (() =>
      void copy(
        linkTo({ request: selected?.id, compare: pinned?.id }),
        'To copy',
        `Copied a link to ${location.host}. To others, send a report.`,
      ));
  // Uses a `div` instead of `main` if the dashboard is a panel in the user's page, which has its own `main` element.
  const Main = onClose ? 'div' : 'main';
  return (
    <div class={isBeside ? 'sim beside' : 'sim'} ref={root}>
      <Header
        session={session}
        actions={actions}
        sandbox={sandbox}
        isFiltered={filter !== noFilter}
        onScenario={() => setShown({ kind: 'scenarios' })}
        onHelp={hasServer ? () => setShown({ kind: 'help' }) : undefined}
        onExport={exportAs}
        onOpen={() => picker.current?.click()}
        onSandbox={(name) => onSandbox?.(name)}
        onCopy={copy}
        onFailure={showFailure}
        onBack={onBack}
        canJudge={canJudge}
        onClose={onClose}
      />
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="Open a file"
        onChange={({ currentTarget: input }) => {
          open(input.files?.[0]);
          // The same file can be chosen again.
          input.value = '';
        }}
      />
      {isDragging && (
        <div class="drop" role="status">
          {`Drop a ${canJudge ? 'HAR file to judge' : 'report to open'} it`}
        </div>
      )}
      <ConnectionLost session={session} />
      <Main class="main">
        <aside aria-label="State">
          <Keys
            key={session.entries}
            session={session}
            actions={actions}
            chosen={filter.only?.keyId}
            onKey={({ id, key }) => {
              goTo('requests');
              setFilter(
                filter.only?.keyId === id
                  ? noFilter
                  : { ...noFilter, only: { test: ({ keyId }) => keyId === id, label: key, keyId: id } },
              );
            }}
          />
          <Faults session={session} actions={actions} />
          <Assumptions session={session} />
        </aside>
        <div class={`center at-${shownTab}`}>
          <div class="body">
            <div class="head-of-body">
              <Outcome session={session} onLoad={load} />
              {session.removed && (
                <p>
                  <Button class="link" onClick={() => open(new File([JSON.stringify(session.removed)], 'before'))}>
                    {formatCount(session.removed.entries.length, 'request')} before the{' '}
                    {session.removed.isRestart ? 'restart' : 'reset'}
                  </Button>
                  {!session.removed.isRestart && <span class="note"> Undo restores all but these.</span>}
                </p>
              )}
              {judged && (
                <p class="acts note">
                  {judgeOptions.map(([name, text]) => (
                    <Checkbox
                      key={name}
                      text={text}
                      isChecked={judged.options[name] === true}
                      onCheck={(isTrue) => open(judged.file, { ...judged.options, [name]: isTrue })}
                    />
                  ))}
                </p>
              )}
              {about !== session.state.description && <About text={session.state.description} />}
            </div>
            <Timeline
              session={session}
              range={filter.range}
              keyId={filter.only?.keyId}
              selected={selected}
              onRange={setRange}
              onSelect={setSelected}
              onPicture={
                hasServer
                  ? (view) =>
                      void import('./picture.js')
                        .then(({ copyPicture }) => copyPicture(session, view))
                        .then(showMessage, fail)
                  : undefined
              }
            >
              {isFirst ? (
                FirstRequest && (
                  <FirstRequest
                    session={session}
                    onCopy={copy}
                    onFailure={showFailure}
                    onMessage={showMessage}
                    onOpen={() => picker.current?.click()}
                    onDemo={onDemo && (() => onDemo().catch(fail))}
                  >
                    <LoadMinuteWall session={session} onLoad={load} />
                  </FirstRequest>
                )
              ) : (
                <NoRequests session={session} />
              )}
            </Timeline>
            <div class="tabbed">
              <div class="tabs">
                {Object.entries(tabs).map(([name, text]) => (
                  <Button key={name} aria-pressed={shownTab === name} onClick={() => setTab(name as Tab)}>
                    {text}
                  </Button>
                ))}
              </div>
              {tab === 'pets' ? (
                Pets && (
                  <Pets
                    session={session}
                    actions={actions}
                    text={petText}
                    onText={setPetText}
                    onRequest={openRequest}
                  />
                )
              ) : (
                <Requests
                  session={session}
                  filter={filter}
                  isPaused={isPaused}
                  selected={selected}
                  onFilter={setFilter}
                  onPause={() => setPaused(!isPaused)}
                  onSelect={(row) => {
                    setTab('requests');
                    setSelected(row);
                  }}
                  onCurl={copyRow}
                  stepRef={stepRef}
                />
              )}
            </div>
          </div>
          <div class="side">
            <Findings
              session={session}
              chosen={filter.only?.finding}
              onFind={find}
              onCompare={(id, other) => {
                setPinned(session.entries.find(id));
                setSelected(session.entries.find(other));
              }}
              onCopy={copy}
              onScenarios={(text) => setShown({ kind: 'scenarios', text })}
              asMarkdown={(finding, key) => {
                const link = linkTo?.({ finding: findingId(session, finding) });
                const { scenario, verdict } = session.state;
                const rows = rowsOf(finding.requests);
                return asMarkdown(finding, { key, scenario, rows, costs: verdict?.costs, ...(link && { link }) });
              }}
              linkTo={linkTo && ((finding) => linkTo({ finding: findingId(session, finding) }))}
            />
          </div>
        </div>
        {isComparing && (
          <Compare
            session={session}
            rows={[pinned, selected]}
            onClose={() => setPinned(undefined)}
            onLink={requestLink}
          />
        )}
        {selected !== undefined && !isComparing && (
          <Detail
            session={session}
            row={selected}
            hasScenario={hasServer}
            onClose={close}
            onShowText={(title, text) => setShown({ kind: 'text', title, text })}
            onCurl={copyCurl}
            onFailure={showFailure}
            onReport={
              session.source.kind === 'server'
                ? () => exportAs('report', writeAddress({ request: selected.id }))
                : undefined
            }
            onRequest={openRequest}
            onPet={(id) => {
              setPetText(`"id":${id}`);
              setTab('pets');
            }}
            isPinned={pinned === selected}
            onPin={() => setPinned(pinned === selected ? undefined : selected)}
            onLink={requestLink}
          />
        )}
      </Main>
      <div class="toasts" role="status">
        {message !== undefined && (
          <Told
            message={message}
            onClose={() => setMessage((shown) => (shown === message ? undefined : shown))}
            onRemedy={({ act }) => {
              setMessage(undefined);
              act();
            }}
          />
        )}
      </div>
      <nav class="foot" aria-label="Parts of the page">
        {parts.map(([selector, name, tab]) => (
          <Button
            key={name}
            onClick={() => {
              if (tab) setTab(tab);
              // Scrolls after the tab is rendered, because the height of the page depends on it.
              setTimeout(() => root.current?.querySelector(selector)?.scrollIntoView());
            }}
          >
            {name}
          </Button>
        ))}
      </nav>
      {shown?.kind === 'help' && Help && <Help onClose={hide} />}
      {isPicking && ScenarioPicker && (
        <ScenarioPicker
          session={session}
          actions={actions}
          initial={shown.text}
          onClose={hide}
          onLoad={() => {
            hide();
            isTabWanted.current = true;
          }}
        />
      )}
      {shown?.kind === 'text' && <TextDialog {...shown} onClose={hide} />}
    </div>
  );
}

/** Message about a change or a failure. A failure stays until the user closes it. */
interface Message {
  text: string;
  remedy?: MessageButton | undefined;
  isFailure?: boolean;
}

/** Time after which a message about a change disappears. */
const messageMs = 8_000;

interface ToldProps {
  message: Message;
  onClose(): void;
  onRemedy(remedy: MessageButton): void;
}

/** Message in a line of its own. Disappears after a time that starts again when pointer and focus leave the message. */
function Told({ message, onClose, onRemedy }: ToldProps) {
  const { text, remedy, isFailure } = message;
  const [isHeld, setHeld] = useState(false);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (isHeld || isFailure) return;
    const timer = setTimeout(() => close.current(), messageMs);
    return () => clearTimeout(timer);
  }, [message, isHeld]);
  return (
    <p
      class={isFailure ? 'told bad' : 'told'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      {text}{' '}
      {remedy && (
        <Button title={remedy.title?.()} onClick={() => onRemedy(remedy)}>
          {remedy.name}
        </Button>
      )}
      <CloseButton onClick={onClose} />
    </p>
  );
}

/**
 * Synchronizes the URL fragment with the dashboard's selection.
 * @param apply selects what a URL fragment names; returns `false` if the named requests are not loaded yet
 */
function useAddress(hasAddress: boolean, address: Address, apply: (wanted: Address) => boolean): void {
  const wanted = useRef(hasAddress ? openingHash() : '');
  const latest = useRef(apply);
  latest.current = apply;
  const attempt = useRef(() => {
    if (wanted.current !== '' && latest.current(readAddress(wanted.current))) wanted.current = '';
  }).current;
  useEffect(attempt);
  useEffect(() => {
    if (!hasAddress) return;
    const onChange = () => {
      wanted.current = location.hash;
      attempt();
    };
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, [hasAddress]);
  const hash = writeAddress(address);
  useEffect(() => {
    if (!hasAddress || wanted.current !== '' || location.hash === hash) return;
    history.replaceState(null, '', `${location.pathname}${location.search}${hash}`);
  }, [hasAddress, hash]);
}

/** Description of the scenario: its first sentence, and a button that shows the rest. */
function About({ text }: { text: string }) {
  const [first, rest] = firstSentence(text);
  if (rest === '') return text ? <p class="about">{text}</p> : null;
  return (
    <details class="about">
      <summary>{first}</summary>
      <Sourced text={rest} />
    </details>
  );
}
