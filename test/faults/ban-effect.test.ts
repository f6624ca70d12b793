import { expect, test } from 'vitest';
import type { Fault } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { frozen } from '../support/frozen.js';

const { minute: perMinute } = documentedPlans.free;

const pets = 'http://petstore.test/v1/pets';

function world(fault: Fault, assumptions = {}) {
  const sim = frozen({ faults: [{ name: 'ban', ...fault }], assumptions });
  const headers = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
  const list = (key = 'free-key') => sim.fetch(pets, { headers: headers(key) });
  const create = () =>
    sim.fetch(pets, { method: 'POST', headers: headers('free-key'), body: '{"name":"Rex","categoryId":1}' });
  return { sim, list, create };
}

test('bans the key of the request and refuses it, without an effect on pets, quota or other keys', async () => {
  const { sim, list, create } = world({ when: { operation: 'createPet', nth: 1 }, then: { ban: '90s' } });
  expect((await list()).status).toBe(200);
  const refused = await create();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('90');
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
  expect(await refused.json()).toEqual({
    code: 'key_banned',
    message: 'The API key is banned; retry in 90 seconds.',
    status: 429,
  });
  expect(sim.pets.size).toBe(40);
  expect(sim.keys.get('free-key')).toMatchObject({ state: 'banned', minute: { remaining: perMinute - 1 } });
  expect(sim.journal.query({ status: 429 })).toMatchObject([{ fault: 'ban', refusal: 'ban', isUnreadable: false }]);
  expect((await list('pro-key')).status).toBe(200);
  sim.clock.advance('89s');
  expect((await list()).headers.get('retry-after')).toBe('1');
  sim.clock.advance('1s');
  expect((await create()).status).toBe(201);
});

test('comes after its delay, but starts with the request', async () => {
  const { sim, list } = world({ when: { nth: 1 }, then: { ban: '90s', delay: '10s' } });
  const first = list();
  expect((await list()).headers.get('retry-after')).toBe('90');
  sim.clock.advance('10s');
  const late = await first;
  expect(late.status).toBe(429);
  expect(late.headers.get('retry-after')).toBe('80');
});

test('has the status of the assumption banStatus', async () => {
  const { list } = world({ then: { ban: '90s' } }, { banStatus: 403 });
  expect((await list()).status).toBe(403);
});

test('does not match a request that is refused anyway', async () => {
  const { sim, list } = world({ then: { ban: '90s' } });
  sim.keys.setUsage('free-key', { minute: perMinute });
  expect(await (await list()).json()).toMatchObject({ code: 'rate_limit_exceeded' });
  expect(sim.faults.list()).toMatchObject([{ applied: 0 }]);
});

test.each([
  ['waits', 90, 'pass'],
  ['goes on', 2, 'fail'],
])('the judge recognizes a client that %s', async (_title, seconds, outcome) => {
  const { sim, list } = world({ when: { nth: 1 }, then: { ban: '90s' } });
  await list();
  sim.clock.advance(seconds * 1_000);
  await list();
  expect(judge(sim)).toMatchObject({ outcome });
});

test.each<[unknown, string]>([
  [{ ban: '0s' }, 'fault rule at then.ban: expected a duration above 0, got 0'],
  [{ ban: true }, 'fault rule at then.ban: expected a duration such as "90s", got true'],
  [{ ban: '90s', reset: true }, 'expected one of respond, reset, close, hang, ban'],
  [{ ban: '90s', phase: 'after' }, 'expected ban without phase, countsQuota or failTimes'],
  [{ ban: '90s', failTimes: 2 }, 'expected ban without phase, countsQuota or failTimes'],
  [{ ban: '90s', countsQuota: true }, 'expected ban without phase, countsQuota or failTimes'],
])('a rule with %j is rejected', (then, message) => {
  expect(() => frozen({}).faults.add({ then } as Fault)).toThrow(message);
});
