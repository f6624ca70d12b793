// Measures the memory of a sandbox: `node --expose-gc bench/sandbox-memory.mjs` runs in a separate process and prints
// JSON.
import { source } from '../scripts/source.mjs';

const { createSimulator, Sandboxes } = await source(`
  export { createSimulator } from './entries/index.js';
  export { Sandboxes } from './sandboxes/sandboxes.js';
`);

const count = 1_000;
const sandboxes = new Sandboxes(createSimulator(), Date.now, { limit: count });
const heapBytes = () => {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};
sandboxes.create('first');
const bytesBefore = heapBytes();
const startedMs = performance.now();
for (let at = 1; at < count; at++) sandboxes.create(`world-${at}`);
const createMs = (performance.now() - startedMs) / (count - 1);
const emptyBytes = (heapBytes() - bytesBefore) / (count - 1);

const headers = { authorization: 'Bearer business-key', 'content-type': 'application/json' };
const body = new TextEncoder().encode('{"name":"Rex","categoryId":1}');
const call = { method: 'POST', path: '/pets', query: '', baseUrl: '', header: (name) => headers[name], body };
for (const { sim } of sandboxes.list()) for (let at = 0; at < 10; at++) sim.handle(call);
const usedBytes = (heapBytes() - bytesBefore) / (count - 1);
console.log(JSON.stringify({ sandboxes: count, createMs, emptyKiB: emptyBytes / 1024, usedKiB: usedBytes / 1024 }));
