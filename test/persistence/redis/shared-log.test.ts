// @module-tag needs/redis

import { expect, test, vi } from 'vitest';
import { captureSimulator } from '../../../src/persistence/capture-simulator.js';
import { readRedisAddress } from '../../../src/persistence/node/redis/address.js';
import { type Connection, connect } from '../../../src/persistence/node/redis/connection.js';
import { keysOf } from '../../../src/persistence/node/redis/keys.js';
import { createLog } from '../../../src/persistence/node/redis/log-identity.js';
import { digestOf } from '../../support/digest.js';
import { patience } from '../../support/patience.js';
import { startProxy } from './cutting-proxy.js';
import { startRedis } from './redis-server.js';
import { create, get, startReplica, type TestReplica } from './replica.js';

/** Waits until the log is idle and all replicas have the same state. */
async function expectSameState(replicas: readonly TestReplica[]): Promise<void> {
  // Deliveries are logged within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await vi.waitFor(async () => {
    for (const { simulators } of replicas) await simulators.settled();
    const states = replicas.map(({ simulators: { sim } }) => digestOf(captureSimulator(sim, () => 0)));
    expect(new Set(states).size).toBe(1);
  }, patience);
}

test.concurrent('three replicas accept 60 of 300 parallel requests at a limit of 60, and have the same journal', async (context) => {
  const redis = await startRedis(context);
  const replicas: TestReplica[] = [];
  for (let n = 0; n < 3; n++) replicas.push(await startReplica(redis));
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, n) => create(replicas[n % 3] as TestReplica, { name: `pet ${n}` })),
  );
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(60);
  const ids = await Promise.all(made.map(async (answer) => ((await answer.json()) as { id: number }).id));
  expect(new Set(ids).size).toBe(60);
  await expectSameState(replicas);
  const journals = await Promise.all(replicas.map(({ control }) => control.queryJournal({ limit: 1_000 })));
  expect(journals[0]?.entries).toHaveLength(300);
  expect(journals[1]).toEqual(journals[0]);
  // Three clients of one process, each with separate connections.
  const connections = new Set(journals[0]?.entries.map(({ connection }) => Math.floor((connection ?? 0) / 10_000)));
  expect([...connections].sort()).toEqual([0, 1, 2]);
});

test.concurrent('a stored pet is readable from another replica at once, and a change applies to all', async (context) => {
  const redis = await startRedis(context);
  const [one, two] = [await startReplica(redis), await startReplica(redis)];
  for (let n = 0; n < 20; n++) {
    const { id } = (await (await create(one, { key: 'business-key' })).json()) as { id: number };
    expect((await get(two, `/pets/${id}`, 'business-key')).status).toBe(200);
  }
  await one.control.changeClock({ freeze: true });
  expect((await two.control.getClock()).mode).toBe('frozen');
  await two.control.addFault({ when: { operation: 'getPet' }, then: { respond: { status: 500 } } });
  expect((await get(one, '/pets/1')).status).toBe(500);
  await one.control
    .sandbox('box')
    .changeClock({ advance: '61s' })
    .catch(() => {});
  await one.control.reset();
  expect((await two.control.countRequests()).count).toBe(0);
});

test.concurrent('a reply that is lost with its connection counts once', async (context) => {
  const redis = await startRedis(context);
  const proxy = await startProxy(redis);
  const one = await startReplica(redis, { proxy });
  const two = await startReplica(redis);
  proxy.dropReplies(3);
  const statuses: number[] = [];
  for (let n = 0; n < 15; n++) statuses.push((await create(one, { name: `pet ${n}`, key: 'pro-key' })).status);
  proxy.dropReplies(0);
  expect(proxy.cuts).toBeGreaterThan(3);
  // Some are in the stream twice, or this would show nothing.
  const entries = (await redis.call('XRANGE', 'petstore-sim:{test}:log', '-', '+')) as [string, string[]][];
  expect(new Set(entries.map(([, [, writer]]) => writer)).size).toBeLessThan(entries.length);
  expect(new Set(statuses)).toEqual(new Set([201]));
  const pets = await two.control.exportState();
  const names = (pets.pets as { name: string }[]).map(({ name }) => name).filter((name) => name.startsWith('pet '));
  expect(names).toHaveLength(15);
  expect(new Set(names).size).toBe(15);
  await expectSameState([one, two]);
});

