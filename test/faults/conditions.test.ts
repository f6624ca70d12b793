import { describe, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { type Answer, createSimulator, type Scenario, type Simulator, serveRoute } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { frozen } from '../support/frozen.js';
import { apiCall, code, rate, send, sendTimes } from '../support/plain-call.js';

const { minute: perMinute } = documentedPlans.free;

type Fault = NonNullable<Scenario['faults']>[number];
type When = NonNullable<Fault['when']>;

const down = { respond: { status: 503 } };
const keys = { 'other-key': { plan: 'pro' } };

/** A simulator with one rule that responds with 503 if `when` matches. */
const downWhen = (when: When, then: Fault['then'] = down, more: Scenario = {}) =>
  frozen({ limits: 'off', keys, ...more, faults: [{ name: 'down', when, then }] });

/** Numbers of the responses that the fault gave, counted from 1. */
const hits = (answers: Answer[]) => answers.flatMap(({ fault }, index) => (fault === undefined ? [] : [index + 1]));

const list = {};
const create = { body: { name: 'Rex', categoryId: 1 } };
const getOne = { path: '/pets/1' };
const counts = (sim: Simulator) => sim.faults.list().map(({ seen, applied }) => [seen, applied]);

describe('a rule applies to', () => {
  const calls = {
    list,
    create,
    getOne,
    sold: { query: 'status=sold' },
    soldAndMore: { query: 'limit=3&status=sold' },
    pending: { query: 'status=pending' },
    createWithStatus: { ...create, query: 'status=sold' },
    getTwo: { path: '/pets/2' },
    getTwoOtherwise: { path: '/pets/02' },
    byPro: { key: 'pro-key' },
    byOther: { key: 'other-key' },
  };
  const all = Object.keys(calls) as (keyof typeof calls)[];
  const creates = ['create', 'createWithStatus'] as const;
  test.each<[string, When, readonly (keyof typeof calls)[]]>([
    ['every request', {}, all],
    ['one operation', { operation: 'createPet' }, creates],
    ['several', { operation: ['createPet', 'getPet'] }, [...creates, 'getOne', 'getTwo', 'getTwoOtherwise']],
    ['a method', { method: 'POST' }, creates],
    ['a key', { key: 'pro-key' }, ['byPro']],
    ['several keys', { key: ['pro-key', 'other-key'] }, ['byPro', 'byOther']],
    ['a plan', { plan: 'pro' }, ['byPro', 'byOther']],
    ['a status filter of a list', { status: 'sold' }, ['sold', 'soldAndMore']],
    ['one pet', { petId: 2 }, ['getTwo']],
    ['one pet by text', { petId: '2' }, ['getTwo']],
    ['all conditions together', { operation: 'listPets', plan: 'pro', key: 'other-key' }, ['byOther']],
  ])('%s', (_, when, expected) => {
    const sim = downWhen(when);
    const hit = Object.entries(calls).filter(([, call]) => send(sim, call).fault === 'down');
    expect(hit.map(([name]) => name).sort()).toEqual([...expected].sort());
    expect(counts(sim)).toEqual([[expected.length, expected.length]]);
  });

  test.each([
    ['GET /v1/pets', ['listPets']],
    ['GET /pets', ['listPets']],
    ['get /v1/pets', ['listPets']],
    [' post  /pets ', ['createPet']],
    ['/v1/pets', ['listPets', 'createPet']],
    ['/pets', ['listPets', 'createPet']],
    ['GET /v1/pets/{petId}', ['getPet']],
    ['/pets/{id}', ['getPet']],
    ['/v1/pets/{}', ['getPet']],
    ['GET /pets/:id', ['getPet']],
  ])('the operation that a text means: %s', (operation, names) => {
    const paths = { listPets: list, createPet: create, getPet: getOne };
    const applied = (sim: Simulator) =>
      Object.entries(paths).flatMap(([name, call]) => (send(sim, call).status === 503 ? [name] : []));
    const sim = frozen();
    expect(applied(downWhen({ operation }))).toEqual(names);
    sim.faults.add({ name: 'added', when: { operation: [operation, names[0] as string] }, then: down });
    expect(applied(sim)).toEqual(names);
    sim.faults.replace('added', { when: { operation }, then: down });
    expect(applied(sim)).toEqual(names);
    expect(frozen({ limits: { appliesTo: [operation] } }).settings.limitsApply).toEqual(names);
    const { journal } = sim;
    const listed = [...names, ...names].sort();
    expect(
      journal
        .query({ operation })
        .map((record) => record.operation)
        .sort(),
    ).toEqual(listed);
    expect(createControl(sim).countRequests({ operation })).toMatchObject({ count: listed.length });
    const client = () => frozen({ client: { operation } }).scenario.client?.operation;
    if (names.length === 1) expect(client()).toBe(names[0]);
    else expect(client).toThrow('client.operation: expected one operation: "listPets" or "createPet"');
  });

  test.each([
    ['GET /pets/7', 'expected "getPet", without a value of the path or the query, got "GET /pets/7"'],
    ['/v1/pets/7', 'expected "getPet", without'],
    ['GET /v1/pets?status=sold', 'expected "listPets", without'],
    ['/orders', 'expected "listPets", "createPet", "getPet", or the method and path of your own route'],
  ])('no operation that a text only resembles: %s', async (operation, message) => {
    const path = 'when.operation: ';
    expect(() => downWhen({ operation })).toThrow(`faults[0].${path}${message}`);
    expect(() => downWhen({ operation: ['getPet', operation] })).toThrow(`faults[0].when.operation[1]: ${message}`);
    expect(() => frozen().faults.add({ when: { operation }, then: down })).toThrow(path + message);
    expect(() => frozen({ limits: { appliesTo: [operation] } })).toThrow(`limits.appliesTo[0]: ${message}`);
    expect(() => frozen({ client: { operation } })).toThrow(`client.operation: ${message}`);
    const sim = frozen();
    expect(() => sim.journal.query({ operation })).toThrow(`operation: ${message}`);
    const { queryJournal, countRequests, waitForRequests, exportHar } = createControl(sim);
    for (const read of [queryJournal, countRequests, exportHar])
      expect(() => read({ operation })).toThrow(
        expect.objectContaining({ status: 400, message: expect.stringContaining(`operation: ${message}`) }),
      );
    await expect(waitForRequests({ operation, timeout: '1ms' })).rejects.toMatchObject({ status: 400 });
  });

  test('a request to an own route, in a journal query, by what its rule may name', async () => {
    const sim = createSimulator({ operations: ['placeOrder'] });
    const headers = { authorization: 'Bearer free-key' };
    const call = (path: string, operation?: string) =>
      serveRoute(sim, new Request(`http://petstore.test/v1${path}`, { headers }), () => new Response(), { operation });
    await call('/pets');
    await call('/orders');
    await call('/orders', 'placeOrder');
    await call('/carts', 'listCarts');
    const found = (operation: string) => sim.journal.query({ operation }).map(({ id }) => id);
    expect(['listPets', '/pets', 'GET /v1/pets', 'get  /v1/orders'].map(found)).toEqual([[1], [1], [1], [2]]);
    expect([found('placeOrder'), found('listCarts')]).toEqual([[3], [4]]);
    expect(() => found('listCart')).toThrow('journal query at operation: expected "listPets"');
  });

  test('a pet beyond 2^53, exactly', () => {
    const ids = [9007199254740992n, 9007199254740993n, 9007199254740994n];
    for (const petId of [9007199254740993n, '9007199254740993']) {
      const sim = downWhen({ petId }, down, { pets: ids.map((id) => ({ id, name: 'A', categoryId: 1 })) });
      expect(hits(ids.map((id) => send(sim, { path: `/pets/${id}` })))).toEqual([2]);
    }
  });
});

describe('of the matching requests a rule affects', () => {
  test.each<[string, When, number[]]>([
    ['the first', { nth: 1 }, [1]],
    ['the third', { nth: 3 }, [3]],
    ['every second', { every: 2 }, [2, 4, 6, 8, 10]],
    ['every one', { every: 1 }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['the first three', { first: 3 }, [1, 2, 3]],
    ['at most two', { times: 2 }, [1, 2]],
    ['every third, twice', { every: 3, times: 2 }, [3, 6]],
    ['every second of the first five', { every: 2, first: 5 }, [2, 4]],
    ['none, by chance 0', { probability: 0 }, []],
    ['all, by chance 1', { probability: 1 }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ])('%s', (_, when, expected) => {
    const sim = downWhen({ operation: 'listPets', ...when });
    // Requests that do not match are not counted.
    const answers = Array.from({ length: 10 }, () => {
      send(sim, getOne);
      return send(sim);
    });
    expect(hits(answers)).toEqual(expected);
    expect(counts(sim)).toEqual([[10, expected.length]]);
  });

  describe('by probability', () => {
    const draw = (seed: number, name = 'down') => {
      const sim = frozen({ seed, limits: 'off', faults: [{ name, when: { probability: 0.1 }, then: down }] });
      return hits(sendTimes(sim, 5_000));
    };

    test('10 % of 5,000 within 2 %, for any seed', () => {
      for (const seed of [0, 1, 2, 7, 2 ** 31, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER]) {
        const share = draw(seed).length / 5_000;
        expect(share).toBeGreaterThan(0.08);
        expect(share).toBeLessThan(0.12);
      }
    });

    test('the same requests for the same seed and after a reset, others for another seed or rule name', () => {
      expect(draw(7)).toEqual(draw(7));
      expect(draw(8)).not.toEqual(draw(7));
      expect(draw(7, 'up')).not.toEqual(draw(7));
      const sim = downWhen({ probability: 0.1 });
      const first = hits(sendTimes(sim, 500));
      sim.reset();
      expect(hits(sendTimes(sim, 500))).toEqual(first);
    });

    test('the same requests regardless of other rules', () => {
      const sim = frozen({
        limits: 'off',
        faults: [
          { name: 'other', when: { operation: 'createPet' }, then: down },
          { name: 'down', when: { probability: 0.1 }, then: down },
        ],
      });
      const alone = hits(sendTimes(downWhen({ probability: 0.1 }), 1_000));
      const first = sendTimes(sim, 500);
      sim.faults.remove('other');
      expect(hits([...first, ...sendTimes(sim, 500)])).toEqual(alone);
    });

    test('requests without a pattern: hits are spread randomly', () => {
      const all = draw(3);
      const gaps = all.slice(1).map((at, index) => at - (all[index] as number));
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      expect(gaps.filter((gap) => gap === 1).length / gaps.length).toBeGreaterThan(0.06);
      expect(Math.max(...gaps)).toBeGreaterThan(3 * mean);
    });
  });
});

describe('by time a rule applies to', () => {
  const at = (sim: Simulator, ms: number) => {
    sim.clock.set(Date.parse('2026-01-01T12:00:00Z') + ms);
    return send(sim).fault === 'down';
  };

  test.each<[When, hit: number[], missed: number[]]>([
    [{ after: '30s' }, [30_000, 30_001, 9e9], [0, 29_999]],
    [{ for: '20s' }, [0, 19_999], [20_000, 20_001]],
    [{ after: '30s', for: '20s' }, [30_000, 30_001, 49_999], [29_999, 50_000, 50_001]],
    [{ after: 0 }, [0, 1], []],
    [{ for: 0 }, [], [0]],
  ])('%j at the milliseconds %j, and not at %j', (when, hit, missed) => {
    const sim = downWhen(when);
    const instants = [...hit, ...missed].sort((a, b) => a - b);
    const applied = () => instants.filter((ms) => at(sim, ms));
    expect(applied()).toEqual(hit);
    sim.reset();
    expect(applied()).toEqual(hit);
  });

  test('also when the clock is set back before the start, unless it has an after', () => {
    expect(at(downWhen({}), -3_600_000)).toBe(true);
    expect(at(downWhen({ for: '20s' }), -1)).toBe(true);
    expect(at(downWhen({ after: 0 }), -1)).toBe(false);
  });

  test('the time since its scenario was loaded', () => {
    const sim = frozen();
    sim.clock.advance('1h');
    sim.load({
      clock: { start: '2026-01-01T12:00:00Z', mode: 'frozen' },
      faults: [{ when: { for: '1s' }, then: down }],
    });
    expect(send(sim).status).toBe(503);
    sim.clock.advance('1s');
    expect(send(sim).status).toBe(200);
  });

  test('no request outside its time, which is not counted', () => {
    const sim = downWhen({ after: '10s', nth: 2 });
    sendTimes(sim, 5);
    sim.clock.advance('10s');
    expect(hits(sendTimes(sim, 3))).toEqual([2]);
  });
});

describe('failTimes', () => {
  test('fails each call the given number of times, then recovers', () => {
    const sim = downWhen({ operation: 'createPet' }, { ...down, failTimes: 2 });
    const post = (name: string, key = 'pro-key') => send(sim, { key, body: { name, categoryId: 1 } }).status;
    expect([post('A'), post('A'), post('A'), post('A')]).toEqual([503, 503, 201, 201]);
    expect([post('B'), post('A'), post('B'), post('B')]).toEqual([503, 201, 503, 201]);
    expect([post('A', 'other-key'), post('A', 'other-key'), post('A', 'other-key')]).toEqual([503, 503, 201]);
    expect(sim.pets.size).toBe(40 + 5);
  });

  test('distinguishes calls by method, path, query and body', () => {
    const sim = downWhen({}, { ...down, failTimes: 1 });
    const calls = [list, { query: 'limit=1' }, { query: 'limit=2' }, getOne, { path: '/pets/2' }, create];
    for (const call of calls) expect(send(sim, call).status).toBe(503);
    for (const call of calls) expect(send(sim, call).status).toBeLessThan(300);
  });

  test('combines with the other conditions', () => {
    const sim = downWhen({ every: 2 }, { ...down, failTimes: 2 });
    expect(hits(sendTimes(sim, 10))).toEqual([2, 4]);
  });

  test('leaves a recovered call to later rules', () => {
    const sim = frozen({
      faults: [
        { name: 'one', when: {}, then: { ...down, failTimes: 1 } },
        { name: 'two', when: {}, then: { respond: { status: 500 }, failTimes: 1 } },
      ],
    });
    expect(sendTimes(sim, 3).map(({ fault }) => fault)).toEqual(['one', 'two', undefined]);
  });

  test('remembers the latest 10,000 calls', () => {
    const sim = downWhen({}, { ...down, failTimes: 1 });
    for (let number = 0; number <= 10_000; number++) send(sim, { query: `x=${number}` });
    expect(send(sim, { query: 'x=10000' }).status).toBe(200);
    expect(send(sim, { query: 'x=0' }).status).toBe(503);
  });
});

describe('of several rules', () => {
  const two = (first: When, second: When) =>
    frozen({
      limits: 'off',
      faults: [
        { name: 'first', when: first, then: down },
        { name: 'second', when: second, then: { respond: { status: 500 } } },
      ],
    });

  test('the first that applies responds, and later ones do not count the request', () => {
    const sim = two({ nth: 2 }, {});
    expect(sendTimes(sim, 3).map(({ fault, status }) => [fault, status])).toEqual([
      ['second', 500],
      ['first', 503],
      ['second', 500],
    ]);
    expect(counts(sim)).toEqual([
      [3, 1],
      [2, 2],
    ]);
  });

  test('a later one counts the requests that the first let pass', () => {
    const sim = two({ every: 2 }, { nth: 2 });
    expect(sendTimes(sim, 5).map(({ fault }) => fault)).toEqual([undefined, 'first', 'second', 'first', undefined]);
  });

  test('a delay alone is a rule like any other', () => {
    const sim = frozen({
      faults: [
        { when: {}, then: { delay: 0 } },
        { when: {}, then: down },
      ],
    });
    expect(send(sim)).toMatchObject({ status: 200, fault: 'fault-1' });
  });
});

describe('quota', () => {
  test("is used by a fault's response, but not with countsQuota: false", () => {
    expect(rate(send(downWhen({}, down, { limits: {} }))).remaining).toBe(perMinute - 1);
    const sim = downWhen({}, { ...down, countsQuota: false }, { limits: {} });
    expect(sendTimes(sim, 100).map((answer) => rate(answer).remaining)).toEqual(Array(100).fill(perMinute));
  });

  test('if exhausted refuses first, regardless of countsQuota', () => {
    for (const countsQuota of [true, false]) {
      const usage = { minute: 'all' } as const;
      const sim = downWhen({}, { ...down, countsQuota }, { limits: {}, keys: { 'free-key': { usage } } });
      const answers = sendTimes(sim, 3);
      expect(answers.map(({ status, fault }) => [status, fault])).toEqual(Array(3).fill([429, undefined]));
      expect(counts(sim)).toEqual([[0, 0]]);
      sim.clock.advance('60s');
      expect(send(sim)).toMatchObject({ status: 503, fault: 'down' });
    }
  });

  test('strikes are not cleared by an uncounted request', () => {
    const sim = downWhen({ nth: 1 }, { ...down, countsQuota: false }, { limits: {}, ban: 'strict' });
    sim.keys.setUsage('free-key', { minute: perMinute - 1 });
    expect(send(sim).status).toBe(503);
    expect(sendTimes(sim, 2).map(({ status }) => status)).toEqual([200, 429]);
    sim.clock.advance('2s');
    expect(code(send(sim))).toBe('key_banned');
  });
});

test('a refusal does not reach a fault and is not counted by the fault', () => {
  const sim = frozen({
    keys: { 'spent-key': { usage: { minute: 'all' } }, 'banned-key': { bannedFor: '90s' } },
    faults: [{ when: {}, then: { respond: { status: 418 } } }],
  });
  const refused = [
    { key: null },
    { key: 'no-such-key' },
    { key: 'revoked-key' },
    { key: 'spent-key' },
    { key: 'banned-key' },
    { path: '/nowhere' },
    { method: 'DELETE' },
    { path: '/pets/1', method: 'PUT' },
  ].map((call) => send(sim, call));
  expect(refused.map(({ status, fault }) => [status, fault])).toEqual(
    [401, 401, 401, 429, 429, 404, 405, 405].map((status) => [status, undefined]),
  );
  sim.clock.set('2030-12-05T00:00:00Z');
  expect(send(sim, getOne)).toMatchObject({ status: 404, fault: undefined });
  expect(counts(sim)).toEqual([[0, 0]]);
});

describe('phase', () => {
  const answerOf = (phase: 'before' | 'after', call: Parameters<typeof send>[1]) => {
    const sim = frozen({ faults: [{ when: {}, then: { ...down, phase } }] });
    return { status: send(sim, call).status, stored: sim.pets.size - 40 };
  };

  test('before skips the operation; after runs it and loses its response, also of an invalid request', () => {
    expect(answerOf('before', create)).toEqual({ status: 503, stored: 0 });
    expect(answerOf('after', create)).toEqual({ status: 503, stored: 1 });
    for (const phase of ['before', 'after'] as const)
      expect(answerOf(phase, { body: '{' })).toEqual({ status: 503, stored: 0 });
  });

  test.each<Fault['then']>([
    { truncate: { bytes: 1 } },
    { drip: { bytes: 1, every: 0 } },
    { malformed: true },
    { empty: true },
    { contentLength: 1 },
    { contentType: 'text/html' },
  ])("is after for %j, which changes the operation's response", (then) => {
    const sim = frozen({ faults: [{ when: {}, then }] });
    expect(send(sim, create).status).toBe(201);
    expect(sim.pets.size).toBe(41);
  });
});

describe('a delay', () => {
  const call = (sim: Simulator) => sim.handle(apiCall());

  /** Delay of each request, in milliseconds, on a frozen clock that is moved. */
  async function delaysOf(delay: Fault['then']['delay'], count: number, seed = 1): Promise<number[]> {
    const sim = frozen({ seed, limits: 'off', faults: [{ when: {}, then: { delay } }] });
    const delays: number[] = [];
    // In batches, because the clock checks all waiting requests whenever it moves.
    while (delays.length < count) {
      const startMs = sim.clock.now();
      const wanted = Math.min(count, delays.length + 250);
      for (let n = delays.length; n < wanted; n++) {
        void Promise.resolve(call(sim)).then(() => delays.push(sim.clock.now() - startMs));
      }
      for (let ms = 0; delays.length < wanted; ms++) {
        sim.clock.advance(1);
        for (let turn = 0; turn < 4; turn++) await undefined;
        if (ms > 100_000) throw new Error('A delay never ends.');
      }
    }
    return delays;
  }

  test.each([30, '30ms', { fixed: 30 }, { fixed: '30ms' }, { p50: 30, p99: 30 }])('%j is fixed', async (delay) => {
    expect(await delaysOf(delay, 5)).toEqual([30, 30, 30, 30, 30]);
  });

  test('by p50 and p99 has about this median and 99th percentile in 5,000 draws, and is never negative', async () => {
    const delays = (await delaysOf({ p50: '80ms', p99: '900ms' }, 5_000)).sort((a, b) => a - b);
    expect(delays[0]).toBeGreaterThan(0);
    expect(delays[2_500]).toBeGreaterThan(74);
    expect(delays[2_500]).toBeLessThan(87);
    expect(delays[4_950]).toBeGreaterThan(720);
    expect(delays[4_950]).toBeLessThan(1_150);
  });

  test('by p50 and p99 is equal for the same seed and different for another', async () => {
    const delay = { p50: 20, p99: 90 };
    const first = await delaysOf(delay, 50);
    expect(await delaysOf(delay, 50)).toEqual(first);
    expect(await delaysOf(delay, 50, 2)).not.toEqual(first);
  });

  test('comes before another effect', async () => {
    const sim = frozen({ faults: [{ name: 'slow', when: {}, then: { delay: '2s', ...down } }] });
    const answer = call(sim);
    expect(answer).toBeInstanceOf(Promise);
    let arrived = false;
    void Promise.resolve(answer).then(() => {
      arrived = true;
    });
    sim.clock.advance(1_999);
    await new Promise(setImmediate);
    expect(arrived).toBe(false);
    sim.clock.advance(1);
    expect(await answer).toMatchObject({ status: 503, fault: 'slow' });
  });

  test('counts and uses quota when the request arrives, not when it ends', async () => {
    const sim = downWhen({ nth: 1 }, { delay: '2s' }, { limits: {} });
    const first = call(sim);
    expect(rate(send(sim)).remaining).toBe(perMinute - 2);
    expect(counts(sim)).toEqual([[2, 1]]);
    sim.clock.advance('2s');
    expect(rate((await first) as Answer).remaining).toBe(perMinute - 1);
  });
});

describe('the response of respond', () => {
  test('looks like one of the service if the scenario gives no body', () => {
    const codes = { 400: 'invalid_request', 401: 'unauthorized', 404: 'not_found', 429: 'rate_limit_exceeded' };
    for (const [status, expected] of Object.entries({ ...codes, 500: 'internal_error', 503: 'service_unavailable' })) {
      const answer = send(downWhen({}, { respond: { status: Number(status) } }));
      expect(JSON.parse(answer.body)).toEqual({
        code: expected,
        message: 'The fault rule "down" answered this request.',
        status: Number(status),
      });
      expect(answer.headers['Content-Type']).toBe('application/json');
    }
    expect(send(downWhen({}, { respond: { status: 200 } })).body).toBe('');
  });

  test('keeps whole numbers beyond 2^53 in a body', () => {
    const body = { id: 9223372036854775807n, list: [9007199254740993n, 1.5, null, true, 'é'] };
    const sim = downWhen({}, { respond: { status: 200, body } });
    expect(send(sim).body).toBe('{"id":9223372036854775807,"list":[9007199254740993,1.5,null,true,"é"]}');
  });

  test('replaces and removes headers in any case', () => {
    const headers = { 'content-TYPE': 'text/plain', 'x-ratelimit-remaining': 7, 'X-RATELIMIT-RESET': null };
    const answer = send(downWhen({}, { respond: { status: 503, headers } }));
    expect(answer.headers).toMatchObject({ 'Content-Type': 'text/plain', 'X-RateLimit-Remaining': '7' });
    expect(answer.headers).not.toHaveProperty('X-RateLimit-Reset');
  });
});

describe('rules at run time', () => {
  test('are added after the others, listed and removed, and counted anew when added again', () => {
    const sim = downWhen({ nth: 1 });
    expect(sim.faults.add({ name: 'late', when: { operation: 'createPet' }, then: down })).toBe('late');
    expect(sim.faults.add({ then: { malformed: true } })).toBe('fault-3');
    expect(sendTimes(sim, 2).map(({ fault }) => fault)).toEqual(['down', 'fault-3']);
    expect(send(sim, create)).toMatchObject({ fault: 'late', status: 503 });
    expect(sim.faults.list()).toMatchObject([
      { name: 'down', seen: 3, applied: 1 },
      { name: 'late', seen: 1, applied: 1 },
      { name: 'fault-3', seen: 1, applied: 1 },
    ]);
    expect(sim.faults.remove('fault-3')).toBe(true);
    expect(sim.faults.remove('fault-3')).toBe(false);
    expect(sim.faults.remove('nothing')).toBe(false);
    expect(send(sim).fault).toBeUndefined();
    sim.faults.remove('down');
    sim.faults.add({ name: 'down', when: { nth: 1 }, then: down });
    expect(send(sim).fault).toBe('down');
  });

  test('without a name get a free name, also in a scenario', () => {
    const sim = frozen({ faults: [{ name: 'fault-2', then: down }, { then: down }, { then: down }] });
    const names = () => sim.faults.list().map(({ name }) => name);
    expect(names()).toEqual(['fault-2', 'fault-3', 'fault-4']);
    sim.faults.remove('fault-2');
    sim.faults.remove('fault-3');
    expect(sim.faults.add({ then: down })).toBe('fault-2');
    expect(sim.faults.add({ then: down })).toBe('fault-3');
    expect(sim.faults.add({ then: down })).toBe('fault-5');
  });

  test('are replaced in their place, with new counts, under the old or a new name', () => {
    const sim = frozen({
      limits: 'off',
      faults: [
        { name: 'first', when: { nth: 1 }, then: down },
        { name: 'second', then: { empty: true } },
      ],
    });
    expect(sendTimes(sim, 2).map(({ fault }) => fault)).toEqual(['first', 'second']);
    expect(sim.faults.replace('first', { when: { times: 2 }, then: { malformed: true } })).toBe('first');
    expect(sendTimes(sim, 3).map(({ fault }) => fault)).toEqual(['first', 'first', 'second']);
    expect(sim.faults.replace('first', { name: 'once', when: { nth: 1 }, then: down })).toBe('once');
    expect(sim.faults.list()).toMatchObject([
      { name: 'once', seen: 0, applied: 0 },
      { name: 'second', seen: 2, applied: 2 },
    ]);
    expect(sendTimes(sim, 2).map(({ fault }) => fault)).toEqual(['once', 'second']);
  });

  test('are unchanged, with their counts, by an addition or a replacement with a mistake', () => {
    const sim = frozen({
      faults: [
        { name: 'down', when: { nth: 3 }, then: down },
        { name: 'late', when: { petId: 9 }, then: { delay: 1 } },
      ],
    });
    send(sim);
    const before = sim.faults.list();
    const replacing = (name: string, fault: unknown) => () => sim.faults.replace(name, fault as Fault);
    expect(replacing('down', { when: { nth: 0 }, then: down })).toThrow('fault rule at when.nth: expected a whole');
    expect(replacing('down', { when: { operation: 'nope' }, then: down })).toThrow('when.operation: expected');
    expect(replacing('down', { name: 'late', then: down })).toThrow(
      new RangeError('Failed to add a fault rule: expected a free name, got "late", which is taken'),
    );
    expect(() => sim.faults.add({ name: 'down', then: down })).toThrow(
      new RangeError('Failed to add a fault rule: expected a free name, got "down", which is taken'),
    );
    expect(replacing('none', { then: down })).toThrow(
      new RangeError('Failed to replace a fault rule: expected the name of a rule, got "none"'),
    );
    expect(sim.faults.list()).toEqual(before);
  });

  test.each<[unknown, string]>([
    [{ then: { reset: undefined } }, 'fault rule at then: expected an effect'],
    [{ then: { respond: { status: 199 } } }, 'fault rule at then.respond.status: expected a status from 200 to 599'],
    [{ then: { respond: { status: 204, body: 'x' } } }, 'fault rule at then.respond: expected no body'],
    [
      { then: { respond: { status: 200, body: { at: new Date(Number.NaN), f: () => 1 } } } },
      'can be serialized as JSON',
    ],
    [{ then: { respond: { status: 200, headers: { 'Content-Length': 3 } } } }, 'use the effect contentLength'],
    [{ then: { respond: { status: 200, headers: { trailer: 'x' } } } }, 'expected a header that does not frame'],
    [{ then: { respond: { status: 200, headers: { 'a b': 'x' } } } }, 'expected a header name'],
    [{ then: { respond: { status: 200, headers: { a: 'x\r\nb: c' } } } }, 'expected a header value'],
    [{ then: { truncate: { fraction: 2 } } }, 'then.truncate'],
    [{ then: { drip: { bytes: 0, every: 1 } } }, 'fault rule at then.drip.bytes: expected a whole number from 1'],
    [{ then: { delay: '-1s' } }, 'then.delay'],
    [{ then: { delay: { p50: 5, p99: 4 } } }, 'expected p50 above 0 and p99 not below it'],
    [{ then: down, when: { nth: 0 } }, 'fault rule at when.nth: expected a whole number from 1'],
    [
      { then: down, when: { method: 'get' } },
      'fault rule at when.method: expected "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD" or "OPTIONS", got "get"; did you mean GET?',
    ],
    [{ then: down, when: { operation: 'nope' } }, 'when.operation'],
    [{ then: down, when: { petId: '01' } }, 'fault rule at when.petId: expected a whole number within int64'],
    [{ name: '', then: down }, 'name'],
  ])('%j is rejected with a reason, and changes nothing', (fault, message) => {
    const sim = frozen();
    expect(() => sim.faults.add(fault as Fault)).toThrow(message);
    expect(() => sim.faults.add(fault as Fault)).toThrow(expect.objectContaining({ name: 'ScenarioError' }));
    expect(sim.faults.list()).toEqual([]);
  });

  test('an unknown plan or a name that is taken is a mistake of the scenario', () => {
    expect(() => frozen({ faults: [{ when: { plan: 'fre' }, then: down }] })).toThrow(
      'scenario at faults[0].when.plan: expected a plan (free, pro, business, enterprise), got "fre"',
    );
    const twice = [{ name: 'a', then: down }, { then: down }, { name: 'a', then: down }];
    expect(() => frozen({ faults: twice })).toThrow(
      'scenario at faults[2].name: expected a free name, got "a", which is taken',
    );
  });
});

describe('the next requests of a rule, in words', () => {
  test.each<[When, sent: number, words: string]>([
    [{}, 3, 'every request'],
    [{ nth: 1 }, 0, 'the next request'],
    [{ nth: 1 }, 1, 'used up'],
    [{ nth: 3 }, 0, 'after 2 more requests'],
    [{ nth: 3 }, 1, 'after 1 more request'],
    [{ nth: 4, every: 2 }, 2, 'after 1 more request'],
    [{ nth: 4, every: 2 }, 4, 'used up'],
    [{ first: 5 }, 2, 'the next 3 requests'],
    [{ first: 5 }, 4, 'the next request'],
    [{ first: 5 }, 5, 'used up'],
    [{ times: 2 }, 0, 'the next 2 requests'],
    [{ times: 2 }, 2, 'used up'],
    [{ first: 5, times: 2 }, 1, 'the next request'],
    [{ every: 3 }, 0, 'every 3rd request, next after 2 more'],
    [{ every: 12 }, 11, 'every 12th request, also the next'],
    [{ every: 2, first: 5 }, 0, 'every 2nd request, next after 1 more, at most 2 more times'],
    [{ every: 2, first: 5 }, 4, 'used up'],
    [{ every: 2, times: 1 }, 1, 'every 2nd request, also the next, at most 1 more time'],
    [{ probability: 0.125 }, 4, 'every request, 12.5 % of them'],
    [{ probability: '12.5 %' }, 0, 'every request, 12.5 % of them'],
    [{ probability: '100%', nth: 1 }, 0, 'the next request, 100 % of the time'],
    [{ probability: 1, times: 3 }, 1, 'every request, 100 % of them, at most 2 more times'],
    [{ probability: 1, first: 3 }, 1, 'the next 2 requests, 100 % of them'],
    [{ probability: 1, first: 9, times: 3 }, 1, 'the next 8 requests, 100 % of them, at most 2 more times'],
    [{ after: '30s' }, 1, 'from 12:00:30, every request'],
    [{ after: '30s', for: '20s', nth: 1 }, 1, 'from 12:00:30, until 12:00:50, the next request'],
    [{ for: '1d' }, 1, 'until Fri 2 Jan 12:00:00, every request'],
  ])('%j after %i: %s', (when, sent, words) => {
    const sim = downWhen(when);
    sendTimes(sim, sent);
    expect(sim.faults.list()).toMatchObject([{ next: words }]);
  });

  test('follow the clock, also when it is set back, and a count of attempts', () => {
    const sim = downWhen({ after: '30s', for: '20s' }, { ...down, failTimes: 2 });
    const next = () => sim.faults.list().map(({ next }) => next);
    sim.clock.advance('30s');
    expect(next()).toEqual(['until 12:00:50, every request, each call 2 times']);
    sim.clock.advance('20s');
    expect(next()).toEqual(['over since 12:00:50']);
    sim.clock.set('2026-01-01T11:59:00Z');
    expect(next()).toEqual(['from 12:00:30, until 12:00:50, every request, each call 2 times']);
  });

  test('agree with the requests that the rule then changes, for all combinations of numbers', () => {
    for (const nth of [undefined, 2, 4])
      for (const every of [undefined, 2, 3])
        for (const first of [undefined, 4, 6])
          for (const times of [undefined, 1, 3]) {
            const when = JSON.parse(JSON.stringify({ nth, every, first, times })) as When;
            if (nth !== undefined && (nth % (every ?? 1) !== 0 || nth > (first ?? nth))) continue;
            if (nth === undefined && (every ?? 1) > (first ?? 9)) continue;
            const sim = downWhen(when);
            for (let sent = 0; sent < 8; sent++) {
              const next = sim.faults.list()[0]?.next ?? '';
              const isNext = /^(?:every request|the next |every \w+ request, also the next)/.test(next);
              expect([sent, next, send(sim).fault !== undefined], JSON.stringify(when)).toEqual([sent, next, isNext]);
            }
          }
  });
});

describe('state', () => {
  const faults: Fault[] = [
    { name: 'third', when: { operation: 'listPets', nth: 3 }, then: down },
    { name: 'once', when: { operation: 'createPet' }, then: { ...down, failTimes: 1 } },
  ];

  test('reset restores the rules of the scenario without counts', () => {
    const sim = frozen({ faults });
    const play = () => [...sendTimes(sim, 4), send(sim, create), send(sim, create)].map(({ fault }) => fault);
    const first = play();
    expect(first).toEqual([undefined, undefined, 'third', undefined, 'once', undefined]);
    sim.faults.remove('third');
    sim.faults.add({ name: 'more', then: down });
    sim.reset();
    expect(sim.faults.list().map(({ name }) => name)).toEqual(['third', 'once']);
    expect(counts(sim)).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(play()).toEqual(first);
  });

  test('a snapshot contains rules, counts and recovered calls, and is immutable', () => {
    const sim = frozen({ faults });
    sendTimes(sim, 2);
    send(sim, create);
    const snapshot = sim.snapshot();
    const saved = structuredClone(snapshot.faults.counts);
    const play = () => [...sendTimes(sim, 2), send(sim, create)].map(({ fault }) => fault);
    const first = play();
    for (let round = 0; round < 2; round++) {
      sim.faults.remove('third');
      sim.faults.add({ name: 'more', then: down });
      sendTimes(sim, 5);
      sim.restore(snapshot);
      expect(play()).toEqual(first);
    }
    expect(first).toEqual(['third', undefined, undefined]);
    expect(snapshot.faults.counts).toEqual(saved);
  });

  test('load replaces the rules, and resets to the new ones', () => {
    const sim = frozen({ faults });
    sendTimes(sim, 3);
    sim.load({ clock: { start: '2026-01-01T12:00:00Z', mode: 'frozen' }, faults: [{ name: 'new', then: down }] });
    expect(send(sim).fault).toBe('new');
    sim.reset();
    expect(sim.faults.list()).toMatchObject([{ name: 'new', seen: 0, applied: 0 }]);
  });
});
