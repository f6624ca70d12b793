import { useEffect, useState } from 'react';
import { listPets, type Pet } from './petstore';

/** List of the pets, with a message while the page waits for the service. */
export function PetList({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  const [pets, setPets] = useState<Pet[]>([]);
  const [message, setMessage] = useState('Loading…');
  useEffect(() => {
    const onWait = (ms: number) => setMessage(`Too many requests. Going on in ${Math.round(ms / 1_000)} s…`);
    listPets(baseUrl, apiKey, onWait).then(
      (listed) => {
        setPets(listed);
        setMessage('');
      },
      (error: Error) => setMessage(error.message),
    );
  }, [baseUrl, apiKey]);
  return (
    <main>
      <p role="status">{message}</p>
      <ul>
        {pets.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
    </main>
  );
}
