import type { Call, Seen, Stage } from './stage.js';

/**
 * State of a client after a refusal: the response, the number of earlier refusals, its clock and its random numbers.
 */
interface Refusal extends Seen {
  refusals: number;
  nowMs: number;
  random: () => number;
}

/** Wait of a client after a refusal, in milliseconds; `undefined` if it gives up. */
export type Wait = (refusal: Refusal) => number | undefined;

/** One call of a client, repeated until success, giving up, or the last attempt. */
export type Client = (stage: Stage, call?: Call) => Promise<Seen>;

/**
 * A client that waits as required after a refusal, and retries. By default a 401 is not a refusal, because waiting does
 * not make a key valid.
 */
export function retrying(
  wait: Wait,
  { attempts = 10, on = isRefusal }: { attempts?: number; on?: typeof isRefusal } = {},
): Client {
  return async (stage, call = {}) => {
    for (let refusals = 0; ; refusals++) {
      const seen = await stage.send(call);
      if (!on(seen) || refusals + 1 === attempts) return seen;
      const ms = wait({ ...seen, refusals, nowMs: stage.now(), random: stage.random });
      if (ms === undefined) return seen;
      await stage.sleep(ms);
    }
  };
}

const isRefusal = ({ status, headers }: Seen) => status === 429 || (status >= 400 && headers.has('retry-after'));

/** Waits of 1, 2, 4, 8 seconds. */
const growing = (refusals: number) => 1000 * 2 ** refusals;

// The right clients.

/**
 * Reads every form of the headers that services send: seconds (rounded up), dates, Reset in seconds, milliseconds or as
 * a difference. Compares dates with the Date of the same response, and rejects a Retry-After far beyond Reset.
 */
export const waitAsTold = ({ headers, refusals }: Pick<Refusal, 'headers' | 'refusals'>): number => {
  const sentMs = Date.parse(headers.get('date') ?? '');
  const untilReset = readReset(headers.get('x-ratelimit-reset'), sentMs);
  const told = readRetryAfter(headers.get('retry-after'), sentMs);
  const isDoubtful = told !== undefined && untilReset !== undefined && told > 10 * untilReset;
  return Math.max((isDoubtful ? undefined : told) ?? untilReset ?? 0, growing(refusals));
};

/** Time until the end of Retry-After, of a response that was sent at a time; `undefined` if it cannot be read. */
export function readRetryAfter(text: string | null, sentMs: number): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Math.ceil(Number(text)) : Number.NaN;
  // Text without a letter is not a date, although Date.parse may find one.
  const dateMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  const ms = Number.isNaN(seconds) ? dateMs - sentMs : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Time until X-RateLimit-Reset, which services send in seconds, in milliseconds or as a difference. */
export function readReset(text: string | null, sentMs: number): number | undefined {
  const value = Number(text ?? Number.NaN);
  if (Number.isNaN(value)) return undefined;
  if (value < 1e8) return value * 1000;
  return Math.max(0, (value > 1e11 ? value : value * 1000) - sentMs);
}

/** Waits as required, and gives up above ten minutes. */
export const patient = retrying(
  (refusal) => {
    const ms = waitAsTold(refusal);
    return ms > 600_000 ? undefined : ms;
  },
  { attempts: 5 },
);

/** Waits as required for any time, in pieces below the maximum of a timer. */
export const parks: Client = async (stage, call) => {
  for (let refusals = 0; ; refusals++) {
    const seen = await stage.send(call);
    if (!isRefusal(seen)) return seen;
    const untilMs = stage.now() + waitAsTold({ ...seen, refusals });
    while (stage.now() < untilMs) await stage.sleep(Math.min(untilMs - stage.now(), 86_400_000));
  }
};

/** At Remaining 0, waits until Reset before the next request. */
export const pacing = async (
  stage: Stage,
  calls: number,
  callAt: (n: number) => Call | undefined = () => undefined,
): Promise<Seen[]> => {
  const all: Seen[] = [];
  while (all.length < calls) {
    const seen = await stage.send(callAt(all.length));
    all.push(seen);
    const isLast = seen.headers.get('x-ratelimit-remaining') === '0';
    const untilReset = readReset(seen.headers.get('x-ratelimit-reset'), Date.parse(seen.headers.get('date') ?? ''));
    if (isLast && all.length < calls) await stage.sleep(untilReset as number);
  }
  return all;
};

