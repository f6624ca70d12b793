import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { RunResult } from '../judge/run-result.js';
import { createActions } from './actions.js';
import { Assumptions } from './assumptions.js';
import { Detail } from './detail.js';
import { Help, ScenarioPicker, TextDialog, TokenForm } from './dialogs.js';
import type { Row } from './entry-buffer.js';
import { exportRun } from './export-run.js';
import { Faults } from './faults.js';
import { type Filter, noFilter } from './filter.js';
import { Header } from './header.js';
import { handleKey } from './keyboard.js';
import { Keys } from './keys.js';
import { notePress } from './listeners.js';
import { Requests } from './requests.js';
import { keepToken, readToken } from './server-source.js';
import { type Session, watchState } from './session.js';
import { Timeline } from './timeline.js';
import type { Range } from './timeline-view.js';
import { Findings, Outcome } from './verdict.js';

export interface AppProps {
  session: Session;
  sandbox?: string | undefined;
  /** Where keys are pressed and files are dropped: the document, or the drawer of the panel. */
  place: EventTarget;
  onSandbox?(name: string | undefined): void;
  onFile(file: File): Promise<void>;
  onBack?: (() => void) | undefined;
  onClose?: (() => void) | undefined;
}

type Shown = { kind: 'help' } | { kind: 'scenarios' } | { kind: 'text'; title: string; text: string };

