import type { Actions } from './actions.js';
import { clockSeconds } from './format.js';
import type { Session } from './session.js';
import { Pill } from './verdict.js';

interface HeaderProps {
  session: Session;
  actions: Actions;
  canUndo: boolean;
  /** The sandbox that is shown; `undefined`: the server's own simulator. */
  sandbox: string | undefined;
  onScenario(): void;
  onHelp(): void;
  onExport(what: 'har' | 'jsonl' | 'report'): void;
  onOpen(): void;
  onSandbox(name: string | undefined): void;
  /** Back from a file to what was there before. */
  onBack: (() => void) | undefined;
  onClose: (() => void) | undefined;
}

const connectionWords: Partial<Record<Session['state']['connection'], string>> = {
  connecting: 'connecting',
  gone: 'no such sandbox',
  file: 'a file',
};

/** Outcome, scenario, clock, and what is done to the whole. */
export function Header(props: HeaderProps) {
  const { session, actions, canUndo, sandbox, onScenario, onHelp, onExport, onOpen, onSandbox, onBack, onClose } =
    props;
  const { scenario, connection, sandboxes } = session.state;
  const { isLive } = session;
  const names = sandbox === undefined || sandboxes.includes(sandbox) ? sandboxes : [...sandboxes, sandbox];
  return (
    <header class="top">
      <h1>
        <Pill session={session} />
        {scenario || 'petstore-sim'}
      </h1>
      {connectionWords[connection] !== undefined && (
        <span class="note" role="status">
          {connectionWords[connection]}
        </span>
      )}
      <Clock session={session} actions={actions} />
      <span class="grow" />
      {onBack !== undefined && (
        <button type="button" onClick={onBack}>
          back
        </button>
      )}
      {session.source.kind === 'server' && names.length > 0 && (
        <select
          aria-label="Sandbox"
          value={sandbox ?? ''}
          onChange={(event) => onSandbox(event.currentTarget.value || undefined)}
        >
          <option value="">main</option>
          {names.map((name) => (
            <option key={name} value={name}>
              sandbox {name}
            </option>
          ))}
        </select>
      )}
      {isLive && (
        <button type="button" onClick={onScenario}>
          Scenario…
        </button>
      )}
      {isLive && (
        <button type="button" onClick={() => actions.reset()}>
          Reset<kbd>r</kbd>
        </button>
      )}
      {isLive && canUndo && (
        <button type="button" onClick={() => actions.undo()}>
          Undo<kbd>u</kbd>
        </button>
      )}
      <details class="menu">
        <summary>Export</summary>
        <div>
          {session.source.kind !== 'file' && (
            <button type="button" onClick={() => onExport('har')}>
              HAR
            </button>
          )}
          <button type="button" onClick={() => onExport('jsonl')}>
            JSON Lines
          </button>
          {session.source.kind === 'server' && (
            <button type="button" onClick={() => onExport('report')}>
              Report
            </button>
          )}
          <button type="button" onClick={onOpen}>
            Open a file…
          </button>
        </div>
      </details>
      <button type="button" aria-label="Help" onClick={onHelp}>
        ?
      </button>
      {onClose !== undefined && (
        <button type="button" aria-label="Close the drawer" onClick={onClose}>
          ✕
        </button>
      )}
    </header>
  );
}

/** What the simulator's clock shows, and how to move it. */
function Clock({ session, actions }: { session: Session; actions: Actions }) {
  const { clock, keys } = session.state;
  if (clock === undefined) return null;
  const nowMs = session.nowMs();
  const isFrozen = clock.mode === 'frozen';
  const resets = keys.flatMap(({ minute, day }) =>
    [minute, day]
      .filter(({ remaining, limit }) => remaining < limit)
      .map(({ resetAtSeconds }) => resetAtSeconds * 1000),
  );
  const nextReset = Math.min(...resets.filter((ms) => ms > nowMs));
  const bans = keys.flatMap(({ bannedUntil }) => (bannedUntil === undefined ? [] : [Date.parse(bannedUntil)]));
  const banEnd = Math.min(...bans.filter((ms) => ms > nowMs));
  const to = (ms: number) => () => ({ set: new Date(Math.ceil(ms)).toISOString() });
  const moves: [name: string, change: () => object, isPossible?: boolean][] = [
    ['+1 s', () => ({ advance: '1s' })],
    ['+61 s', () => ({ advance: '61s' })],
    ['next reset', to(nextReset), Number.isFinite(nextReset)],
    ['end of ban', to(banEnd), Number.isFinite(banEnd)],
  ];
  return (
    <section class="clock" aria-label="Clock">
      <time title="UTC">
        {clockSeconds(nowMs)}{' '}
        <small>
          {new Date(nowMs).toISOString().slice(0, 10)} · {isFrozen ? 'frozen' : 'running'}
        </small>
      </time>
      {session.isLive &&
        moves.map(([name, change, isPossible = true]) => (
          <button
            key={name}
            type="button"
            disabled={!isPossible}
            onClick={() => actions.send('POST', '/clock', change())}
          >
            {name}
          </button>
        ))}
      {session.isLive && (
        <button type="button" onClick={() => actions.toggleClock()}>
          {isFrozen ? 'resume' : 'freeze'}
          <kbd>space</kbd>
        </button>
      )}
    </section>
  );
}
