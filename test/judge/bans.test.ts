import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { findingOn, ran, runPrograms, sending, verdictOn, wall } from '../support/client-lab.js';
import { found } from '../support/findings.js';

const banned: Scenario = { keys: { 'free-key': { bannedFor: '30s' } } };

describe('ban-tripped', () => {
  const tripped = (waits: readonly number[], scenario = wall) => findingOn('ban-tripped', scenario, sending(waits));

  test('finds the strikes that caused a ban, and names the last request', () => {
    expect(tripped([2_000, 2_000, 2_500, 2_000])).toMatchObject({
      severity: 'fail',
      at: '2026-01-01T12:00:02.000Z',
      requests: [2, 3, 4],
      measured: '3 strikes',
      text: expect.stringContaining('until the key was banned for 2:00. Request 4 was the last strike.'),
    });
  });

  test('finds each ban of a run with its own strikes', () => {
    const strict: Scenario = {
      ...wall,
      plans: { free: { minute: 1, day: 1000 } },
      keys: {},
      ban: { after: 1, seconds: 5 },
    };
    const verdict = verdictOn(strict, sending([0, 2_000, 60_000, 0, 2_000]));
    const bans = verdict.findings.filter(({ code }) => code === 'ban-tripped');
    expect(bans.map(({ requests, measured }) => [requests, measured])).toEqual([
      [[3], '1 strike'],
      [[6], '1 strike'],
    ]);
  });

  test.each<[string, number[], Scenario?]>([
    ['two early requests', [2_000, 2_000]],
    ['a burst within the grace period', [100, 100, 100, 100]],
    ['a ban set by a scenario', [2_000, 2_000, 2_000, 2_000], banned],
  ])('spares %s', (_, waits, scenario) => {
    expect(tripped(waits, scenario)).toBeUndefined();
  });

  test('spares a ban set by an operation', () => {
    const sim = ran(wall, sending([2_000]));
    sim.keys.ban('free-key', '60s');
    runPrograms(sim, [sending([2_000, 2_000])]);
    expect(found(judge(sim), 'ban-tripped')).toBeUndefined();
  });

  test('only warns if each request was sent when its refusal allowed, or after a growing wait of its own', () => {
    const long: Scenario = { ...wall, windows: { minute: '10m' }, hostileHeaders: { html: true } };
    expect(tripped([1_500, 3_000, 6_000], long)).toMatchObject({
      severity: 'warn',
      text: expect.stringContaining('give up after fewer attempts'),
    });
    expect(tripped([60_000, 60_000, 60_000], long)?.severity).toBe('warn');
    expect(tripped([2_000, 2_000, 2_000], long)?.severity).toBe('fail');
    const skewed: Scenario = { ...wall, windows: { minute: '1m' }, hostileHeaders: { reset: 'skewed' } };
    expect(tripped([20_000, 20_000, 5_000], skewed)?.severity).not.toBe('warn');
  });

  test('only warns of a strike within the tolerance of the judge', () => {
    const exact: Scenario = { ...wall, ban: { after: 1, graceMs: 0, toleranceMs: 0 } };
    expect(tripped([29_950], exact)?.severity).toBe('warn');
    expect(tripped([29_949], exact)?.severity).toBe('fail');
  });

  test('counts strikes from before the journal was cleared, but does not list them', () => {
    const clearedAfter = (before: readonly number[], after: readonly number[]) => {
      const sim = ran(wall, sending(before));
      sim.journal.clear();
      sim.clock.advance('2s');
      runPrograms(sim, [sending(after)]);
      return found(judge(sim), 'ban-tripped');
    };
    expect(clearedAfter([2_000, 2_000], [])).toBeUndefined();
    expect(clearedAfter([2_000], [2_000])).toMatchObject({ requests: [3, 4], measured: '3 strikes' });
    expect(clearedAfter([2_000, 2_000, 2_000], [2_000])).toBeUndefined();
  });
});

describe('ban-hammered', () => {
  const hammered = (waits: readonly number[], scenario = banned) => findingOn('ban-hammered', scenario, sending(waits));

  test('finds a client that requests every two seconds during a ban', () => {
    const finding = hammered(Array(5).fill(2_000));
    expect(finding).toMatchObject({
      severity: 'fail',
      requests: [2, 3, 4, 5, 6],
      measured: '5 requests after the response that reported the ban',
    });
    expect(finding?.text).toMatch(/^Sent 5 more requests during a ban, the first 28.0 s before its end\. Send/);
    const single = hammered([2_000]);
    expect(single?.measured).toBe('1 request after the response that reported the ban');
    expect(single?.text).toMatch(/^Sent 1 more request during a ban, 28.0 s before its end\. Send/);
  });

  test.each([401, 403, 418] as const)('finds it for a ban with status %i', (status) => {
    expect(hammered([2_000], { ...banned, ban: { status } })).toBeDefined();
  });

  test('reports that requests extended the ban, and counts past its original end', () => {
    const penalty: Scenario = { ...banned, ban: { seconds: 30, extend: true } };
    const finding = hammered([20_000, 20_000], penalty);
    expect(finding?.requests).toEqual([2, 3]);
    expect(finding?.text).toContain('Each request extended the ban.');
    expect(hammered([20_000])?.text).not.toContain('extended');
  });

  test.each<[string, number[], Scenario?]>([
    ['silence', []],
    ['one request after the ban', [30_000, 100]],
    ['a request within the tolerance', [29_960]],
    ['the request that triggers the ban', [2_000, 2_000, 2_000], wall],
    ['a client that does not know the end', [2_000, 2_000], { ...banned, hostileHeaders: { html: true } }],
  ])('spares %s', (_, waits, scenario) => {
    expect(hammered(waits, scenario)).toBeUndefined();
  });

  test('spares requests in flight when the ban started, and other keys', () => {
    expect(findingOn('ban-hammered', banned, sending([]), sending([]), sending([]))).toBeUndefined();
    const two: Scenario = { keys: { ...banned.keys, 'pro-key': { plan: 'pro' } } };
    expect(findingOn('ban-hammered', two, sending([2_000, 2_000], [{}, { key: 'pro-key' }]))).toBeUndefined();
  });

  test('is exercised by a client that retries or has ended', () => {
    const sim = ran(banned, sending([]));
    expect(judge(sim).exercised).not.toContain('ban-hammered');
    expect(judge(sim, { isOver: true }).exercised).toContain('ban-hammered');
    expect(verdictOn(wall, sending([30_000])).exercised).not.toContain('ban-hammered');
  });
});
