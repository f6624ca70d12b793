import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { clockText, type ServedAgain, servedAgainText, timeLeft } from '../rate-limits/served-again.js';
import type { KeyInfo, WindowInfo } from '../simulator/keys.js';
import { parseDuration } from '../values/duration.js';
import { toWindowFields, windowsOf } from '../values/window-fields.js';
import { ActionButton } from './action-button.js';
import type { Actions } from './actions.js';
import { Button, TextForm } from './controls.js';
import { formatThousands } from './format.js';
import { Menu } from './menu.js';
import type { Session } from './session.js';
import { outcomeOn, outcomeSymbols } from './verdict.js';

/** Number of keys that the dashboard lists before "show more". */
const firstKeys = 12;
/** Number of cards up to which that of a used key opens by itself. More would push the fault rules out of sight. */
const openedCards = 2;

interface KeysProps {
  session: Session;
  actions: Actions;
  /** Id of the key to whose requests the list is limited. */
  chosen: string | undefined;
  onKey(key: KeyInfo): void;
}

/** List of the API keys with their quotas, strikes and bans. */
export function Keys(props: KeysProps) {
  const { session } = props;
  const [most, setMost] = useState(firstKeys);
  const [cards, setCards] = useState<Readonly<Record<string, boolean>>>({});
  const { isLive, entries, state } = session;
  // If the dashboard shows an opened file of a finished run, lists only the API keys with requests. For a running
  // simulator, lists all keys.
  const keys = isLive ? state.keys : state.keys.filter(({ id }) => entries.lanes.has(id));
  const banned = keys.slice(most).filter(({ state }) => state === 'banned').length;
  const totalKeys = isLive ? state.totalKeys : keys.length;
  const opening = keys.find((info) => cards[info.id] === undefined && isUsed(info));
  if (opening && Object.keys(cards).length < openedCards) setCards({ ...cards, [opening.id]: true });
  return (
    <section aria-label="API keys" class="keys" id="keys">
      <h2>
        Keys <small>{formatThousands(totalKeys)}</small>
      </h2>
      {keys.slice(0, most).map((info) => (
        <Key
          key={info.id}
          info={info}
          isOpen={cards[info.id] === true}
          onOpen={(isOpen) => setCards({ ...cards, [info.id]: isOpen })}
          {...props}
        />
      ))}
      {keys.length > most && (
        <Button onClick={() => setMost(100)}>
          show {keys.length - most} more{banned > 0 && `, ${banned} banned`}
        </Button>
      )}
      {totalKeys > keys.length && <p class="note">and {formatThousands(totalKeys - keys.length)} more keys</p>}
    </section>
  );
}

interface KeyProps extends KeysProps {
  info: KeyInfo;
  isOpen: boolean;
  onOpen(isOpen: boolean): void;
}

/** Card of one key, which takes one line unless it is open. */
function Key({ info, isOpen, onOpen, session, actions, chosen, onKey }: KeyProps) {
  const { key, id, plan, strikes } = info;
  const { windows } = session.state;
  const own = outcomeOn(session, id);
  const nowMs = session.nowMs();
  const again = againOf(info, nowMs);
  const isBanned = again?.bannedUntilMs !== undefined;
  const isRevoked = info.state === 'revoked';
  const isValid = !isRevoked && info.state !== 'expired';
  const [state, tone] = stateOf(info, again, nowMs);
  const quotas = isValid ? windowsOf<WindowInfo>(info) : [];
  const change = (done: string, path: string, input?: object) =>
    void actions.change(`${key}: ${done}.`, 'POST', `/keys/${encodeURIComponent(id)}/${path}`, input);
  const ban = (ms: number) => {
    const now = session.nowMs();
    change(`banned until ${clockText(now + ms, now)}`, 'ban', { for: ms });
  };
  const act = (name: string, isPossible: boolean, onAct: () => void, title = name) => (
    <ActionButton name={`${title}: ${key}`} isPossible={session.canAct && isPossible} onAct={onAct}>
      {name}
    </ActionButton>
  );
  return (
    <div class={`key ${tone}`}>
      <div class="name">
        <Button class="link" title="Only its requests" aria-pressed={chosen === id} onClick={() => onKey(info)}>
          <b>{key}</b>
        </Button>{' '}
        {own && own !== 'inconclusive' && (
          <span class={`pill ${own}`}>
            {outcomeSymbols[own]} {own}
          </span>
        )}
        {isValid ? (
          <Button class="quiet" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
            {isOpen ? plan : quotas.slice(0, 1).map(([, window]) => usageText(window))}
            <span aria-hidden="true"> {isOpen ? '▾' : '▸'}</span>
            <span class="said"> quotas: {key}</span>
          </Button>
        ) : (
          <span class="plan">{plan}</span>
        )}
        {state && <span class={`state ${tone}`}>{state}</span>}
        {session.isLive && (
          <Menu label="…" name={`more: ${key}`}>
            <TextForm
              name={`Length of the ban: ${key}`}
              size={6}
              initial="2m"
              button="ban"
              onText={(text) => {
                const ms = parseDuration(text);
                if (session.canAct) ban(ms);
              }}
            />
            {act('revoke', !isRevoked, () => change('revoked', 'revoke'))}
            {act('restore', isRevoked, () => change('restored', 'restore'))}
          </Menu>
        )}
      </div>
      {isOpen &&
        quotas.map(([name, window]) => (
          <Meter
            key={name}
            name={windows[name] ? `${name} (${windows[name]})` : name}
            owner={key}
            window={window}
            nowMs={nowMs}
            isPreset={info.preset}
          >
            {session.isLive &&
              act(
                'use up',
                window.remaining > 0,
                () => change(`${name} used up`, 'exhaust', { window: name }),
                `use up the ${name}`,
              )}
            {session.isLive &&
              act(
                'refill',
                window.remaining < window.limit,
                () => change(`${name} refilled`, 'usage', toWindowFields([[name, 0]])),
                `refill the ${name}`,
              )}
          </Meter>
        ))}
      {isOpen && isValid && (
        <div class="strikes">
          <span class={strikes > 0 ? 'bad' : ''}>
            {strikes} {strikes === 1 ? 'strike' : 'strikes'} now
          </span>
          {session.isLive && (
            <span class="acts">
              {act('ban 2 min', !isBanned, () => ban(120_000))}
              {isBanned || strikes === 0
                ? act('unban', isBanned, () => change('unbanned', 'unban'))
                : act('clear strikes', true, () => change('strikes cleared', 'unban'))}
            </span>
          )}
          {again && (
            <span class={`note ${tone}`}>
              {info.preset ? `${isBanned ? 'the ban ' : ''}${begins}` : servedAgainText(again, nowMs)}
            </span>
          )}
        </div>
      )}
    </div>
  );
}

