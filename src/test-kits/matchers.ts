import type { HuntOptions } from '../hunt/hunt.js';
import type { HuntClient } from '../hunt/run-in-process.js';
import {
  describeBehavior,
  describeCounts,
  describeFindings,
  describeLag,
  describeRemedies,
} from '../judge/failure-message.js';
import { judge } from '../judge/judge.js';
import type { Verdict } from '../judge/judge-run.js';
import type { FindingCode } from '../scenario/finding-codes.js';
import type { Simulator } from '../simulator/simulator.js';
import { pluralize } from '../values/pluralize.js';
import { withLag } from './test-lag.js';

/** Matchers for a simulator, a verdict or a client. A matcher passes only if the run gave evidence of the behavior. */
export interface PetstoreMatchers {
  /**
   * Passes if the verdict on the client is not `fail`. After each test, the option `verdict: 'check'` checks the same.
   * @example expect(sim).toHaveBehaved();
   */
  toHaveBehaved(): void;
  /**
   * Passes if the client was rejected, and never retried before Retry-After or X-RateLimit-Reset allowed.
   * @example expect(sim).toHaveHonouredRetryAfter();
   */
  toHaveHonouredRetryAfter(): void;
  /**
   * Passes if a call was rejected at least three times in a row, and the client waited longer each time.
   * @example expect(sim).toHaveBackedOff();
   */
  toHaveBackedOff(): void;
  /**
   * Passes if the client got a 429, and then neither caused a ban of its API key by early retries nor sent requests
   * during a ban.
   * @example expect(sim).toHaveTrippedNoBan();
   */
  toHaveTrippedNoBan(): void;
  /**
   * Passes if the response to a stored write was lost, and the client did not store the pet twice.
   * @example expect(sim).toHaveCreatedOnce();
   */
  toHaveCreatedOnce(): void;
  /**
   * Passes if `hunt` of `petstore-sim/hunt` finds no scenario that breaks the client. Applies to a client function, not
   * to a simulator.
   * @example await expect(async ({ fetch, sleep, baseUrl, apiKey }) => { ... }).toSurviveHunt({ runs: 500 });
   */
  toSurviveHunt(options?: HuntOptions): Promise<void>;
}

/** Context that a test runner passes to a matcher; `isNot` is set after `expect(...).not`. */
export interface MatcherContext {
  readonly isNot?: boolean;
}

export interface MatcherResult {
  pass: boolean;
  message: () => string;
}

interface BehaviorCheck {
  /** Expected behavior, as the end of the message "expected that the client had ...": `created each pet once`. */
  behavior: string;
  /**
   * Rule of the judge that the client's requests must put to the test, such as `early-retry` by a retry. Without such a
   * request, the matcher fails, also with `.not`.
   */
  exercisedBy: FindingCode;
  /** Rules of the judge that must have no finding for the matcher to pass. */
  codes: readonly FindingCode[];
  /** Instruction to exercise the rule in a test. Shown if a matcher fails because the run has no evidence for it. */
  howTo: string;
}

const usedUp = "such as { keys: { 'free-key': { usage: { minute: 'all' } } } }";

const noRequests = 'no request arrived. Does the client call the URL of this simulator?';

const matcherOf = ({ behavior, exercisedBy, codes, howTo }: BehaviorCheck) =>
  function (this: MatcherContext, received: unknown): MatcherResult {
    const verdict = readVerdict(received);
    const findings = verdict.findings.filter(({ code, severity }) => codes.includes(code) && severity !== 'praise');
    const isKnown = findings.length > 0 || (verdict.exercised.includes(exercisedBy) && verdict.counts.dropped === 0);
    return {
      // Both `expect(verdict)` and `expect(verdict).not` fail if the run contains no evidence about the tested
      // behavior, because the client's behavior is then unknown.
      pass: isKnown ? findings.length === 0 : this.isNot === true,
      message: () => {
        if (isKnown)
          return `expected that the client ${this.isNot ? 'had not' : 'had'} ${behavior}${describeFindings(findings)}${findings.length > 0 ? describeRemedies(verdict) : ''}${describeLag(verdict)}\n${describeCounts(verdict)}`;
        const { requests, dropped } = verdict.counts;
        const why =
          dropped > 0
            ? `the journal has dropped ${pluralize(dropped, 'request')}, so the evidence is incomplete`
            : requests === 0
              ? noRequests
              : `the run did not exercise that: ${howTo}\n${describeCounts(verdict)}`;
        return `expected the run to show whether the client had ${behavior}, but ${why}`;
      },
    };
  };

