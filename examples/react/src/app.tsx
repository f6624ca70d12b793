import { type FormEvent, useCallback, useEffect, useMemo, useState } from 'react';
import { createPetstore, type Pet, type Quota, type Status, statuses } from './petstore.ts';
import { QuotaNotice } from './quota-notice.tsx';

/** List of the pets, with a form that adds a pet. */
export function App({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  const [quota, setQuota] = useState<Quota>();
  const petstore = useMemo(() => createPetstore({ baseUrl, apiKey, onQuota: setQuota }), [baseUrl, apiKey]);
  const [status, setStatus] = useState<Status>('available');
  const [shown, setShown] = useState<{ status: Status; pets: Pet[] }>();
  const [issue, setIssue] = useState('');

  const load = useCallback(
    async (signal?: AbortSignal) => {
      try {
        setShown({ status, pets: await petstore.listPets(status, signal) });
        setIssue('');
      } catch (error) {
        if (signal?.aborted) return;
        setShown(undefined);
        setIssue((error as Error).message);
      }
    },
    [petstore, status],
  );
  useEffect(() => {
    const controller = new AbortController();
    load(controller.signal);
    return () => controller.abort();
  }, [load]);

  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    try {
      await petstore.createPet({
        name: String(fields.get('name')),
        categoryId: Number(fields.get('category')),
        status,
      });
      form.reset();
      await load();
    } catch (error) {
      setIssue((error as Error).message);
    }
  }

  return (
    <main>
      <header>
        <h1>Petstore</h1>
        {quota && <QuotaNotice {...quota} />}
      </header>
      <nav aria-label="Status">
        {statuses.map((each) => (
          <button key={each} type="button" aria-pressed={each === status} onClick={() => setStatus(each)}>
            {each}
          </button>
        ))}
      </nav>
      <form onSubmit={add}>
        <input name="name" aria-label="Name" placeholder="Name of a new pet" required />
        <label>
          Category
          <input name="category" type="number" min="1" defaultValue="1" required />
        </label>
        <button type="submit">Add</button>
      </form>
      {issue !== '' && <p role="alert">{issue}</p>}
      {shown === undefined && issue === '' && <p className="empty">Loading…</p>}
      {shown !== undefined && (
        <ul aria-label="Pets" aria-busy={shown.status !== status}>
          {shown.pets.map(({ id, name, categoryId }) => (
            <li key={id}>
              <strong>{name}</strong>
              <span>category {categoryId}</span>
              <span>#{id}</span>
            </li>
          ))}
        </ul>
      )}
    </main>
  );
}
