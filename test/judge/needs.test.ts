import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import type { SimulatorRule, WireRule } from '../../src/judge/finding.js';
import { judgeObservedRun } from '../../src/judge/judge-run.js';
import { rules } from '../../src/judge/rules.js';
import { emptyRecord, type RequestRecord } from '../../src/requests/request-record.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import { obeying, type Program, ran, sending, wall } from '../support/client-lab.js';

const codes = Object.keys(rules) as FindingCode[];
const needing = codes.filter((code) => rules[code].needs === 'simulator');

/** The part of a request that a proxy could record, without the simulator's internal knowledge. */
const observedOf = (record: RequestRecord): RequestRecord => {
  const { plan, window, refusal, rate, promisedAtMs, strikes, isStrike, isLimited } = emptyRecord;
  const { episode, storedId, fault, isUnreadable, assumption } = emptyRecord;
  const nothing = { plan, window, refusal, rate, promisedAtMs, strikes, isStrike, isLimited };
  return { ...record, ...nothing, episode, storedId, fault, isUnreadable, assumption };
};

function both(scenario: Scenario, ...programs: Program[]) {
  const sim = ran(scenario, ...programs);
  const facts = { scenario: 'recorded', expect: scenario.expect, nowMs: sim.clock.now(), isOver: true };
  const observed = judgeObservedRun(sim.journal.query().map(observedOf), facts);
  return { known: judge(sim, { isOver: true }), observed };
}

describe('the declared needs of a rule', () => {
  test('limit its input, which the compiler checks', () => {
    const reads: SimulatorRule = {
      needs: 'simulator',
      restsOn: [],
      words: 'did something',
      judge: ({ requests }) => ({ exercised: requests.some(({ known }) => known.isStrike), findings: [] }),
    };
    const tooMuch: WireRule = {
      needs: 'wire',
      restsOn: [],
      words: 'did something',
      // @ts-expect-error a rule of the wire has no knowledge of the simulator
      judge: ({ requests }) => ({ exercised: requests.some(({ known }) => known.isStrike), findings: [] }),
    };
    // @ts-expect-error nor does it get any by calling itself one of the wire
    const dressed: WireRule = { ...reads, needs: 'wire' };
    expect([reads.needs, tooMuch.needs, dressed.needs]).toEqual(['simulator', 'wire', 'wire']);
  });

  test('include internal knowledge for a minority of the rules', () => {
    expect(needing).toEqual(['ban-tripped', 'ban-hammered', 'duplicate-write', 'ignored-day-window']);
  });
});

describe('observed requests', () => {
  const cases: [does: string, scenario: Scenario, client: Program][] = [
    ['waits', wall, obeying],
    ['comes too early', { ...wall, ban: 'off' }, sending([2_000, 2_000])],
    ['comes too early until it is banned', wall, sending([2_000, 2_000, 2_000, 2_000])],
    [
      'keeps sending in a ban with status 403',
      { keys: { 'free-key': { bannedFor: '60s' } }, ban: { status: 403 } },
      sending([500, 500]),
    ],
    ['retries a 401', {}, sending([500, 500, 500], { key: 'revoked-key' })],
    ['gives up', { ...wall, expect: { served: true } }, sending([])],
  ];

  test.each(cases)('are judged equally by the wire rules if a client %s', (_, scenario, client) => {
    const { known, observed } = both(scenario, client);
    // The texts may differ, because only the simulator distinguishes a ban from a limit.
    const ofWire = ({ findings }: typeof known) =>
      findings.filter(({ code }) => !needing.includes(code)).map(({ code, severity }) => [code, severity]);
    expect(ofWire(observed)).toEqual(ofWire(known));
    expect(observed.unknown).toEqual(needing);
    expect(observed.exercised).toEqual(known.exercised.filter((code) => !needing.includes(code)));
  });

  test('never pass if the scenario needs internal knowledge', () => {
    const banned: Scenario = { keys: { 'free-key': { bannedFor: '15s' } }, expect: { fail: ['ban-hammered'] } };
    const { known, observed } = both(banned, obeying);
    expect([known.outcome, observed.outcome]).toEqual(['pass', 'inconclusive']);
  });
});
