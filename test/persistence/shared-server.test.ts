import { expect, onTestFinished, test, vi } from 'vitest';
import { createControl } from '../../src/control.js';
import type { LogHealth } from '../../src/control-api/control-operation.js';
import type { Scenario } from '../../src/index.js';
import { captureMachine } from '../../src/persistence/capture-machine.js';
import { digestOf } from '../support/digest.js';
import { patience } from '../support/patience.js';
import { host, serveLogged } from './memory-log.js';

/** Starts a server behind a shared log. Rejections are not printed. */
async function start({ health = {}, scenario = {} }: { health?: Partial<LogHealth>; scenario?: Scenario } = {}) {
  const told = vi.spyOn(host, 'onError').mockImplementation(() => {});
  const server = await serveLogged(scenario, { isShared: true, health });
  onTestFinished(async () => {
    await server.close();
    told.mockRestore();
  });
  return { ...server, control: createControl(server.controlUrl) };
}

const never = new Promise(() => {});
const refusal = { status: 503, code: 'service_unavailable', retryAfterSeconds: 1 };

test('a change waits for the store once, and does not read the entries of others first', async () => {
  const { log, control } = await start();
  log.catchUpDelay = never;
  await control.banKey({ key: 'free-key', for: '1m' });
  await control.createSandbox({ name: 'own' });
  await control.sandbox('own').reset();
  log.refuses = true;
  await expect(control.sandbox('own').reset()).rejects.toMatchObject(refusal);
});

test('a change finds a sandbox that another replica has just created', async () => {
  const { log, control, machine } = await start();
  log.unread.push({ atMs: machine.time.lastMs, commands: [{ kind: 'touch', sandbox: 'theirs', make: true }] });
  await control.sandbox('theirs').banKey({ key: 'free-key', for: '1m' });
  await expect(control.sandbox('nobody').reset()).rejects.toMatchObject({ status: 404 });
});

test('other responses of another replica to a known entry are reported', async () => {
  const { log, control, machine } = await start();
  const { position } = log;
  const answered = [position, position + 99].map((earlier) => [earlier, 'another'] as const);
  log.unread.push({ atMs: machine.time.lastMs, commands: [{ kind: 'beat' }], answered });
  // A request to an unknown sandbox reads the entries of others first.
  await expect(control.sandbox('nobody').reset()).rejects.toMatchObject({ status: 404 });
  expect(log.disagreements).toEqual([[position, 'other']]);
});

test('a sandbox is not reported as missing while the store is unreachable', async () => {
  const { control } = await start({ health: { stale: true } });
  await expect(control.sandbox('theirs').reset()).rejects.toMatchObject(refusal);
  await expect(control.sandbox('theirs').getVerdict()).rejects.toMatchObject(refusal);
});

const scenario: Scenario = { clock: { mode: 'frozen' }, keys: { 'free-key': { usage: { minute: 60 } } } };

/** Checks that a client that waits correctly after a rejection passes. */
async function passes({ control }: Awaited<ReturnType<typeof start>>, url: string) {
  const list = () => fetch(`${url}/pets`, { headers: { authorization: 'Bearer free-key' } });
  await list();
  await control.changeClock({ advance: '61s' });
  await list();
  return async () => (await list()).status;
}

const told = (refused: string) => ({
  outcome: 'inconclusive',
  reason: expect.stringMatching(
    new RegExp(`^The store was unavailable between .*: ${refused} got a 503 without a journal entry`),
  ),
});

test('a verdict includes rejections that are not logged yet, and changes nothing', async () => {
  const server = await start({ scenario });
  const { log, control, machine } = server;
  const list = await passes(server, server.baseUrl);
  expect(await control.getVerdict()).toMatchObject({ outcome: 'pass' });
  const before = digestOf(captureMachine(machine));
  log.refuses = true;
  expect([await list(), await list()]).toEqual([503, 503]);
  expect(await control.getVerdict()).toMatchObject(told('2 requests'));
  expect(await control.getVerdict({ key: 'free-key' })).toMatchObject(told('2 requests'));
  expect((await control.exportRun()).answers['/verdict']).toMatchObject(told('2 requests'));
  expect(digestOf(captureMachine(machine))).toBe(before);

  // Appends fail until the log can contain the outage.
  log.refuses = 'storeAway';
  expect([await list(), await list()]).toEqual([200, 200]);
  expect(await control.getVerdict()).toMatchObject(told('2 requests'));
  expect(machine.sim.journal.outages).toEqual([]);
  log.refuses = false;
  await list();
  await vi.waitUntil(() => machine.sim.journal.outages.length > 0, patience);
  expect(await control.getVerdict()).toMatchObject(told('2 requests'));
  expect(machine.sim.journal.outages).toMatchObject([{ refused: 2 }]);
});

