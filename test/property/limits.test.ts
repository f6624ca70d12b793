import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Answer, Scenario } from '../../src/entries/index.js';
import { createSimulator, type Simulator } from '../../src/entries/index.js';
import { code, rate, send } from '../support/plain-call.js';
import { fuzz } from '../support/prove.js';

/** Time of a key's next request: a delay, or an instant that the key's last response named. */
type Wait = number | 'retry-after' | 'reset' | 'just-before-reset';
interface Step {
  key: 'alice' | 'bob';
  wait: Wait;
  /** Control operation on the key before its request. */
  control?: 'unban' | 'ban' | undefined;
}

interface Observed extends Pick<Step, 'key' | 'control'> {
  atMs: number;
  answer: Answer;
  served: boolean;
  limit: number;
  remaining: number;
  reset: number;
  retryAfter: number | undefined;
}

const choose = fc.constantFrom;

const limitSettings = fc.record({
  algorithm: choose('fixed-window', 'sliding-log', 'token-bucket'),
  windowStart: choose('first-request', 'clock'),
  rejectedCounts: choose('none', 'other-windows', 'all'),
  reportedWindow: fc.constant('least-remaining'),
  retryAfterForm: fc.constant('seconds'),
} as const);

const banSettings = fc.record({
  after: fc.integer({ min: 0, max: 3 }),
  graceMs: choose(0, 1, 400, 1000),
  toleranceMs: choose(0, 50, 700),
  seconds: fc.integer({ min: 1, max: 12 }),
  extend: fc.boolean(),
  escalation: fc.option(fc.record({ factor: choose(1, 1.5, 2, 3), maxSeconds: fc.integer({ min: 1, max: 40 }) }), {
    nil: false as const,
  }),
  status: choose(429, 403, 401, 418),
} as const);

/** Windows of a plan, in the order of a scenario: the documented ones first. */
const windowNames = ['minute', 'day', 'second', 'hour', 'month'] as const;
type WindowName = (typeof windowNames)[number];

/** From one to five windows; often only those of the document. */
const names = fc.oneof(
  fc.constant<WindowName[]>(['minute', 'day']),
  fc.subarray<WindowName>([...windowNames], { minLength: 1 }),
);
const perWindow = <Value>(short: fc.Arbitrary<Value>, long: fc.Arbitrary<Value>) =>
  fc.record<Record<WindowName, Value>>({ second: short, minute: short, hour: long, day: long, month: long });
const plan = perWindow(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 20 }));
const windows = perWindow(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 2, max: 60 }));

/** Fractions of a plan already used, so that one draw fits every plan. */
const usedShare = perWindow<number>(choose(0, 0, 0.5, 1), choose(0, 0, 0.5, 1));

const startMs = fc.integer({ min: 1_700_000_000_000, max: 1_700_000_200_000 });

const wait: fc.Arbitrary<Wait> = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 300 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 150_000 }) },
  { weight: 3, arbitrary: choose<Wait>('retry-after', 'reset', 'just-before-reset') },
);
const steps = fc.array(fc.record({ key: choose<Step['key']>('alice', 'alice', 'alice', 'bob'), wait }), {
  minLength: 1,
  maxLength: 60,
  size: 'max',
});

/** Steps before some of which a control operation lifts or sets a ban of the key. */
const controlledSteps = fc.array(
  fc.record({
    key: choose<Step['key']>('alice', 'alice', 'bob'),
    wait,
    control: choose<Step['control']>(undefined, undefined, undefined, undefined, 'unban', 'ban'),
  }),
  { minLength: 1, maxLength: 60, size: 'max' },
);
/** Length of a ban that a control operation or a scenario sets. */
const setBanMs = 7_000;

const service = fc.record({ limits: limitSettings, ban: banSettings, names, plan, windows, usedShare, startMs });
type Service = typeof service extends fc.Arbitrary<infer Value> ? Value : never;

/** Values of the windows that a service has, by name. */
const pick = <Value>(names: readonly WindowName[], of: (name: WindowName) => Value): Record<string, Value> =>
  Object.fromEntries(names.map((name) => [name, of(name)]));

function scenarioOf({ limits, ban, names, plan, windows, usedShare, startMs }: Service): Scenario {
  const usage = pick(names, (name) => Math.floor(plan[name] * usedShare[name]));
  return {
    clock: { start: startMs, mode: 'frozen' },
    pets: [],
    plans: { small: pick(names, (name) => plan[name]) },
    windows: pick(names, (name) => `${windows[name]}s`),
    keys: { alice: { plan: 'small', usage }, bob: { plan: 'small' } },
    limits,
    ban,
  };
}

