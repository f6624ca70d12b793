// @module-tag slow
import { describe, expect, test } from 'vitest';
import { judge } from '../../src/entries/verdict.js';
import { blamed } from '../support/findings.js';
import { type Stack, stacks } from '../support/http-stacks.js';
import { isProof, tries } from '../support/prove.js';
import { fileNames, scenarioOf, serve } from './stage.js';
import { runCase, type VerdictCase, verdictCases } from './verdict-cases.js';

/** Runs a client to its end, over real connections and on a clock that jumps from one wait to the next. */
async function verdictOn(name: string, each: VerdictCase, stack: Stack, phaseMs: number, seed?: number) {
  const stage = await serve(name, stack, { changes: each.changes, phaseMs, seed });
  try {
    const end = await runCase(stage, each);
    return { verdict: judge(stage.sim, { isOver: true, end }), log: stage.log() };
  } finally {
    await stage.close();
  }
}

/** Differences between the judge and the table. */
async function disagreement(...[name, each, ...more]: Parameters<typeof verdictOn>) {
  const { verdict, log } = await verdictOn(name, each, ...more);
  const { names = [], outcome = names.length > 0 ? 'fail' : 'pass', warned = [] } = each;
  const failed = verdict.findings.filter(({ severity }) => severity === 'fail').map(({ code }) => code);
  const isNamed = names.every((code) => failed.includes(code));
  const isSpared = names.length > 0 || blamed(verdict).every((code) => warned.includes(code));
  if (verdict.outcome === outcome && isNamed && isSpared) return [];
  const { reason, findings, exercised } = verdict;
  return [{ expected: { outcome, names, warned }, got: verdict.outcome, reason, findings, exercised, log }];
}

/**
 * Scenarios with several connections, with lost ones, or for a rule that no other scenario has. `npm run test:all` judges
 * their clients over every stack, a proof judges all clients over every stack.
 */
const onEachStack = new Set([
  ...['parallel-burst', 'thundering-herd', 'shared-quota', 'shards', 'flaky-5xx', 'slow', 'slow-drip', 'hang'],
  ...['reset-then-ok', 'truncated-json', 'post-ambiguous', 'post-stored-answer-lost', 'post-answer-late', 'post-429'],
  ...['post-body-lost', 'ban-on-third-strike', 'ms-in-retry-after', 'stubborn-429', 'day-quota-gone', '401-loop'],
  'abort-while-waiting',
]);

/** Each test is short, but sixteen run at once, and a proof repeats each eighty times. */
const timeoutMs = isProof ? 3_600_000 : 120_000;

for (const [index, [stackName, stack]] of Object.entries(stacks).entries()) {
  // The judge's reasons do not depend on the connections, so one stack suffices before a commit.
  const tags = index === 0 ? [] : ['extended'];
  const judged = Object.entries(verdictCases).filter(([name]) => index === 0 || isProof || onEachStack.has(name));
  describe.concurrent.each(judged)(`%s over ${stackName}`, { tags }, (name, cases) => {
    test.each(cases)(
      'a client that $does',
      async (each) => {
        // Each stack starts at another phase of the second. A proof covers ten phases twice, with late timers.
        const runs = tries(1, 20);
        for (let run = 0; run < runs; run++) {
          const phaseMs = each.isOnSecond ? 0 : (100 * run + 250 * index + 137 * cases.indexOf(each)) % 1000;
          const disagreements = await disagreement(name, each, stack, phaseMs, run === 0 ? undefined : run);
          expect(disagreements, `run ${run}`).toEqual([]);
        }
      },
      timeoutMs,
    );
  });
}

test('every scenario with an expectation is judged here', () => {
  expect(Object.keys(verdictCases).sort()).toEqual(fileNames.filter((name) => scenarioOf(name).expect !== undefined));
  expect(Object.keys(verdictCases)).toEqual(expect.arrayContaining([...onEachStack]));
});
