import { connect } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { http } from 'msw';
import { beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/entries/index.js';
import type { RunningServer } from '../../src/entries/node.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { openServer } from '../support/open-server.js';
import { isProof, seed, tries } from '../support/prove.js';
import { rawConnectionBytes } from './raw-fuzz.js';

const { minute: perMinute } = documentedPlans.free;

const lanes = 20;
/** More turns of the event loop than a request takes to its response: accept, read, respond, receive. */
const silentTurns = 20;

let sim: Simulator;
const servers: RunningServer[] = [];
const failures: unknown[] = [];

beforeAll(async () => {
  sim = createSimulator({ scenario: { limits: 'off' }, onError: (error) => failures.push(error) });
  servers.push(await openServer(sim, { allowedHosts: ['sim.test'] }));
  // A handler of @mswjs/http-middleware sees every request, and leaves it to the API.
  servers.push(await openServer(sim, { handlers: [http.all('*', () => undefined)] }));
});

/** Sends bytes in chunks, and returns the statuses of the responses until silence. */
function send(port: number, { pieces, end }: ReturnType<typeof rawConnectionBytes>): Promise<number[]> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: end === 'stay' });
    let received = '';
    const left = [...pieces];
    const next = () => {
      const piece = left.shift();
      if (piece !== undefined) socket.write(piece, next);
      else if (end === 'half-close') socket.end();
      else if (end === 'reset') socket.resetAndDestroy();
    };
    // Silent if nothing came for 50 ms, and then not before the response to a later request of the control API, whose
    // modules load on demand. No time is enough on a busy machine.
    const endIfSilent = async () => {
      const { length } = received;
      await (await fetch(`http://127.0.0.1:${port}/__sim/clock`)).arrayBuffer();
      for (let turn = 0; turn < silentTurns; turn++) await setImmediate();
      if (received.length === length) socket.resetAndDestroy();
      else socket.setTimeout(50);
    };
    socket.setNoDelay(true).setTimeout(50).on('timeout', endIfSilent);
    socket.on('connect', next).on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    // A reset leaves no port in TIME_WAIT, of which there are fewer than connections.
    socket.on('end', () => socket.resetAndDestroy());
    socket.on('close', () =>
      resolve(Array.from(received.matchAll(/(?<=^|[}\]\n])HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))),
    );
  });
}

test('random requests cause no crash and no 5xx, and the server continues', async () => {
  // Each has one to four requests.
  const connections = tries(1_500, 100_000);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const counts = new Map<number, number>();
  const bad: { number: number; status: number; sent: string }[] = [];
  let number = 0;
  const lane = async () => {
    while (number < connections) {
      const bytes = rawConnectionBytes(seed * 1_000_003 + number++);
      const { port } = servers[number % servers.length] as RunningServer;
      for (const status of await send(port, bytes)) {
        counts.set(status, (counts.get(status) ?? 0) + 1);
        if (status >= 500) bad.push({ number, status, sent: Buffer.concat(bytes.pieces).toString('latin1') });
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  delay.disable();
  if (isProof) {
    console.log(Object.fromEntries([...counts].sort()), `longest pause ${Math.round(delay.max / 1e6)} ms`);
  }
  expect(bad).toEqual([]);
  expect(failures).toEqual([]);
  // The grammar reaches every result: success, creation, and every kind of rejection.
  const statuses = [200, 201, 204, 400, 401, 403, 404, 405, 413, 415, 417, 431];
  for (const status of statuses) expect(counts.get(status) ?? 0, String(status)).toBeGreaterThan(0);
  for (const { baseUrl } of servers) {
    const response = await fetch(`${baseUrl}/pets?limit=1`, { headers: { authorization: 'Bearer free-key' } });
    expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, String(perMinute)]);
  }
}, 3_600_000);
