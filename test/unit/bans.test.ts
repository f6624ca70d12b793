import { describe, expect, test } from 'vitest';
import type { Answer, Scenario, Simulator } from '../../src/index.js';
import { frozen, noonSeconds } from '../support/frozen.js';
import { code, message, rate, send, sendTimes } from '../support/plain-call.js';

/** A simulator whose free key has exhausted its minute: the next request, at 0 s, is the first refusal. */
function exhausted(scenario: Scenario = {}): Simulator {
  return frozen({ ...scenario, keys: { 'free-key': { usage: { minute: 60 } }, ...scenario.keys } });
}

/** Sends a request at a time after noon, in milliseconds. */
function sendAt(sim: Simulator, ms: number, key = 'free-key'): Answer {
  sim.clock.set(noonSeconds * 1000 + ms);
  return send(sim, { key });
}

const codesAt = (sim: Simulator, ...times: number[]) => times.map((ms) => code(sendAt(sim, ms)));
const limited = 'rate_limit_exceeded';
const banned = 'key_banned';

const strict = { ban: 'strict' } as const;
const ownSettings: Scenario = { ban: { after: 1, graceMs: 0, toleranceMs: 0 } };

/** Requests of the free key, each after some milliseconds, with the code of the response. */
test.each<[does: string, scenario: Scenario, ...requests: [ms: number, code: string][]]>([
  ['is counted one millisecond after the grace period', strict, [0, limited], [1000, limited], [1001, banned]],
  ['is not counted if early within the tolerance', strict, [0, limited], [59_950, limited], [59_999, limited]],
  ['is counted if early beyond the tolerance', strict, [0, limited], [59_949, banned]],
  ['is counted by the grace period of the scenario', ownSettings, [0, limited], [0, limited], [1, banned]],
  ['is counted by the tolerance of the scenario', ownSettings, [0, limited], [59_999, banned]],
  ['is the third of the default', {}, [0, limited], [2000, limited], [3000, limited], [4000, banned]],
  ['is the first of the preset strict', strict, [0, limited], [2000, banned]],
])('a strike %s', (_, scenario, ...requests) => {
  const times = requests.map(([ms]) => ms);
  expect(codesAt(exhausted(scenario), ...times)).toEqual(requests.map(([, code]) => code));
});

describe('a strike', () => {
  test('is not counted within the grace period after the first refusal', () => {
    const sim = exhausted(strict);
    sendTimes(sim, 500);
    sim.clock.advance(1000);
    expect(sendTimes(sim, 500).every((answer) => code(answer) === limited)).toBe(true);
    expect(sim.keys.get('free-key')).toMatchObject({ strikes: 0, state: 'active' });
  });

  test('is not cleared by a request with another key', () => {
    const sim = exhausted();
    codesAt(sim, 0, 2000, 3000);
    sendAt(sim, 3500, 'pro-key');
    expect(codesAt(sim, 4000)).toEqual([banned]);
  });
});

describe('the number of strikes before a ban', () => {
  test.each<[string, Scenario]>([
    ['can be 0', { ban: { after: 0 } }],
    ['is 0 with the preset off', { ban: 'off' }],
  ])('%s, which never bans', (_, scenario) => {
    const sim = exhausted(scenario);
    for (let ms = 0; ms < 59_000; ms += 500) expect(code(sendAt(sim, ms))).toBe(limited);
    expect(sendAt(sim, 60_000).status).toBe(200);
  });
});

describe('a ban', () => {
  const ban = (scenario: Scenario = {}) => {
    const sim = exhausted(scenario);
    codesAt(sim, 0, 2000, 3000, 4000);
    return sim;
  };

  test('responds with its own code and message, Remaining 0, and Retry-After and Reset at its end', () => {
    const sim = ban();
    const answer = sendAt(sim, 4700);
    expect(answer.status).toBe(429);
    expect(rate(answer)).toEqual({ limit: 60, remaining: 0, reset: noonSeconds + 124, retryAfter: 120 });
    expect(answer.headers['Cache-Control']).toBe('no-store');
    expect(JSON.parse(answer.body)).toEqual({
      code: 'key_banned',
      message: 'The API key is banned because requests went on after a 429; retry in 120 seconds.',
      status: 429,
    });
  });

  test('ends to the millisecond: refuses just before its end, accepts at its end', () => {
    const sim = ban();
    const last = sendAt(sim, 123_999);
    expect(code(last)).toBe(banned);
    expect(rate(last).retryAfter).toBe(1);
    expect(message(last)).toContain('retry in 1 second.');
    expect(sendAt(sim, 124_000).status).toBe(200);
  });

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

  test('does not affect other keys', () => {
    const sim = ban();
    expect(rate(send(sim, { key: 'pro-key' })).remaining).toBe(299);
    expect(sim.keys.list().map(({ state }) => state)).toEqual(['banned', 'active', 'active', 'active', 'revoked']);
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
    expect(rate(sendAt(sim, 0))).toMatchObject({ limit: 60, remaining: 0, reset: noonSeconds + 2, retryAfter: 2 });
    expect(code(sendAt(sim, 1499))).toBe(banned);
    expect(sendAt(sim, 1500).status).toBe(200);
    sim.keys.ban('free-key', '1h');
    expect(code(send(sim))).toBe(banned);
    sim.keys.unban('free-key');
    expect(send(sim).status).toBe(200);
  });
});

describe('extend', () => {
  test('restarts the ban at every request', () => {
    const sim = exhausted({ ban: { extend: true } });
    codesAt(sim, 0, 2000, 3000, 4000);
    expect(rate(sendAt(sim, 50_900))).toMatchObject({ reset: noonSeconds + 170, retryAfter: 120 });
    expect(code(sendAt(sim, 169_999))).toBe(banned);
    expect(sendAt(sim, 289_000).status).toBe(200);
  });

  test('never shortens a ban', () => {
    const sim = exhausted({ ban: { extend: true, seconds: 5 } });
    sim.keys.ban('free-key', '1h');
    expect(rate(sendAt(sim, 1000)).retryAfter).toBe(3599);
  });
});

describe('escalation', () => {
  /** Lengths of the next bans of a key that keeps sending after each ban. */
  const lengths = (sim: Simulator, times: number) => {
    const retryAfters: (number | undefined)[] = [];
    for (let n = 0; n < times; n++) {
      sim.keys.setUsage('free-key', { minute: 60 });
      send(sim);
      sim.clock.advance(2000);
      const answer = send(sim);
      expect(code(answer)).toBe(banned);
      retryAfters.push(rate(answer).retryAfter);
      sim.clock.advance('30d');
      expect(send(sim).status).toBe(200);
    }
    return retryAfters;
  };

  test('is off by default: every ban is as long as the first', () => {
    expect(lengths(frozen({ ban: { after: 1 } }), 3)).toEqual([120, 120, 120]);
  });

  test('multiplies each further ban up to the maximum', () => {
    const escalation = { factor: 3, maxSeconds: 2000 };
    expect(lengths(frozen({ ban: { after: 1, escalation } }), 4)).toEqual([120, 360, 1080, 2000]);
  });

  test('extends a ban by its escalated length', () => {
    const sim = frozen({ ban: { after: 1, extend: true, escalation: { factor: 2, maxSeconds: 900 } } });
    expect(lengths(sim, 1)).toEqual([120]);
    sim.keys.setUsage('free-key', { minute: 60 });
    send(sim);
    sim.clock.advance(2000);
    expect(rate(send(sim)).retryAfter).toBe(240);
    sim.clock.advance('100s');
    expect(rate(send(sim)).retryAfter).toBe(240);
  });
});

describe('the preset', () => {
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
