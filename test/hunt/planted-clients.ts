import type { HuntClient, HuntContext, HuntOptions } from '../../src/entries/hunt.js';
import { deferred } from '../support/deferred.js';
import { asked, isRefusal, longSleep, petBody, type Request, send } from './right-clients.js';

/** A client with one bug. */
interface PlantedBug {
  client: HuntClient;
  /** Findings that show the bug. */
  codes: readonly string[];
  options?: Pick<HuntOptions, 'runs' | 'scenario' | 'check'>;
  /** Requests that the bug needs to show; default 4. */
  mostRequests?: number;
}

type Seen = Awaited<ReturnType<typeof send>>;
type Wait = (seen: Seen, refusals: number, context: HuntContext) => number;

const seconds = (text: string | null) => Number(text) * 1_000;
const retryAfter = ({ headers }: Seen) => headers.get('retry-after');
const reset = ({ headers }: Seen) => Number(headers.get('x-ratelimit-reset'));
const growing = (refusals: number) => 1_000 * 2 ** refusals;

interface Retry {
  attempts?: number;
  on?: (seen: Seen) => boolean;
  request?: (context: HuntContext) => Request;
  retried?: (request: Request) => Request;
}

/** Makes one call, and waits by `wait` after each refusal; throws where it gives up. */
const retrying =
  (wait: Wait, { attempts = 4, on = isRefusal, request = asked, retried = (same) => same }: Retry = {}): HuntClient =>
  async (context) => {
    let sent = request(context);
    for (let refusals = 0; refusals < attempts; refusals++) {
      const seen = await send(context, sent);
      if (!on(seen)) return seen.status;
      await context.sleep(wait(seen, refusals, context));
      sent = retried(sent);
    }
    throw new Error('gave up');
  };

/** A right wait for honest headers in seconds, for clients whose bug is elsewhere. */
const honestly: Wait = (seen, refusals) => Math.max(seconds(retryAfter(seen)) || 60_000, growing(refusals));

const addPet = (): Request => ({ method: 'POST', body: petBody });

/** Adds a pet, and repeats the request after any error. */
const addsBlindly =
  ({ timeoutMs, on }: { timeoutMs?: number; on: (seen: Seen | undefined) => boolean }): HuntClient =>
  async (context) => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const seen = await send(context, { ...addPet(), ...(timeoutMs && { timeoutMs }) }).catch(() => undefined);
      if (!on(seen)) return;
      await context.sleep(growing(attempt));
    }
    throw new Error('gave up');
  };

/** Callers that wait and retry independently. */
const callers =
  (wait: Wait): HuntClient =>
  async (context) => {
    const { calls, parallel } = context;
    let next = 0;
    const caller = async () => {
      while (next < calls) await retrying(wait, { request: named(next++) })(context);
    };
    await Promise.all(Array.from({ length: parallel }, caller));
  };

const named = (number: number) => (context: HuntContext) => ({ ...asked(context), call: `call-${number}` });

/** Calls that wait and retry honestly, until all calls together have retried often enough; then none waits. */
const counting =
  (maximum: number, on: (seen: Seen) => boolean = isRefusal): HuntClient =>
  async (context) => {
    let retries = 0;
    const wait: Wait = (seen, refusals, ctx) => (retries++ < maximum ? honestly(seen, refusals, ctx) : 0);
    for (let call = 0; call < context.calls; call++) await retrying(wait, { on })(context);
  };

const inLayers = (layers: number): HuntClient => {
  if (layers === 0) return (context) => send(context, asked(context));
  const inner = inLayers(layers - 1);
  return async (context) => {
    for (let attempt = 1; ; attempt++) {
      const seen = (await inner(context)) as Seen;
      if (!isRefusal(seen) || attempt === 3) return seen;
      await context.sleep(seconds(retryAfter(seen)) || 60_000);
    }
  };
};

const isJson = (text: string) => {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
};

