// Client with axios and axios-retry. Makes PETSTORE_CALLS calls, and exits with code 1 if one fails permanently.
import axios from 'axios';
import axiosRetry from 'axios-retry';

const { PETSTORE_BASE_URL: baseURL, PETSTORE_API_KEY: key, PETSTORE_OPERATION: operation } = process.env;
const client = axios.create({ baseURL, headers: { authorization: `Bearer ${key}` }, timeout: 30_000 });
axiosRetry(client, {
  retries: 5,
  // Retries a POST after a 429 too, which stores nothing. By default, axios-retry does not.
  retryCondition: ({ response }) => response?.status === 429,
  retryDelay: (count, { response: { headers } }) => {
    const untilReset = Number(headers['x-ratelimit-reset']) - Date.parse(headers.date) / 1000;
    return (Number(headers['retry-after']) || untilReset || 60) * 1000 + Math.random() * 100 * 2 ** count;
  },
});

let next = 0;
async function caller() {
  while (next < Number(process.env.PETSTORE_CALLS)) {
    const name = `Pet ${process.pid}-${next++}`;
    if (operation === 'createPet') await client.post('/pets', { name, categoryId: 1 });
    else await client.get('/pets');
  }
}
await Promise.all(Array.from({ length: Number(process.env.PETSTORE_PARALLEL) }, caller));
