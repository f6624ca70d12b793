import { useState } from 'preact/hooks';
import type { ListedFault } from '../control-api/fault-operations.js';
import type { Actions } from './actions.js';
import { Button, Checkbox, Select } from './controls.js';
import { formatThousands } from './format.js';
import type { Session } from './session.js';

/** Fault rules that one click adds. Scenarios and `POST /faults` support more kinds of faults. */
const presets: readonly [name: string, says: string, then: object][] = [
  ['outage', '503, retry after 2 s', { respond: { status: 503, headers: { 'Retry-After': '2' } } }],
  ['error-500', '500', { respond: { status: 500 } }],
  ['answer-lost', 'done, but the response is lost', { reset: true, phase: 'after' }],
  ['slow', 'response after 2 s', { delay: '2s' }],
  ['hang', 'no response', { hang: true }],
  ['truncated', 'response cut after 40 bytes', { truncate: { bytes: 40 } }],
  ['malformed', 'invalid JSON', { malformed: true }],
];

/** List of the simulator's fault rules, with buttons that add and remove fault rules. */
export function Faults({ session, actions }: { session: Session; actions: Actions }) {
  const { faults, operations } = session.state;
  return (
    <section aria-label="Fault rules">
      <h2>Faults</h2>
      {faults.length === 0 && <p class="note">none</p>}
      <ul>
        {faults.map((fault) => (
          <li key={fault.name} class="fault">
            <span>
              <b>{fault.name}</b> <small>{describe(fault)}</small>
            </span>
            {session.isLive && (
              <Button
                aria-label={`remove ${fault.name}`}
                onClick={() => actions.send('DELETE', `/faults/${encodeURIComponent(fault.name)}`)}
              >
                remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      {session.isLive && (
        <AddFault
          names={faults.map(({ name }) => name)}
          operations={operations.map(({ name }) => name)}
          actions={actions}
        />
      )}
    </section>
  );
}

interface AddFaultProps {
  names: readonly string[];
  operations: readonly string[];
  actions: Actions;
}

function AddFault({ names, operations, actions }: AddFaultProps) {
  const [chosen, setChosen] = useState(0);
  const [operation, setOperation] = useState('');
  const [nextOnly, setNextOnly] = useState(true);
  const add = (event: Event) => {
    event.preventDefault();
    const [preset = 'fault', , then] = presets[chosen] ?? [];
    let name = preset;
    for (let n = 2; names.includes(name); n++) name = `${preset}-${n}`;
    const when = { ...(operation && { operation }), ...(nextOnly && { nth: 1 }) };
    void actions.send('POST', '/faults', { name, ...(Object.keys(when).length > 0 && { when }), then });
  };
  return (
    <details class="add">
      <summary>add…</summary>
      <form onSubmit={add}>
        <Select
          name="What happens"
          value={chosen}
          options={presets.map(([name, says], index) => [index, `${name}: ${says}`])}
          onSelect={(index) => setChosen(Number(index))}
        />
        <Select
          name="To which operation"
          value={operation}
          options={['', ...operations].map((name) => [name, name || 'every operation'] as const)}
          onSelect={setOperation}
        />
        <Checkbox text="only the next request" isChecked={nextOnly} onCheck={setNextOnly} />
        <button type="submit">add</button>
      </form>
    </details>
  );
}

function describe({ when = {}, seen, applied }: ListedFault): string {
  const conditions = Object.entries(when).map(([name, value]) => {
    const shown = Array.isArray(value) || typeof value !== 'object' ? String(value) : JSON.stringify(value);
    return name === 'operation' ? shown : `${name} ${shown}`;
  });
  return [...conditions, `applied ${formatThousands(applied)} of ${formatThousands(seen)}`].join(' · ');
}
