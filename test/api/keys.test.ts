import { expect, test } from 'vitest';
import { describeOverHttp, errorOf, noonSeconds, rate } from '../support/adapters.js';

describeOverHttp('keys of a scenario', (open) => {
  test.each([
    ['free-key', 200],
    ['pro-key', 200],
    ['business-key', 200],
    ['enterprise-key', 200],
    ['revoked-key', 401],
  ])('the default scenario has %s, which gets %i', async (key, status) => {
    const { call } = await open();
    const answer = await call('GET', '/pets', { key });
    expect(answer.status).toBe(status);
    expect(rate(answer)[2]).toBe(noonSeconds + 60);
    expect(answer.headers.has('www-authenticate')).toBe(status === 401);
  });

  test('preset usage makes one request reproduce a 429', async () => {
    const { call } = await open({ keys: { worn: { usage: { minute: 59, day: 999 } } } });
    const last = await call('GET', '/pets', { key: 'worn' });
    expect(last.status).toBe(200);
    expect(rate(last)).toEqual([1_000, 0, noonSeconds + 86_400]);
    const refused = await call('GET', '/pets', { key: 'worn' });
    expect(refused.status).toBe(429);
    expect(refused.json.code).toBe('rate_limit_exceeded');
    expect(refused.headers.get('retry-after')).toBe('86400');
  });

  test('preset usage expires with time that advance passes', async () => {
    const { call, sim } = await open({ keys: { worn: { usage: { minute: 60 } } } });
    sim.clock.advance('45s');
    const refused = await call('GET', '/pets', { key: 'worn' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('15');
    sim.clock.advance('15s');
    expect((await call('GET', '/pets', { key: 'worn' })).status).toBe(200);
  });

  test('a key can start banned', async () => {
    const { call, sim } = await open({ keys: { banned: { plan: 'pro', bannedFor: '90s' } } });
    const answer = await call('GET', '/pets', { key: 'banned' });
    expect(answer.status).toBe(429);
    expect(answer.json).toEqual(errorOf(429, 'key_banned', expect.stringMatching(/retry in 90 seconds\.$/)));
    expect(rate(answer)).toEqual([300, 0, noonSeconds + 90]);
    sim.clock.advance('90s');
    expect((await call('GET', '/pets', { key: 'banned' })).status).toBe(200);
  });

  test('keys can be added, banned, unbanned and given usage at run time', async () => {
    const { call, sim } = await open();
    sim.keys.add('alice', { plan: 'pro' });
    expect(rate(await call('GET', '/pets', { key: 'alice' }))).toEqual([300, 299, noonSeconds + 60]);
    sim.keys.ban('alice', '10s');
    const banned = await call('GET', '/pets', { key: 'alice' });
    expect(banned.status).toBe(429);
    expect(banned.json.code).toBe('key_banned');
    expect(banned.headers.get('retry-after')).toBe('10');
    sim.keys.unban('alice');
    expect((await call('GET', '/pets', { key: 'alice' })).status).toBe(200);
    sim.keys.setUsage('alice', { minute: 300 });
    const refused = await call('GET', '/pets', { key: 'alice' });
    expect(refused.status).toBe(429);
    expect(refused.json.code).toBe('rate_limit_exceeded');
  });
});
