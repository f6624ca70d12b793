import { useEffect, useRef, useState } from 'preact/hooks';
import type { Control } from '../control-api/control.js';
import { ActionButton } from './action-button.js';
import type { Actions } from './actions.js';
import { Button, RequestLink, Select, TextInput } from './controls.js';
import { escapeBidiControls, formatThousands } from './format.js';
import type { Session } from './session.js';

/** List of the simulated API's pets, as returned by the control API. */
type StoredPets = ReturnType<Control['listStoredPets']>;
type ListedPet = StoredPets['pets'][number];

interface PetsProps {
  session: Session;
  actions: Actions;
  text: string;
  onText(text: string): void;
  onRequest(id: number): void;
}

/** Number of stored pets per page of the list. */
const pageSize = 50;

const columnNames = ['id', 'name', 'categoryId', 'status'];
const statuses = ['available', 'pending', 'sold'] as const;

/** List of the stored pets, newest first. A pet links to the request that stored it, and can be changed and deleted. */
export function Pets({ session, actions, text, onText, onRequest }: PetsProps) {
  const [most, setMost] = useState(pageSize);
  const [stored, setStored] = useState<StoredPets>();
  const [edited, setEdited] = useState<ListedPet>();
  useEffect(() => {
    const query = new URLSearchParams({ limit: String(most), ...(text && { text }) });
    const read = session.createThrottle(
      () => session.source.send<StoredPets>('GET', `/pets?${query}`),
      1_000,
      setStored,
    );
    const ask = () => session.state.connection === 'live' && read.ask();
    ask();
    const stop = session.onEntries.add(ask);
    return () => {
      stop();
      read.stop();
    };
  }, [session, text, most, session.state.undo]);
  const storedBy = new Map(
    session.entries.rows.flatMap(({ storedId, id }) => (storedId === undefined ? [] : [[storedId, id] as const])),
  );
  const change = async (method: 'PUT' | 'DELETE', id: string, input?: object) => {
    if (!(await actions.change(`${input ? 'Changed' : 'Deleted'} pet ${id}.`, method, `/pets/${id}`, input))) return;
    setEdited(undefined);
  };
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
      <p class="note count">
        {stored === undefined
          ? '…'
          : `${formatThousands(stored.count)} of ${formatThousands(stored.total)} pets; ${formatThousands(stored.pets.filter(({ id }) => storedBy.has(id)).length)} stored by requests`}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Stored pets">
        <table>
          <thead>
            <tr>
              <th>id</th>
              <th>name</th>
              <th>category</th>
              <th>status</th>
              <th>stored by</th>
              <th>other fields</th>
              <th>
                <span class="said">change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {stored?.pets.map((pet) => {
              const { id, name, categoryId, status } = pet;
              const by = storedBy.get(id);
              if (edited?.id === id)
                return (
                  <EditedPet
                    key={id}
                    pet={edited}
                    onPet={setEdited}
                    onSave={() => {
                      const { name, categoryId, status } = edited;
                      if (session.canAct) void change('PUT', id, { name, categoryId, ...(status && { status }) });
                    }}
                    onCancel={() => setEdited(undefined)}
                  />
                );
              return (
                <tr key={id} class={by === undefined ? '' : 'new'}>
                  <td>{id}</td>
                  <td>{escapeBidiControls(name)}</td>
                  <td>{categoryId}</td>
                  <td>{status}</td>
                  <td>{by !== undefined && <RequestLink id={by} onRequest={onRequest} />}</td>
                  <td>
                    <code>{escapeBidiControls(otherFields(pet))}</code>
                  </td>
                  <td>
                    <span class="acts">
                      <ActionButton name={`change pet ${id}`} isPossible={session.canAct} onAct={() => setEdited(pet)}>
                        change
                      </ActionButton>
                      <ActionButton
                        name={`delete pet ${id}`}
                        isPossible={session.canAct}
                        onAct={() => void change('DELETE', id)}
                      >
                        delete
                      </ActionButton>
                    </span>
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

interface EditedPetProps {
  pet: ListedPet;
  onPet(pet: ListedPet): void;
  onSave(): void;
  onCancel(): void;
}

/** Row of the list with fields to change a pet. Enter saves, Esc cancels. */
function EditedPet({ pet, onPet, onSave, onCancel }: EditedPetProps) {
  const { id, name, categoryId, status = '' } = pet;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => row.current?.querySelector('input')?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.stopPropagation();
    if (event.key === 'Escape') onCancel();
    else if ((event.target as Element).tagName === 'INPUT') onSave();
  };
  return (
    <tr class="edited" ref={row} onKeyDown={onKeyDown}>
      <td>{id}</td>
      <td>
        <TextInput aria-label="Name" size={1} value={name} onText={(name) => onPet({ ...pet, name })} />
      </td>
      <td>
        <TextInput
          aria-label="Category"
          size={1}
          inputMode="numeric"
          value={categoryId}
          onText={(categoryId) => onPet({ ...pet, categoryId })}
        />
      </td>
      <td>
        <Select
          name="Status"
          value={status}
          options={[...(pet.status ? [] : [['', 'none'] as const]), ...statuses.map((each) => [each, each] as const)]}
          onSelect={(status) => onPet({ ...pet, status: status as (typeof statuses)[number] })}
        />
      </td>
      <td colSpan={2} />
      <td>
        <span class="acts">
          <Button onClick={onSave}>save</Button>
          <Button onClick={onCancel}>cancel</Button>
        </span>
      </td>
    </tr>
  );
}

/** JSON of a pet's fields that the table has no column for, as the API sends them; empty without such fields. */
export function otherFields({ json, ...columns }: ListedPet): string {
  let at = 0;
  for (const [name, value] of Object.entries({ ...columns })) {
    // An int64 is text in the list, and a number in the pet's JSON.
    const start = json.startsWith(`"${name}":"`, at + 1) ? JSON.stringify(value) : value;
    const field = `"${name}":${start}`;
    if (columnNames.includes(name) && json.startsWith(field, at + 1)) at += 1 + field.length;
  }
  return json.slice(at + 1, -1);
}