test('only the verdict on a sandbox includes the rejections in that sandbox', async () => {
  const server = await start({ scenario });
  const { log, control } = server;
  const { baseUrl } = await control.createSandbox({ name: 'own' });
  const mine = control.sandbox('own');
  const list = await passes({ ...server, control: mine as never }, baseUrl);
  expect(await mine.getVerdict()).toMatchObject({ outcome: 'pass' });
  log.refuses = true;
  expect(await list()).toBe(503);
  expect(await mine.getVerdict()).toMatchObject(told('1 request'));
  expect((await mine.exportRun()).answers['/verdict']).toMatchObject(told('1 request'));
  expect((await control.getVerdict()).reason).toBe('No requests received.');
});

test('no verdict is a pass while the store is unreachable and rejected any request', async () => {
  const health: Partial<LogHealth> = {};
  const server = await start({ health, scenario });
  const { control } = server;
  await passes(server, server.baseUrl);
  expect(await control.getVerdict()).toMatchObject({ outcome: 'pass' });
  // A connection that broke, and is made again.
  Object.assign(health, { stale: true, lagMs: 45 });
  expect(await control.getVerdict()).toMatchObject({ outcome: 'pass' });
  health.lagMs = 2_000;
  expect(await control.getVerdict()).toMatchObject({
    outcome: 'inconclusive',
    reason: expect.stringMatching(/^The store was unavailable between \S+ and \S+, so the run is incomplete\.$/),
  });
  health.stale = false;
  expect(await control.getVerdict()).toMatchObject({ outcome: 'pass' });
});

test('an update reports a rejection, so that the dashboard reads the verdict again', async () => {
  const { log, control, baseUrl } = await start();
  const updates = control.watchUpdates()[Symbol.asyncIterator]();
  onTestFinished(async () => void (await updates.return?.(undefined)));
  expect((await updates.next()).value).not.toHaveProperty('unwritten');
  log.refuses = true;
  expect((await fetch(`${baseUrl}/pets`)).status).toBe(503);
  for (;;) {
    const { value } = await updates.next();
    if (value.unwritten === 1) return;
  }
});

test('late commands count as rejected', async () => {
  const server = await start({ scenario });
  const { log, control, machine } = server;
  const list = await passes(server, server.baseUrl);
  log.isLate = true;
  expect(await list()).toBe(503);
  await vi.waitUntil(() => machine.sim.journal.outages.length > 0, patience);
  expect(await control.getVerdict()).toMatchObject(told('1 request'));
});

test('a request whose sandbox could not be created counts as rejected', async () => {
  const { log, control, machine, baseUrl } = await start();
  const url = baseUrl.replace('/v1', '/s/new/v1');
  const list = async () => (await fetch(`${url}/pets`, { headers: { authorization: 'Bearer free-key' } })).status;
  log.refuses = true;
  expect(await list()).toBe(503);
  log.refuses = false;
  // The log is writable before the sandbox exists that an outage would mention.
  await control.changeClock({ advance: '1s' });
  await control.changeClock({ advance: '1s' });
  const backMs = Date.now();
  await vi.waitUntil(() => Date.now() > backMs, patience);
  expect(await list()).toBe(200);
  expect(await control.sandbox('new').getVerdict()).toMatchObject(told('1 request'));
  await control.changeClock({ advance: '1s' });
  await vi.waitUntil(() => machine.simOf('new')?.journal.outages.length === 1, patience);
  expect(machine.simOf('new')?.journal.outages[0]?.toMs).toBeLessThanOrEqual(backMs);
  expect(await control.sandbox('new').getVerdict()).toMatchObject(told('1 request'));
});
