import { useEffect, useState } from 'preact/hooks';
import { Button, RequestLink, TextInput } from './controls.js';
import { escapeBidiControls, formatThousands } from './format.js';
import type { Session } from './session.js';
import { createThrottle } from './throttle.js';

/** List of the simulated API's pets, as returned by the control API. */
interface StoredPets {
  pets: { id: string; name: string; status?: string; json: string }[];
  count: number;
  total: number;
}

interface PetsProps {
  session: Session;
  text: string;
  onText(text: string): void;
  onRequest(id: number): void;
}

/** Number of stored pets per page of the list. */
const pageSize = 50;

/** List of the stored pets, newest first. A pet links to the request that stored it. */
export function Pets({ session, text, onText, onRequest }: PetsProps) {
  const [most, setMost] = useState(pageSize);
  const [stored, setStored] = useState<StoredPets>();
  useEffect(() => {
    const read = createThrottle(async () => {
      const query = new URLSearchParams({ limit: String(most), ...(text && { text }) });
      setStored(await session.source.send<StoredPets>('GET', `/pets?${query}`));
    }, 1_000);
    const ask = () => session.state.connection === 'live' && read.ask();
    ask();
    const stop = session.onEntries.add(ask);
    return () => {
      stop();
      read.stop();
    };
  }, [session, text, most]);
  const storedBy = new Map(
    session.entries.rows.flatMap(({ storedId, id }) => (storedId === undefined ? [] : [[storedId, id] as const])),
  );
  return (
    <section class="pets" aria-label="Pets">
      <div class="tools">
        <TextInput
          class="filter"
          type="search"
          placeholder="Find a pet: id, name, status"
          aria-label="Find pets"
          value={text}
          onText={onText}
        />
      </div>
      <p class="count">
        {stored === undefined
          ? '…'
          : `${formatThousands(stored.count)} of ${formatThousands(stored.total)} pets; ${formatThousands(storedBy.size)} stored by requests`}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Stored pets">
        <table>
          <thead>
            <tr>
              <th>id</th>
              <th>name</th>
              <th>status</th>
              <th>stored by</th>
              <th>JSON</th>
            </tr>
          </thead>
          <tbody>
            {stored?.pets.map(({ id, name, status, json }) => {
              const by = storedBy.get(id);
              return (
                <tr key={id} class={by === undefined ? '' : 'new'}>
                  <td>{id}</td>
                  <td>{escapeBidiControls(name)}</td>
                  <td>{status}</td>
                  <td>{by !== undefined && <RequestLink id={by} onRequest={onRequest} />}</td>
                  <td>
                    <code>{escapeBidiControls(json)}</code>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {stored !== undefined && stored.count > stored.pets.length && (
          <Button onClick={() => setMost(Math.min(1_000, most + 200))}>show more</Button>
        )}
      </div>
    </section>
  );
}