/** Runs a trace. Waits named by responses pass on the simulator's clock. */
function run(sim: Simulator, trace: readonly Step[]): Observed[] {
  const last: Partial<Record<Step['key'], Observed>> = {};
  return trace.map(({ key, wait, control }) => {
    sim.clock.set(Math.max(sim.clock.now(), instantOf(wait, last[key], sim.clock.now())));
    const atMs = sim.clock.now();
    if (control === 'unban') sim.keys.unban(key);
    if (control === 'ban') sim.keys.ban(key, setBanMs);
    const answer = send(sim, { key });
    const { limit, remaining, reset, retryAfter } = rate(answer);
    const observed = {
      key,
      control,
      atMs,
      answer,
      served: answer.status === 200,
      limit,
      remaining,
      reset,
      retryAfter,
    } as Observed;
    last[key] = observed;
    return observed;
  });
}

function instantOf(wait: Wait, last: Observed | undefined, nowMs: number): number {
  if (typeof wait === 'number') return nowMs + wait;
  if (last === undefined) return nowMs;
  if (wait === 'retry-after') return last.atMs + (last.retryAfter ?? 0) * 1000;
  return last.reset * 1000 - (wait === 'reset' ? 0 : 1);
}

/** I1 to I6 of one key's responses, in order. */
function checkPromises(answers: readonly Observed[], { limits, ban }: Service): void {
  let promises: { left: number; untilMs: number }[] = [];
  let previous: Observed | undefined;
  for (const now of answers) {
    const { served, limit, remaining, reset, retryAfter, atMs } = now;
    const refusalStatus = !served && code(now.answer) === 'key_banned' ? ban.status : 429;
    expect(now.answer.status).toBe(served ? 200 : refusalStatus);

    // I1: the next r requests before Reset succeed.
    promises = promises.filter(({ left, untilMs }) => left > 0 && atMs < untilMs);
    if (promises.length > 0) expect(served).toBe(true);
    for (const promise of promises) promise.left--;
    promises.push({ left: remaining, untilMs: reset * 1000 });

    // I2 and I4, on limits and on bans.
    expect(retryAfter === undefined).toBe(served);
    if (retryAfter !== undefined) {
      expect(remaining).toBe(0);
      expect(retryAfter).toBeGreaterThanOrEqual(1);
      expect(Math.floor(atMs / 1000) + retryAfter).toBe(reset);
    }
    expect(Date.parse(now.answer.headers.Date as string)).toBe(Math.floor(atMs / 1000) * 1000);

    // I5
    expect(Number.isInteger(remaining) && Number.isInteger(reset)).toBe(true);
    expect(remaining).toBeGreaterThanOrEqual(0);
    expect(remaining).toBeLessThanOrEqual(limit);
    expect(reset * 1000).toBeGreaterThan(atMs);

    if (previous !== undefined && atMs < previous.reset * 1000) {
      // I6: Remaining does not rise before the Reset, and Reset does not move back while the key is refused.
      expect(remaining).toBeLessThanOrEqual(previous.remaining - (served ? 1 : 0));
      if (!previous.served) {
        expect(served, 'served before the promised instant').toBe(false);
        expect(reset).toBeGreaterThanOrEqual(previous.reset);
        const mayMove = limits.rejectedCounts !== 'none' || ban.extend || code(now.answer) === 'key_banned';
        if (!mayMove) expect(reset).toBe(previous.reset);
      }
    }
    // I3: without requests in between, a client that waited for Reset (and so for Retry-After, by I4) succeeds.
    if (previous !== undefined && !previous.served && atMs >= previous.reset * 1000) expect(served).toBe(true);
    previous = now;
  }
}

test('I1 to I6 hold for every algorithm, window, count of refusals and ban', () => {
  fc.assert(
    fc.property(service, steps, (service, trace) => {
      const observed = run(createSimulator({ scenario: scenarioOf(service) }), trace);
      for (const key of ['alice', 'bob'])
        checkPromises(
          observed.filter((one) => one.key === key),
          service,
        );
    }),
    fuzz(250, 20_000),
  );
});

test('Remaining is exactly the number of requests that succeed at once', () => {
  fc.assert(
    fc.property(service, steps, (service, trace) => {
      const sim = createSimulator({ scenario: scenarioOf(service) });
      const last = run(sim, trace).at(-1) as Observed;
      for (let left = last.remaining; left > 0; left--) {
        const answer = send(sim, { key: last.key });
        expect(answer.status).toBe(200);
        expect(rate(answer).remaining).toBe(left - 1);
      }
      expect(send(sim, { key: last.key }).status).not.toBe(200);
    }),
    fuzz(60, 5_000),
  );
});

