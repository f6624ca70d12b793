import { expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { noon } from '../support/frozen.js';

const { minute: perMinute } = documentedPlans.free;

interface Call {
  key?: string;
  method?: string;
  path?: string;
  body?: string;
  type?: string;
  /** Before the call. */
  advance?: string;
}

/** Why the last of some calls got its answer. */
async function whyLast(scenario: Scenario, ...calls: Call[]) {
  const sim = createSimulator({ scenario: { clock: { start: noon, mode: 'frozen' }, ...scenario } });
  for (const { key = 'free-key', method, path = '/pets', body, type = 'application/json', advance } of calls) {
    if (advance !== undefined) sim.clock.advance(advance);
    await sim
      .fetch(`http://petstore.test/v1${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { authorization: `Bearer ${key}`, 'content-type': type },
        ...(body !== undefined && { body }),
      })
      .catch(() => {});
  }
  const { entries } = createControl(sim).queryJournal();
  const last = createControl(sim).getRequest({ id: entries.at(-1)?.id as number });
  const steps = last.why?.map(({ assumption, step, result, text }) => [step, result, text, assumption].filter(Boolean));
  return { steps, inShort: last.inShort, last };
}

const usedUp: Scenario = { keys: { 'free-key': { plan: 'free', usage: { minute: 'all' } } } };
const served = [
  ['key', 'passed', 'key found: free-key, plan free'],
  ['ban', 'passed', 'not banned'],
  ['limit', 'passed', `minute: 1 of ${perMinute} used with this request`],
];

test('a success lists every step, and the used requests', async () => {
  expect(await whyLast({}, {})).toMatchObject({
    steps: [...served, ['operation', 'passed', 'listPets responded with 200']],
  });
  const stored = await whyLast({}, { body: '{"name":"Rex","categoryId":1}' });
  expect(stored.steps?.at(-1)).toEqual(['operation', 'passed', 'createPet responded with 201, stored pet 41']);
  expect(stored.inShort).toBe('stored pet 41');
});

test('an invalid key ends the steps', async () => {
  expect(await whyLast({}, { key: 'nobody' })).toMatchObject({
    steps: [
      ['key', 'stopped', '401: The API key is unknown.', 'unauthorizedHeaders'],
      ['operation', 'not reached', 'listPets not reached'],
    ],
    inShort: 'unknown key',
  });
});

test('a rejection over the limit, first and repeated too early, lists the promise and the waited part', async () => {
  expect(await whyLast(usedUp, {})).toMatchObject({
    steps: [
      ...served.slice(0, 2),
      ['limit', 'stopped', `minute: ${perMinute} of ${perMinute} used until 12:01:00`, 'windowStart'],
      ['promise', 'noted', 'a first refusal is not a strike', 'banGraceMs'],
      ['promise', 'noted', 'the response asks to wait 1:00 (Retry-After), until 12:01:00'],
      ['operation', 'not reached', 'listPets not reached'],
    ],
    inShort: 'minute used up, wait 1:00',
  });
  const strike = await whyLast(usedUp, {}, { advance: '9s' });
  expect(strike.steps?.slice(3, 5)).toEqual([
    ['promise', 'noted', 'request 1 was told to wait 60 s; this request followed after 9 s, too early'],
    ['promise', 'noted', 'strike 1 of 3', 'banGraceMs'],
  ]);
  expect(strike.inShort).toBe('strike 1: retried after 9 s instead of 60 s');
  expect(strike.last.after).toEqual({ id: 1, waitMs: 60_000, waitedMs: 9_000 });
  const grace = await whyLast(usedUp, {}, { advance: '500ms' });
  expect(grace.steps?.slice(3, 5)).toEqual([
    ['promise', 'noted', 'request 1 was told to wait 60 s; this request followed after 0.5 s, too early'],
    [
      'promise',
      'noted',
      'too early, but no strike: within the grace period of 1 s after the first refusal',
      'banGraceMs',
    ],
  ]);
  const shared = await whyLast({ ...usedUp, background: { 'free-key': 100 } }, {}, { advance: '60s' });
  expect(shared.steps?.slice(3, 5)).toEqual([
    ['promise', 'passed', 'request 1 was told to wait 60 s; this request followed after 60 s'],
    ['promise', 'noted', 'not a strike: it waited as long as told', 'banToleranceMs'],
  ]);
  const patient = await whyLast(usedUp, {}, { advance: '61s' });
  expect(patient.steps?.slice(2, 4)).toEqual([
    ['limit', 'passed', `minute: 1 of ${perMinute} used with this request`],
    ['promise', 'passed', 'request 1 was told to wait 60 s; this request followed after 61 s'],
  ]);
  expect(patient.inShort).toBe('served again after 61 s');
});

test('a ban lists the strike that caused it, and a request during the ban', async () => {
  const strikes = [{}, { advance: '2s' }, { advance: '2s' }, { advance: '2s' }];
  const third = await whyLast(usedUp, ...strikes);
  expect(third.steps?.slice(1, 6)).toEqual([
    ['ban', 'passed', 'not banned yet'],
    ['limit', 'stopped', `minute: ${perMinute} of ${perMinute} used`, 'windowStart'],
    ['promise', 'noted', 'request 3 was told to wait 56 s; this request followed after 2 s, too early'],
    ['promise', 'noted', 'strike 3 of 3', 'banGraceMs'],
    ['promise', 'stopped', 'so the key is banned until 12:02:06', 'banAfter'],
  ]);
  expect(third.inShort).toBe('strike 3: banned for 2:00');
  const within = await whyLast(usedUp, ...strikes, { advance: '12s' });
  expect(within.steps?.[1]).toEqual(['ban', 'stopped', 'in a ban: rejected until 12:02:06, 1:48 left', 'banSeconds']);
  expect(within.inShort).toBe('banned, 1:48 left');
});

test("the listed wait is the response's, even if wrong", async () => {
  const { last } = await whyLast({ ...usedUp, hostileHeaders: { retryAfter: 'zero' } }, {});
  expect(last.toldUntil).toBe('2026-01-01T12:00:00.000Z');
  expect(last.promisedAt).toBe('2026-01-01T12:01:00.000Z');
});

test('a fault rule is listed, with the lost response', async () => {
  const faults: Scenario['faults'] = [
    { name: 'lost', when: { operation: 'createPet' }, then: { reset: true, phase: 'after' } },
  ];
  const { steps, inShort } = await whyLast({ faults }, { body: '{"name":"Rex","categoryId":1}' });
  expect(steps?.slice(3)).toEqual([
    ['fault', 'noted', 'fault rule lost applied: the client could not read the response'],
    ['operation', 'passed', 'createPet responded with 201, stored pet 41'],
  ]);
  expect(inShort).toBe('stored pet 41; response lost (lost)');
});

test('an operation without limits lists that', async () => {
  const { steps } = await whyLast({ limits: 'off' }, {});
  expect(steps?.[2]).toEqual(['limit', 'passed', 'no limit applies to this operation', 'limitsApply']);
});

/** Every answer that depends on an assumption. */
test.each<[assumption: string, scenario: Scenario, call: Call]>([
  ['limitOutOfRange', {}, { path: '/pets?limit=0' }],
  ['unknownStatusFilter', {}, { path: '/pets?status=lost' }],
  ['unknownQuery', { assumptions: { unknownQuery: 'reject' } }, { path: '/pets?colour=red' }],
  ['emptyName', { assumptions: { emptyName: 'reject' } }, { body: '{"name":"","categoryId":1}' }],
  ['unknownCategory', { assumptions: { unknownCategory: 'reject' } }, { body: '{"name":"Rex","categoryId":77}' }],
  ['unknownFields', { assumptions: { unknownFields: 'reject' } }, { body: '{"name":"Rex","categoryId":1,"age":3}' }],
  ['contentType', {}, { body: '{"name":"Rex","categoryId":1}', type: 'text/plain' }],
  ['contentType', { assumptions: { contentType: 'unsupported' } }, { body: '{}', type: 'text/plain' }],
  ['bodyTooLarge', {}, { body: `{"name":"${'x'.repeat(70_000)}","categoryId":1}` }],
  ['malformedPetId', {}, { path: '/pets/abc' }],
  ['malformedPetId', { assumptions: { malformedPetId: 'reject' } }, { path: '/pets/abc' }],
  ['malformedPetId', {}, { path: '/pets/99999999999999999999' }],
  ['paging', { assumptions: { paging: 'offset' } }, { path: '/pets?offset=x' }],
  ['paging', { assumptions: { paging: 'cursor' } }, { path: '/pets?cursor=x' }],
  ['unknownRoute', {}, { path: '/orders' }],
  ['unknownMethod', { assumptions: { unknownMethod: 'not-found' } }, { method: 'DELETE' }],
  ['unknownRoute', { faults: [{ then: { delay: '1ms' } }] }, { path: '/orders' }],
  ['unknownMethod', {}, { method: 'DELETE' }],
  ['afterRemoval', { clock: { start: '2031-01-01T00:00:00Z', mode: 'frozen' } }, { path: '/pets/1' }],
])('names the assumption %s', async (assumption, scenario, call) => {
  const { steps } = await whyLast(scenario, call);
  expect(steps?.at(-1)).toEqual([expect.stringMatching(/route|operation/), 'stopped', expect.any(String), assumption]);
});

test.each<[what: string, call: Call]>([
  ['a pet that is not there', { path: '/pets/999' }],
  ['a name that is missing', { body: '{"categoryId":1}' }],
])('names no assumption where the document decides: %s', async (_, call) => {
  const { steps } = await whyLast({}, call);
  expect(steps?.at(-1)).toEqual(['operation', 'stopped', expect.any(String)]);
});

test('exports contain the steps on request', async () => {
  const sim = createSimulator({ scenario: usedUp });
  await sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
  const control = createControl(sim);
  expect(JSON.parse(control.exportJournal())).not.toHaveProperty('why');
  expect(JSON.parse(control.exportJournal({ why: true })).why).toHaveLength(6);
  expect(control.exportHar({ why: true }).log.entries[0]?._petstoreSim).toHaveProperty('why');
});

test('a wait is the number of Retry-After, before the true end of the window and the ban', async () => {
  const told = async (scenario: Scenario, ...calls: Call[]) => {
    const { steps, inShort } = await whyLast(scenario, ...calls);
    return [inShort, steps?.find(([, , text]) => text?.includes('asks to wait'))?.[2]];
  };
  const ten: Scenario = {
    windows: { minute: '10s' },
    keys: { 'free-key': { plan: 'free', usage: { minute: perMinute - 1 } } },
  };
  expect(await told(ten, {}, { advance: '500ms' })).toEqual([
    'minute used up, wait 10 s',
    'the response asks to wait 10 s (Retry-After), until 12:00:10; the minute ends in 9.5 s',
  ]);
  const banned: Scenario = { keys: { 'free-key': { plan: 'free', usage: { day: 1_000 }, bannedFor: '2m' } } };
  expect(await told(banned, {}, { advance: '500ms' })).toEqual([
    'banned, 2:00 left (day used up, wait 24:00:00)',
    'the response asks to wait 24:00:00 (Retry-After), until Fri 2 Jan 12:00:00; the ban ends in 2:00, the day ends in 24:00:00',
  ]);
});
