import { expect, test } from 'vitest';
import type { Update } from '../../src/control-api/update-stream.js';
import { createControl } from '../../src/entries/control.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { keyId } from '../../src/values/mask-key.js';
import { type Stage, send, stageOfEachTest } from './both-controls.js';

const stage = stageOfEachTest({ limits: 'off' });

/** Updates until one meets a condition. */
async function updatesUntil(updates: AsyncIterable<Update>, isLast: (update: Update) => boolean): Promise<Update[]> {
  const seen: Update[] = [];
  for await (const update of updates) {
    seen.push(update);
    if (isLast(update)) return seen;
  }
  return seen;
}
const idsOf = (updates: Update[]) => updates.flatMap(({ entries }) => entries.map(({ id }) => id));

test.each(['here', 'there'] as const)('updates contain requests without headers and bodies (%s)', async (adapter) => {
  const { sim } = stage;
  for (let n = 0; n < 3; n++) await send(sim, { query: `limit=${n + 1}` });
  setTimeout(async () => {
    for (let n = 0; n < 50; n++) await send(sim, { key: 'pro-key' });
  }, 50);
  const updates = await updatesUntil(stage[adapter].watchUpdates(), ({ total }) => total === 53);
  expect(updates[0]).toMatchObject({
    scenario: 'default',
    clock: { mode: 'frozen' },
    pending: 0,
    changes: [],
  });
  expect(updates[0]?.entries[1]).toMatchObject({
    id: 2,
    key: 'free-key',
    keyId: keyId('free-key'),
    path: '/pets',
    query: 'limit=2',
    status: 200,
  });
  expect(updates[0]?.entries[1]).not.toHaveProperty('headers');
  expect(idsOf(updates)).toEqual(Array.from({ length: 53 }, (_, index) => index + 1));
  // 50 requests within a few milliseconds are one update or two, not fifty.
  expect(updates.length).toBeLessThan(6);
});

test('an update is sent after a change, and otherwise once a second', async () => {
  const times: number[] = [];
  for await (const _ of stage.here.watchUpdates()) {
    times.push(performance.now());
    if (times.length === 2) break;
  }
  expect((times[1] as number) - (times[0] as number)).toBeGreaterThan(500);
});

test('after a lost connection only new requests are sent; in another run all of them', async () => {
  const { sim, here } = stage;
  for (let n = 0; n < 3; n++) await send(sim);
  const [first] = await updatesUntil(here.watchUpdates(), () => true);
  await send(sim);
  const [next] = await updatesUntil(here.watchUpdates({ run: first?.run as string, since: 3 }), () => true);
  expect(next?.run).toBe(first?.run);
  expect(idsOf([next as Update])).toEqual([4]);
  const [other] = await updatesUntil(here.watchUpdates({ run: 'of another server', since: 3 }), () => true);
  expect(idsOf([other as Update])).toEqual([1, 2, 3, 4]);
});

test('a cleared journal starts another run, in an open stream and after a reset', async () => {
  const { sim, here } = stage;
  await send(sim);
  setTimeout(async () => {
    sim.reset();
    await send(sim);
  }, 30);
  const updates = await updatesUntil(here.watchUpdates(), ({ entries }) => entries.some(({ id }) => id === 2));
  expect(new Set(updates.map(({ run }) => run)).size).toBe(2);
  expect(updates.at(-1)).toMatchObject({ total: 1 });
  const [since] = await updatesUntil(here.watchUpdates({ run: updates[0]?.run as string, since: 1 }), () => true);
  expect(idsOf([since as Update])).toEqual([2]);
});

test('a late reader receives the number of dropped requests', async () => {
  const { sim, here } = stage;
  for (let n = 0; n < 10_020; n++) await send(sim, { path: '/none' });
  const updates = await updatesUntil(here.watchUpdates(), ({ behind }) => behind === 0);
  expect(idsOf(updates)).toHaveLength(10_000);
  expect(updates.at(-1)?.total).toBe(10_020);
});

