import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LogUnavailableError } from '../../../src/persistence/log.js';
import { createAppender } from '../../../src/persistence/node/redis/appender.js';
import type { Connection } from '../../../src/persistence/node/redis/connection.js';
import type { StoredEntry } from '../../../src/persistence/node/redis/entry-fields.js';
import { block } from '../../support/block.js';

const own = { atMs: 0, commands: [] };
const stored: StoredEntry = { ...own, log: 'a', version: '1' };
const fieldsOf = (sequence: number) => ({ writer: 'w', incarnation: 1, sequence, text: '{}', isExact: false });
/** Takes what it is sent, and never answers. */
const mute = { call: () => new Promise(() => {}) } as unknown as Connection;

/** Two ends of a connection. */
async function startPair(): Promise<[near: Socket, far: Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    for (const end of [near, far]) end.destroy();
    server.close();
  });
  return [near, far];
}

test('a blocked process reads the received replies before it gives up', async () => {
  const appender = createAppender({ key: 'log', onMissing: () => {} });
  onTestFinished(() => appender.close());
  appender.use(mute);
  const [near, far] = await startPair();
  near.on('data', () => appender.take(1));
  const heard = appender.append(fieldsOf(1), stored, own);
  const unheard = appender.append(fieldsOf(2), stored, own);
  const end = expect(unheard).rejects.toMatchObject({ isUncertain: true });
  await new Promise((resolve) => far.write('come', resolve));
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_250);
  onTestFinished(() => clock.mockRestore());
  block(300);
  await expect(heard).resolves.toBeUndefined();
  await end;
  await expect(unheard).rejects.toBeInstanceOf(LogUnavailableError);
});
