import { beforeEach, describe, test as plain, vi } from 'vitest';
import { judge } from '../../src/entries/verdict.js';
import { expect, test } from '../../src/entries/vitest.js';
import { block } from '../support/block.js';

const usedUp = { keys: { 'free-key': { usage: { minute: 60 } } } } as const;

/** Sends nothing, because it is about what a test is given. */
const silent = test.extend({ verdict: 'ignore' as const });

/** A client that waits as requested, or always one second. */
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
      // Sockets are real, so a response takes turns of the event loop, more on a busy machine.
      while (status === 0) await vi.advanceTimersByTimeAsync(1_000);
      expect(status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
    expect(sim).toHaveHonouredRetryAfter();
    expect(sim).toHaveTrippedNoBan();
  });

  const unchecked = it.extend({ verdict: 'ignore' as const });

  unchecked(
    'a rejection over HTTP is held back, to distinguish parallel requests',
    async ({ sim, baseUrl, apiKey }) => {
      const { status } = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
      expect(status).toBe(429);
      expect(sim.journal.query()[0]?.heldMs).toBeGreaterThan(0);
    },
  );

  unchecked('a client that waits a second is named by the matchers', async ({ sim, apiKey }) => {
    vi.useFakeTimers();
    try {
      const answer = list(sim.fetch, 'http://petstore.test/v1', apiKey, 1_001);
      await vi.advanceTimersByTimeAsync(5_000);
      expect((await answer).status).toBe(429);
    } finally {
      vi.useRealTimers();
    }
    expect(() => expect(sim).toHaveHonouredRetryAfter()).toThrow(/early-retry: Retried .* before Retry-After/);
    expect(() => expect(sim).toHaveTrippedNoBan()).toThrow(/ban/);
    expect(() => expect(sim).toHaveBehaved()).toThrow(/The client retried too early/);
    expect(sim).not.toHaveHonouredRetryAfter();
  });
});

describe('on a busy machine', () => {
  const it = test.extend({
    scenario: { faults: [{ when: { first: 4 }, then: { respond: { status: 429, headers: { 'Retry-After': '1' } } } }] },
    verdict: 'ignore' as const,
  });
  /** Blocks the event loop for 800 ms. Lets timers fire before and after, whose lateness is measured. */
  const pause = async () => {
    const tick = () => new Promise<void>((resolve) => setTimeout(resolve, 20));
    await tick();
    block(800);
    await tick();
  };
  const early = /early-retry: Retried .* before Retry-After/;
  const mark = /\n {2}machine was busy \(lag \d+(\.\d)? m?s\): run the test again, alone\n/;

  it('a failure by less than the lag says so', async ({ sim, apiKey }) => {
    await pause();
    await list(sim.fetch, 'http://petstore.test/v1', apiKey, 400);
    expect(() => expect(sim).toHaveBehaved()).toThrow(mark);
    expect(() => expect(sim).toHaveHonouredRetryAfter()).toThrow(early);
    expect(() => expect(sim).toHaveHonouredRetryAfter()).toThrow(mark);
  });

  it('under fake timers, no lag decides', async ({ sim, apiKey }) => {
    await pause();
    vi.useFakeTimers();
    const answer = list(sim.fetch, 'http://petstore.test/v1', apiKey, 400);
    await vi.advanceTimersByTimeAsync(5_000);
    await answer;
    vi.useRealTimers();
    expect(() => expect(sim).toHaveHonouredRetryAfter()).toThrow(early);
    expect(() => expect(sim).toHaveHonouredRetryAfter()).not.toThrow(mark);
  });

  it('where the test moves the clock, no lag decides', async ({ sim, apiKey }) => {
    const send = () => sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: `Bearer ${apiKey}` } });
    await pause();
    expect((await send()).status).toBe(429);
    sim.clock.advance(500);
    expect((await send()).status).toBe(429);
    expect(() => expect(sim).toHaveHonouredRetryAfter()).toThrow(early);
    expect(() => expect(sim).toHaveHonouredRetryAfter()).not.toThrow(mark);
  });
});

