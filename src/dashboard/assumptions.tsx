import type { ListedAssumption } from '../control-api/control.js';
import type { Session } from './session.js';

/**
 * Lists the settings for API behavior that the documentation leaves open. Settings with a non-default value come first.
 */
export function Assumptions({ session }: { session: Session }) {
  const { assumptions } = session.state;
  if (assumptions.length === 0) return null;
  const changed = assumptions.filter(isChanged);
  return (
    <section aria-label="Assumptions">
      <h2>Assumptions</h2>
      <List assumptions={changed} />
      <details>
        <summary>{assumptions.length - changed.length} unchanged</summary>
        <List assumptions={assumptions.filter((assumption) => !isChanged(assumption))} />
      </details>
    </section>
  );
}

const isChanged = ({ value, default: byDefault }: ListedAssumption) =>
  JSON.stringify(value) !== JSON.stringify(byDefault);
const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function List({ assumptions }: { assumptions: readonly ListedAssumption[] }) {
  return (
    <ul class="assumptions">
      {assumptions.map((assumption) => (
        <li key={assumption.id} title={assumption.question}>
          <b>{assumption.id}</b> {shown(assumption.value)}
          {isChanged(assumption) && <small> instead of {shown(assumption.default)}</small>}
        </li>
      ))}
    </ul>
  );
}