test("a key's requests do not affect the responses of another key", () => {
  fc.assert(
    fc.property(service, steps, (service, trace) => {
      const together = run(createSimulator({ scenario: scenarioOf(service) }), trace);
      const alone = createSimulator({ scenario: scenarioOf(service) });
      for (const { key, atMs, answer } of together) {
        if (key !== 'bob') continue;
        alone.clock.set(atMs);
        expect(send(alone, { key })).toEqual(answer);
      }
    }),
    fuzz(60, 5_000),
  );
});

test('with another reported window refusals keep their promises', () => {
  const reported = choose(...windowNames);
  fc.assert(
    fc.property(service, reported, steps, (service, reportedWindow, trace) => {
      const scenario = scenarioOf(service);
      const all = pick(windowNames, (name) => `${service.windows[name]}s`);
      const settings = { ...scenario, windows: all, limits: { ...service.limits, reportedWindow } };
      const sim = createSimulator({ scenario: settings });
      const limits = service.names.map((name) => service.plan[name]);
      const named = service.names.includes(reportedWindow) ? [service.plan[reportedWindow]] : limits;
      let previous: Observed | undefined;
      for (const now of run(
        sim,
        trace.map((step) => ({ ...step, key: 'alice' })),
      )) {
        if (now.served) {
          expect(named).toContain(now.limit);
        } else {
          expect(now.remaining).toBe(0);
          expect(now.retryAfter).toBeGreaterThanOrEqual(1);
          expect(Math.floor(now.atMs / 1000) + (now.retryAfter as number)).toBe(now.reset);
        }
        if (previous !== undefined && !previous.served) {
          expect(now.served).toBe(now.atMs >= previous.reset * 1000);
        }
        expect(now.remaining).toBeLessThanOrEqual(now.limit);
        previous = now;
      }
    }),
    fuzz(60, 5_000),
  );
});

/** Prediction of a reference model for one request. */
interface Expected {
  status: number;
  limit: number;
  remaining: number;
  reset: number;
  retryAfter: number | undefined;
}

/**
 * One key under fixed windows, written from the description alone: every counted request is stored, and a window's
 * count is computed from all of them at each request.
 */
function referenceKey(
  { limits, ban, names, plan, windows }: Service,
  used: Readonly<Record<string, number | undefined>>,
  startMs: number,
  isBannedAtStart = false,
) {
  const counted = pick(names, (name): number[] => Array(used[name] ?? 0).fill(startMs));
  const countedIn = (name: WindowName) => counted[name] as number[];
  let firstRefusalMs: number | undefined;
  let promisedMs = 0;
  let strikes = 0;
  let bans = 0;
  let banEndMs = 0;

  const windowAt = (name: WindowName, nowMs: number) => {
    const lengthMs = windows[name] * 1000;
    const gridMs = limits.windowStart === 'clock' ? lengthMs : 1000;
    let open: { endMs: number; used: number } | undefined;
    for (const atMs of countedIn(name)) {
      if (open !== undefined && atMs < open.endMs) open.used++;
      else open = { endMs: Math.floor(atMs / gridMs) * gridMs + lengthMs, used: 1 };
    }
    if (open === undefined || nowMs >= open.endMs) {
      open = { endMs: Math.floor(nowMs / gridMs) * gridMs + lengthMs, used: 0 };
    }
    return { limit: plan[name], remaining: Math.max(0, plan[name] - open.used), endMs: open.endMs };
  };
  const all = (nowMs: number) => names.map((name) => windowAt(name, nowMs));
  const tightest = (nowMs: number) =>
    all(nowMs).reduce((a, b) =>
      b.remaining < a.remaining || (b.remaining === a.remaining && b.endMs > a.endMs) ? b : a,
    );
  const banLengthMs = (n: number) => {
    const { escalation, seconds } = ban;
    return (
      1000 * Math.ceil(escalation ? Math.min(seconds * escalation.factor ** (n - 1), escalation.maxSeconds) : seconds)
    );
  };
  const wholeSecond = (nowMs: number) => nowMs - (nowMs % 1000);
  const refusal = (status: number, limit: number, untilMs: number, nowMs: number): Expected => ({
    status,
    limit,
    remaining: 0,
    reset: untilMs / 1000,
    retryAfter: (untilMs - wholeSecond(nowMs)) / 1000,
  });
  const banned = (nowMs: number) => {
    const stillFullMs = all(nowMs).flatMap(({ remaining, endMs }) => (remaining === 0 ? [endMs] : []));
    return refusal(ban.status, tightest(nowMs).limit, Math.max(banEndMs, ...stillFullMs), nowMs);
  };

  // A ban begins the count of rejections anew, whoever set it; only an accepted request or a lifted ban clears strikes.
  const startBan = (nowMs: number, lengthMs: number) => {
    bans++;
    banEndMs = wholeSecond(nowMs) + lengthMs;
    firstRefusalMs = undefined;
  };
  let isBannedYet = !isBannedAtStart;

  return (nowMs: number, control: Step['control']): Expected => {
    if (!isBannedYet && control === undefined) startBan(startMs, setBanMs);
    isBannedYet = true;
    if (control === 'ban') startBan(nowMs, setBanMs);
    if (control === 'unban') {
      banEndMs = 0;
      firstRefusalMs = undefined;
      strikes = 0;
    }
    if (nowMs < banEndMs) {
      if (ban.extend) banEndMs = Math.max(banEndMs, wholeSecond(nowMs) + banLengthMs(bans));
      return banned(nowMs);
    }
    const full = names.filter((name) => windowAt(name, nowMs).remaining === 0);
    if (full.length === 0) {
      for (const name of names) countedIn(name).push(nowMs);
      firstRefusalMs = undefined;
      strikes = 0;
      const { limit, remaining, endMs } = tightest(nowMs);
      return { status: 200, limit, remaining, reset: endMs / 1000, retryAfter: undefined };
    }
    for (const name of names) {
      const counts =
        limits.rejectedCounts === 'all' || (limits.rejectedCounts === 'other-windows' && !full.includes(name));
      if (counts) countedIn(name).push(nowMs);
    }
    const { limit, endMs } = tightest(nowMs);
    const isStrike =
      firstRefusalMs !== undefined && nowMs - firstRefusalMs > ban.graceMs && promisedMs - nowMs > ban.toleranceMs;
    firstRefusalMs ??= nowMs;
    promisedMs = endMs;
    if (isStrike) strikes++;
    if (isStrike && ban.after > 0 && strikes >= ban.after) {
      startBan(nowMs, banLengthMs(bans + 1));
      return banned(nowMs);
    }
    return refusal(429, limit, endMs, nowMs);
  };
}

