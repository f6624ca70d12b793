import { expect, test } from 'vitest';
import { type AdapterAnswer, describeOverHttp, errorOf, noonSeconds, rate, type Service } from '../support/adapters.js';

const small = { plans: { free: { minute: 2, day: 100 } } };
const retryAfter = ({ headers }: AdapterAnswer) => Number(headers.get('retry-after'));
const code = ({ json }: AdapterAnswer): string => json.code;

/** Exhausts the minute and gets the first refusal, at the frozen noon. */
async function exhaust({ get }: Service): Promise<void> {
  expect((await get('/pets')).status).toBe(200);
  expect((await get('/pets')).status).toBe(200);
  const refused = await get('/pets');
  expect(refused.status).toBe(429);
  expect(code(refused)).toBe('rate_limit_exceeded');
}

/** Sends refused requests after given pauses, and returns their codes. */
async function insist({ get, sim }: Service, times: number, every: string): Promise<string[]> {
  const codes = [];
  for (let count = 0; count < times; count++) {
    sim.clock.advance(every);
    codes.push(code(await get('/pets')));
  }
  return codes;
}

const limited = 'rate_limit_exceeded';
const banned = 'key_banned';

describeOverHttp('bans', (open) => {
  test('the third strike bans the key for 120 seconds', async () => {
    const service = await open(small);
    await exhaust(service);
    expect(await insist(service, 2, '2s')).toEqual([limited, limited]);
    service.sim.clock.advance('2s');
    const answer = await service.get('/pets');
    expect(answer.status).toBe(429);
    expect(answer.json).toEqual(
      errorOf(429, 'key_banned', 'The API key is banned because requests went on after a 429; retry in 120 seconds.'),
    );
    expect(rate(answer)).toEqual([2, 0, noonSeconds + 6 + 120]);
    expect(retryAfter(answer)).toBe(120);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('a burst within a second of the first refusal is not a strike', async () => {
    const service = await open(small);
    await exhaust(service);
    expect(await insist(service, 10, '100ms')).toEqual(Array(10).fill(limited));
    expect(service.sim.keys.get('free-key').strikes).toBe(0);
    expect(await insist(service, 3, '1ms')).toEqual([limited, limited, banned]);
  });

  test('a request up to 50 ms before the promised instant is not a strike', async () => {
    const service = await open(small);
    await exhaust(service);
    service.sim.clock.advance('59.950s');
    for (let count = 0; count < 5; count++) expect(code(await service.get('/pets'))).toBe(limited);
    expect(service.sim.keys.get('free-key').strikes).toBe(0);
  });

  test('a request 51 ms before the promised instant is a strike', async () => {
    const service = await open(small);
    await exhaust(service);
    service.sim.clock.advance('59.949s');
    expect(code(await service.get('/pets'))).toBe(limited);
    expect(service.sim.keys.get('free-key').strikes).toBe(1);
  });

  test('the first accepted request clears the strikes', async () => {
    const service = await open(small);
    await exhaust(service);
    await insist(service, 2, '2s');
    expect(service.sim.keys.get('free-key').strikes).toBe(2);
    service.sim.clock.advance('56s');
    expect((await service.get('/pets')).status).toBe(200);
    expect(service.sim.keys.get('free-key').strikes).toBe(0);
    expect((await service.get('/pets')).status).toBe(200);
    expect(code(await service.get('/pets'))).toBe(limited);
    expect(await insist(service, 3, '2s')).toEqual([limited, limited, banned]);
  });

  test('a client that waits for Retry-After is never banned', async () => {
    const service = await open(small);
    for (let round = 0; round < 6; round++) {
      await exhaust(service);
      service.sim.clock.advance('60s');
    }
    expect(service.sim.keys.get('free-key')).toMatchObject({ state: 'active', strikes: 0 });
  });

  test('every request during the ban is refused, is not counted and does not extend it', async () => {
    const service = await open(small);
    await exhaust(service);
    await insist(service, 3, '2s');
    const dayLeft = service.sim.keys.get('free-key').day.remaining;
    for (let second = 10; second <= 110; second += 10) {
      service.sim.clock.advance('10s');
      const answer = await service.get('/pets');
      expect(answer.status).toBe(429);
      expect(code(answer)).toBe(banned);
      expect(rate(answer)).toEqual([2, 0, noonSeconds + 126]);
      expect(retryAfter(answer)).toBe(120 - second);
    }
    expect(service.sim.keys.get('free-key').day.remaining).toBe(dayLeft);
    service.sim.clock.advance('9.999s');
    const last = await service.get('/pets');
    expect(code(last)).toBe(banned);
    expect(retryAfter(last)).toBe(1);
    service.sim.clock.advance('1ms');
    expect((await service.get('/pets')).status).toBe(200);
  });

  test('a ban refuses every operation and every path', async () => {
    const { call } = await open({ keys: { out: { bannedFor: '10s' } } });
    for (const [method, path] of [
      ['GET', '/pets'],
      ['POST', '/pets'],
      ['GET', '/pets/1'],
      ['DELETE', '/pets'],
      ['GET', '/nowhere'],
    ] as const) {
      const answer = await call(method, path, { key: 'out' });
      expect(answer.status).toBe(429);
      expect(code(answer)).toBe(banned);
      expect(rate(answer)).toEqual([60, 0, noonSeconds + 10]);
    }
  });

  test('a ban also applies to operations without limits', async () => {
    const { call } = await open({ limits: 'off', keys: { out: { bannedFor: '10s' } } });
    const answer = await call('GET', '/pets', { key: 'out' });
    expect(answer.status).toBe(429);
    expect(code(answer)).toBe(banned);
    expect(retryAfter(answer)).toBe(10);
  });

  test('other keys are not affected', async () => {
    const service = await open(small);
    await exhaust(service);
    expect(await insist(service, 3, '2s')).toContain(banned);
    const answer = await service.call('GET', '/pets', { key: 'pro-key' });
    expect(answer.status).toBe(200);
    expect(rate(answer)).toEqual([300, 299, noonSeconds + 66]);
  });

  test('promises the reset of an exhausted window if later than the end of the ban', async () => {
    const service = await open({ ...small, ban: { seconds: 10 } });
    await exhaust(service);
    expect(await insist(service, 3, '2s')).toEqual([limited, limited, banned]);
    const answer = await service.get('/pets');
    expect(code(answer)).toBe(banned);
    expect(rate(answer)).toEqual([2, 0, noonSeconds + 60]);
    expect(retryAfter(answer)).toBe(54);
    service.sim.clock.advance('54s');
    expect((await service.get('/pets')).status).toBe(200);
  });

  test('the end of a ban does not refill a window', async () => {
    const service = await open({ plans: { free: { minute: 5, day: 2 } }, ban: { seconds: 10 } });
    await exhaust(service);
    await insist(service, 3, '2s');
    service.sim.clock.advance('10s');
    const answer = await service.get('/pets');
    expect(answer.status).toBe(429);
    expect(code(answer)).toBe(limited);
    expect(rate(answer)).toEqual([2, 0, noonSeconds + 86_400]);
  });

  test('strikes remain until a request succeeds, so one more strike after a ban bans again', async () => {
    const service = await open({ plans: { free: { minute: 5, day: 2 } }, ban: { seconds: 10 } });
    await exhaust(service);
    expect(await insist(service, 3, '2s')).toEqual([limited, limited, banned]);
    service.sim.clock.advance('10s');
    expect(code(await service.get('/pets'))).toBe(limited);
    expect(await insist(service, 1, '2s')).toEqual([banned]);
  });

  test('ends on a whole second, so that Retry-After is exact', async () => {
    const service = await open({ ...small, clock: { start: '2026-01-01T12:00:00.900Z' } });
    await exhaust(service);
    await insist(service, 2, '2s');
    service.sim.clock.advance('2s');
    const answer = await service.get('/pets');
    expect(code(answer)).toBe(banned);
    expect(rate(answer)).toEqual([2, 0, noonSeconds + 126]);
    expect(retryAfter(answer)).toBe(120);
  });

  test('preset strict bans at the first strike', async () => {
    const service = await open({ ...small, ban: 'strict' });
    await exhaust(service);
    expect(await insist(service, 1, '2s')).toEqual([banned]);
  });

  test('preset off never bans', async () => {
    const service = await open({ ...small, ban: 'off' });
    await exhaust(service);
    expect(await insist(service, 20, '2s')).toEqual(Array(20).fill(limited));
  });

  test('preset binance aligns windows to the clock, responds with 418 and doubles each ban', async () => {
    const service = await open({ ...small, ban: 'binance', clock: { start: '2026-01-01T12:00:30Z' } });
    expect(rate(await service.get('/pets'))).toEqual([2, 1, noonSeconds + 60]);
    await service.get('/pets');
    await service.get('/pets');
    expect(await insist(service, 2, '2s')).toEqual([limited, limited]);
    service.sim.clock.advance('2s');
    const first = await service.get('/pets');
    expect(first.status).toBe(418);
    expect(first.json).toEqual(errorOf(418, 'key_banned', expect.stringMatching(/120 seconds\.$/)));
    expect(retryAfter(first)).toBe(120);
    service.sim.clock.advance('120s');
    await exhaust(service);
    await insist(service, 2, '2s');
    service.sim.clock.advance('2s');
    const second = await service.get('/pets');
    expect(second.status).toBe(418);
    expect(retryAfter(second)).toBe(240);
  });

  test('preset strava counts a refused request in the window that is not exhausted', async () => {
    const service = await open({ plans: { free: { minute: 2, day: 4 } }, ban: 'strava' });
    await exhaust(service);
    expect(service.sim.keys.get('free-key').day.remaining).toBe(1);
    const answer = await service.get('/pets');
    expect(answer.status).toBe(429);
    expect(rate(answer)).toEqual([4, 0, noonSeconds + 86_400]);
  });

  test('preset penalty restarts the ban at every request', async () => {
    const service = await open({ ...small, ban: 'penalty' });
    await exhaust(service);
    expect(await insist(service, 3, '2s')).toContain(banned);
    service.sim.clock.advance('100s');
    const answer = await service.get('/pets');
    expect(code(answer)).toBe(banned);
    expect(retryAfter(answer)).toBe(120);
    service.sim.clock.advance('120s');
    expect((await service.get('/pets')).status).toBe(200);
  });
});
