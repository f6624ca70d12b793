import { useState } from 'preact/hooks';
import { ActionButton, ShortcutKey } from './action-button.js';
import type { Actions } from './actions.js';
import { clockSeconds, formatCount } from './format.js';
import { Menu } from './menu.js';
import type { Session } from './session.js';
import { OutcomeBadge } from './verdict.js';

interface HeaderProps {
  session: Session;
  actions: Actions;
  canUndo: boolean;
  /** Name of the displayed sandbox; `undefined` for the server's own simulator. */
  sandbox: string | undefined;
  onScenario(): void;
  onHelp(): void;
  onExport(what: 'har' | 'jsonl' | 'report'): void;
  onOpen(): void;
  /** Opens the requests that the last reset removed; `undefined` if there are none. */
  onRemoved(): void;
  onSandbox(name: string | undefined): void;
  onCopy(text: string): void;
  /** Closes the opened file; `undefined` without an opened file. */
  onBack: (() => void) | undefined;
  onClose: (() => void) | undefined;
}

const connectionWords: Partial<Record<Session['state']['connection'], string>> = {
  connecting: 'connecting',
  gone: 'no such sandbox',
  file: 'finished run',
};

/** Header of the dashboard with product name, scenario, outcome, clock and menus. */
export function Header(props: HeaderProps) {
  const { session, actions, canUndo, sandbox, onScenario, onHelp, onExport, onOpen, onRemoved } = props;
  const { onSandbox, onCopy, onBack, onClose } = props;
  const { scenario, connection, sandboxes } = session.state;
  const { isLive, canAct, removed, source } = session;
  const names = sandbox === undefined || sandboxes.includes(sandbox) ? sandboxes : [...sandboxes, sandbox];
  return (
    <header class="top">
      <h1>
        petstore-sim{' '}
        {scenario && (
          <>
            <small>scenario</small> {scenario}{' '}
          </>
        )}
        {session.outcome && <small>client </small>}
        <OutcomeBadge session={session} />
      </h1>
      {connectionWords[connection] !== undefined && (
        <span class="note" role="status">
          {connectionWords[connection]}
        </span>
      )}
      {source.kind === 'server' && (
        <span class="base">
          <code>{source.baseUrl}</code>
          <button type="button" aria-label="Copy the base URL" class="quiet" onClick={() => onCopy(source.baseUrl)}>
            copy
          </button>
        </span>
      )}
      <Clock session={session} actions={actions} />
      <span class="grow" />
      {onBack !== undefined && (
        <button type="button" onClick={onBack}>
          back
        </button>
      )}
      {source.kind === 'server' && names.length > 0 && (
        <select
          aria-label="Sandbox"
          value={sandbox ?? ''}
          onChange={(event) => onSandbox(event.currentTarget.value || undefined)}
        >
          <option value="">no sandbox</option>
          {names.map((name) => (
            <option key={name} value={name}>
              sandbox {name}
            </option>
          ))}
        </select>
      )}
      {isLive && (
        <>
          <ActionButton isPossible={canAct} onAct={onScenario}>
            Scenario…
            <ShortcutKey name="s" />
          </ActionButton>
          <ActionButton isPossible={canAct} onAct={() => void actions.reset()}>
            Reset
            <ShortcutKey name="r" />
          </ActionButton>
          <ActionButton isPossible={canAct && canUndo} onAct={() => void actions.undo()}>
            Undo
            <ShortcutKey name="u" />
          </ActionButton>
        </>
      )}
      {removed !== undefined && (
        <button type="button" onClick={onRemoved}>
          {formatCount(removed.entries.length, 'request')} before the reset
        </button>
      )}
      <Menu label="Export">
        {source.kind !== 'file' && (
          <button type="button" onClick={() => onExport('har')}>
            HAR
          </button>
        )}
        <button type="button" onClick={() => onExport('jsonl')}>
          JSON Lines
        </button>
        {source.kind === 'server' && (
          <button type="button" onClick={() => onExport('report')}>
            Report
          </button>
        )}
        <button type="button" onClick={onOpen}>
          Open a file…
        </button>
      </Menu>
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

/** Component that displays the simulated time, with controls to move the clock. */
function Clock({ session, actions }: { session: Session; actions: Actions }) {
  const [amount, setAmount] = useState('1h');
  const [instant, setInstant] = useState('');
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
  const move = (change: object) => void actions.send('POST', '/clock', change);
  const submit = (change: () => object) => (event: Event) => {
    event.preventDefault();
    if (session.canAct) move(change());
  };
  const present = new Date(nowMs).toISOString();
  return (
    <section class="clock" aria-label="Clock">
      <time title={`${present.slice(0, 10)}, UTC`}>
        {clockSeconds(nowMs)}{' '}
        <small>
          <span class="date">{present.slice(0, 10)} · </span>
          {session.isLive && <span class={isFrozen ? 'frozen' : ''}>{isFrozen ? 'frozen' : 'running'}</span>}
        </small>
      </time>
      {session.isLive && (
        <>
          <ActionButton isPossible={session.canAct} onAct={() => void actions.toggleClock()}>
            {isFrozen ? 'resume' : 'freeze'}
            <ShortcutKey name="f" />
          </ActionButton>
          {moves.map(([name, change, isPossible = true]) => (
            <ActionButton key={name} isPossible={session.canAct && isPossible} onAct={() => move(change())}>
              {name}
            </ActionButton>
          ))}
          <Menu label="…" name="Move the clock">
            <form onSubmit={submit(() => ({ advance: amount.trim() }))}>
              <input
                aria-label="Amount to move the clock by"
                size={8}
                value={amount}
                onInput={(event) => setAmount(event.currentTarget.value)}
              />{' '}
              <button type="submit">move by</button>
            </form>
            <form onSubmit={submit(() => ({ set: instant.trim() || present }))}>
              <input
                aria-label="Instant to move the clock to"
                size={24}
                placeholder={present}
                value={instant}
                onInput={(event) => setInstant(event.currentTarget.value)}
              />{' '}
              <button type="submit">move to</button>
            </form>
          </Menu>
        </>
      )}
    </section>
  );
}
