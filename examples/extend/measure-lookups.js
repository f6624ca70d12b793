// Compares the time to find one of 100,000 records by id: `findFirst` of @msw/data, and the index of this example.
import { Collection } from '@msw/data';
import * as v from 'valibot';
import { IndexedCollection } from './indexed-collection.js';

const schema = v.object({ id: v.number(), name: v.string() });
const size = 100_000;
const lookups = 201;

async function measure(name, collection, find) {
  for (let first = 1; first <= size; first += 1_000)
    await collection.createMany(1_000, (index) => ({ id: first + index, name: `Record ${first + index}` }));
  const times = [];
  for (let at = 0; at < lookups; at++) {
    const id = 1 + ((at * 7_919_317) % size);
    const startMs = performance.now();
    const record = find(collection, id);
    times.push(performance.now() - startMs);
    if (record.id !== id) throw new Error(`expected record ${id}, got ${record.id}`);
  }
  times.sort((one, other) => one - other);
  const show = (share) => `${times[Math.floor((lookups - 1) * share)].toFixed(4)} ms`;
  console.log(`${name}: median ${show(0.5)}, 90 % below ${show(0.9)}`);
}

await measure('findFirst', new Collection({ schema }), (collection, id) =>
  collection.findFirst((query) => query.where({ id })),
);
await measure('get', new IndexedCollection({ schema }), (collection, id) => collection.get(id));