/**
 * Matchers for test runners with `expect.extend`: Jest, Vitest, Playwright.
 * @example expect.extend(matchers);
 */
export const matchers = {
  toHaveBehaved(this: MatcherContext, received: unknown): MatcherResult {
    const verdict = readVerdict(received);
    return {
      pass: verdict.outcome !== 'fail',
      message: () => describeBehavior(verdict, this.isNot ? 'had failed' : 'had behaved'),
    };
  },
  toHaveHonouredRetryAfter: matcherOf({
    behavior: 'waited as long as Retry-After says',
    exercisedBy: 'early-retry',
    codes: ['early-retry', 'ignored-day-window', 'ban-hammered'],
    howTo: `no rejected call was retried. Start with an exhausted key, ${usedUp}`,
  }),
  toHaveBackedOff: matcherOf({
    behavior: 'waited longer after each rejection',
    exercisedBy: 'no-backoff-growth',
    codes: ['no-backoff-growth'],
    howTo: "it requires three rejections of one call in a row. The scenario 'stubborn-429' has eight",
  }),
  toHaveTrippedNoBan: matcherOf({
    behavior: 'stopped before its key was banned',
    exercisedBy: 'ban-tripped',
    codes: ['ban-tripped', 'ban-hammered'],
    howTo: `no call was rejected. Start with an exhausted key, ${usedUp}`,
  }),
  toHaveCreatedOnce: matcherOf({
    behavior: 'created each pet once',
    exercisedBy: 'duplicate-write',
    codes: ['duplicate-write'],
    howTo:
      "every response to a stored write arrived. Use the scenario 'post-stored-answer-lost' or the fault { when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } }",
  }),
  async toSurviveHunt(this: MatcherContext, received: unknown, options?: HuntOptions): Promise<MatcherResult> {
    if (typeof received !== 'function') {
      throw new TypeError(
        'Failed to hunt: expected a client, such as expect(async ({ fetch, sleep, baseUrl, apiKey }) => { ... })',
      );
    }
    // Imports `hunt` (the search for scenarios in which a client fails) only when this matcher runs, because most tests
    // do not use the matcher.
    const { hunt } = await import('../hunt/hunt.js');
    const { found, runs, exercised } = await hunt(received as HuntClient, options);
    const isKnown = found.length > 0 || exercised.length > 0;
    return {
      // Fails the matcher and its negation if no rule of the judge applied to the client's requests. The bug search
      // then shows nothing about the client.
      pass: isKnown ? found.length === 0 : this.isNot === true,
      message: () => {
        const searched = pluralize(runs, 'scenario');
        if (!isKnown)
          return `expected the client to exercise a rule of the judge, but it exercised none in ${searched}. Does the client use its fetch and baseUrl?`;
        if (found.length === 0) return `expected a scenario that breaks the client, and found none in ${searched}`;
        const finds = found.map(
          ({ code, text, yaml }) => `\n\n  ${code}: ${text}\n\n${yaml.replace(/^(?=.)/gm, '    ')}`,
        );
        return `expected that no scenario breaks the client, and found ${found.length} in ${searched}${finds.join('')}`;
      },
    };
  },
} satisfies Record<keyof PetstoreMatchers, unknown>;

/**
 * Returns the verdict on a client: judges a simulator's requests, or returns a given verdict unchanged.
 * @throws {TypeError} for a value that is neither a simulator nor a verdict
 */
function readVerdict(received: unknown): Verdict {
  if (typeof received === 'object' && received !== null) {
    if ('journal' in received && 'clock' in received)
      return withLag(received as Simulator, judge(received as Simulator));
    if ('outcome' in received && 'findings' in received) return received as Verdict;
  }
  throw new TypeError('Failed to judge: expected a simulator or a verdict, such as expect(sim)');
}
