import { useState } from 'preact/hooks';
import type { ListedFault } from '../control-api/fault-operations.js';
import { parseDuration } from '../values/duration.js';
import { formatWait } from '../values/format-duration.js';
import { ActionButton } from './action-button.js';
import type { Actions } from './actions.js';
import { formatThousands } from './format.js';
import type { Session } from './session.js';
import { useModule } from './session-hooks.js';

/** List of the simulator's fault rules, with buttons that add, change and remove fault rules. */
export function Faults({ session, actions }: { session: Session; actions: Actions }) {
  const { faults } = session.state;
  const [edited, setEdited] = useState<{ fault: ListedFault | undefined }>();
  const [failure, setFailure] = useState('');
  const { FaultEditor } = useModule(edited, () => import('./fault-editor.js'), setFailure);
  const edit = (fault?: ListedFault) => setEdited({ fault });
  const act = (name: string, { name: of }: ListedFault, onAct: () => void) => (
    <ActionButton name={`${name} ${of}`} isPossible={session.canAct} onAct={onAct}>
      {name}
    </ActionButton>
  );
  const pathOf = ({ name }: ListedFault) => `/faults/${encodeURIComponent(name)}`;
  return (
    <section aria-label="Fault rules">
      <h2>Faults</h2>
      {faults.length === 0 && <p class="note">none</p>}
      <ul>
        {faults.map((fault) => (
          <li key={fault.name} class="fault">
            <b>{fault.name}</b>{' '}
            <small>
              {describe(fault)} ·{' '}
              {fault.seen > 0
                ? `applied ${formatThousands(fault.applied)} of ${formatThousands(fault.seen)}`
                : 'matched no request'}
            </small>
            {session.isLive && (
              <div class="acts">
                {fault.next === 'used up' &&
                  act('again', fault, () => {
                    const { name, when, then } = fault;
                    void actions.change(`Renewed ${name}.`, 'PUT', pathOf(fault), { fault: { name, when, then } });
                  })}
                {act('edit', fault, () => edit(fault))}
                {act('remove', fault, () => void actions.change(`Removed ${fault.name}.`, 'DELETE', pathOf(fault)))}
              </div>
            )}
          </li>
        ))}
      </ul>
      {session.isLive && (
        <ActionButton isPossible={session.canAct} onAct={() => edit()}>
          add a fault rule…
        </ActionButton>
      )}
      {failure && <p class="bad">{failure}</p>}
      {edited && FaultEditor && (
        <FaultEditor
          session={session}
          actions={actions}
          fault={edited.fault}
          describe={describe}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  );
}

/** Conditions that `next` describes. */
const inNext = ['nth', 'every', 'first', 'probability', 'after', 'for', 'times'];

/** Describes a rule in words: `503 · createPet · every 3rd request, next after 2 more`. */
function describe({ when = {}, then, next }: ListedFault): string {
  const conditions = Object.entries(when).flatMap(([name, value]) => {
    if (inNext.includes(name)) return [];
    return name === 'operation' ? [value].flat().join(', ') : textOf(name, value);
  });
  const effects = Object.entries(then).map(([name, value]) => {
    return name === 'respond' ? `${(value as { status: number }).status}` : textOf(name, value);
  });
  return [effects.join(', '), ...conditions, next].join(' · ');
}

/** Fields of an effect that are durations. */
const durations = ['ban', 'delay', 'fixed', 'p50', 'p99', 'every'];

/** Formats a field of a rule in words: `key free-key, pro-key`, `delay p50 80 ms, p99 900 ms`. */
function textOf(name: string, value: unknown): string {
  if (value === true) return name;
  if (Array.isArray(value)) return `${name} ${value.join(', ')}`;
  if (typeof value !== 'object')
    return `${name} ${durations.includes(name) ? formatWait(parseDuration(value as string)) : value}`;
  return `${name} ${Object.entries(value as object)
    .map((field) => textOf(...field))
    .join(', ')}`;
}
