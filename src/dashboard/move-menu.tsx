import { clockText } from '../rate-limits/served-again.js';
import type { WindowInfo } from '../simulator/keys.js';
import { parseDuration } from '../values/duration.js';
import { windowsOf } from '../values/window-fields.js';
import { ActionButton } from './action-button.js';
import type { Actions } from './actions.js';
import { TextForm } from './controls.js';
import { clockSeconds } from './format.js';
import { Menu } from './menu.js';
import type { Session } from './session.js';

// The page loads this module when it shows a simulator. Reports lack it.

/** Menu that moves the clock. */
export function MoveMenu({ session, actions }: { session: Session; actions: Actions }) {
  const { keys } = session.state;
  const nowMs = session.nowMs();
  const present = clockSeconds(nowMs);
  const resets = keys
    .flatMap((info) => windowsOf<WindowInfo>(info))
    .filter(([, { remaining, limit }]) => remaining < limit)
    .map(([, { resetAtSeconds }]) => resetAtSeconds * 1000);
  const reset = Math.min(...resets.filter((ms) => ms > nowMs));
  const [ban] = keys
    .map(({ key, bannedUntil = '' }) => ({ key, atMs: Date.parse(bannedUntil) }))
    .filter(({ atMs }) => atMs > nowMs)
    .sort((one, other) => one.atMs - other.atMs);
  const by = (ms: number) => {
    const now = session.nowMs();
    if (session.canAct) actions.move({ advance: ms }, `Clock moved to ${clockText(now + ms, now)}.`);
  };
  const to = (ms: number) => {
    if (session.canAct)
      actions.move(
        { set: new Date(Math.ceil(ms)).toISOString() },
        `Clock moved to ${clockText(Math.ceil(ms), session.nowMs())}.`,
      );
  };
  const timeOf = (ms: number) => (Number.isFinite(ms) ? ` · ${clockText(ms, nowMs)}` : '');
  const banMs = ban?.atMs ?? Number.NaN;
  const moves: [name: string, move: () => void, isPossible?: boolean][] = [
    ['+1 s', () => by(1_000)],
    ['+1 min', () => by(60_000)],
    ['+1 h', () => by(3_600_000)],
    ['+1 day', () => by(86_400_000)],
    [`next reset${timeOf(reset)}`, () => to(reset), Number.isFinite(reset)],
    [`end of ban${ban ? ` · ${ban.key}` : ''}${timeOf(banMs)}`, () => to(banMs), ban !== undefined],
    ['1 s before it', () => to(banMs - 1_000), banMs - 1_000 > nowMs],
  ];
  return (
    <Menu label="Move ▾" name="Move the clock">
      {moves.map(([name, move, isPossible = true], index) => (
        <ActionButton key={index} isPossible={session.canAct && isPossible} onAct={move}>
          {name}
        </ActionButton>
      ))}
      <TextForm
        name="Amount to move the clock by"
        size={8}
        initial="1h"
        button="move by"
        onText={(text) => by(parseDuration(text))}
      />
      <TextForm
        name="Instant to move the clock to"
        size={8}
        placeholder={present}
        button="move to"
        onText={(text) => {
          const ms = readInstant(text, session.nowMs());
          if (ms === undefined) throw new RangeError(`expected a time such as ${present}, got ${text}`);
          to(ms);
        }}
      />
    </Menu>
  );
}

/**
 * Reads a time as the page prints it, such as `07:36:00` of the same day or `Mon 30 Nov 07:45:53`, or in ISO 8601, in
 * UTC. Returns Unix milliseconds; `undefined` for another text.
 */
function readInstant(text: string, nowMs: number): number | undefined {
  const day = new Date(nowMs).toISOString();
  const [, date, year, time] = /^(?:[a-z]{3} )?(\d+ [a-z]{3})(?: (\d{4}))? ([\d:]+)$/i.exec(text) ?? [];
  const ms = /^\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)
    ? Date.parse(`${day.slice(0, 11)}${text}Z`)
    : Date.parse(date ? `${date} ${year ?? day.slice(0, 4)} ${time} UTC` : `${text}Z`) || Date.parse(text);
  return Number.isFinite(ms) ? ms : undefined;
}
