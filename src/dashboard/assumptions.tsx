import type { ListedAssumption } from '../control-api/control.js';
import type { Session } from './session.js';

/** Lists the assumptions about behavior that the API document leaves open. Changed assumptions come first. */
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
        <List assumptions={assumptions.filter((each) => !isChanged(each))} />
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
      {assumptions.map((each) => (
        <li key={each.id} title={each.question}>
          <b>{each.id}</b> {shown(each.value)}
          {isChanged(each) && <small> instead of {shown(each.default)}</small>}
        </li>
      ))}
    </ul>
  );
}
