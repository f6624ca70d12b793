import { describe, expect, test } from 'vitest';
import type { Answer, Scenario, Simulator } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { frozen, noonSeconds } from '../support/frozen.js';
import { code, rate, send, sendTimes } from '../support/plain-call.js';

const { minute: perMinute } = documentedPlans.free;

// test/property/limits.test.ts has a model of strikes and bans, and test/api/assumptions.test.ts each setting.

/** A simulator whose free key has exhausted its minute: the next request, at 0 s, is the first refusal. */
function exhausted(scenario: Scenario = {}): Simulator {
  return frozen({
    ...scenario,
    keys: { 'free-key': { usage: { minute: documentedPlans.free.minute } }, ...scenario.keys },
  });
}

/** Sends a request at a time after noon, in milliseconds. */
function sendAt(sim: Simulator, ms: number, key = 'free-key'): Answer {
  sim.clock.set(noonSeconds * 1000 + ms);
  return send(sim, { key });
}

const codesAt = (sim: Simulator, ...times: number[]) => times.map((ms) => code(sendAt(sim, ms)));
const banned = 'key_banned';

describe('a ban', () => {
  const ban = (scenario: Scenario = {}) => {
    const sim = exhausted(scenario);
    codesAt(sim, 0, 2000, 3000, 4000);
    return sim;
  };

  test('refuses every operation and unknown paths, and creates nothing', () => {
    const sim = ban();
    const calls = [{}, { path: '/pets/1' }, { path: '/nothing' }, { body: { name: 'Rex', categoryId: 1 } }];
    expect(calls.map((call) => code(send(sim, call)))).toEqual([banned, banned, banned, banned]);
    expect(sim.pets.size).toBe(40);
  });

  test('set by a control operation applies even with limits off', () => {
    const sim = frozen({ limits: 'off' });
    sim.keys.ban('free-key', '90s');
    expect(code(sendAt(sim, 89_999))).toBe(banned);
    expect(sendAt(sim, 90_000).status).toBe(200);
  });

  test.each(['minute', 'day'] as const)(
    'reports the exhausted window, whichever window accepted requests report (%s)',
    (reportedWindow) => {
      const sim = frozen({ keys: { 'free-key': { usage: { day: 1000 } } }, limits: { reportedWindow } });
      codesAt(sim, 0, 2000, 3000);
      expect(rate(sendAt(sim, 4000)).limit).toBe(1000);
    },
  );

  test('comes after authentication: a revoked key gets 401', () => {
    const sim = ban();
    sim.keys.revoke('free-key');
    expect(send(sim).status).toBe(401);
  });

  test('set by a control operation lasts for its time and can be lifted', () => {
    const sim = frozen();
    sim.keys.ban('free-key', '1500ms');
    expect(rate(sendAt(sim, 0))).toMatchObject({
      limit: perMinute,
      remaining: 0,
      reset: noonSeconds + 2,
      retryAfter: 2,
    });
    expect(code(sendAt(sim, 1499))).toBe(banned);
    expect(sendAt(sim, 1500).status).toBe(200);
    sim.keys.ban('free-key', '1h');
    expect(code(send(sim))).toBe(banned);
    sim.keys.unban('free-key');
    expect(send(sim).status).toBe(200);
  });
});

describe('extend', () => {
  test('never shortens a ban', () => {
    const sim = exhausted({ ban: { extend: true, seconds: 5 } });
    sim.keys.ban('free-key', '1h');
    expect(rate(sendAt(sim, 1000)).retryAfter).toBe(3599);
  });
});

describe('the preset', () => {
  test('off never bans', () => {
    const sim = exhausted({ ban: 'off' });
    for (let ms = 0; ms < 59_000; ms += 500) expect(code(sendAt(sim, ms))).toBe('rate_limit_exceeded');
  });

  test('strict bans at the first strike', () => {
    expect(codesAt(exhausted({ ban: 'strict' }), 0, 1000, 1001)).toEqual([
      'rate_limit_exceeded',
      'rate_limit_exceeded',
      banned,
    ]);
  });

  test('default equals a scenario without a preset', () => {
    expect(frozen({ ban: 'default' }).settings).toEqual(frozen().settings);
  });

  test('binance has clock-aligned windows and bans with 418 from two minutes to three days', () => {
    const sim = frozen({ ban: 'binance' });
    expect(sim.settings).toMatchObject({
      windowStart: 'clock',
      banStatus: 418,
      banSeconds: 120,
      banEscalation: { factor: 2, maxSeconds: 3 * 86_400 },
    });
    sim.clock.set((noonSeconds + 59) * 1000);
    sendTimes(sim, 60);
    expect(rate(send(sim)).retryAfter).toBe(1);
    sim.keys.ban('free-key', '1m');
    expect(send(sim).status).toBe(418);
  });

  test('strava counts a refused request in the other window', () => {
    const sim = exhausted({ ban: 'strava' });
    sendTimes(sim, 10);
    expect(sim.keys.get('free-key').day.remaining).toBe(990);
  });

  test('penalty restarts the ban at every request', () => {
    const sim = exhausted({ ban: 'penalty' });
    codesAt(sim, 0, 2000, 3000, 4000);
    expect(rate(sendAt(sim, 100_000)).retryAfter).toBe(120);
  });

  test('is overridden by an assumption', () => {
    expect(frozen({ ban: 'strict', assumptions: { banAfter: 2 } }).settings.banAfter).toBe(2);
  });
});
