import { describe, expect, test } from 'vitest';
import type { Answer } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { readScenario } from '../../src/scenario-files/scenario-files.js';
import { seededFraction } from '../../src/values/seeded-random.js';
import { runPrograms } from '../support/client-lab.js';
import { blamed } from '../support/findings.js';
import { frozen, noonSeconds } from '../support/frozen.js';
import { tries } from '../support/prove.js';

const scenario = await readScenario('jitter-below');
const retryAfterMs = ({ headers }: Answer) => Number(headers['Retry-After']) * 1000;

type Wait = (answer: Answer, random: () => number, nowMs: number) => number;

/** One run of the scenario from a random phase of the second: 21 calls, each repeated until it succeeds. */
function run(seed: number, wait: Wait) {
  const random = (use: number) => seededFraction(seed, use);
  let uses = 0;
  const next = () => random(++uses);
  const sim = frozen({
    ...scenario,
    clock: { start: new Date(noonSeconds * 1000 + Math.floor(next() * 1000)).toISOString() },
  });
  runPrograms(sim, [
    function* ({ send, now }) {
      for (let call = 0; call < 21; call++) {
        for (;;) {
          const answer = send();
          if (answer.status === 200) break;
          // Requests have a latency, and timers fire slightly late.
          yield 2 + Math.max(0, wait(answer, next, now())) + next() * 3;
        }
        yield 1 + next() * 4;
      }
    },
  ]);
  return judge(sim, { isOver: true });
}

describe('jitter below Retry-After', () => {
  test.each([0.1, 0.5])('is found in every run with jitter of up to %d of the wait', (share) => {
    const runs = tries(20, 1_000);
    for (let seed = 1; seed <= runs; seed++) {
      const verdict = run(seed, (answer, random) => retryAfterMs(answer) * (1 - share + 2 * share * random()));
      expect(verdict.findings.find(({ code }) => code === 'early-retry')?.severity, `seed ${seed}`).toBe('fail');
    }
  });

  const right: [does: string, wait: Wait][] = [
    ['waits for Retry-After', retryAfterMs],
    ['adds up to a half on top', (answer, random) => retryAfterMs(answer) * (1 + random() / 2)],
    [
      'waits for X-RateLimit-Reset, if present',
      (answer, _, nowMs) => {
        const reset = answer.headers['X-RateLimit-Reset'];
        return reset === undefined ? retryAfterMs(answer) : Number(reset) * 1000 - nowMs;
      },
    ],
  ];

  test.each(right)('is not found for a client that %s', (_, wait) => {
    const runs = tries(100, 5_000);
    for (let seed = 1; seed <= runs; seed++) {
      const verdict = run(seed, wait);
      expect(verdict.outcome, `seed ${seed}`).toBe('pass');
      expect(blamed(verdict), `seed ${seed}`).toEqual([]);
    }
  });
});