/** Whether a valid key has a ban, strikes or used quotas, which can change without a request. */
export const isUsed = (info: KeyInfo) =>
  /active|banned/.test(info.state) &&
  (info.servedAgain !== undefined ||
    info.strikes > 0 ||
    windowsOf<WindowInfo>(info).some(([, { remaining, limit }]) => remaining < limit));

const usageText = ({ limit, remaining }: WindowInfo) =>
  `${formatThousands(limit - remaining)} / ${formatThousands(limit)}`;

/** When a key is served again, and why, from the data of the control API; `undefined` if the time has passed. */
function againOf({ servedAgain, bannedUntil }: KeyInfo, nowMs: number): ServedAgain | undefined {
  const atMs = servedAgain === undefined ? 0 : Date.parse(servedAgain.at);
  if (servedAgain === undefined || atMs <= nowMs) return undefined;
  const banMs = bannedUntil === undefined ? 0 : Date.parse(bannedUntil);
  return { atMs, bannedUntilMs: banMs > nowMs ? banMs : undefined, window: servedAgain.window };
}

function stateOf(
  info: KeyInfo,
  again: ServedAgain | undefined,
  nowMs: number,
): [state: string, tone: '' | 'bad' | 'warn' | 'dim'] {
  if (info.state === 'revoked' || info.state === 'expired') return [info.state, 'dim'];
  if (again?.bannedUntilMs !== undefined)
    return [info.preset ? '■ banned' : `■ banned ${timeLeft(again.bannedUntilMs, nowMs)}`, 'bad'];
  // A warning and no failure: the normal state of a client that obeys a 429.
  if (again !== undefined) return ['× used up', 'warn'];
  const isNear = windowsOf<WindowInfo>(info).some(([, { remaining, limit }]) => remaining <= limit * 0.1);
  return isNear ? ['nearly used up', 'warn'] : ['', ''];
}

/** Time of a reset or a ban's end before a key's first request. */
const begins = 'begins with the first request';

interface MeterProps {
  name: string;
  owner: string;
  window: WindowInfo;
  nowMs: number;
  isPreset: true | undefined;
  children: ComponentChildren;
}

function Meter({ name, owner, window, nowMs, isPreset, children }: MeterProps) {
  const { limit, remaining, resetAtSeconds } = window;
  const used = limit - remaining;
  const share = limit === 0 ? 1 : used / limit;
  const resetMs = resetAtSeconds * 1000;
  return (
    <div class="meter">
      <span>{name}</span>
      <span class="used">{usageText(window)}</span>
      <span class="acts">{children}</span>
      <span
        class="bar"
        role="meter"
        aria-label={`${owner}: requests per ${name}`}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={used}
      >
        <i class={share >= 0.9 ? 'near' : ''} style={{ width: `${Math.min(100, share * 100)}%` }} />
      </span>
      {used > 0 && (
        <span class="note resets">
          {isPreset
            ? begins
            : resetMs > nowMs
              ? `resets ${clockText(resetMs, nowMs)}, in ${timeLeft(resetMs, nowMs)}`
              : 'window over'}
        </span>
      )}
    </div>
  );
}
