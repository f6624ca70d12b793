// Measures the time of a call in the same process, without HTTP: `node bench/in-process.mjs` prints the result as JSON.
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { createSimulator } from '../dist/index.js';
import { handlers } from '../dist/msw.js';
import { median } from './median.mjs';
import { pets, plenty } from './servers/pets-data.mjs';

const calls = 1_500;
const rounds = 7;
const url = 'http://petstore.test/v1/pets?limit=20';
const headers = { authorization: 'Bearer business-key' };
const scenario = { plans: { business: { minute: plenty, day: plenty } }, pets };

const sim = createSimulator({ scenario });
const firstPets = pets.slice(0, 20);
const ours = setupServer(...handlers(sim));
const fixed = setupServer(http.get('http://petstore.test/v1/pets', () => HttpResponse.json(firstPets)));
const call = {
  method: 'GET',
  path: '/pets',
  query: 'limit=20',
  baseUrl: 'http://petstore.test/v1',
  header: (name) => headers[name],
  body: undefined,
};

const read = async (response) => {
  const list = await response.json();
  if (response.status !== 200 || list.length !== 20) throw new Error(`expected 20 pets, got ${response.status}`);
};
const through = (server) => async (times) => {
  server.listen({ onUnhandledRequest: 'error' });
  const us = await time(times, async () => read(await fetch(url, { headers })));
  server.close();
  return us;
};
const ways = {
  'sim.handle': (times) => time(times, () => sim.handle(call)),
  'sim.fetch': (times) => time(times, async () => read(await sim.fetch(url, { headers }))),
  'msw, a static handler': through(fixed),
  'msw, handlers(sim)': through(ours),
};

async function time(times, act) {
  const startedMs = performance.now();
  for (let at = 0; at < times; at++) await act();
  return ((performance.now() - startedMs) * 1000) / times;
}

const samples = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (const measure of Object.values(ways)) await measure(calls / 3);
for (let round = 0; round < rounds; round++) {
  for (const [name, measure] of Object.entries(ways)) samples[name].push(await measure(calls));
}
console.log(JSON.stringify(Object.entries(samples).map(([name, us]) => ({ name, us: median(us) }))));
