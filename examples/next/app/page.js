export const dynamic = 'force-dynamic';

/** Server component: it runs in Node, so the simulator of instrumentation.js responds to its requests. */
export default async function Page() {
  const response = await fetch('https://api.petstore.example/v1/pets?limit=3', {
    headers: { authorization: 'Bearer free-key' },
    cache: 'no-store',
  });
  if (response.status === 429) return <p>Too many requests: try again in {response.headers.get('Retry-After')} s</p>;
  const pets = await response.json();
  return (
    <ul>
      {pets.map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
    </ul>
  );
}