test('requests beyond the limit of one update are sent later, and the oldest are dropped first', async () => {
  const { sim, here } = stage;
  const stream = here.watchUpdates()[Symbol.asyncIterator]();
  await stream.next();
  for (let n = 0; n < 21_000; n++) await send(sim, { path: '/none' });
  const updates: Update[] = [];
  do updates.push((await stream.next()).value as Update);
  while ((updates.at(-1) as Update).behind > 0);
  await stream.return?.(undefined);
  const ids = idsOf(updates);
  expect(ids.at(-1)).toBe(21_000);
  expect(ids.length).toBeLessThanOrEqual(10_000);
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => 21_000 - ids.length + 1 + index));
  expect(updates.at(-1)?.total).toBe(21_000);
});

test('changes contain their sender: the name of a program, or this process', async () => {
  const { server, here, sim } = stage;
  await send(sim);
  const post = (path: string, body: object, headers: object) =>
    fetch(`${server.controlUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  await post('/clock', { advance: '61s' }, { 'user-agent': 'curl/8.14.1' });
  await post('/keys', { key: 'alice-secret-1234', plan: 'pro' }, { 'x-sim-caller': 'page' });
  here.saveSnapshot({ name: 'before' });
  here.reportOutcome({ result: 'failed' });
  here.checkFault({ fault: { then: { reset: true } } });
  expect(() => here.changeClock({ set: 'noon' })).toThrow();
  here.loadScenario({ scenario: 'tiny' });
  const [update] = await updatesUntil(here.watchUpdates(), () => true);
  expect(update?.changes).toEqual([
    {
      number: 1,
      time: '2026-01-01T12:00:00.000Z',
      until: '2026-01-01T12:01:01.000Z',
      lastId: 1,
      request: 'POST /clock',
      input: 'advance 61s',
      by: 'curl/8.14.1',
    },
    expect.objectContaining({ request: 'POST /keys', by: 'page', input: 'key …1234~dq0x, plan pro' }),
    expect.objectContaining({ request: 'POST /scenario', by: 'this process', input: 'scenario tiny' }),
  ]);
  const [later] = await updatesUntil(here.watchUpdates({ run: update?.run as string, changes: 2 }), () => true);
  expect(later?.changes.map(({ number }) => number)).toEqual([3]);
});

test('the last two hundred changes are stored', async () => {
  for (let n = 0; n < 250; n++) stage.here.changeClock({ advance: 1 });
  const [update] = await updatesUntil(stage.here.watchUpdates(), () => true);
  expect(update?.changes).toHaveLength(200);
  expect(update?.changes.at(-1)?.number).toBe(250);
});

test('a stream of updates ends with its server, and its sandbox exists while the stream is open', async () => {
  const { server } = stage;
  server.sandboxes.create('box');
  const there = createControl(`${server.controlUrl}/sandboxes/box`);
  let count = 0;
  const ended = (async () => {
    for await (const _ of there.watchUpdates()) count++;
  })();
  await expect.poll(() => count).toBeGreaterThan(0);
  expect(coreOf(server.sandboxes.find('box')?.sim as object).state.journal.listeners).toBe(1);
  server.sandboxes.remove('box');
  await ended;
});

test('a sandbox that was removed and recreated is another run', async () => {
  const { sandboxes } = stage.server;
  const first = async (since?: { run: string; since: number }) => {
    const control = createControl((sandboxes.list()[0] as { sim: Stage['sim'] }).sim);
    const [update] = await updatesUntil(control.watchUpdates(since), () => true);
    return update as Update;
  };
  const { sim } = sandboxes.create('box');
  for (let n = 0; n < 5; n++) await send(sim, {});
  const { run } = await first();
  expect(idsOf([await first({ run, since: 5 })])).toEqual([]);
  sandboxes.remove('box');
  const again = sandboxes.create('box');
  for (let n = 0; n < 3; n++) await send(again.sim, {});
  const update = await first({ run, since: 5 });
  expect(update.run).not.toBe(run);
  expect(idsOf([update])).toEqual([1, 2, 3]);
});
