// @module-tag slow
import { describe, expect, test } from 'vitest';
import type { Scenario, Simulator } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { judgeRun } from '../../src/judge/judge-run.js';
import { findingCodes } from '../../src/scenario/finding-codes.js';
import { forDocumented } from '../../src/values/window-fields.js';
import { obeying, ran, retryAfter, retrying, runPrograms, sending, verdictOn, wall } from '../support/client-lab.js';
import { blamed, found } from '../support/findings.js';
import { frozen } from '../support/frozen.js';
import { type PlainCall, send } from '../support/plain-call.js';

describe('the verdict', () => {
  test('passes a client that was refused and waited', () => {
    expect(verdictOn(wall, obeying)).toMatchObject({
      scenario: 'default',
      outcome: 'pass',
      reason: 'The client did what the service asked.',
      findings: [],
      counts: { requests: 2, served: 1, refused: 1, banned: 0, dropped: 0 },
    });
  });

  test('names the failed rules, worst first', () => {
    const { outcome, reason, findings } = verdictOn(wall, sending([2_000, 2_000, 2_000, 2_000]));
    expect(outcome).toBe('fail');
    expect(reason).toBe('The client retried too early, got its key banned, and kept sending during the ban.');
    expect(findings.map(({ severity }) => severity)).toEqual(['fail', 'fail', 'fail', 'info']);
  });

  test('passes with warnings, and names them', () => {
    const verdict = verdictOn(wall, sending([50_000]));
    expect(verdict).toMatchObject({
      outcome: 'pass',
      reason: 'The client did what the service asked, but see overslept.',
    });
  });

  test('is inconclusive without requests, without errors, or before the end', () => {
    const reasons = [verdictOn({}), verdictOn({}, sending([10, 10]))];
    const sim = frozen(wall);
    send(sim);
    reasons.push(judge(sim));
    expect(reasons.map(({ outcome }) => outcome)).toEqual(Array(3).fill('inconclusive'));
    expect(reasons.map(({ reason }) => reason)).toEqual([
      'No requests received.',
      expect.stringContaining('nothing was put to the test'),
      expect.stringContaining('no request shows whether it retried'),
    ]);
  });

  test('is inconclusive with limits off, for any number of requests', () => {
    const verdict = verdictOn({ limits: 'off' }, sending(Array(200).fill(0)));
    expect([verdict.outcome, verdict.reason]).toEqual([
      'inconclusive',
      expect.stringMatching(/put to the test\. The limits are off\.$/),
    ]);
  });

  test('names the fault rule that matched or affected no request', () => {
    const reason = (when: object) =>
      verdictOn({ faults: [{ name: 'lost', when, then: { reset: true } }] }, sending([10])).reason;
    expect(reason({ key: 'pro-key' })).toMatch(/put to the test\. The fault rule "lost" matched no request\.$/);
    expect(reason({ nth: 9 })).toMatch(/The fault rule "lost" applied to no request\.$/);
    expect(verdictOn({}, sending([10])).reason).toContain(
      '"npx petstore-sim exec --scenario minute-wall -- COMMAND" tests a client in ten seconds.',
    );
  });

  test('judges injected refusals with limits off', () => {
    const fault = { when: { first: 1 }, then: { respond: { status: 429, headers: { 'Retry-After': 5 } } } };
    const scenario: Scenario = { limits: 'off', faults: [fault] };
    expect(blamed(verdictOn(scenario, sending([1_000])))).toEqual(['early-retry']);
    expect(verdictOn(scenario, sending([5_000])).outcome).toBe('pass');
  });

  test('is inconclusive if the journal dropped entries, unless a failure remains', () => {
    const sim = ran(wall, obeying);
    const judged = ({ journal, clock }: Simulator) =>
      judgeRun(journal.query(), { scenario: 'x', nowMs: clock.now(), dropped: 3 });
    expect(judged(sim)).toMatchObject({
      outcome: 'inconclusive',
      reason: 'The journal has dropped 3 requests, so the run is incomplete.',
    });
    const bad = frozen(wall);
    runPrograms(bad, [sending([1_000])]);
    expect(judged(bad).outcome).toBe('fail');
  });

  test('counts the entries that the journal of the simulator dropped', () => {
    const sim = frozen({ plans: { free: forDocumented(() => 1e6) } });
    for (let n = 0; n < 10_050; n++) send(sim, { query: 'limit=1' });
    expect(judge(sim, { isOver: true })).toMatchObject({
      outcome: 'inconclusive',
      counts: { requests: 10_000, dropped: 50 },
    });
  });

  test('asks for the API key if every request got a 401, unless the scenario intends that', () => {
    const lone = sending([], { key: 'revoked-key' });
    expect(verdictOn({}, lone)).toMatchObject({
      outcome: 'inconclusive',
      reason: "Every request got a 401: check the client's API key.",
    });
    expect(verdictOn({ expect: { fail: ['retried-401'] } }, lone).outcome).toBe('pass');
    expect(verdictOn({}, sending([], { key: 'typo-key' })).reason).toContain('--set keys.KEY.plan=free');
  });

  test('names --upstream if every path is unknown, also after refusals, and never passes', () => {
    const lost = sending([10, 10], { path: '/todos' });
    const reason = '3 requests got 404: no such path; pass --upstream URL for a backend.';
    expect(verdictOn({}, lost)).toMatchObject({ outcome: 'inconclusive', reason });
    expect(verdictOn({ client: { operation: 'listPets' } }, lost)).toMatchObject({ outcome: 'inconclusive', reason });
    const some = verdictOn({}, sending([10], { path: '/todos' }), sending([10]));
    expect(some.reason).not.toContain('--upstream');
  });

  test('never passes a run in which nothing was served', () => {
    const missing = retrying((answer) => retryAfter(answer) * 1000, { path: '/pets/999999' });
    expect(verdictOn(wall, missing)).toMatchObject({
      outcome: 'inconclusive',
      reason: 'No request was served: 1 got 404. Check the base URL and the paths of the client.',
    });
  });

  test('is inconclusive if concurrent equal calls were refused within a second and none followed', () => {
    const burst = Array.from({ length: 20 }, () => sending([1, 1, 1, 1, 1], {}));
    expect(verdictOn(wall, ...burst).outcome).toBe('inconclusive');
  });

  test('judges each key separately, even if their endings are equal', () => {
    const alike: Scenario = {
      ...wall,
      keys: { 'one-free-key': { usage: { minute: 60 } }, 'two-free-key': { usage: { minute: 60 } } },
    };
    const keys = ['one-free-key', 'two-free-key'];
    const turns = sending([1_500, 0], (index) => ({ key: keys[index % 2] ?? '' }));
    expect(found(verdictOn(alike, turns), 'early-retry')?.requests).toEqual([3]);
  });

  test('starts anew after the journal is cleared, and after a reset', () => {
    const sim = ran(wall, sending([1_000]));
    expect(judge(sim).outcome).toBe('fail');
    sim.journal.clear();
    expect(judge(sim)).toMatchObject({ outcome: 'inconclusive', counts: { requests: 0 } });
    runPrograms(sim, [sending([1_000])]);
    sim.reset();
    expect(judge(sim).counts.requests).toBe(0);
  });

  test('does not blame requests from before the journal was cleared', () => {
    const sim = frozen(wall);
    send(sim);
    sim.journal.clear();
    sim.clock.advance('1s');
    runPrograms(sim, [obeying]);
    expect(judge(sim).outcome).toBe('pass');
  });

  test('does not compare times across a clock that was set back', () => {
    const sim = frozen();
    sim.clock.advance('1d');
    sim.keys.setUsage('free-key', { minute: 60 });
    send(sim);
    sim.clock.set('2026-01-01T12:00:00Z');
    send(sim, { key: 'pro-key' });
    sim.clock.advance('2d');
    send(sim);
    expect(judge(sim).counts).toMatchObject({ refused: 1, served: 2 });
    expect(blamed(judge(sim, { isOver: true }))).toEqual([]);
  });

  test('does not treat a call as given up after the clock was set back', () => {
    const sim = frozen();
    sim.clock.advance('10m');
    sim.keys.setUsage('free-key', { minute: 60 });
    runPrograms(sim, [sending([])]);
    sim.clock.set('2026-01-01T12:00:00Z');
    runPrograms(sim, [sending([], { query: 'limit=1' })]);
    sim.clock.advance('1d');
    expect(found(judge(sim), 'gave-up')).toBeUndefined();
  });

  test('continues across a small correction of the clock', () => {
    const sim = frozen(wall);
    sim.clock.advance(500);
    send(sim);
    sim.clock.set('2026-01-01T12:00:00.100Z');
    sim.clock.advance('5s');
    send(sim);
    expect(blamed(judge(sim))).toEqual(['early-retry']);
  });

  test('does not take a clock that was set back for concurrent requests', () => {
    const sim = frozen(wall);
    // The next call comes too early, which is a mistake of a client that makes one call after another.
    for (const [query, waitMs] of [
      ['', 1_000],
      ['limit=2', 60_000],
    ] as const) {
      send(sim, { query });
      sim.clock.advance(waitMs);
    }
    const before = blamed(judge(sim));
    expect(before).toContain('early-retry');
    for (const connection of [1, 2]) {
      const nowMs = sim.clock.now();
      send(sim, { query: 'limit=1', connection });
      sim.clock.set(nowMs - 500);
    }
    send(sim, { query: 'limit=1', connection: 3 });
    expect(blamed(judge(sim))).toEqual(expect.arrayContaining(before));
  });

  test('does not blame a client for other users of its key', () => {
    const scenario: Scenario = { ...wall, background: { 'free-key': 100 } };
    const verdict = verdictOn(
      scenario,
      retrying((answer, attempt) => retryAfter(answer) * 1000 + 2 ** attempt * 500, {}, 5),
    );
    expect([verdict.counts.refused > 1, blamed(verdict)]).toEqual([true, []]);
  });

  test('lists exactly the rules that the run put to the test', () => {
    const { exercised } = verdictOn(wall, obeying);
    expect(exercised).toEqual(['early-retry', 'overslept', 'retry-storm', 'ban-tripped', 'gave-up']);
    expect(verdictOn({}).exercised).toEqual([]);
  });

  test('is plain data, whose findings contain no key', () => {
    const verdict = verdictOn({ keys: { 'a-secret-text': { usage: { minute: 60 } } } }, function* ({ send }) {
      for (let n = 0; n < 8; n++) {
        send({ key: 'a-secret-text', body: { name: 'Rex', categoryId: 1 } });
        yield 1_000;
      }
    });
    expect(verdict.findings.length).toBeGreaterThan(3);
    expect(JSON.parse(JSON.stringify(verdict))).toEqual(verdict);
    expect(JSON.stringify([verdict.reason, verdict.findings])).not.toContain('secret');
  });

  test('turns findings into failures if the scenario names them', () => {
    for (const code of findingCodes) {
      const { findings } = verdictOn({ ...wall, expect: { fail: [code] } }, sending([50_000], { path: '/pets/1' }));
      const severity = findings.find((each) => each.code === code)?.severity ?? 'fail';
      expect(severity, code).toBe('fail');
    }
  });

  test.each<[kind: string, scenario: Scenario, call: (index: number) => PlainCall, stepMs: number]>([
    ['refused, of one call, in one moment', { ...wall, ban: 'off' }, () => ({}), 0],
    ['refused, of one call, one by one', { ...wall, ban: 'off' }, () => ({ connection: 1 }), 2],
    ['refused, over 50 connections', { ...wall, ban: 'off' }, (index) => ({ connection: index % 50 }), 2],
    ['refused, each another', { ...wall, ban: 'off' }, (index) => ({ query: `limit=${index % 100}` }), 2],
    ['refused in a ban', { keys: { 'free-key': { bannedFor: '1h' } } }, (index) => ({ connection: index % 50 }), 10],
    ['without a valid key', {}, (index) => ({ key: 'none', connection: index % 7 }), 10],
    ['served', { limits: 'off' }, (index) => ({ query: `limit=${index % 3}` }), 10],
    ['adding pets', { ...wall, ban: 'off' }, (index) => ({ body: { name: `Pet ${index}`, categoryId: 1 } }), 2],
  ])('judges 10,000 requests %s, without comparing each pair', (_, scenario, call, stepMs) => {
    const sim = frozen(scenario);
    for (let index = 0; index < 10_000; index++) {
      send(sim, call(index));
      sim.clock.advance(stepMs);
    }
    // Takes a tenth of a second each. Quadratic growth would take 9 s for the first kind, more than the test timeout.
    for (let round = 0; round < 5; round++) expect(judge(sim, { isOver: true }).counts.requests).toBe(10_000);
  });
});
