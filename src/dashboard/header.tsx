import { version } from '../control-api/run-report.js';
import { clockText } from '../rate-limits/served-again.js';
import { ActionButton, ShortcutKey } from './action-button.js';
import { type Actions, describeUndo } from './actions.js';
import { Button, Select } from './controls.js';
import { formatCount } from './format.js';
import { Menu } from './menu.js';
import type { Session } from './session.js';
import { useModule } from './session-hooks.js';
import { OutcomeBadge } from './verdict.js';

interface HeaderProps {
  session: Session;
  actions: Actions;
  /** Name of the displayed sandbox; `undefined` for the server's own simulator. */
  sandbox: string | undefined;
  /** Whether the list shows a part of the requests. Exported files have all. */
  isFiltered: boolean;
  onScenario(): void;
  /** `undefined` in a report, which lacks the help. */
  onHelp: (() => void) | undefined;
  onExport(what: 'har' | 'jsonl' | 'report'): void;
  onOpen(): void;
  onSandbox(name: string | undefined): void;
  onCopy(text: string): void;
  onFailure(text: string): void;
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
  const { onSandbox, onCopy, onFailure, onBack, canJudge, onClose } = props;
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
            · <small>scenario</small> <b title={scenario}>{scenario}</b>{' '}
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
      {source.about && <span class="note">{source.about}</span>}
      <Clock session={session} actions={actions} onFailure={onFailure} />
      {!isLive && <span class="note">version {version}</span>}
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
              title="Reset all to the start of the scenario, without requests"
              isPossible={canAct}
              onAct={() => void actions.reset()}
            >
              Reset
              <ShortcutKey name="r" />
            </ActionButton>
          </>
        )}
        {isLive ? (
          <Menu label="Export">
            {isFiltered && (
              <p class="note">All {formatCount(total - (verdict?.counts.dropped ?? 0), 'request')}, filtered or not:</p>
            )}
            <Button onClick={() => onExport('har')}>HAR</Button>
            <Button onClick={() => onExport('jsonl')}>JSON Lines</Button>
            {source.kind === 'server' && <Button onClick={() => onExport('report')}>Report for others</Button>}
            <Button onClick={onOpen}>Open a file…</Button>
          </Menu>
        ) : (
          <Button onClick={onOpen}>Open a file…</Button>
        )}
        {onHelp && (
          <Button aria-label="Help" onClick={onHelp}>
            ?
          </Button>
        )}
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
function Clock({ session, actions, onFailure }: Pick<HeaderProps, 'session' | 'actions' | 'onFailure'>) {
  const { clock } = session.state;
  const { entries } = session;
  const { MoveMenu } = useModule(session.isLive, () => import('./move-menu.js'), onFailure);
  if (clock === undefined) return null;
  const nowMs = session.nowMs();
  const isFrozen = clock.mode === 'frozen';
  const present = new Date(nowMs).toISOString();
  const startMs = entries.rows[0]?.atMs ?? nowMs;
  // The date appears if the day differs from today's, or from the day of the first request.
  const isSameDay = present.startsWith(new Date(startMs).toISOString().slice(0, 10));
  // A finished run has its date with the year.
  const otherDayMs = session.isLive ? (isSameDay ? Date.now() : startMs) : 0;
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
          {MoveMenu && <MoveMenu session={session} actions={actions} />}
        </>
      )}
    </section>
  );
}
