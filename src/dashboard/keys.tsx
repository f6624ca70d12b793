import { useState } from 'preact/hooks';
import { formatRemaining as left } from '../control-api/wait-words.js';
import type { KeyInfo } from '../simulator/keys.js';
import type { Actions } from './actions.js';
import { whole } from './format.js';
import type { Session } from './session.js';

/** More keys are shown when that is asked for. */
const firstKeys = 12;

/** Every API key with its quotas, strikes and ban. */
export function Keys({
  session,
  actions,
  onKey,
}: {
  session: Session;
  actions: Actions;
  onKey: (key: KeyInfo) => void;
}) {
  const [most, setMost] = useState(firstKeys);
  const { keys, totalKeys, windows } = session.state;
  const nowMs = session.nowMs();
  return (
    <section aria-label="API keys">
      <h2>Keys</h2>
      {keys.slice(0, most).map((info) => (
        <Key
          key={info.id}
          info={info}
          windows={windows}
          nowMs={nowMs}
          actions={session.isLive ? actions : undefined}
          onKey={onKey}
        />
      ))}
      {keys.length > most && (
        <button type="button" onClick={() => setMost(100)}>
          show {keys.length - most} more
        </button>
      )}
      {totalKeys > keys.length && <p class="note">and {whole(totalKeys - keys.length)} more keys</p>}
    </section>
  );
}

interface KeyProps {
  info: KeyInfo;
  windows: Session['state']['windows'];
  nowMs: number;
  actions: Actions | undefined;
  onKey(key: KeyInfo): void;
}

function Key({ info, windows, nowMs, actions, onKey }: KeyProps) {
  const { key, id, plan, minute, day, strikes, bannedUntil } = info;
  const bannedMs = bannedUntil === undefined ? 0 : Date.parse(bannedUntil) - nowMs;
  const isBanned = info.state === 'banned' && bannedMs > 0;
  const isOut = minute.remaining === 0 || day.remaining === 0;
  const isNear = minute.remaining <= minute.limit * 0.1 || day.remaining <= day.limit * 0.1;
  const [state, tone] = isBanned
    ? [`■ banned ${left(bannedMs)}`, 'bad']
    : info.state === 'revoked' || info.state === 'expired'
      ? [info.state, 'dim']
      : isOut
        ? ['× used up', 'bad']
        : isNear
          ? ['nearly out', 'warn']
          : ['', ''];
  const resetMs = [minute, day]
    .filter(({ remaining, limit }) => remaining < limit)
    .map(({ resetAtSeconds }) => resetAtSeconds * 1000);
  const nextMs = Math.min(...resetMs) - nowMs;
  const notes = [
    strikes > 0 && `${strikes} ${strikes === 1 ? 'strike' : 'strikes'}`,
    Number.isFinite(nextMs) && nextMs > 0 && `quota resets in ${left(Math.ceil(nextMs / 1000) * 1000)}`,
    isBanned && `served again in ${left(bannedMs)}`,
  ].filter(Boolean);
  const acts: [name: string, isShown: boolean, path: string, input?: object, title?: string][] = [
    ['exhaust', !isOut, 'exhaust'],
    ['refill', resetMs.length > 0, 'usage', { minute: 0, day: 0 }],
    ['ban', !isBanned, 'ban', { for: '120s' }, 'ban for 2 minutes'],
    ['unban', isBanned || strikes > 0, 'unban'],
    ['revoke', true, 'revoke'],
  ];
  const isValid = info.state === 'active' || info.state === 'banned';
  return (
    <div class="key">
      <div class="name">
        <button type="button" class="link" title="Only its requests" onClick={() => onKey(info)}>
          <b>{key}</b>
        </button>{' '}
        <span class="plan">{plan}</span>
        {state && <span class={`state ${tone}`}>{state}</span>}
      </div>
      {isValid && <Meter name={windows.minute} owner={key} window={minute} />}
      {isValid && <Meter name={windows.day} owner={key} window={day} />}
      {isValid && notes.length > 0 && <p class={`note ${isBanned || strikes > 0 ? 'bad' : ''}`}>{notes.join(' · ')}</p>}
      {actions !== undefined && isValid && (
        <div class="acts">
          {acts.map(([name, isShown, path, input, title = name]) =>
            isShown ? (
              <button
                key={name}
                type="button"
                aria-label={`${title}: ${key}`}
                onClick={() => actions.send('POST', `/keys/${encodeURIComponent(id)}/${path}`, input)}
              >
                {name}
              </button>
            ) : null,
          )}
        </div>
      )}
    </div>
  );
}

function Meter({ name, owner, window }: { name: string; owner: string; window: KeyInfo['minute'] }) {
  const { limit, remaining } = window;
  const used = limit - remaining;
  const share = limit === 0 ? 1 : used / limit;
  return (
    <div class="meter">
      <span>{name}</span>
      <span
        class="bar"
        role="meter"
        aria-label={`${owner}: requests per ${name}`}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={used}
      >
        <i
          class={share >= 1 ? 'full' : share >= 0.9 ? 'near' : ''}
          style={{ width: `${Math.min(100, share * 100)}%` }}
        />
      </span>
      <span class="used">
        {whole(used)} / {whole(limit)}
      </span>
    </div>
  );
}
