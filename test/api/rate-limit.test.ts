import { test } from 'vitest';
import { describeOverHttp, expectAnswer, noonSeconds, threePets } from '../support/adapters.js';

describeOverHttp('rate limits', (open) => {
  test.each([
    ['free-key', 60],
    ['pro-key', 300],
    ['business-key', 1_000],
    ['enterprise-key', 5_000],
  ])('allows %s %i requests a minute', async (key, limit) => {
    const { call } = await open();
    const answer = await call('GET', '/pets', { key });
    expectAnswer(answer, 200, threePets, [limit, limit - 1, noonSeconds + 60]);
  });

  test.each([
    ['free', 1_000],
    ['pro', 10_000],
    ['business', 100_000],
    ['enterprise', 1_000_000],
  ])('allows the %s plan %i requests a day', async (plan, limit) => {
    const { call } = await open({ keys: { near: { plan, usage: { day: limit - 2 } } } });
    const answer = await call('GET', '/pets', { key: 'near' });
    expectAnswer(answer, 200, threePets, [limit, 1, noonSeconds + 86_400]);
  });
});