test('fixed windows and bans respond like a reference model', () => {
  fc.assert(
    fc.property(service, controlledSteps, fc.boolean(), (drawn, trace, isBannedAtStart) => {
      const service: Service = { ...drawn, limits: { ...drawn.limits, algorithm: 'fixed-window' } };
      const scenario = scenarioOf(service);
      if (isBannedAtStart) Object.assign(scenario.keys?.bob ?? {}, { bannedFor: setBanMs });
      const models = {
        alice: referenceKey(service, (scenario.keys?.alice?.usage ?? {}) as Record<string, number>, service.startMs),
        bob: referenceKey(service, {}, service.startMs, isBannedAtStart),
      };
      const sim = createSimulator({ scenario });
      // A preset starts with the scenario, regardless of the first request.
      for (const { key, atMs, answer, control } of run(sim, trace)) {
        expect({ status: answer.status, ...rate(answer) }).toEqual(models[key](atMs, control));
      }
    }),
    fuzz(250, 20_000),
  );
});

test('the worked trace of the free plan matches number for number', () => {
  // Requests 10 ms apart from 0.25 s on, then one per second; times and resets count from the start of the window.
  const start = 1_767_268_800;
  const sim = createSimulator({ scenario: { clock: { start: start * 1000 + 250, mode: 'frozen' } } });
  const rows: unknown[] = [];
  const request = (n: number, ms: number) => {
    sim.clock.set(start * 1000 + ms);
    const answer = send(sim);
    const { limit, remaining, reset, retryAfter } = rate(answer);
    rows.push([n, answer.status, limit, remaining, (reset as number) - start, retryAfter]);
    if (answer.status !== 200) expect(code(answer)).toBe(n >= 66 ? 'key_banned' : 'rate_limit_exceeded');
  };
  for (let n = 1; n <= 63; n++) request(n, 250 + (n - 1) * 10);
  for (let n = 64; n <= 67; n++) request(n, 1880 + (n - 64) * 1000);
  expect(rows[0]).toEqual([1, 200, 60, 59, 60, undefined]);
  expect(rows[59]).toEqual([60, 200, 60, 0, 60, undefined]);
  expect(rows.slice(60)).toEqual([
    [61, 429, 60, 0, 60, 60],
    [62, 429, 60, 0, 60, 60],
    [63, 429, 60, 0, 60, 60],
    [64, 429, 60, 0, 60, 59],
    [65, 429, 60, 0, 60, 58],
    [66, 429, 60, 0, 123, 120],
    [67, 429, 60, 0, 123, 119],
  ]);
});

test('the same scenario and the same calls give the same responses', () => {
  fc.assert(
    fc.property(service, steps, (service, trace) => {
      const once = run(createSimulator({ scenario: scenarioOf(service) }), trace);
      const again = run(createSimulator({ scenario: scenarioOf(service) }), trace);
      expect(again).toEqual(once);
    }),
    fuzz(30, 2_000),
  );
});