/** Makes calls with several callers. The first refusal pauses all of them until its end, with jitter. */
export const sharedGate = async (
  stage: Stage,
  calls: number,
  { callers = calls, spreadMs = 0 } = {},
): Promise<Seen[]> => {
  let heldUntilMs = 0;
  let next = 0;
  const all: Seen[] = [];
  const tryOne = async (): Promise<Seen> => {
    for (let refusals = 0; ; refusals++) {
      while (stage.now() < heldUntilMs) {
        await stage.sleep(heldUntilMs - stage.now() + Math.floor(stage.random() * spreadMs));
      }
      const seen = await stage.send();
      if (seen.status !== 429) return seen;
      heldUntilMs = Math.max(heldUntilMs, stage.now() + waitAsTold({ ...seen, refusals }));
    }
  };
  const caller = async () => {
    while (next < calls) all[next++] = await tryOne();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return all;
};

/** Makes calls with one key until a 401, and the rest with the other. */
export const changesKey = (other: string, calls: number) => async (stage: Stage) => {
  let key: string | undefined;
  for (let call = 0; call < calls; call++) {
    const { status } = await stage.send(key === undefined ? {} : { key });
    if (status !== 401) continue;
    key = other;
    await stage.send({ key });
  }
};

/** Retries a GET after a network error, a 5xx or a timeout like after a refusal. */
export const sturdy =
  ({ attempts = 5, timeoutMs = 30_000 } = {}): Client =>
  async (stage, call) => {
    for (let failures = 0; ; failures++) {
      const seen = await stage.send({ timeoutMs, ...call }).catch(() => undefined);
      if (seen !== undefined && seen.status < 500 && !isRefusal(seen)) return seen;
      if (failures + 1 === attempts) throw new Error('gave up');
      const told = seen && waitAsTold({ ...seen, refusals: failures });
      await stage.sleep((seen?.headers.has('retry-after') ? told : undefined) ?? growing(failures));
    }
  };

/** Adds a pet. If a response leaves the result open, checks before it repeats. */
export const looksFirst: Client = async (stage, call) => {
  for (;;) {
    const seen = await stage.send({ timeoutMs: 5_000, ...call }).catch(() => undefined);
    if (seen !== undefined && seen.status < 500) return seen;
    await stage.sleep(1000);
    const { name } = JSON.parse(call?.body ?? '{}');
    const list = await stage.send({ path: '/pets?status=available&limit=100' });
    if (JSON.parse(list.text).some((pet: { name: string }) => pet.name === name)) return list;
  }
};

// The wrong clients.

export const everySecond = retrying(() => 1000);
export const every = (ms: number, attempts: number) => retrying(() => ms, { attempts });
export const takesItForTheEnd: Client = (stage, call) => stage.send(call);
export const backsOffOnly = retrying(({ refusals }) => growing(refusals), { attempts: 5 });
const retryAfterMs = ({ headers }: Seen, read: (text: string | null) => number) =>
  1000 * read(headers.get('retry-after'));
/** `Number(null)` is 0, and `Number` of a date is NaN. */
export const readsANumber = retrying((refusal) => retryAfterMs(refusal, Number));
/** Reads the header as seconds in any form, and waits in pieces below the maximum of a timer. */
export const parksAsWritten: Client = async (stage, call) => {
  for (;;) {
    const seen = await stage.send(call);
    if (!isRefusal(seen)) return seen;
    const untilMs = stage.now() + retryAfterMs(seen, Number);
    while (stage.now() < untilMs) await stage.sleep(Math.min(untilMs - stage.now(), 2 ** 31 - 1));
  }
};
/** A past date gives no wait. */
export const untilTheDate = retrying(({ headers, nowMs }) => Date.parse(headers.get('retry-after') ?? '') - nowMs);
export const cutsOffFractions = retrying(
  (refusal) => retryAfterMs(refusal, (text) => Number.parseInt(text ?? '', 10)),
  {
    attempts: 5,
  },
);
export const failsOnOddRetryAfter = retrying(({ headers }) => {
  const text = headers.get('retry-after') ?? '';
  if (!/^\d+$/.test(text)) throw new Error(`invalid Retry-After ${text}`);
  return Number(text) * 1000;
});
/** Without a wait, the client makes no second attempt. */
export const stopsAtZero = retrying((refusal) => retryAfterMs(refusal, Number) || undefined);
export const capsAt = (seconds: number) =>
  retrying((refusal) => Math.min(retryAfterMs(refusal, Number), seconds * 1000), { attempts: 5 });
/** Above its limit, continues with its own waits of 0.5, 1, 2 seconds. */
export const believesBelow = (seconds: number) =>
  retrying(
    (refusal) => {
      const ms = retryAfterMs(refusal, Number);
      return ms < seconds * 1000 ? ms : growing(refusal.refusals) / 2;
    },
    { attempts: 3 },
  );
export const trustsRemaining = retrying((refusal) =>
  Number(refusal.headers.get('x-ratelimit-remaining')) > 0 ? 0 : retryAfterMs(refusal, Number),
);
export const waitsForResetByItsOwnClock = retrying(
  ({ headers, nowMs }) => Number(headers.get('x-ratelimit-reset')) * 1000 - nowMs,
);
export const waitsForResetByDate = retrying(
  ({ headers }) => Number(headers.get('x-ratelimit-reset')) * 1000 - Date.parse(headers.get('date') ?? ''),
);
export const takesZeroForRefusal = retrying(() => 5000, {
  attempts: 2,
  on: ({ headers }) => headers.get('x-ratelimit-remaining') === '0',
});
export const parsesFirst: Client = async (stage, call) => {
  const client = retrying((refusal) => {
    JSON.parse(refusal.text);
    return growing(refusal.refusals);
  });
  return client(stage, call);
};
/** Treats a 401 like any other refusal. */
export const alsoOn401 = (wait: Wait, attempts: number) =>
  retrying(wait, { attempts, on: (seen) => seen.status === 401 || isRefusal(seen) });
/** Treats a 401 as a rate limit. */
export const sleepsUntilReset = alsoOn401(
  ({ headers, nowMs }) => Number(headers.get('x-ratelimit-reset')) * 1000 - nowMs,
  4,
);
/** Retries at once after a 5xx, regardless of its Retry-After. */
export const everyOn5xx = (ms: number) => retrying(() => ms, { on: ({ status }) => status >= 500 });
/**
 * The part of a cross-origin response that a page's scripts can read: headers that the Fetch standard always exposes.
 */
export const behindCors =
  (client: Client): Client =>
  (stage, call) => {
    const shown = ['cache-control', 'content-type'];
    const send: Stage['send'] = async (each) => {
      const answer = await stage.send(each);
      const headers = new Headers([...answer.headers].filter(([header]) => shown.includes(header)));
      return { ...answer, headers };
    };
    return client({ ...stage, send }, call);
  };
/** Retries in several independent layers. */
export const inLayers = (layers: number, attempts: number): Client => {
  if (layers === 0) return takesItForTheEnd;
  const inner = inLayers(layers - 1, attempts);
  return async (stage, call) => {
    for (let attempt = 1; ; attempt++) {
      const seen = await inner(stage, call);
      if (seen.status !== 429 || attempt === attempts) return seen;
      await stage.sleep(1000);
    }
  };
};
/** Has consumed its body stream at the first attempt. */
export const losesItsBody: Client = async (stage, call) => {
  const seen = await stage.send(call);
  if (seen.status !== 429) return seen;
  await stage.sleep(retryAfterMs(seen, Number));
  const { body: _, ...rest } = call ?? {};
  return stage.send(rest);
};
/** Repeats after any error, at once. */
export const repeatsBlindly =
  ({ timeoutMs = 2_000 } = {}): Client =>
  async (stage, call) => {
    for (;;) {
      const seen = await stage.send({ timeoutMs, ...call }).catch(() => undefined);
      if (seen !== undefined && seen.status < 500) return seen;
    }
  };
