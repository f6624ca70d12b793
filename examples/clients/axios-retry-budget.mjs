// Client with axios-retry and a retry budget for all calls together. RETRY_BUDGET=off leaves the budget out.
import axios from 'axios';
import axiosRetry from 'axios-retry';

const { PETSTORE_BASE_URL: baseURL, PETSTORE_API_KEY: key, RETRY_BUDGET = 'on' } = process.env;
const client = axios.create({ baseURL, headers: { authorization: `Bearer ${key}` }, timeout: 30_000 });

// Budget in percent of a retry. It starts with three retries, and each call adds a tenth of one.
let budget = 300;
function isAffordable() {
  if (RETRY_BUDGET === 'off') return true;
  if (budget < 100) return false;
  budget -= 100;
  return true;
}

axiosRetry(client, {
  retries: 3,
  retryCondition: (error) =>
    (error.response?.status === 429 || axiosRetry.isNetworkOrIdempotentRequestError(error)) && isAffordable(),
  retryDelay: (count, { response }) =>
    1000 * Number(response?.headers['retry-after'] ?? 0) + (0.5 + Math.random()) * 200 * 2 ** count,
});

let next = 0;
async function caller() {
  while (next++ < Number(process.env.PETSTORE_CALLS)) {
    budget += 10;
    await client.get('/pets');
  }
}
const ends = await Promise.allSettled(Array.from({ length: Number(process.env.PETSTORE_PARALLEL) }, caller));
const failed = ends.filter(({ status }) => status === 'rejected');
if (failed.length > 0) throw new Error(`${failed.length} calls failed, the first with ${failed[0].reason.message}`);
