import { clockText } from '../rate-limits/served-again.js';
import type { WindowInfo } from '../simulator/keys.js';
import { windowsOf } from '../values/window-fields.js';
import { ActionButton, ShortcutKey } from './action-button.js';
import { type Actions, describeUndo } from './actions.js';
import { Button, Select, TextForm } from './controls.js';
import { formatCount } from './format.js';
import { Menu } from './menu.js';
import type { Session } from './session.js';
import { OutcomeBadge } from './verdict.js';

interface HeaderProps {
  session: Session;
  actions: Actions;
  /** Name of the displayed sandbox; `undefined` for the server's own simulator. */
  sandbox: string | undefined;
  /** Whether the list shows a part of the requests. Exported files have all. */
  isFiltered: boolean;
  onScenario(): void;
  onHelp(): void;
  onExport(what: 'har' | 'jsonl' | 'report'): void;
  onOpen(): void;
  onSandbox(name: string | undefined): void;
  onCopy(text: string): void;
  /** Function that closes the opened file; `undefined` if no file is open. */
  onBack: (() => void) | undefined;
  /** Whether the opened file was judged by the server of the live view. */
  canJudge: boolean;
  onClose: (() => void) | undefined;
}

const connectionWords: Partial<Record<Session['state']['connection'], string>> = {
  connecting: 'connecting',
  gone: 'no such sandbox',
  file: 'finished run',
};

/** Header of the dashboard: product name, scenario, judge's outcome for the client, clock and menus. */
export function Header(props: HeaderProps) {
  const { session, actions, sandbox, isFiltered, onScenario, onHelp, onExport, onOpen } = props;
  const { onSandbox, onCopy, onBack, canJudge, onClose } = props;
  const { scenario, connection, sandboxes, total, verdict } = session.state;
  const { isLive, canAct, source } = session;
  const undo = describeUndo(session);
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
          {/* Users need the port and the path, for which a narrow header has no room beside the scheme. */}
          <code title={source.baseUrl}>{source.baseUrl.replace('http://', '')}</code>
          <Button aria-label="Copy the base URL" class="quiet" onClick={() => onCopy(source.baseUrl)}>
            copy
          </Button>
        </span>
      )}
      <Clock session={session} actions={actions} />
      <span class="grow">
        {onBack !== undefined && (
          <Button onClick={onBack}>{isLive || !canJudge ? 'back' : 'back to the live view'}</Button>
        )}
        {source.kind === 'server' && names.length > 0 && (
          <Select
            name="Sandbox"
            value={sandbox ?? ''}
            options={[['', 'no sandbox'], ...names.map((name) => [name, name] as const)]}
            onSelect={(name) => onSandbox(name || undefined)}
          />
        )}
        {isLive && (
          <>
            <ActionButton
              title={undo.title}
              isPossible={canAct && undo.title !== undefined}
              onAct={() => void actions.undo()}
            >
              {undo.name}
              <ShortcutKey name="u" />
            </ActionButton>
            <ActionButton isPossible={canAct} onAct={onScenario}>
              Scenario…
              <ShortcutKey name="s" />
            </ActionButton>
            <ActionButton
              title="Reset all to the start of the scenario, and remove the requests"
              isPossible={canAct}
              onAct={() => void actions.reset()}
            >
              Reset
              <ShortcutKey name="r" />
            </ActionButton>
          </>
        )}
        <Menu label="Export">
          {isFiltered && (
            <p class="note">All {formatCount(total - (verdict?.counts.dropped ?? 0), 'request')}, filtered or not:</p>
          )}
          {source.kind !== 'file' && <Button onClick={() => onExport('har')}>HAR</Button>}
          <Button onClick={() => onExport('jsonl')}>JSON Lines</Button>
          {source.kind === 'server' && <Button onClick={() => onExport('report')}>Report</Button>}
          <Button onClick={onOpen}>Open a file…</Button>
        </Menu>
        <Button aria-label="Help" onClick={onHelp}>
          ?
        </Button>
        {onClose !== undefined && (
          <Button aria-label="Close the drawer" onClick={onClose}>
            ✕
          </Button>
        )}
      </span>
    </header>
  );
}

/** Component that displays the simulated time, with controls to move the clock. */
function Clock({ session, actions }: { session: Session; actions: Actions }) {
  const { clock, keys } = session.state;
  const { entries } = session;
  if (clock === undefined) return null;
  const nowMs = session.nowMs();
  const isFrozen = clock.mode === 'frozen';
  const resets = keys
    .flatMap((info) => windowsOf<WindowInfo>(info))
    .filter(([, { remaining, limit }]) => remaining < limit)
    .map(([, { resetAtSeconds }]) => resetAtSeconds * 1000);
  const next = (times: number[]) => Math.min(...times.filter((ms) => ms > nowMs));
  const bans = keys.flatMap(({ bannedUntil }) => (bannedUntil === undefined ? [] : [Date.parse(bannedUntil)]));
  const to = (ms: number): [change: () => object, isPossible: boolean] => [
    () => ({ set: new Date(Math.ceil(ms)).toISOString() }),
    Number.isFinite(ms),
  ];
  const moves: [name: string, change: () => object, isPossible?: boolean][] = [
    ['+1 s', () => ({ advance: '1s' })],
    ['+1 min', () => ({ advance: '1m' })],
    ['+1 h', () => ({ advance: '1h' })],
    ['+1 day', () => ({ advance: '1d' })],
    ['next reset', ...to(next(resets))],
    ['end of ban', ...to(next(bans))],
  ];
  const submit = (change: object) => session.canAct && actions.move(change);
  const present = new Date(nowMs).toISOString();
  const startMs = entries.rows[0]?.atMs ?? nowMs;
  // The date appears if the day differs from today's, or from the day of the first request.
  const otherDayMs = present.startsWith(new Date(startMs).toISOString().slice(0, 10)) ? Date.now() : startMs;
  return (
    <section class="clock" aria-label="Clock">
      <time title={`${present.slice(0, 10)}, UTC`}>
        {clockText(nowMs, otherDayMs)}{' '}
        {session.isLive && <small class={isFrozen ? 'frozen' : ''}>{isFrozen ? 'frozen' : 'running'}</small>}
      </time>
      {session.isLive && (
        <>
          <ActionButton isPossible={session.canAct} onAct={() => void actions.toggleClock()}>
            {isFrozen ? 'resume' : 'freeze'}
            <ShortcutKey name="f" />
          </ActionButton>
          <Menu label="Move ▾" name="Move the clock">
            {moves.map(([name, change, isPossible = true]) => (
              <ActionButton key={name} isPossible={session.canAct && isPossible} onAct={() => actions.move(change())}>
                {name}
              </ActionButton>
            ))}
            <TextForm
              name="Amount to move the clock by"
              size={8}
              initial="1h"
              button="move by"
              onText={(advance) => submit({ advance })}
            />
            <TextForm
              name="Instant to move the clock to"
              size={24}
              placeholder={present.replace(/\.\d+/, '')}
              button="move to"
              onText={(instant) => submit({ set: instant || present })}
            />
          </Menu>
        </>
      )}
    </section>
  );
}
