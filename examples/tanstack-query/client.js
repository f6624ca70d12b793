// What petstore-sim runs: as many queries as the scenario asks for, with the settings of query-client.js.
import { PetstoreError, queryClient } from './query-client.js';

const { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: apiKey, PETSTORE_CALLS: calls = '1' } = process.env;

async function listPets({ signal }) {
  const timeout = AbortSignal.timeout(20_000);
  const init = { headers: { authorization: `Bearer ${apiKey}` }, signal: AbortSignal.any([signal, timeout]) };
  const response = await fetch(`${baseUrl}/pets?limit=100`, init);
  if (!response.ok) throw new PetstoreError(response);
  return response.json();
}

// One after another: a component that shows several lists has a query for each, which wait side by side.
for (let call = 0; call < Number(calls); call++) {
  await queryClient.fetchQuery({ queryKey: ['pets', call], queryFn: listPets });
}
