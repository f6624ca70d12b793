import { expect, test } from 'vitest';
import { describeOverHttp, errorOf, noonSeconds, rate } from '../support/adapters.js';

/** A key for each stage at which a request can end. */
const keys = {
  'banned-and-used-up': { usage: { minute: 60 }, bannedFor: '10s' },
  'used-up': { usage: { minute: 60 } },
  'expired-and-banned': { expiresAt: '2026-01-01T11:00:00Z', bannedFor: '10s' },
};
const invalidBody = { body: '{"name":7}' };

describeOverHttp('order of checks', (open) => {
  test('a missing key is checked before everything else', async () => {
    const { call } = await open({ keys });
    for (const [method, path] of [
      ['GET', '/nowhere'],
      ['DELETE', '/pets'],
      ['GET', '/pets/999'],
      ['GET', '/pets?limit=0'],
    ] as const) {
      const answer = await call(method, path);
      expect(answer.status).toBe(401);
      expect(answer.json.code).toBe('unauthorized');
      expect(rate(answer)).toEqual([60, 60, noonSeconds + 60]);
    }
    expect((await call('POST', '/pets', invalidBody)).status).toBe(401);
  });

  test('an invalid key is checked before its own ban', async () => {
    const { call } = await open({ keys });
    const answer = await call('GET', '/pets', { key: 'expired-and-banned' });
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual(errorOf(401, 'unauthorized', 'The API key has expired.'));
    expect(answer.headers.has('retry-after')).toBe(false);
  });

  test('a ban is checked before the rate limit', async () => {
    const { call } = await open({ keys });
    const answer = await call('GET', '/pets', { key: 'banned-and-used-up' });
    expect(answer.status).toBe(429);
    expect(answer.json.code).toBe('key_banned');
    expect(rate(answer)).toEqual([60, 0, noonSeconds + 60]);
  });

  test('the rate limit is checked before route, method, validation and lookup', async () => {
    const { call } = await open({ keys, ban: 'off' });
    for (const [method, path, options] of [
      ['GET', '/nowhere', {}],
      ['DELETE', '/pets', {}],
      ['GET', '/pets?limit=0', {}],
      ['POST', '/pets', invalidBody],
      ['GET', '/pets/999', {}],
    ] as const) {
      const answer = await call(method, path, { key: 'used-up', ...options });
      expect(answer.status).toBe(429);
      expect(answer.json.code).toBe('rate_limit_exceeded');
      expect(answer.headers.get('retry-after')).toBe('60');
    }
  });

  test('route and method are checked before validation', async () => {
    const { call } = await open();
    const unknownRoute = await call('POST', '/nowhere', { key: 'free-key', ...invalidBody });
    expect(unknownRoute.status).toBe(404);
    expect(unknownRoute.json.code).toBe('not_found');
    const unknownMethod = await call('PUT', '/pets', { key: 'free-key', ...invalidBody });
    expect(unknownMethod.status).toBe(405);
    expect(unknownMethod.headers.get('allow')).toBe('GET, POST');
  });

  test('validation comes before the lookup', async () => {
    const { get } = await open({ assumptions: { malformedPetId: 'reject' } });
    expect((await get('/pets/1.0')).status).toBe(400);
    expect((await get('/pets/999')).status).toBe(404);
  });

  test('an invalid body still uses quota, and stores nothing', async () => {
    const { post, get, sim } = await open();
    const answer = await post({ name: 7 });
    expect(answer.status).toBe(400);
    expect(rate(answer)).toEqual([60, 59, noonSeconds + 60]);
    expect(sim.pets.size).toBe(3);
    expect(rate(await get('/pets'))).toEqual([60, 58, noonSeconds + 60]);
  });

  test('a refused create stores nothing', async () => {
    const { post, sim } = await open({ keys });
    expect((await post({ name: 'Rex', categoryId: 1 }, { key: 'used-up' })).status).toBe(429);
    expect((await post({ name: 'Rex', categoryId: 1 }, { key: 'revoked-key' })).status).toBe(401);
    expect(sim.pets.size).toBe(3);
  });
});
