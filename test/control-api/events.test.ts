import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../src/entries/control.js';
import { listen } from '../../src/entries/node.js';
import { openServer } from '../support/open-server.js';
import { tries } from '../support/prove.js';
import { send, stageOfEachTest } from './both-controls.js';

const stage = stageOfEachTest({ limits: 'off' });

/** A connection to the events. Nothing is read before `resume` or `data`. */
async function connect(path = '/events', headers = {}): Promise<IncomingMessage> {
  const [response] = (await once(get(`${stage.server.controlUrl}${path}`, { headers, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  response.on('error', () => {});
  return response;
}

/** The ids of the events that come until `last`, or until the end of the connection. */
function readIds(response: IncomingMessage, last: number): Promise<number[]> {
  const ids: number[] = [];
  let text = '';
  return new Promise((resolve) => {
    response.on('close', () => resolve(ids));
    response.on('data', (chunk: Buffer) => {
      const events = (text + chunk.toString('latin1')).split('\n\n');
      text = events.pop() as string;
      for (const event of events) {
        const id = /^id: (\d+)$/m.exec(event)?.[1];
        if (id !== undefined) ids.push(Number(id));
      }
      if (ids.at(-1) === last) resolve(ids);
    });
  });
}

/** So that the server sends what it has. */
const breathe = () => new Promise((resolve) => setImmediate(resolve));

test('the event stream contains a request with its response', async () => {
  const events = await connect();
  expect(events.statusCode).toBe(200);
  expect(events.headers['content-type']).toBe('text/event-stream');
  expect(events.headers['cache-control']).toBe('no-store');
  expect(events.headers['x-accel-buffering']).toBe('no');
  await send(stage.sim, { key: 'pro-key' });
  let text = '';
  for await (const chunk of events) {
    text += chunk;
    if (text.includes('data: ')) break;
  }
  expect(text).toMatch(/^: petstore-sim\n\nid: 1\nevent: request\ndata: \{"id":1,.*\}\n\n$/);
});

test.each(['here', 'there'] as const)('entries are an async iterable that starts after an id (%s)', async (adapter) => {
  const { sim } = stage;
  for (let n = 0; n < 3; n++) await send(sim);
  const seen: JournalEntry[] = [];
  setTimeout(() => send(sim), 30);
  for await (const entry of stage[adapter].watchRequests({ since: 1 })) {
    seen.push(entry);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual(stage.here.queryJournal({ since: 1 }).entries);
});

test('a reconnecting browser continues after its last event', async () => {
  for (let n = 0; n < 3; n++) await send(stage.sim);
  const events = await connect('/events', { 'Last-Event-ID': '2' });
  expect(await readIds(events, 3)).toEqual([3]);
  events.destroy();
});

test('of twenty readers, a blocked one is dropped and the others receive all events; a 21st receives 503', async () => {
  const { sim } = stage;
  const readers = await Promise.all(Array.from({ length: 20 }, () => connect()));
  const refused = await connect();
  expect(refused.statusCode).toBe(503);
  let body = '';
  for await (const chunk of refused) body += chunk;
  expect(JSON.parse(body)).toEqual({
    status: 503,
    code: 'service_unavailable',
    message:
      'Expected at most 20 event streams of this server, without those of its sandboxes; close one first, or start the server with a higher --max-streams.',
  });

  const [paused, ...active] = readers as [IncomingMessage, ...IncomingMessage[]];
  const count = tries(1_000, 10_000);
  // Large enough that the system cannot take all events in for a reader that does not read.
  for (let n = 0; n < 20; n++) sim.pets.update(n + 1, { name: 'x'.repeat(12_000_000 / count / 20) });
  const received = active.map((reader) => readIds(reader, count));
  const dropped = new Promise((resolve) => paused.on('close', resolve));
  for (let n = 1; n <= count; n++) {
    await send(sim, { query: 'limit=20' });
    if (n % (count / 500) === 0) await breathe();
  }
  const all = Array.from({ length: count }, (_, index) => index + 1);
  for (const ids of await Promise.all(received)) expect(ids).toEqual(all);

  paused.resume();
  await dropped;
  expect(paused.complete).toBe(false);
  for (const reader of active) reader.destroy();
  const statusOf = async () => {
    const again = await connect();
    again.destroy();
    return again.statusCode;
  };
  await expect.poll(statusOf).toBe(200);
});

test('a slow reader receives all existing entries, then the newer ones, in order', async () => {
  const { sim } = stage;
  for (let n = 0; n < 20; n++) sim.pets.update(n + 1, { name: 'x'.repeat(1_000) });
  const before = 600;
  // Some 13 MB, which is more than the system takes in for a reader that does not read.
  for (let n = 0; n < before; n++) await send(sim, { query: 'limit=20' });
  const reader = await connect('/events?since=0');
  const meanwhile = 50;
  for (let n = 0; n < meanwhile; n++) {
    await send(sim);
    await breathe();
  }
  const ids = readIds(reader, before + meanwhile + 1);
  await send(sim, { path: '/none' });
  expect(await ids).toEqual(Array.from({ length: before + meanwhile + 1 }, (_, index) => index + 1));
  reader.destroy();
});

test('readers of a sandbox count apart, and end with their sandbox', async () => {
  const { server } = stage;
  server.sandboxes.create('box');
  const readers = await Promise.all(Array.from({ length: 20 }, () => connect('/sandboxes/box/events')));
  const refused = await connect('/sandboxes/box/events');
  expect(refused.statusCode).toBe(503);
  expect(String(await refused.toArray())).toContain('Expected at most 20 event streams of this sandbox;');
  const ofServer = await connect();
  expect(ofServer.statusCode).toBe(200);
  const ended = Promise.all(readers.map((reader) => once(reader.resume(), 'close')));
  server.sandboxes.remove('box');
  await ended;
  server.sandboxes.create('box');
  const again = await connect('/sandboxes/box/events');
  expect(again.statusCode).toBe(200);
  for (const reader of [ofServer, again]) reader.destroy();
});

test('dashboards count apart from programs: neither takes the streams of the other', async () => {
  const dashboards = await Promise.all(Array.from({ length: 30 }, () => connect('/updates')));
  expect(new Set(dashboards.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  const readers = await Promise.all(Array.from({ length: 21 }, () => connect()));
  expect(
    readers
      .map(({ statusCode }) => statusCode)
      .sort()
      .slice(-2),
  ).toEqual([200, 503]);
  const another = await connect('/updates');
  expect(another.statusCode).toBe(200);
  for (const reader of [...dashboards, ...readers, another]) reader.destroy();
});

test('an option sets the number of readers, and a value that is no whole number is an error', async () => {
  const { sim } = stage;
  const server = await openServer(sim, { maximumStreams: 1 });
  const open = (path: string) => fetch(`${server.controlUrl}${path}`);
  const first = await open('/events');
  expect([first.status, (await open('/events')).status, (await open('/updates')).status]).toEqual([200, 503, 200]);
  for (const maximumStreams of [-1, 1.5, Number.NaN]) {
    await expect(listen(sim, { port: 0, maximumStreams })).rejects.toThrow(
      `Failed to listen: expected maximumStreams to be a whole number from 0, got ${maximumStreams}`,
    );
  }
});

test('a closing server ends the streams of its readers without waiting for them', async () => {
  const readers = await Promise.all(Array.from({ length: 5 }, () => connect()));
  const ended = Promise.all(readers.map((reader) => once(reader.resume(), 'end')));
  // It waits for connections that do not end by themselves.
  await stage.server.close({ graceMs: 600_000 });
  await ended;
});

test('a HEAD of the events ends at once', async () => {
  const response = await fetch(`${stage.server.controlUrl}/events`, { method: 'HEAD' });
  expect(response.status).toBe(405);
  expect((await fetch(`${stage.server.controlUrl}/clock`, { method: 'HEAD' })).status).toBe(200);
});

test('many concurrent waits cause no leak warning of Node', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  try {
    const { sim, there } = stage;
    const waiting = Array.from({ length: 40 }, () => there.waitForRequests({ timeout: '10s' }));
    setTimeout(() => send(sim), 100);
    for (const result of await Promise.all(waiting)) expect(result.met).toBe(true);
    await breathe();
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', note);
  }
});

test('a slow reader in this process receives an error, and a removed reader is forgotten', async () => {
  const { sim, here } = stage;
  const events = here.watchRequests();
  for (let n = 0; n < 20_001; n++) await send(sim, { path: '/none' });
  await expect(events.next()).rejects.toThrow('expected a faster reader');
  const left = here.watchRequests();
  await left.return?.();
  await send(sim);
  expect(await left.next()).toEqual({ value: undefined, done: true });
});