describe('with a response that is lost after the pet is stored', () => {
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

silent('every test has a separate simulator', async ({ sim }) => {
  expect(sim.pets.add({ name: 'Rex', categoryId: 1 }).id).toBe(41);
});

silent('and does not see the simulator of another test', async ({ sim }) => {
  expect(sim.pets.size).toBe(40);
});

silent('what nothing put to the test passes neither way', async ({ sim, apiKey }) => {
  expect(() => expect(sim).toHaveBackedOff()).toThrow(
    'but no request arrived. Does the client call the URL of this simulator',
  );
  await sim.fetch('/v1/pets', { headers: { authorization: `Bearer ${apiKey}` } });
  for (const matcher of [
    'toHaveHonouredRetryAfter',
    'toHaveBackedOff',
    'toHaveTrippedNoBan',
    'toHaveCreatedOnce',
  ] as const) {
    expect(() => expect(sim)[matcher]()).toThrow('the run did not exercise that');
    expect(() => expect(sim).not[matcher]()).toThrow('the run did not exercise that');
  }
});

plain('a matcher on any other value names the expected one', () => {
  expect(() => expect(7).toHaveBehaved()).toThrow('expected a simulator or a verdict');
});

describe('under fake timers that go to the next timer by themselves', () => {
  const it = test.extend({ scenario: usedUp });
  beforeEach(() => {
    vi.useFakeTimers();
    vi.setTimerTickMode('nextTimerAsync');
    return () => vi.useRealTimers();
  });

  it('a client that waits a minute continues at once', async ({ sim, apiKey }) => {
    const startMs = sim.clock.now();
    expect((await list(sim.fetch, 'http://petstore.test/v1', apiKey)).status).toBe(200);
    expect(sim.clock.now() - startMs).toBeGreaterThanOrEqual(59_000);
    expect(sim).toHaveHonouredRetryAfter();
  });
});

describe('a test that begins some milliseconds after a whole second, with a minute of two seconds', () => {
  const it = test.extend({ scenario: { windows: { minute: '2s' as const }, ...usedUp }, verdict: 'ignore' as const });

  describe.each([0, 50, 999])('%i', (ms) => {
    beforeEach(() => {
      vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12, 0, 0, ms) }).setTimerTickMode('nextTimerAsync');
      return () => vi.useRealTimers();
    });

    it('finds a fixed wait of 1.5 s too early', async ({ sim, apiKey }) => {
      await list(sim.fetch, 'http://petstore.test/v1', apiKey, 1_500);
      expect(judge(sim).findings).toContainEqual(expect.objectContaining({ code: 'early-retry', severity: 'fail' }));
    });

    it('the clock starts at the next whole second, and runs', async ({ sim }) => {
      expect(sim.clock.now() % 1_000).toBeLessThan(ms === 0 ? 1_000 : 50);
      sim.clock.set('2026-01-01T12:00:59.300Z');
      await sim.fetch('/v1/pets');
      expect(sim.journal.query()[0]?.arrivedAtMs).toBeLessThan(Date.UTC(2026, 0, 1, 12, 1));
    });
  });

  const start = '2026-01-01T12:00:00.550Z';
  it.extend({ scenario: { clock: { start } } })('or as in its scenario', ({ sim }) => {
    expect(new Date(sim.clock.now()).toISOString()).toMatch(/^2026-01-01T12:00:00\.[5-9]/);
  });
});

describe('with eight refusals in a row', () => {
  const respond = { status: 429, headers: { 'Retry-After': '1', 'X-RateLimit-Remaining': '0' } };
  const it = test.extend({
    scenario: { faults: [{ then: { respond, countsQuota: false, failTimes: 8 } }] },
    verdict: 'ignore' as const,
  });
  beforeEach(() => {
    vi.useFakeTimers();
    vi.setTimerTickMode('nextTimerAsync');
    return () => vi.useRealTimers();
  });
  const tryFiveTimes = async (fetch: typeof globalThis.fetch, apiKey: string, waitMs: (attempt: number) => number) => {
    for (let attempt = 0; attempt < 5; attempt++) {
      await fetch('http://petstore.test/v1/pets', { headers: { authorization: `Bearer ${apiKey}` } });
      await new Promise((resolve) => setTimeout(resolve, waitMs(attempt)));
    }
  };

  it('a client that doubles its wait has backed off', async ({ sim, apiKey }) => {
    await tryFiveTimes(sim.fetch, apiKey, (attempt) => 1_000 + 2 ** attempt * 500);
    expect(sim).toHaveBackedOff();
    expect(() => expect(sim).not.toHaveBackedOff()).toThrow('had not waited longer after each rejection');
  });

  it('a client that waits the same each time has not', async ({ sim, apiKey }) => {
    await tryFiveTimes(sim.fetch, apiKey, () => 1_100);
    expect(() => expect(sim).toHaveBackedOff()).toThrow(/no-backoff-growth: /);
    expect(sim).not.toHaveBackedOff();
  });
});

describe('the API key', () => {
  silent('is the first that works', ({ apiKey }) => {
    expect(apiKey).toBe('free-key');
  });
  silent.extend({ scenario: { keys: { mine: { plan: 'pro' } } } })(
    'is the one that the scenario names',
    ({ apiKey }) => {
      expect(apiKey).toBe('mine');
    },
  );
});

silent.extend({ scenario: { pets: { generate: { sold: 3 } } } })('pets can be generated', ({ sim }) => {
  expect(sim.pets.size).toBe(3);
});

silent.extend({ scenario: 'large-catalogue' })('pets of a named scenario can be generated', ({ sim }) => {
  expect(sim.pets.size).toBe(100_000);
});

silent('accepts a verdict from HTTP, and a journal with gaps never passes', ({ sim }) => {
  const verdict = { ...judge(sim), exercised: ['early-retry' as const] };
  expect(verdict).toHaveHonouredRetryAfter();
  verdict.counts = { ...verdict.counts, dropped: 3 };
  expect(() => expect(verdict).toHaveHonouredRetryAfter()).toThrow('the journal has dropped 3 requests');
  expect(() => expect(verdict).not.toHaveHonouredRetryAfter()).toThrow('the journal has dropped 3 requests');
});

silent.extend({ scenario: 'minute-wall' })('a shipped scenario goes by its name', ({ sim, apiKey }) => {
  expect([sim.name, apiKey]).toEqual(['minute-wall', 'free-key']);
});
