import { describe, expect, test } from 'vitest';
import type { Answer, Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { seededFraction } from '../../src/values/seeded-random.js';
import { type Program, runPrograms } from '../support/client-lab.js';
import { blamed } from '../support/findings.js';
import { frozen } from '../support/frozen.js';
import type { PlainCall } from '../support/plain-call.js';
import { tries } from '../support/prove.js';

const { minute: perMinute } = documentedPlans.free;

/** Time until which no worker of the client sends a request. */
interface Gate {
  untilMs: number;
}

type Random = () => number;

interface Client {
  /** Wait of the client after a refusal; default: Retry-After. */
  waitMs: (answer: Answer, nowMs: number) => number;
  /** Maximum random addition to the wait. */
  jitterMs: number;
}

/** A client that obeys: none of its workers sends a request before the promised time. */
const obeying = (calls: readonly PlainCall[], gate: Gate, { waitMs, jitterMs }: Client, random: Random): Program =>
  function* ({ send, now }) {
    for (const call of calls) {
      for (;;) {
        // A timer may fire a millisecond early. The client does not sleep again for that.
        for (let slack = 0; gate.untilMs - now() > slack; slack = 1) yield gate.untilMs - now() + jitterMs * random();
        const answer = send(call);
        if (answer.headers['Retry-After'] === undefined) break;
        gate.untilMs = Math.max(gate.untilMs, now() + waitMs(answer, now()));
      }
      yield Math.floor(random() * 40);
    }
  };

const bySeconds: Client['waitMs'] = ({ headers }) => Number(headers['Retry-After']) * 1000;
const byReset: Client['waitMs'] = ({ headers }, nowMs) => Number(headers['X-RateLimit-Reset']) * 1000 - nowMs;
const byDate: Client['waitMs'] = ({ headers }, nowMs) => Date.parse(headers['Retry-After'] ?? '') - nowMs;

interface Case {
  scenario: Scenario;
  workers?: number;
  calls?: (random: Random) => PlainCall[];
  waitMs?: Client['waitMs'];
  jitterMs?: number;
}

const reads = (count: number) => (random: Random) =>
  Array.from({ length: count }, () => ({ query: `limit=${1 + Math.floor(random() * 9)}` }));
const writes = (random: Random) =>
  Array.from({ length: 8 }, (_, index) => ({ body: { name: `Pet ${index} ${random()}`, categoryId: 1 } }));

const small = { free: { minute: 5, day: 1000 } };
const cases: Record<string, Case> = {
  'at the wall of the minute': { scenario: { keys: { 'free-key': { usage: { minute: perMinute - 3 } } } } },
  'by X-RateLimit-Reset': { scenario: { plans: small, windows: { minute: '20s' } }, waitMs: byReset },
  'at the wall of a day of 30 seconds': {
    scenario: { windows: { minute: '2s', day: '30s' }, keys: { 'free-key': { usage: { day: 996 } } } },
  },
  'with eight workers, one gate and random waits on top': {
    scenario: { plans: small, windows: { minute: '10s' } },
    workers: 8,
    calls: reads(4),
    jitterMs: 3_000,
  },
  'told by a date': { scenario: { plans: small, limits: { retryAfterForm: 'http-date' } }, waitMs: byDate },
  'at a token bucket, with four workers': {
    scenario: { plans: small, windows: { minute: '10s' }, limits: { algorithm: 'token-bucket' } },
    workers: 4,
    calls: reads(6),
    jitterMs: 500,
  },
  'at a sliding log': {
    scenario: { plans: small, windows: { minute: '10s' }, limits: { algorithm: 'sliding-log' } },
    workers: 2,
  },
  'with writes that are sent again as they were': {
    scenario: { plans: small, windows: { minute: '10s' } },
    calls: writes,
  },
  'in a ban that it sits out': { scenario: { keys: { 'free-key': { bannedFor: '45s' } } } },
  'where a ban comes with the first strike and with clock windows': {
    scenario: { plans: small, ban: { after: 1 }, limits: { windowStart: 'clock' } },
    workers: 3,
    jitterMs: 2_000,
  },
};

describe('a client that obeys gets no finding', () => {
  test.each(Object.entries(cases))(
    '%s',
    (_, { scenario, workers = 1, calls = reads(8), waitMs = bySeconds, jitterMs = 0 }) => {
      const accused: unknown[] = [];
      const runs = tries(100, 10_000);
      for (let seed = 1; seed <= runs; seed++) {
        let drawn = 0;
        const random = () => seededFraction(seed, drawn++);
        const sim = frozen(scenario);
        sim.clock.advance(Math.floor(random() * 1_000));
        const gate: Gate = { untilMs: 0 };
        const programs = Array.from({ length: workers }, () =>
          obeying(calls(random), gate, { waitMs, jitterMs }, random),
        );
        runPrograms(sim, programs, { timerJitter: () => -1 + 16 * random() });
        const verdict = judge(sim, { isOver: true });
        if (verdict.outcome !== 'pass' || blamed(verdict).some((code) => code !== 'no-jitter')) {
          accused.push({ seed, ...verdict });
        }
      }
      expect(accused.slice(0, 1)).toEqual([]);
      expect(accused).toHaveLength(0);
    },
  );
});
