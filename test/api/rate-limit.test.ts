import { expect, test } from 'vitest';
import { type AdapterAnswer, describeOverHttp, errorOf, noonSeconds, rate } from '../support/adapters.js';

/** Two requests a minute, five a day. */
const small = { plans: { free: { minute: 2, day: 5 } }, ban: 'off' } as const;
const midnight = noonSeconds + 86_400;

const statuses = (answers: AdapterAnswer[]) => answers.map(({ status }) => status);
const retryAfter = ({ headers }: AdapterAnswer) => Number(headers.get('retry-after'));

describeOverHttp('rate limits', (open) => {
  test.each([
    ['free-key', 60],
    ['pro-key', 300],
    ['business-key', 1_000],
    ['enterprise-key', 5_000],
  ])('allows %s %i requests a minute', async (key, limit) => {
    const { call } = await open();
    const answer = await call('GET', '/pets', { key });
    expect(answer.status).toBe(200);
    expect(rate(answer)).toEqual([limit, limit - 1, noonSeconds + 60]);
    expect(answer.json).toHaveLength(3);
  });

  test.each([
    ['free', 1_000],
    ['pro', 10_000],
    ['business', 100_000],
    ['enterprise', 1_000_000],
  ])('allows the %s plan %i requests a day', async (plan, limit) => {
    const { call } = await open({ keys: { near: { plan, usage: { day: limit - 2 } } } });
    const answer = await call('GET', '/pets', { key: 'near' });
    expect(answer.status).toBe(200);
    expect(rate(answer)).toEqual([limit, 1, midnight]);
    expect(answer.json).toHaveLength(3);
  });

  test('refuses the 61st request of a minute with the free plan', async () => {
    const { get, sim } = await open();
    for (let remaining = 59; remaining >= 0; remaining--) {
      expect(rate(await get('/pets'))).toEqual([60, remaining, noonSeconds + 60]);
    }
    sim.clock.advance('12s');
    const answer = await get('/pets');
    expect(answer.status).toBe(429);
    expect(answer.json).toEqual(
      errorOf(429, 'rate_limit_exceeded', 'The free plan allows 60 requests a minute; retry in 48 seconds.'),
    );
    expect(rate(answer)).toEqual([60, 0, noonSeconds + 60]);
    expect(retryAfter(answer)).toBe(48);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('accepts again exactly when the minute resets, not a millisecond earlier', async () => {
    const { get, sim } = await open(small);
    expect(statuses([await get('/pets'), await get('/pets'), await get('/pets')])).toEqual([200, 200, 429]);
    sim.clock.advance('59.999s');
    const early = await get('/pets');
    expect(early.status).toBe(429);
    expect(retryAfter(early)).toBe(1);
    expect(early.json.message).toBe('The free plan allows 2 requests a minute; retry in 1 second.');
    sim.clock.advance('1ms');
    const answer = await get('/pets');
    expect(answer.status).toBe(200);
    expect(rate(answer)).toEqual([2, 1, noonSeconds + 120]);
  });

  test('starts a window at the whole second of the first request', async () => {
    const { get, sim } = await open(small);
    sim.clock.advance('10.7s');
    expect(rate(await get('/pets'))).toEqual([2, 1, noonSeconds + 70]);
    sim.clock.advance('20s');
    expect(rate(await get('/pets'))).toEqual([2, 0, noonSeconds + 70]);
    const answer = await get('/pets');
    expect(answer.status).toBe(429);
    expect(retryAfter(answer)).toBe(40);
  });

  test('starts the next window at the next request, not at the end of the last', async () => {
    const { get, sim } = await open(small);
    await get('/pets');
    sim.clock.advance('100s');
    expect(rate(await get('/pets'))).toEqual([2, 1, noonSeconds + 160]);
  });

  test('reports the window with the least remaining, and the later reset if equal', async () => {
    const { get, sim } = await open(small);
    expect(rate(await get('/pets'))).toEqual([2, 1, noonSeconds + 60]);
    expect(rate(await get('/pets'))).toEqual([2, 0, noonSeconds + 60]);
    sim.clock.advance('60s');
    expect(rate(await get('/pets'))).toEqual([2, 1, noonSeconds + 120]);
    const tied = await get('/pets');
    expect(tied.status).toBe(200);
    expect(rate(tied)).toEqual([2, 0, noonSeconds + 120]);
    sim.clock.advance('60s');
    expect(rate(await get('/pets'))).toEqual([5, 0, midnight]);
  });

  test('reports the day if both windows have the same remaining', async () => {
    const { call } = await open({ keys: { tied: { usage: { minute: 50, day: 990 } } } });
    const answer = await call('GET', '/pets', { key: 'tied' });
    expect(answer.status).toBe(200);
    expect(rate(answer)).toEqual([1_000, 9, midnight]);
  });

  test('refuses by the day if only the day is exhausted', async () => {
    const { call, sim } = await open({ keys: { spent: { usage: { minute: 5, day: 1_000 } } } });
    const answer = await call('GET', '/pets', { key: 'spent' });
    expect(answer.status).toBe(429);
    expect(answer.json).toEqual(
      errorOf(429, 'rate_limit_exceeded', 'The free plan allows 1000 requests a day; retry in 86400 seconds.'),
    );
    expect(rate(answer)).toEqual([1_000, 0, midnight]);
    expect(retryAfter(answer)).toBe(86_400);
    sim.clock.advance('86399s');
    expect(retryAfter(await call('GET', '/pets', { key: 'spent' }))).toBe(1);
    sim.clock.advance('1s');
    const served = await call('GET', '/pets', { key: 'spent' });
    expect(served.status).toBe(200);
    expect(rate(served)).toEqual([60, 59, midnight + 60]);
  });

  test('refuses with the later reset if both windows are exhausted', async () => {
    const { call } = await open({ keys: { spent: { usage: { minute: 60, day: 1_000 } } } });
    const answer = await call('GET', '/pets', { key: 'spent' });
    expect(answer.status).toBe(429);
    expect(rate(answer)).toEqual([1_000, 0, midnight]);
    expect(retryAfter(answer)).toBe(86_400);
    expect(answer.json.code).toBe('rate_limit_exceeded');
  });

  test('counts a request in both windows or in neither', async () => {
    const { get, sim } = await open(small);
    await get('/pets');
    expect(sim.keys.get('free-key')).toMatchObject({ minute: { remaining: 1 }, day: { remaining: 4 } });
    await get('/pets');
    for (let count = 0; count < 5; count++) expect((await get('/pets')).status).toBe(429);
    expect(sim.keys.get('free-key')).toMatchObject({ minute: { remaining: 0 }, day: { remaining: 3 } });
  });

  test('counts accepted requests of any status, across all operations', async () => {
    const { get, post, call } = await open();
    const answers = [
      await get('/pets'),
      await post({ name: 'Rex', categoryId: 1 }),
      await post({}),
      await get('/pets/1'),
      await get('/pets/999'),
      await get('/nowhere'),
      await call('DELETE', '/pets', { key: 'free-key' }),
    ];
    expect(statuses(answers)).toEqual([200, 201, 400, 200, 404, 404, 405]);
    expect(answers.map((answer) => rate(answer)[1])).toEqual([59, 58, 57, 56, 55, 54, 53]);
  });

  test('counts every key separately', async () => {
    const { call } = await open({ ...small, keys: { other: { plan: 'free' } } });
    for (let count = 0; count < 3; count++) await call('GET', '/pets', { key: 'free-key' });
    const answer = await call('GET', '/pets', { key: 'other' });
    expect(answer.status).toBe(200);
    expect(rate(answer)).toEqual([2, 1, noonSeconds + 60]);
  });

  test('counts a burst exactly', async () => {
    const { get } = await open({ plans: { free: { minute: 7, day: 100 } } });
    const answers = await Promise.all(Array.from({ length: 12 }, () => get('/pets')));
    expect(statuses(answers).sort()).toEqual([...Array(7).fill(200), ...Array(5).fill(429)]);
    const remaining = answers.filter(({ status }) => status === 200).map((answer) => rate(answer)[1]);
    expect(remaining.sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('keeps Retry-After correct if the windows are short', async () => {
    const { get, sim } = await open({ ...small, windows: { minute: '2s', day: '30s' } });
    expect(rate(await get('/pets'))).toEqual([2, 1, noonSeconds + 2]);
    await get('/pets');
    sim.clock.advance('1.5s');
    const answer = await get('/pets');
    expect(answer.status).toBe(429);
    expect(retryAfter(answer)).toBe(1);
    sim.clock.advance(retryAfter(answer) * 1_000);
    expect((await get('/pets')).status).toBe(200);
  });

  test('accepts a client that waits for Retry-After, and one that waits for Reset', async () => {
    const { get, sim } = await open({ ...small, clock: { start: '2026-01-01T12:00:00.640Z' } });
    for (let round = 0; round < 4; round++) {
      let answer = await get('/pets');
      while (answer.status === 200) answer = await get('/pets');
      const [, , reset = 0] = rate(answer);
      if (round % 2 === 0) sim.clock.advance(retryAfter(answer) * 1_000);
      else sim.clock.set(reset * 1_000);
      expect((await get('/pets')).status).toBe(200);
    }
  });

  test('limits: off refuses nothing and still sends the headers', async () => {
    const { get } = await open({ ...small, limits: 'off' });
    for (let count = 0; count < 8; count++) {
      const answer = await get('/pets');
      expect(answer.status).toBe(200);
      expect(rate(answer)).toEqual([2, 2, noonSeconds + 60]);
    }
  });

  test('limits.appliesTo names the counted operations', async () => {
    const { get, post } = await open({ ...small, limits: { appliesTo: ['createPet'] } });
    for (let count = 0; count < 5; count++) expect((await get('/pets')).status).toBe(200);
    for (const status of [201, 201, 429]) {
      expect((await post({ name: 'Rex', categoryId: 1 })).status).toBe(status);
    }
    const served = await get('/pets/1');
    expect(served.status).toBe(200);
    expect(rate(served)).toEqual([2, 0, noonSeconds + 60]);
  });

  test('a reset of the simulator restores all limits', async () => {
    const { get, post, sim } = await open(small);
    await post({ name: 'Rex', categoryId: 1 });
    await get('/pets');
    expect((await get('/pets')).status).toBe(429);
    sim.clock.advance('5s');
    sim.reset();
    const answer = await get('/pets');
    expect(answer.status).toBe(200);
    expect(answer.json).toHaveLength(3);
    expect(rate(answer)).toEqual([2, 1, noonSeconds + 60]);
  });
});
