import { describe, expect, test } from 'vitest';
import type { HuntClient } from '../../src/entries/hunt.js';
import { matchers } from '../../src/entries/matchers.js';
import { rightClients } from './right-clients.js';

expect.extend(matchers);

const right = rightClients['gives up at once'] as HuntClient;
const hasty: HuntClient = async ({ fetch, baseUrl, apiKey, sleep }) => {
  const get = () => fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
  if ((await get()).status === 429) await sleep(2_000);
  await get();
};

describe('toSurviveHunt', () => {
  test('passes for a right client, and shows the scenario that breaks a wrong one', async () => {
    await expect(right).toSurviveHunt({ runs: 30 });
    await expect(hasty).not.toSurviveHunt({ runs: 30 });
    await expect(expect(hasty).toSurviveHunt({ runs: 30 })).rejects.toThrow(
      /found \d in 30 scenarios\n\n {2}early-retry: .*\n\n {4}# early-retry: [\s\S]*\n {4}keys: \{ free-key: /,
    );
    await expect(expect(right).not.toSurviveHunt({ runs: 30 })).rejects.toThrow('found none in 30 scenarios');
  });

  test('fails in both forms if no rule was exercised, and accepts only a client', async () => {
    const silent: HuntClient = () => {};
    await expect(expect(silent).toSurviveHunt({ runs: 5 })).rejects.toThrow('exercised none in 5 scenarios');
    await expect(expect(silent).not.toSurviveHunt({ runs: 5 })).rejects.toThrow('exercised none in 5 scenarios');
    await expect(expect(7).toSurviveHunt()).rejects.toThrow('expected a client, such as expect(async');
  });
});
