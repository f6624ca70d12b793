import type { HuntOptions } from '../hunt/hunt.js';
import type { HuntClient } from '../hunt/run-in-process.js';
import { counts, evidence } from '../judge/failure-message.js';
import { judge } from '../judge/judge.js';
import type { Verdict } from '../judge/judge-run.js';
import type { FindingCode } from '../scenario/expectation.js';
import type { Simulator } from '../simulator/simulator.js';
import { counted } from '../values/counted.js';

/** Each takes a simulator or a verdict, but for the last, and passes only where the run put the client to that test. */
export interface PetstoreMatchers {
  /**
   * The verdict on the client is not `fail`: what the fixture `verdict` checks after each test.
   * @example expect(sim).toHaveBehaved();
   */
  toHaveBehaved(): void;
  /**
   * The client was refused, came back, and never before Retry-After or X-RateLimit-Reset allowed.
   * @example expect(sim).toHaveHonouredRetryAfter();
   */
  toHaveHonouredRetryAfter(): void;
  /**
   * A call of the client was refused three times in a row or more, and it waited longer each time.
   * @example expect(sim).toHaveBackedOff();
   */
  toHaveBackedOff(): void;
  /**
   * The client was refused, and did not go on until its key was banned.
   * @example expect(sim).toHaveTrippedNoBan();
   */
  toHaveTrippedNoBan(): void;
  /**
   * The answer to a write that was stored did not reach the client, and it did not store the pet twice.
   * @example expect(sim).toHaveCreatedOnce();
   */
  toHaveCreatedOnce(): void;
  /**
   * A client, in place of a simulator: `hunt` of `petstore-sim/hunt` finds no scenario that breaks it.
   * @example await expect(async ({ fetch, sleep, baseUrl, apiKey }) => { ... }).toSurviveHunt({ runs: 500 });
   */
  toSurviveHunt(options?: HuntOptions): Promise<void>;
}

/** What every runner gives to a matcher, of which these need only whether it stands after `not`. */
export interface MatcherContext {
  readonly isNot?: boolean;
}

export interface MatcherResult {
  pass: boolean;
  message: () => string;
}

interface Question {
  /** After `the client`. */
  asked: string;
  /** The rule that must have been put to the test. */
  exercisedBy: FindingCode;
  /** The rules that must have found nothing. */
  codes: readonly FindingCode[];
  /** What puts it to the test. */
  howTo: string;
}

const usedUp = "such as { keys: { 'free-key': { usage: { minute: 60 } } } }";

const noneCame = 'no request came. Is that the simulator of the address that the client calls?';

const matcherOf = ({ asked, exercisedBy, codes, howTo }: Question) =>
  function (this: MatcherContext, received: unknown): MatcherResult {
    const verdict = readVerdict(received);
    const found = verdict.findings.filter(({ code, severity }) => codes.includes(code) && severity !== 'praise');
    const isKnown = found.length > 0 || (verdict.exercised.includes(exercisedBy) && verdict.counts.dropped === 0);
    return {
      // What is not known passes neither way.
      pass: isKnown ? found.length === 0 : this.isNot === true,
      message: () => {
        if (isKnown)
          return `expected that the client ${this.isNot ? 'had not' : 'had'} ${asked}${evidence(found)}\n${counts(verdict)}`;
        const unknown = `expected the run to show whether the client had ${asked}`;
        if (verdict.counts.requests === 0 && verdict.counts.dropped === 0) return `${unknown}, but ${noneCame}`;
        return verdict.counts.dropped > 0
          ? `${unknown}, but the journal has dropped ${counted(verdict.counts.dropped, 'request')}, so it is not known as a whole`
          : `${unknown}, but nothing put that to the test: ${howTo}\n${counts(verdict)}`;
      },
    };
  };

/**
 * The matchers for any runner whose `expect` has `extend`: Jest, Vitest, Playwright.
 * @example expect.extend(matchers);
 */
export const matchers = {
  toHaveBehaved(this: MatcherContext, received: unknown): MatcherResult {
    const verdict = readVerdict(received);
    const failed = verdict.findings.filter(({ severity }) => severity === 'fail');
    return {
      pass: verdict.outcome !== 'fail',
      message: () =>
        `expected that the client ${this.isNot ? 'had failed' : 'had behaved'}. ${verdict.reason}${evidence(failed)}\n${counts(verdict)}`,
    };
  },
  toHaveHonouredRetryAfter: matcherOf({
    asked: 'waited as long as Retry-After says',
    exercisedBy: 'early-retry',
    codes: ['early-retry', 'ignored-day-window', 'ban-hammered'],
    howTo: `no call was refused and then tried again. Start with a key that is used up, ${usedUp}`,
  }),
  toHaveBackedOff: matcherOf({
    asked: 'waited longer after each refusal',
    exercisedBy: 'no-backoff-growth',
    codes: ['no-backoff-growth'],
    howTo: "it takes three refusals of one call in a row. The scenario 'stubborn-429' has eight",
  }),
  toHaveTrippedNoBan: matcherOf({
    asked: 'stopped before its key was banned',
    exercisedBy: 'ban-tripped',
    codes: ['ban-tripped', 'ban-hammered'],
    howTo: `no call was refused. Start with a key that is used up, ${usedUp}`,
  }),
  toHaveCreatedOnce: matcherOf({
    asked: 'created each pet once',
    exercisedBy: 'duplicate-write',
    codes: ['duplicate-write'],
    howTo:
      "no write was stored without the client getting the answer. The scenario 'post-stored-answer-lost' has that, or the fault { when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } }",
  }),
  async toSurviveHunt(this: MatcherContext, received: unknown, options?: HuntOptions): Promise<MatcherResult> {
    if (typeof received !== 'function') {
      throw new TypeError(
        'Failed to hunt: expected a client, such as expect(async ({ fetch, sleep, baseUrl, apiKey }) => { ... })',
      );
    }
    // Most tests search for nothing.
    const { hunt } = await import('../hunt/hunt.js');
    const { found, runs, exercised } = await hunt(received as HuntClient, options);
    const isKnown = found.length > 0 || exercised.length > 0;
    return {
      // What is not known passes neither way.
      pass: isKnown ? found.length === 0 : this.isNot === true,
      message: () => {
        const searched = counted(runs, 'scenario');
        if (!isKnown) return `expected the client to be put to the test, but in ${searched} no rule was`;
        if (found.length === 0) return `expected a scenario that breaks the client, and found none in ${searched}`;
        const finds = found.map(
          ({ code, text, yaml }) => `\n\n  ${code}: ${text}\n\n${yaml.replace(/^(?=.)/gm, '    ')}`,
        );
        return `expected that no scenario breaks the client, and found ${found.length} in ${searched}${finds.join('')}`;
      },
    };
  },
} satisfies Record<keyof PetstoreMatchers, unknown>;

/** @throws {TypeError} when a matcher is used on anything but a simulator or a verdict */
function readVerdict(received: unknown): Verdict {
  if (typeof received === 'object' && received !== null) {
    if ('journal' in received && 'clock' in received) return judge(received as Simulator);
    if ('outcome' in received && 'findings' in received) return received as Verdict;
  }
  throw new TypeError('Failed to judge: expected a simulator or a verdict, such as expect(sim)');
}
