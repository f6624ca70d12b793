// Prints how many bytes a request makes Node allocate, in a bare server and in ours (`allocated`), or how many of ours
// live on once the journal is full (`kept`); the heap is so large that nothing is collected in between. Started with --expose-gc and a new space of 256 MiB by allocation.test.ts.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { createSimulator } from '../../dist/index.js';
import { listen } from '../../dist/node.js';

const request =
  'GET /v1/pets?limit=20 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer business-key\r\nAccept: application/json\r\n\r\n';

/** Sends requests one after another on one connection, each when the last is answered. */
async function send(port, times) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let left = times;
  let seen = 0;
  let length = 0;
  socket.on('data', (chunk) => {
    if (length === 0) length = Number(/Content-Length: (\d+)/.exec(chunk)[1]) + chunk.indexOf('\r\n\r\n') + 4;
    seen += chunk.length;
    if (seen < length) return;
    seen = 0;
    if (--left === 0) socket.end();
    else socket.write(request);
  });
  socket.write(request);
  await once(socket, 'close');
}

async function bytesARequest(port) {
  const times = 2_000;
  await send(port, times);
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  await send(port, times);
  return Math.round((process.memoryUsage().heapUsed - before) / times);
}

function collect() {
  for (let n = 0; n < 2; n++) globalThis.gc();
}

/** Bytes that remain of a request after a collection, with a full journal: the least of two rounds, as a round in which V8 compiles keeps that code too. */
async function bytesThatLiveOn(port) {
  const times = 10_000;
  await send(port, 3 * times);
  const rounds = [];
  for (let round = 0; round < 2; round++) {
    collect();
    const before = process.memoryUsage().heapUsed;
    await send(port, times);
    collect();
    rounds.push(Math.round((process.memoryUsage().heapUsed - before) / times));
  }
  return Math.min(...rounds.map(Math.abs));
}

const sim = createSimulator({ scenario: { plans: { business: { minute: 1e9, day: 1e9 } } } });
const ours = await listen(sim, { port: 0 });
const body = sim.pets
  .list({ limit: 20 })
  .map(({ json }) => json)
  .join(',');
const bare = createServer((_request, response) => {
  const headers = { 'Content-Type': 'application/json', 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '1' };
  response
    .writeHead(200, { ...headers, 'X-RateLimit-Reset': '1', 'Content-Length': Buffer.byteLength(body) })
    .end(body);
}).listen(0, '127.0.0.1');
await once(bare, 'listening');
console.log(
  JSON.stringify(
    process.argv[2] === 'kept'
      ? await bytesThatLiveOn(ours.port)
      : { bare: await bytesARequest(bare.address().port), ours: await bytesARequest(ours.port) },
  ),
);
bare.close();
await ours.close({ graceMs: 0 });