test.concurrent('replicas that start concurrently create one log, and a closed replica is removed at once', async (context) => {
  const redis = await startRedis(context);
  const replicas = await Promise.all([1, 2, 3].map(() => startReplica(redis)));
  const entries = (await redis.call('XRANGE', 'petstore-sim:{test}:log', '-', '+')) as [string, string[]][];
  expect(entries.filter(([, [, writer]]) => writer === '1.1 begin')).toHaveLength(1);
  const [one, two, three] = replicas as [TestReplica, TestReplica, TestReplica];
  await vi.waitFor(() => expect(one.replicas).toHaveLength(3), patience);
  await three.close();
  await vi.waitFor(() => expect(one.replicas.toSorted()).toEqual([one.replica, two.replica].sort()), patience);
  expect((await create(two)).status).toBe(201);
});

test.concurrent('a log that another replica creates between any two commands is accepted', async (context) => {
  const redis = await startRedis(context);
  const address = readRedisAddress(`redis://127.0.0.1:${redis.port}/0`);
  const [connection, other] = [await connect(address), await connect(address)];
  context.onTestFinished(() => [connection, other].forEach((each) => void each.end()));
  const keys = keysOf('race');
  const create = (by: Connection) =>
    createLog(by, keys, { scenario: { name: 'default', hash: '' }, version: '1.0.0', command: {}, atMs: 1 });
  let commands = 0;
  for (let at = 1; at <= commands + 1; at++) {
    await redis.call('FLUSHALL');
    commands = 0;
    const before = async <Result>(run: () => Promise<Result>) => {
      if (++commands === at) await create(other);
      return run();
    };
    const interrupted: Connection = Object.create(connection, {
      call: { value: (...command: Parameters<Connection['call']>) => before(() => connection.call(...command)) },
      transaction: {
        value: (...all: Parameters<Connection['transaction']>) => before(() => connection.transaction(...all)),
      },
    });
    await create(interrupted);
    expect(await redis.call('XLEN', keys.log), `before command ${at}`).toBe(1);
  }
  expect(commands).toBeGreaterThan(3);
});

test.concurrent('all replicas skip foreign entries of the stream', async (context) => {
  const redis = await startRedis(context);
  const [one, two] = [await startReplica(redis), await startReplica(redis)];
  const add = (...fields: string[]) => redis.call('XADD', 'petstore-sim:{test}:log', '*', ...fields);
  await add('hello', 'world');
  await add('w', '1.1 nobody', 'e', '{"log":');
  // Entry of a replica of an earlier log.
  const reset = { kind: 'control', operation: 'reset', input: {} };
  await add(
    'w',
    '1.1 old',
    'e',
    JSON.stringify({ log: '00000000', version: '0', atMs: Date.now(), commands: [reset] }),
  );
  expect((await create(one)).status).toBe(201);
  expect((await get(two, '/pets/41')).status).toBe(200);
  const three = await startReplica(redis);
  expect((await three.control.countRequests()).count).toBe(2);
  for (const replica of [one, two, three]) expect([replica.said, replica.ended]).toEqual([[], []]);
});

test.concurrent('a changed scenario is loaded once, and a log of another scenario is rejected', async (context) => {
  const redis = await startRedis(context);
  const one = await startReplica(redis);
  await create(one);
  await one.close();
  const changed = { scenario: { limits: 'off' as const } };
  const [two, three] = await Promise.all([startReplica(redis, changed), startReplica(redis, changed)]);
  expect((await get(two, '/pets/41')).status).toBe(200);
  expect(await three.control.getScenario()).toMatchObject({ scenario: { limits: 'off' } });
  expect([...two.notices, ...three.notices]).toContain(
    'The scenario default has changed since the last start; the new version is loaded, and the pets stay.',
  );
  await expect(startReplica(redis, { scenarioName: 'other' })).rejects.toThrow(
    /^expected redis:\S+ to contain the scenario other, got default; start with default/,
  );
});
