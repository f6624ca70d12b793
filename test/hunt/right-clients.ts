import type { HuntClient, HuntContext } from '../../src/entries/hunt.js';
import { readReset, readRetryAfter } from '../scenarios/clients.js';

/** A response whose body has been read. */
interface Seen {
  status: number;
  headers: Headers;
  text: string;
}

/** One request of a client. */
export interface Request {
  method?: string;
  path?: string;
  body?: string;
  key?: string;
  call?: string;
  timeoutMs?: number;
}

export const petBody = '{"name":"Laika","categoryId":3}';

/** The request that the scenario asks for. */
export const asked = ({ operation }: HuntContext): Request =>
  operation === 'createPet'
    ? { method: 'POST', body: petBody }
    : { path: operation === 'getPet' ? '/pets/1' : '/pets?status=available' };

/** Sends a request and reads the body. @throws what `fetch` throws, and the timeout */
export async function send(
  { fetch, sleep, baseUrl, apiKey }: HuntContext,
  { method = 'GET', path = '/pets', body, key = apiKey, call, timeoutMs }: Request = {},
): Promise<Seen> {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (call !== undefined) headers['x-sim-call'] = call;
  const gone = new AbortController();
  const isDone = new AbortController();
  if (timeoutMs !== undefined) {
    sleep(timeoutMs, isDone.signal).then(
      () => gone.abort(new Error('timed out')),
      () => {},
    );
  }
  try {
    const response = await fetch(`${baseUrl}${path}`, { method, headers, signal: gone.signal, ...(body && { body }) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } finally {
    isDone.abort();
  }
}

/** A refusal means that nothing was stored; a 5xx does not. */
export const isRefusal = ({ status, headers }: Seen) =>
  status === 429 || (status >= 400 && status < 500 && status !== 401 && headers.has('retry-after'));

/** The wait that a refusal asks for, in every form that services send, in milliseconds; without one a wait that grows. */
export function waitAsTold({ headers }: Pick<Seen, 'headers'>, refusals: number): number {
  const sentMs = Date.parse(headers.get('date') ?? '');
  const draft = headers.get('ratelimit-reset') ?? /;[tw]=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1];
  const untilReset = readReset(headers.get('x-ratelimit-reset') ?? draft ?? null, sentMs) ?? 0;
  const told = readRetryAfter(headers.get('retry-after'), sentMs);
  // Milliseconds or a Unix time in place of seconds.
  const isInAnotherUnit = told !== undefined && told > 1e6 && untilReset > 0 && told > 500 * untilReset;
  return Math.max((isInAnotherUnit ? undefined : told) ?? untilReset, Math.min(60_000, 1_000 * 2 ** refusals));
}

/** Waits in pieces that a timer can hold. */
export async function longSleep({ sleep, now }: HuntContext, ms: number): Promise<void> {
  const untilMs = now() + ms;
  while (now() < untilMs) await sleep(Math.min(untilMs - now(), 86_400_000));
}

/** Result of a caller: the response of a success, otherwise an error. */
function served(seen: Seen): Seen {
  if (seen.status >= 400) throw new Error(`got ${seen.status}`);
  JSON.parse(seen.text);
  return seen;
}

const tenMinutesMs = 600_000;

/** Waits as requested, at most ten minutes, and throws when it gives up. */
const patiently = async (context: HuntContext, request: Request, margin = (ms: number) => ms): Promise<Seen> => {
  for (let refusals = 0; refusals < 4; refusals++) {
    const seen = await send(context, request);
    if (!isRefusal(seen)) return served(seen);
    const ms = margin(waitAsTold(seen, refusals));
    if (ms > tenMinutesMs) throw new Error(`the service asks for a wait of ${ms} ms`);
    await context.sleep(ms);
  }
  throw new Error('gave up after four attempts');
};

const oneByOne =
  (call: (context: HuntContext, request: Request) => Promise<unknown>): HuntClient =>
  async (context) => {
    const { calls } = context;
    for (let made = 0; made < calls; made++) await call(context, asked(context));
  };

/** One gate for all callers: a refusal blocks all of them, each with a different additional wait. */
const gate: HuntClient = async (context) => {
  const { calls, parallel, now } = context;
  let heldUntilMs = 0;
  let refusals = 0;
  let next = 0;
  let spread = 0;
  let error: Error | undefined;
  const callOne = async (number: number) => {
    for (let attempt = 0; attempt < 4 && error === undefined; attempt++) {
      while (now() < heldUntilMs) await longSleep(context, heldUntilMs - now() + 137 * (spread++ % 10));
      if (error !== undefined) return;
      const seen = await send(context, { ...asked(context), call: `call-${number}` });
      if (!isRefusal(seen)) {
        // Unless a refusal of another call blocks the gate.
        if (now() >= heldUntilMs) refusals = 0;
        return served(seen);
      }
      heldUntilMs = Math.max(heldUntilMs, now() + waitAsTold(seen, refusals++));
    }
    throw new Error('gave up');
  };
  const caller = async () => {
    while (next < calls && error === undefined) {
      await callOne(next++).catch((thrown) => {
        error ??= thrown;
      });
    }
  };
  await Promise.all(Array.from({ length: parallel }, caller));
  if (error !== undefined) throw error;
};

/** Callers that wait each by itself, with equal calls that have no name. Each is right; the client has no gate. */
export const withoutGate: HuntClient = async (context) => {
  const { calls, parallel } = context;
  let next = 0;
  const caller = async () => {
    while (next++ < calls) await patiently(context, asked(context));
  };
  const ends = await Promise.allSettled(Array.from({ length: parallel }, caller));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
};

/** Callers that share one queue, so that requests never overlap. */
const queue: HuntClient = async (context) => {
  const { calls } = context;
  let tail: Promise<unknown> = Promise.resolve();
  const enqueue = () => {
    tail = tail.then(() => patiently(context, asked(context)));
    return tail;
  };
  await Promise.all(Array.from({ length: calls }, enqueue));
};

/** Pauses at `Remaining: 0` until Reset, so that it mostly meets no refusal. */
const pacing = oneByOne(async (context, request) => {
  const seen = await patiently(context, request);
  if (seen.headers.get('x-ratelimit-remaining') !== '0' || context.calls === 1) return;
  const ms = waitAsTold(seen, 0);
  if (ms > tenMinutesMs) throw new Error('the day is used up');
  await context.sleep(ms);
});

/** Continues with a second key after the first is rejected. */
const severalKeys: HuntClient = async (context) => {
  const keys = [context.apiKey, 'second-key'];
  for (let made = 0; made < context.calls; made++) {
    const [key = ''] = keys;
    try {
      await patiently(context, { ...asked(context), key });
    } catch {
      keys.shift();
      if (keys.length === 0) throw new Error('no key is left');
    }
  }
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Repeats reads after network errors, timeouts and 5xx; checks for a pet before it adds it again. */
const sturdy: HuntClient = oneByOne(async (context, request) => {
  const isWrite = request.method === 'POST';
  for (let failures = 0; failures < 4; failures++) {
    const seen = await send(context, { ...request, timeoutMs: 30_000 }).catch(() => undefined);
    if (seen !== undefined && seen.status < 500 && !isRefusal(seen) && (seen.status >= 400 || isJson(seen.text)))
      return served(seen);
    const isTold = seen !== undefined && (isRefusal(seen) || seen.headers.has('retry-after'));
    const ms = isTold ? waitAsTold(seen, failures) : 1_000 * 2 ** failures;
    if (ms > tenMinutesMs || (isWrite && seen?.status !== 429)) throw new Error('gave up');
    await context.sleep(ms);
  }
  throw new Error('gave up');
});

/** Right clients of different manners. */
export const rightClients: Readonly<Record<string, HuntClient>> = {
  patient: oneByOne(patiently),
  parks: oneByOne(async (context, request) => {
    for (let refusals = 0; refusals < 4; refusals++) {
      const seen = await send(context, request);
      if (!isRefusal(seen)) return served(seen);
      await longSleep(context, waitAsTold(seen, refusals));
    }
    throw new Error('gave up');
  }),
  'long margins': oneByOne((context, request) => patiently(context, request, (ms) => ms * 1.5 + 1_000)),
  gate,
  queue,
  pacing,
  'several keys': severalKeys,
  sturdy,
  'gives up at once': oneByOne(async (context, request) => {
    served(await send(context, request));
  }),
  'waits for the later promise': oneByOne(async (context, request) => {
    const seen = await send(context, request);
    if (!isRefusal(seen)) return served(seen);
    const withoutRetryAfter = new Headers(seen.headers);
    withoutRetryAfter.delete('retry-after');
    const ms = Math.max(waitAsTold(seen, 0), waitAsTold({ headers: withoutRetryAfter }, 0)) + 250;
    if (ms > tenMinutesMs) throw new Error('too long');
    await context.sleep(ms);
    return served(await send(context, request));
  }),
};

/** Fields that the search keeps for a right client that needs them. */
export const needsOf: Readonly<Record<string, object>> = {
  'several keys': { keys: { 'free-key': {}, 'second-key': { plan: 'pro' } } },
};