/** The whole page, for any source. */
export function App({ session, sandbox, place, onSandbox, onFile, onBack, onClose }: AppProps) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [filter, setFilter] = useState<Filter>(noFilter);
  const [selected, setSelected] = useState<Row>();
  const [chosenOf, setChosenOf] = useState(session.entries);
  const [isPaused, setPaused] = useState(false);
  const [shown, setShown] = useState<Shown>();
  const [told, setTold] = useState<string>();
  const [canUndo, setCanUndo] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const steps = useRef({ step: (_: 1 | -1) => {} }).current;
  const tell = (text: string, undo = false) => {
    setTold(text);
    setCanUndo(undo);
  };
  const actions = useMemo(() => createActions(session, tell), [session]);

  useEffect(() => watchState(session, () => redraw(undefined)), [session]);
  useEffect(() => {
    let seconds = 0;
    const tick = setInterval(() => {
      session.onState.call();
      const { clock, keys } = session.state;
      // What only time changes: windows that reset, bans that end, a client that does not come back.
      if (seconds++ % 2 === 0 && session.isLive && clock?.mode === 'real' && keys.some(hasCounted)) session.refresh();
    }, 1_000);
    return () => clearInterval(tick);
  }, [session]);
  // Not in an effect: it would come after what somebody has chosen by then.
  if (chosenOf !== session.entries) {
    setChosenOf(session.entries);
    setSelected(undefined);
    setFilter(noFilter);
  }
  const setRange = (range: Range | undefined) => setFilter((before) => ({ ...before, range }));
  const find = (ids: number[], label: string) => {
    const wanted = new Set(ids);
    setFilter({ ...noFilter, only: { test: ({ id }) => wanted.has(id), label } });
    setSelected(ids.map((id) => session.entries.find(id)).find((row) => row !== undefined));
  };
  const close = () => {
    if (selected !== undefined) setSelected(undefined);
    else if (filter !== noFilter) setFilter(noFilter);
    else if (told !== undefined) setTold(undefined);
    else onClose?.();
  };
  const undo = async () => {
    setCanUndo(false);
    await actions.undo();
  };
  const press = useRef((_: KeyboardEvent) => {});
  press.current = (event) =>
    handleKey(event, {
      filter: () => root.current?.querySelector<HTMLElement>('.filter')?.focus(),
      next: () => steps.step(1),
      previous: () => steps.step(-1),
      open: () => selected === undefined && steps.step(1),
      close,
      pause: () => setPaused(!isPaused),
      reset: () => session.isLive && void actions.reset(),
      undo: () => session.isLive && canUndo && void undo(),
      freeze: () => session.isLive && void actions.toggleClock(),
      help: () => setShown({ kind: 'help' }),
    });
  const open = (file: File | null | undefined) => {
    if (file) onFile(file).catch((error: Error) => tell(error.message));
  };
  const drop = useRef(open);
  drop.current = open;
  useEffect(() => {
    const leave = new AbortController();
    const on = (name: string, listen: (event: never) => void) =>
      place.addEventListener(name, listen as (event: Event) => void, leave);
    for (const name of ['down', 'move', 'up', 'cancel'] as const) addEventListener(`pointer${name}`, notePress, leave);
    on('keydown', (event: KeyboardEvent) => press.current(event));
    on('dragover', (event: DragEvent) => event.preventDefault());
    on('drop', (event: DragEvent) => {
      event.preventDefault();
      drop.current(event.dataTransfer?.files[0]);
    });
    return () => leave.abort();
  }, [place]);

  if (session.state.connection === 'locked') {
    return (
      <main class="sim">
        <TokenForm
          wasWrong={readToken() !== undefined}
          onToken={(token) => {
            keepToken(token);
            session.unlock();
          }}
        />
      </main>
    );
  }
  // The outcome of a report shows it already.
  const { about }: Partial<RunResult> = session.state.verdict ?? {};
  return (
    <div class="sim" ref={root}>
      <Header
        session={session}
        actions={{ ...actions, undo }}
        canUndo={canUndo}
        sandbox={sandbox}
        onScenario={() => setShown({ kind: 'scenarios' })}
        onHelp={() => setShown({ kind: 'help' })}
        onExport={(what) => exportRun(session, what).catch((error: Error) => tell(error.message))}
        onOpen={() => picker.current?.click()}
        onSandbox={(name) => onSandbox?.(name)}
        onBack={onBack}
        onClose={onClose}
      />
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="Open a file"
        onChange={(event) => open(event.currentTarget.files?.[0])}
      />
      {told !== undefined && (
        <p class="told" role="status">
          {told}{' '}
          {canUndo && (
            <button type="button" onClick={undo}>
              Undo
            </button>
          )}
          <button type="button" class="quiet" aria-label="Close" onClick={() => setTold(undefined)}>
            ✕
          </button>
        </p>
      )}
      <main>
        <div class="body">
          <Outcome session={session} />
          {about !== session.state.description && <About text={session.state.description} />}
          <Timeline
            session={session}
            range={filter.range}
            selected={selected}
            onRange={setRange}
            onSelect={setSelected}
          />
          <Findings session={session} onFind={find} />
          <div class={selected === undefined ? 'split' : 'split open'}>
            <Requests
              session={session}
              filter={filter}
              isPaused={isPaused}
              selected={selected}
              onFilter={setFilter}
              onPause={() => setPaused(!isPaused)}
              onSelect={setSelected}
              steps={steps}
            />
            {selected !== undefined && (
              <Detail
                session={session}
                row={selected}
                onClose={() => setSelected(undefined)}
                onShowText={(title, text) => setShown({ kind: 'text', title, text })}
                onCopied={() => tell('Copied.')}
                onFind={find}
                onFailure={tell}
              />
            )}
          </div>
        </div>
        <aside aria-label="State">
          <Keys
            session={session}
            actions={actions}
            onKey={({ id, key }) => setFilter({ ...noFilter, only: { test: ({ keyId }) => keyId === id, label: key } })}
          />
          <Faults session={session} actions={actions} />
          <Assumptions session={session} />
        </aside>
      </main>
      {shown?.kind === 'help' && <Help onClose={() => setShown(undefined)} />}
      {shown?.kind === 'scenarios' && (
        <ScenarioPicker session={session} actions={actions} onClose={() => setShown(undefined)} />
      )}
      {shown?.kind === 'text' && <TextDialog {...shown} onClose={() => setShown(undefined)} />}
    </div>
  );
}

/** What the scenario is about: its first sentence, and the rest where somebody wants it. */
function About({ text }: { text: string }) {
  const [, first = text, rest = ''] = /^(.*?\.)\s+(.*)$/s.exec(text) ?? [];
  if (rest === '') return text ? <p class="about">{text}</p> : null;
  return (
    <details class="about">
      <summary>{first}</summary>
      {rest}
    </details>
  );
}

/** Whether time changes what a key shows. */
const hasCounted = ({ minute, day, state }: Session['state']['keys'][number]) =>
  state === 'banned' || minute.remaining < minute.limit || day.remaining < day.limit;
