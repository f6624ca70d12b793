import { describe, vi } from 'vitest';
import { expect, test } from '../../src/vitest.js';

const usedUp = { keys: { 'free-key': { usage: { minute: 60 } } } } as const;

/** A client that obeys, or one that waits a second whatever it is told. */
async function list(fetch: typeof globalThis.fetch, baseUrl: string, apiKey: string, waitMs?: number) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
    if (response.status !== 429 || attempt === 4) return response;
    const retryAfterMs = Number(response.headers.get('retry-after')) * 1000;
    await new Promise((resolve) => setTimeout(resolve, waitMs ?? retryAfterMs));
  }
}

describe('with a used-up minute', () => {
  const it = test.extend({ scenario: usedUp });

  it('a client that obeys is served, under fake timers and over real HTTP', async ({ sim, baseUrl, apiKey }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    try {
      let status = 0;
      list(fetch, baseUrl, apiKey).then((response) => {
        status = response.status;
      });
      // The sockets are real, so the answer takes a few turns of the loop whatever the clock says.
      for (let turn = 0; turn < 500 && status === 0; turn++) await vi.advanceTimersByTimeAsync(1_000);
      expect(status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
    expect(sim).toHaveHonouredRetryAfter();
    expect(sim).toHaveTrippedNoBan();
  });

  const unchecked = it.extend({ verdict: 'ignore' as const });

  unchecked('a client that waits a second is named by the matchers', async ({ sim, apiKey }) => {
    vi.useFakeTimers();
    try {
      const answer = list(sim.fetch, 'http://petstore.test/v1', apiKey, 1_001);
      await vi.advanceTimersByTimeAsync(5_000);
      expect((await answer).status).toBe(429);
    } finally {
      vi.useRealTimers();
    }
    expect(() => expect(sim).toHaveHonouredRetryAfter()).toThrow(/early-retry: Came back .* before Retry-After/);
    expect(() => expect(sim).toHaveTrippedNoBan()).toThrow(/ban/);
    expect(() => expect(sim).toHaveBehaved()).toThrow(/The client failed/);
    expect(sim).not.toHaveHonouredRetryAfter();
  });
});

describe('with an answer that is lost after the animal is stored', () => {
  const it = test.extend({
    scenario: {
      faults: [
        { when: { operation: 'createPet' as const, nth: 1 }, then: { reset: true as const, phase: 'after' as const } },
      ],
    },
    verdict: 'ignore' as const,
  });
  const create = (fetch: typeof globalThis.fetch, apiKey: string) =>
    fetch('http://petstore.test/v1/pets', {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: '{"name":"Rex","categoryId":1}',
    });

  it('a client that lists first has created once', async ({ sim, apiKey }) => {
    await expect(create(sim.fetch, apiKey)).rejects.toThrow(TypeError);
    expect(sim).toHaveCreatedOnce();
  });

  it('a client that repeats blindly has not', async ({ sim, apiKey }) => {
    await expect(create(sim.fetch, apiKey)).rejects.toThrow(TypeError);
    await create(sim.fetch, apiKey);
    expect(() => expect(sim).toHaveCreatedOnce()).toThrow(/duplicate-write/);
  });
});

test('every test has a world of its own', async ({ sim }) => {
  expect(sim.pets.add({ name: 'Rex', categoryId: 1 }).id).toBe(41);
});

test('and does not see that of another', async ({ sim }) => {
  expect(sim.pets.size).toBe(40);
});

test('what nothing put to the test does not pass', async ({ sim }) => {
  for (const matcher of [
    'toHaveHonouredRetryAfter',
    'toHaveBackedOff',
    'toHaveTrippedNoBan',
    'toHaveCreatedOnce',
  ] as const) {
    expect(() => expect(sim)[matcher]()).toThrow('nothing put that to the test');
  }
});

test('a matcher on anything else says what it wants', () => {
  expect(() => expect(7).toHaveBehaved()).toThrow('expected a simulator or a verdict');
});
