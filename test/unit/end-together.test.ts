import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSimulator } from '../../src/index.js';
// A copy of its own: what other tests of the worker have left behind may still be answered.
// @ts-expect-error TypeScript knows no query
import { endTogether } from '../../src/node/http/end-together.js?own';
import { listen } from '../../src/node.js';
import { rawClient, rawRequestText as request } from '../support/raw-client.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));
let ended: string[] = [];
beforeEach(async () => {
  // Responses left over from the previous test.
  await turn();
  await turn();
  ended = [];
});
afterEach(() => {
  vi.useRealTimers();
});

function answer(...names: string[]): void {
  for (const name of names) {
    const response = { end: (bytes: string, encoding: string) => ended.push(`${bytes} ${encoding}`) };
    endTogether(response as unknown as ServerResponse, name);
  }
}

test('a response is sent at once if a turn has one or two', async () => {
  for (const name of ['a', 'b', 'c']) {
    answer(name, `${name}2`);
    expect(ended.slice(-2)).toEqual([`${name} latin1`, `${name}2 latin1`]);
    await turn();
  }
});

test('responses are sent together, in order, at the end of a turn after one with three', async () => {
  answer('a', 'b', 'c');
  expect(ended).toHaveLength(3);
  await turn();
  answer('d', 'e');
  expect(ended).toHaveLength(3);
  await turn();
  expect(ended.slice(3)).toEqual(['d latin1', 'e latin1']);
  answer('f');
  expect(ended.at(-1)).toBe('f latin1');
});

test('responses are sent under fake timers as well, without waiting for a turn', async () => {
  vi.useFakeTimers();
  answer('a', 'b', 'c');
  await turn();
  answer('d');
  expect(ended.at(-1)).toBe('c latin1');
  await turn();
  expect(ended.at(-1)).toBe('d latin1');
});

test('every response arrives, in the order of its requests, over many connections of which some disconnect', async () => {
  const pets = Array.from({ length: 20 }, (_, at) => ({ id: at + 1, name: 'Rex', categoryId: 1 }));
  const sim = createSimulator({ scenario: { pets, plans: { free: { minute: 1e6, day: 1e6 } } } });
  const server = await listen(sim, { port: 0 });
  const clients = await Promise.all(Array.from({ length: 24 }, () => rawClient(server.port)));
  const paths = pets.map(({ id }) => `/pets/${id}`);
  for (const [at, client] of clients.entries()) {
    client.write(...paths.map((path) => request('GET', path)));
    if (at % 4 === 0) setImmediate(() => client.leave());
  }
  const staying = clients.filter((_, at) => at % 4 !== 0);
  const statuses = (text: string) => text.split('HTTP/1.1 ').length - 1;
  await Promise.all(staying.map((client) => client.until(({ received }) => statuses(received) === paths.length)));
  for (const { received } of staying) {
    const ids = [...received.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
    expect(ids).toEqual(pets.map(({ id }) => id));
  }
  for (const client of clients) client.leave();
  await server.close();
});
