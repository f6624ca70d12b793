import { MutationObserver, QueryClient } from '@tanstack/query-core';
import { fetchWhole } from './patiently.mjs';
import { retryDelayMs } from './retry-delay.mjs';

/** A POST is a mutation, which has no retries by default; a GET is a query. */
const sendWith = (client) => async (call) => {
  if (call.method === 'POST') {
    return new MutationObserver(client, {
      mutationFn: () => fetchPets(call),
      networkMode: 'always',
    }).mutate();
  }
  const queryKey = ['pets', ++calls];
  return client.fetchQuery({ queryKey, queryFn: () => fetchPets(call), networkMode: 'always' });
};
/** A separate query for each call, so that no response comes from the cache. */
let calls = 0;

/** Throws for a response without success, because only errors are retried. */
async function fetchPets({ url, ...init }) {
  const response = await fetchWhole(url, init);
  if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { response });
  return response.status;
}

// Defaults of useQuery in a browser; in Node the default is no retry.
export const byDefault = sendWith(new QueryClient({ defaultOptions: { queries: { retry: 3 } } }));

// doc: set right
const patience = (method) => ({
  retry: (failures, { response }) => retryDelayMs(failures + 1, method, response) !== undefined,
  retryDelay: (failures, { response }) => retryDelayMs(failures + 1, method, response),
});
const client = new QueryClient({
  defaultOptions: { queries: patience('GET'), mutations: patience('POST') },
});
// end
export const setRight = sendWith(client);

// doc: whole
//| import { QueryClient } from '@tanstack/query-core';
//| import { fetchWhole, retryDelayMs } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| async function queryFn() {
//|   const response = await fetchWhole(url, { headers });
//|   // Only errors are retried.
//|   if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { response });
//|   return response.json();
//| }
//| await client.fetchQuery({ queryKey: ['pets'], queryFn, networkMode: 'always' });
//| client.clear();
// end