/** Bugs of real clients; test/hunt/planted.test.ts finds each. */
export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'caps the wait at 30 s': {
    client: retrying((seen) => Math.min(seconds(retryAfter(seen)) || 30_000, 30_000)),
    codes: ['early-retry'],
  },
  'ignores waits of a minute and more': {
    client: retrying((seen, refusals) => {
      const ms = seconds(retryAfter(seen)) || 60_000;
      return ms < 60_000 ? ms : growing(refusals) / 2;
    }),
    codes: ['early-retry'],
  },
  'always waits one second': { client: retrying(() => 1_000), codes: ['early-retry'] },
  'backs off without Retry-After': { client: retrying((_, refusals) => growing(refusals)), codes: ['early-retry'] },
  'cuts off fractions of seconds': {
    client: retrying((seen) => Number.parseInt(retryAfter(seen) ?? '60', 10) * 1_000 || 60_000),
    codes: ['early-retry'],
  },
  'adds jitter both ways': {
    client: retrying((seen) => honestly(seen, 0, {} as HuntContext) * (0.9 + 0.2 * Math.random())),
    codes: ['early-retry'],
  },
  'takes seconds for milliseconds': {
    client: retrying((seen) => Number(retryAfter(seen)) || 60_000),
    codes: ['early-retry'],
  },
  'multiplies by a thousand twice': {
    client: async (context) => {
      const seen = await send(context, asked(context));
      if (!isRefusal(seen)) return;
      const untilMs = context.now() + Number(retryAfter(seen) ?? 1) * 1_000_000;
      while (context.now() < untilMs) await context.sleep(Math.min(untilMs - context.now(), 86_400_000));
      await send(context, asked(context));
    },
    codes: ['overslept'],
  },
  'reads a date as a number': {
    client: retrying((seen) => (retryAfter(seen) === null ? 60_000 : seconds(retryAfter(seen)))),
    codes: ['early-retry'],
  },
  'retries at once after a 503': {
    client: async (context) => {
      for (let attempt = 0; attempt < 3; attempt++) {
        const seen = await send(context, asked(context));
        if (seen.status !== 503) return;
        await context.sleep(100);
      }
      throw new Error('gave up');
    },
    codes: ['early-retry'],
  },
  'adds a pet again after a lost response': {
    client: addsBlindly({ on: (seen) => seen === undefined }),
    codes: ['duplicate-write'],
  },
  'adds a pet again after a timeout': {
    client: addsBlindly({ timeoutMs: 5_000, on: (seen) => seen === undefined }),
    codes: ['duplicate-write'],
  },
  'adds a pet again after a 5xx': {
    client: addsBlindly({ on: (seen) => seen !== undefined && seen.status >= 500 }),
    codes: ['duplicate-write'],
  },
  'adds a pet again when it cannot read the body': {
    client: addsBlindly({ on: (seen) => seen !== undefined && seen.status < 300 && !isJson(seen.text) }),
    codes: ['duplicate-write'],
    // Only a fault that spoils the body of a stored pet shows it.
    options: { runs: 300 },
  },
  'keeps sending after a 401': {
    client: retrying((_, refusals) => growing(refusals), { on: ({ status }) => status === 401 }),
    codes: ['retried-401', 'ban-hammered', 'early-retry'],
  },
  'sends all callers back at once': {
    client: callers(honestly),
    codes: ['no-jitter'],
    options: { scenario: { expect: { fail: ['no-jitter'] } } },
    mostRequests: 20,
  },
  'lets each caller find the limit': {
    client: callers((seen, refusals, context) => honestly(seen, refusals, context) + 1_000),
    codes: ['no-shared-gate'],
    options: { scenario: { expect: { fail: ['no-shared-gate'] } } },
  },
  'retries inside retries': { client: inLayers(3), codes: ['retry-storm'], mostRequests: 8 },
  'takes Reset for a difference': {
    client: async (context) => {
      const seen = await send(context, asked(context));
      if (seen.status !== 429) return;
      const untilMs = context.now() + reset(seen) * 1_000;
      while (context.now() < untilMs) await context.sleep(Math.min(untilMs - context.now(), 1_728_000_000));
      await send(context, asked(context));
    },
    codes: ['overslept'],
  },
  'takes seconds that are left for an instant': {
    client: retrying((seen, _, { now }) => Math.max(reset(seen) * 1_000 - now(), 1_000)),
    codes: ['early-retry'],
  },
  'waits for Reset by its own clock': {
    client: retrying((seen, _, { now }) => Math.max(reset(seen) * 1_000 - now(), 100)),
    codes: ['early-retry'],
    options: { scenario: { hostileHeaders: {} } },
  },
  'takes the day for the minute': {
    client: retrying(() => 60_000),
    codes: ['early-retry', 'ignored-day-window', 'ban-hammered'],
  },
  'hands a timer more than it holds': {
    client: retrying((seen, refusals) =>
      /^\d+$/.test(retryAfter(seen) ?? '') ? seconds(retryAfter(seen)) : growing(refusals + 6),
    ),
    codes: ['early-retry', 'ban-hammered'],
  },
  'waits for a negative time': {
    client: retrying((seen) => {
      const ms = seconds(retryAfter(seen));
      return Number.isNaN(ms) || retryAfter(seen) === null ? 120_000 : ms;
    }),
    codes: ['early-retry', 'ban-tripped', 'retry-storm'],
  },
  'reads a missing Retry-After as 0': {
    client: retrying((seen) => seconds(retryAfter(seen)) ?? 60_000),
    codes: ['early-retry'],
  },
  'trusts Remaining': {
    client: retrying((seen, refusals, context) =>
      Number(seen.headers.get('x-ratelimit-remaining')) > 0 ? 0 : honestly(seen, refusals, context),
    ),
    codes: ['early-retry', 'ban-tripped', 'retry-storm'],
  },
  'rounds identifiers': {
    client: async (context) => {
      const added = await send(context, addPet());
      if (added.status !== 201) throw new Error('not added');
      await send(context, { path: `/pets/${JSON.parse(added.text).id}` });
    },
    codes: ['rounded-int64'],
  },
  'sends an empty body again': {
    client: retrying(honestly, { request: addPet, retried: () => ({ method: 'POST' }) }),
    codes: ['body-changed'],
  },
  'never waits longer': {
    client: retrying((seen) => seconds(retryAfter(seen)) || 60_000, { attempts: 5 }),
    codes: ['no-backoff-growth'],
    options: { scenario: { expect: { fail: ['no-backoff-growth'] } } },
  },
  'tries ten times': {
    client: retrying((seen) => Math.max(seconds(retryAfter(seen)) || 0, 1_500), { attempts: 10 }),
    codes: ['retry-storm', 'early-retry', 'ban-hammered'],
    mostRequests: 8,
  },
  'returns a 429 as if it were pets': {
    client: async (context) => (await send(context, asked(context))).text,
    codes: ['gave-up'],
    options: { scenario: { expect: { served: true } } },
  },
  'never sends a refused write again': {
    client: async (context) => (await send(context, addPet())).text,
    codes: ['lost-write', 'gave-up'],
    options: { scenario: { expect: { served: true } } },
  },
  'polls during a ban': {
    client: retrying((seen) => (isJson(seen.text) && seen.text.includes('key_banned') ? 5_000 : 120_000), {
      attempts: 3,
    }),
    codes: ['early-retry', 'ban-hammered'],
  },
  'takes a 403 for a mistake and repeats it': {
    client: retrying((_, refusals) => 200 * 2 ** refusals, { on: ({ status }) => status === 403 || status === 418 }),
    codes: ['early-retry', 'ban-hammered'],
  },
  'counts retries over all calls, and waits for four': {
    client: counting(4),
    codes: ['early-retry'],
    mostRequests: 14,
  },
  'counts retries over all calls, and waits for ten': {
    client: counting(10),
    codes: ['early-retry'],
    mostRequests: 30,
  },
  'counts retries after a 503 over all calls': {
    client: counting(6, ({ status }) => status === 503),
    codes: ['early-retry'],
    mostRequests: 20,
  },
  'keeps a lock after an error': {
    client: async (context) => {
      let lock = Promise.resolve();
      for (let call = 0; call < 2; call++) {
        await lock;
        const { promise, resolve: release } = deferred();
        lock = promise;
        const seen = await send(context, asked(context)).catch(() => undefined);
        if (seen !== undefined) release();
      }
    },
    codes: ['never-ends'],
  },
  'waits for hours without a word': {
    client: async (context) => {
      const seen = await send(context, asked(context));
      if (isRefusal(seen)) await longSleep(context, seconds(retryAfter(seen)) || 60_000);
    },
    codes: ['check'],
    options: { check: ({ sim }) => sim.clock.now() - Date.UTC(2026, 0, 1, 12) <= 3_600_000 },
  },
};
