import type { HuntClient } from 'petstore-sim/hunt';
import { judge } from 'petstore-sim/verdict';
import { expect, test } from 'petstore-sim/vitest';
import { beforeEach, describe, test as plain, vi } from 'vitest';
import { createPetstore } from '../src/petstore.ts';
import { sendStubbornly } from '../src/send.ts';

const baseUrl = 'https://api.petstore.example/v1';
const rex = { name: 'Rex', categoryId: 1 };

describe('without waiting: sim.fetch and fake timers', () => {
  beforeEach(() => {
    vi.useFakeTimers().setTimerTickMode('nextTimerAsync');
    return () => vi.useRealTimers();
  });

  describe('with a key whose minute is used up', () => {
    const it = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });

    it('the client waits a minute and succeeds', async ({ sim, apiKey }) => {
      const petstore = createPetstore({ baseUrl, apiKey, fetch: sim.fetch });
      expect(await petstore.listPets()).toHaveLength(40);
      expect(sim).toHaveHonouredRetryAfter();
      expect(sim).toHaveTrippedNoBan();
    });

    // The kit judges the client at the end of the test, and fails a test with findings.
    it.fails('a client that tries again every second does not pass', async ({ sim, apiKey }) => {
      const petstore = createPetstore({ baseUrl, apiKey, fetch: sim.fetch, send: sendStubbornly });
      await petstore.listPets().catch(() => {});
    });

    const unchecked = it.extend({ verdict: 'ignore' });
    unchecked('and the verdict reports the reason', async ({ sim, apiKey }) => {
      const petstore = createPetstore({ baseUrl, apiKey, fetch: sim.fetch, send: sendStubbornly });
      await expect(petstore.listPets()).rejects.toThrow('gave up');
      expect(sim).not.toHaveHonouredRetryAfter();
      expect(sim).not.toHaveTrippedNoBan();
      expect(judge(sim).findings).toContainEqual(
        expect.objectContaining({
          code: 'early-retry',
          text: expect.stringContaining('after exactly 1.0 s'),
        }),
      );
    });
  });

  describe('with an answer that is lost after the pet is stored', () => {
    const it = test.extend({
      scenario: { faults: [{ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } }] },
    });

    it('the client looks before it tries again', async ({ sim, apiKey }) => {
      const petstore = createPetstore({ baseUrl, apiKey, fetch: sim.fetch });
      expect(await petstore.createPet(rex)).toMatchObject({ id: 41, name: 'Rex' });
      expect(sim).toHaveCreatedOnce();
    });

    it.extend({ verdict: 'ignore' })('a client that just tries again has two', async ({ sim, apiKey }) => {
      const petstore = createPetstore({ baseUrl, apiKey, fetch: sim.fetch, send: sendStubbornly });
      await petstore.createPet(rex);
      expect(() => expect(sim).toHaveCreatedOnce()).toThrow('duplicate-write: POST /pets was stored');
    });
  });
});

describe('over real HTTP, with a minute of one second', () => {
  const it = test.extend({
    scenario: { windows: { minute: '1s' }, keys: { 'free-key': { usage: { minute: 'all' } } } },
  });

  it('the client waits for it', async ({ sim, baseUrl, apiKey }) => {
    const petstore = createPetstore({ baseUrl, apiKey });
    expect(await petstore.listPets()).toHaveLength(40);
    expect(sim).toHaveHonouredRetryAfter();
  });
});

// `hunt` runs the client in many scenarios and finds the smallest in which the client fails.
plain('a client that tries again every second does not survive a hunt', async () => {
  vi.useFakeTimers();
  const client: HuntClient = ({ fetch, baseUrl, apiKey }) =>
    createPetstore({ baseUrl, apiKey, fetch, send: sendStubbornly }).listPets();
  await expect(expect(client).toSurviveHunt({ runs: 20 })).rejects.toThrow('before Retry-After of the ban allowed');
  vi.useRealTimers();
});
