// Client that makes the scenario's number of queries, with the settings of query-client.js.
import { PetstoreError, queryClient } from './query-client.js';

const { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: apiKey } = process.env;
const { PETSTORE_CALLS: calls = '1', PETSTORE_PARALLEL: parallel = '1' } = process.env;

async function listPets({ signal }) {
  const timeout = AbortSignal.timeout(20_000);
  const init = { headers: { authorization: `Bearer ${apiKey}` }, signal: AbortSignal.any([signal, timeout]) };
  const response = await fetch(`${baseUrl}/pets?limit=100`, init);
  if (!response.ok) throw new PetstoreError(response);
  return response.json();
}

// Runs as many queries at the same time as the scenario wants, as a page with several lists would.
let begun = 0;
async function caller() {
  while (begun < Number(calls)) await queryClient.fetchQuery({ queryKey: ['pets', begun++], queryFn: listPets });
}
await Promise.all(Array.from({ length: Number(parallel) }, caller));
