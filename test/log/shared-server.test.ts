import { expect, onTestFinished, test, vi } from 'vitest';
import { createControl } from '../../src/control.js';
import { host, serveLogged } from './memory-log.js';

/** A server behind a log that others write to as well; what is refused is not told on the console. */
async function start(health = {}) {
  const told = vi.spyOn(host, 'onError').mockImplementation(() => {});
  const server = await serveLogged({}, { isShared: true, health });
  onTestFinished(async () => {
    await server.close();
    told.mockRestore();
  });
  return { ...server, control: createControl(server.controlUrl) };
}

const never = new Promise(() => {});
const refusal = { status: 503, code: 'service_unavailable', retryAfterSeconds: 1 };

test('a change waits for the store once, and does not read first what others have done', async () => {
  const { log, control } = await start();
  log.catchUpDelay = never;
  await control.banKey({ key: 'free-key', for: '1m' });
  await control.createSandbox({ name: 'own' });
  await control.sandbox('own').reset();
  log.refuses = true;
  await expect(control.sandbox('own').reset()).rejects.toMatchObject(refusal);
});

test('a change finds the sandbox that another replica has just made', async () => {
  const { log, control, machine } = await start();
  log.unread.push({ atMs: machine.time.lastMs, commands: [{ kind: 'touch', sandbox: 'theirs', make: true }] });
  await control.sandbox('theirs').banKey({ key: 'free-key', for: '1m' });
  await expect(control.sandbox('nobody').reset()).rejects.toMatchObject({ status: 404 });
});

test('nobody says that a sandbox is not there while the store is away', async () => {
  const { control } = await start({ stale: true });
  await expect(control.sandbox('theirs').reset()).rejects.toMatchObject(refusal);
  await expect(control.sandbox('theirs').getVerdict()).rejects.toMatchObject(refusal);
});
