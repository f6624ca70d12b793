import { describe, expect, test } from 'vitest';
import { causeOf, type MeasuredWait } from '../../src/judge/wait-pattern.js';
import { seed, tries } from '../support/prove.js';
import { createRandom, type Random } from '../support/random.js';

/** A client: its wait before each attempt, without the delay of timers, and the names that are right for it. */
interface Kind {
  wait(asked: Pick<MeasuredWait, 'askedMs' | 'form'>, attempt: number): number;
  names: readonly string[];
  /** Form of the required waits. Default: seconds. */
  form?: (random: Random) => MeasuredWait['form'];
  askedMs?: (random: Random) => number;
}

const between = ({ below }: Random, least: number, most: number) => least + below(Math.round(most - least));
const forms =
  (other: MeasuredWait['form']) =>
  ({ chance }: Random): MeasuredWait['form'] =>
    chance(0.5) ? other : 'seconds';

const kinds: Record<string, (random: Random) => Kind> = {
  'seconds as milliseconds': () => ({ wait: ({ askedMs }) => askedMs / 1_000, names: ['seconds as milliseconds'] }),
  'no wait': () => ({ wait: () => 0, names: ['no wait'] }),
  'date not read': () => ({
    wait: ({ askedMs, form }) => (form === 'date' ? 0 : askedMs),
    names: ['date not read', 'no wait'],
    form: forms('date'),
  }),
  'no Retry-After': () => ({
    wait: ({ askedMs, form }) => (form === 'reset' ? 0 : askedMs),
    names: ['no Retry-After', 'no wait'],
    form: forms('reset'),
  }),
  'timer overflow': () => ({
    wait: ({ askedMs }) => (askedMs > 2 ** 31 - 1 ? 0 : askedMs),
    names: ['timer overflow', 'no wait'],
    askedMs: (random) => (random.chance(0.5) ? 2_592_000_000 : between(random, 2, 60) * 1_000),
  }),
  'truncated fraction': () => ({
    wait: ({ askedMs }) => Math.floor(askedMs / 1_000) * 1_000,
    names: ['truncated fraction'],
    askedMs: (random) => between(random, 20, 300) * 100,
  }),
  'clock skew': (random) => {
    const skewMs = between(random, 2_000, 20_000);
    return { wait: ({ askedMs }) => Math.max(0, askedMs - skewMs), names: ['clock skew'], form: () => 'date' };
  },
  fixed: (random) => {
    const ms = between(random, 500, 20_000);
    return { wait: () => ms, names: ['fixed', 'fixed or cap'] };
  },
  cap: (random) => {
    const ms = between(random, 3_000, 30_000);
    return { wait: ({ askedMs }) => Math.min(askedMs, ms), names: ['cap', 'fixed or cap'] };
  },
  share: (random) => {
    const share = between(random, 25, 95) / 100;
    return { wait: ({ askedMs }) => askedMs * share, names: ['share'] };
  },
  doubling: (random) => {
    const baseMs = between(random, 200, 3_000);
    return { wait: (_, attempt) => baseMs * 2 ** attempt, names: ['doubling'] };
  },
  'random part': (random) => ({
    wait: ({ askedMs }) => between(random, askedMs / 2, askedMs),
    names: ['random part'],
  }),
  'slightly less': (random) => ({
    wait: ({ askedMs }) => between(random, askedMs * 0.9, askedMs),
    names: ['random part'],
  }),
  'doubling with jitter': (random) => {
    const baseMs = between(random, 200, 3_000);
    return {
      wait: (_, attempt) => between(random, 75, 125) * 0.01 * baseMs * 2 ** attempt,
      names: ['doubling with jitter'],
    };
  },
  'full jitter': (random) => {
    const baseMs = between(random, 500, 5_000);
    return { wait: (_, attempt) => between(random, 0, baseMs * 2 ** attempt), names: ['doubling with jitter'] };
  },
  'any part': (random) => ({ wait: ({ askedMs }) => between(random, 0, askedMs), names: ['random part'] }),
};

/** Waits of a client, of which at least one was too early. Timers and the network add up to 30 ms, rarely up to 60. */
function waitsOf(random: Random, kind: Kind, count: number, isAskedEqual: boolean): MeasuredWait[] {
  const askedMs = kind.askedMs ?? ((draw: Random) => between(draw, 2, 60) * 1_000);
  const always = askedMs(random);
  for (;;) {
    const waits = Array.from({ length: count }, (_, attempt): MeasuredWait => {
      const asked = { askedMs: isAskedEqual ? always : askedMs(random), form: kind.form?.(random) ?? 'seconds' };
      const waitMs = Math.round(kind.wait(asked, attempt)) + between(random, 1, random.chance(0.05) ? 60 : 15);
      return { ...asked, waitMs, attempt, isEarly: asked.askedMs - waitMs > 50 };
    });
    if (waits.some(({ isEarly }) => isEarly)) return waits;
    if (isAskedEqual) return waitsOf(random, kind, count, isAskedEqual);
  }
}

const shares = (name: string, isAskedEqual: boolean, counts: readonly number[]) => {
  const count = tries(1_000, 10_000);
  const result = { named: 0, wrongWithout: 0, wrongWithOne: 0, otherFamily: 0 };
  for (let client = 0; client < count; client++) {
    const random = createRandom(seed * 100_000 + client);
    const kind = (kinds[name] as (draw: Random) => Kind)(random);
    const cause = causeOf(waitsOf(random, kind, random.pick(counts), isAskedEqual));
    if (cause === undefined) continue;
    if (kind.names.includes(cause.name)) result.named += 1 / count;
    else if (cause.parameters === 0) result.wrongWithout++;
    else if (cause.parameters === 1) result.wrongWithOne += 1 / count;
    else result.otherFamily += 1 / count;
  }
  return result;
};

/**
 * Share of clients whose cause is named from four waits, if the required waits differ. The share is lower where the waits
 * do not show it: required waits of less than 31 s in milliseconds look like no wait, two headers must each occur, and
 * a clock's error may exceed the required waits. Full jitter is named only if its waits grow, or lie in the upper half.
 */
const namedFromFour: Record<string, number> = {
  'seconds as milliseconds': 0.8,
  'no wait': 0.85,
  'date not read': 0.55,
  'no Retry-After': 0.55,
  'timer overflow': 0.55,
  'clock skew': 0.75,
  'full jitter': 0,
  'any part': 0,
};

describe.each(Object.keys(kinds))('of 1,000 clients with the cause %s', (name) => {
  test.each(['equal', 'different'])(
    'at most ten get a wrong name, and none a certain one: %s required waits',
    (which) => {
      const result = shares(name, which === 'equal', [2, 3, 4, 5, 6]);
      expect(result.wrongWithout).toBe(0);
      expect(result.wrongWithOne).toBeLessThanOrEqual(0.01);
      expect(result.otherFamily).toBeLessThanOrEqual(0.01);
    },
  );

  test('nine of ten are named after four different required waits, where the waits can show it', () => {
    expect(shares(name, false, [4]).named).toBeGreaterThanOrEqual(namedFromFour[name] ?? 0.9);
  });

  test('one wait names only milliseconds, after a long required wait', () => {
    const result = shares(name, false, [1]);
    if (name !== 'seconds as milliseconds') expect(result.named).toBe(0);
    expect(result.wrongWithOne + result.otherFamily).toBe(0);
    // One random wait may be a thousandth of the required one by chance.
    expect(result.wrongWithout).toBeLessThanOrEqual(4);
  });
});
