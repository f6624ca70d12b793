import { setImmediate } from 'node:timers';
import { afterEach, expect, test, vi } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { forDocumented } from '../../src/values/window-fields.js';
import { openServer } from '../support/open-server.js';
import { rawClient, rawRequestText as request } from '../support/raw-client.js';

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ['real', () => {}],
  ['fake', () => vi.useFakeTimers()],
])(
  'every response arrives, in the order of its requests, with %s timers and clients that disconnect',
  async (_, start) => {
    const pets = Array.from({ length: 20 }, (_, at) => ({ id: at + 1, name: 'Rex', categoryId: 1 }));
    const sim = createSimulator({ scenario: { pets, plans: { free: forDocumented(() => 1e6) } } });
    const { port } = await openServer(sim);
    start();
    const clients = await Promise.all(Array.from({ length: 24 }, () => rawClient(port)));
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
  },
);
