// Measures how a number of pets affects memory and time: `node --expose-gc bench/growth.mjs PETS` prints the result as
// JSON.
import { createSimulator } from '../dist/index.js';
import { generatePets } from '../dist/seed.js';
import { median } from './median.mjs';
import { plenty } from './servers/pets-data.mjs';

const size = Number(process.argv[2]);
const sold = Math.max(1, size / 1_000);
const counts = { available: size * 0.9, pending: size * 0.1 - sold, sold };
const calls = 10_000;
const rounds = 7;

// Generates some pets before the measurement, so that V8 has compiled the code.
createSimulator({ scenario: { pets: { generate: { available: 2_000 } } }, generatePets });
const bytesBefore = heapBytes();
const startedMs = performance.now();
const sim = createSimulator({
  scenario: { plans: { business: { minute: plenty, day: plenty } }, pets: { generate: counts } },
  generatePets,
});
const seedMs = performance.now() - startedMs;
const bytesAPet = (heapBytes() - bytesBefore) / size;

function heapBytes() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const headers = { authorization: 'Bearer business-key', 'content-type': 'application/json' };
const base = { baseUrl: 'http://petstore.test/v1', header: (name) => headers[name] };
const body = new TextEncoder().encode('{"name":"Rex","categoryId":1}');
let turn = 0;
// An unknown parameter makes each query different, which prevents responses from the cache.
const list = (query) => () => ({ ...base, method: 'GET', path: '/pets', query: `limit=20${query}&turn=${++turn}` });
const works = {
  list: list(''),
  'list, common status': list('&status=available'),
  'list, rare status': list('&status=sold'),
  'look-up': () => ({ ...base, method: 'GET', path: `/pets/${((++turn * 7_919) % size) + 1}`, query: '' }),
  create: () => ({ ...base, method: 'POST', path: '/pets', query: '', body }),
};

const samples = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
/** Measures kinds of requests in rotation. Ignores the first round, in which V8 compiles the code. */
function measure(names) {
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const startMs = performance.now();
      for (let at = 0; at < calls; at++) {
        const { status } = sim.handle(works[name]());
        if (status >= 400) throw new Error(`${name}: expected an answer, got ${status}`);
      }
      if (round > 0) samples[name].push(((performance.now() - startMs) * 1000) / calls);
    }
  }
}
// The first create copies the scenario's pets, so creating is measured last.
measure(Object.keys(works).filter((name) => name !== 'create'));
measure(['create']);
const us = Object.fromEntries(Object.entries(samples).map(([name, each]) => [name, median(each)]));

const small = createSimulator();
const resets = [];
for (let at = 0; at < 1_000; at++) {
  small.handle({ ...works.create() });
  const startMs = performance.now();
  small.reset();
  resets.push(performance.now() - startMs);
}
console.log(JSON.stringify({ pets: size, seedMs, bytesAPet, us, resetDefaultMs: median(resets) }));
