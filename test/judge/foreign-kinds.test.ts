// @module-tag slow
import { afterAll, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import * as clients from '../scenarios/clients.js';
import { removeRecordings } from '../scenarios/open-recorded.js';
import type { Call, Seen, Stage } from '../scenarios/stage.js';
import { blamed, found } from '../support/findings.js';
import { verdictsOn } from './three-ways.js';

// Fifty-nine clients of foreign libraries, rebuilt by what they do on the wire. Thirty are right, and no situation makes a
// finding about them; the others have one bug each. Their truth was written down before they were judged.

afterAll(removeRecordings);

/** A program that makes the scenario's calls, and fails if one of them fails. */
type Program = (stage: Stage, calls: readonly Call[]) => Promise<unknown>;

const isRefusal = ({ status, headers }: Seen) => status === 429 || (status >= 400 && headers.has('retry-after'));
const toldMs = ({ headers }: Seen) => 1_000 * Math.ceil(Number(headers.get('retry-after')));
const untilResetMs = ({ headers }: Seen) =>
  1_000 * Number(headers.get('x-ratelimit-reset')) - Date.parse(headers.get('date') ?? '');

function failing(seen: Seen): Seen {
  if (seen.status >= 400) throw new Error(`got ${seen.status}`);
  return seen;
}

interface Manner {
  /** Wait after a refusal or an error, in milliseconds; `undefined` to give up. */
  waitMs: (seen: Seen, failures: number, random: () => number) => number | undefined;
  attempts: number;
  /** Whether a 5xx or a lost response of a GET is retried. */
  retriesErrors?: boolean;
  headers?: (call: number) => Record<string, string>;
  /** Request before each retry, such as a probe. */
  before?: (stage: Stage) => Promise<unknown>;
}

/** Makes one call after another, in a manner. */
const inTurn =
  ({ waitMs, attempts, retriesErrors = false, headers, before }: Manner): Program =>
  async (stage, calls) => {
    for (const [number, call] of calls.entries()) {
      for (let failures = 0; ; failures++) {
        const own = headers && { headers: headers(number) };
        const seen = await stage.send({ ...call, ...own }).catch((error) => {
          if (!retriesErrors || call.method === 'POST' || failures + 1 >= attempts) throw error;
          return undefined;
        });
        const isRetried =
          seen === undefined || isRefusal(seen) || (retriesErrors && seen.status >= 500 && !call.method);
        if (!isRetried) {
          failing(seen);
          break;
        }
        const ms = seen?.headers.has('retry-after')
          ? waitMs(seen, failures, stage.random)
          : 500 * 2 ** failures + 200 * stage.random();
        if (ms === undefined || failures + 1 >= attempts) throw new Error('gave up');
        await stage.sleep(ms);
        await before?.(stage);
      }
    }
  };

/** Callers that share one pause, of which each ends by a random time later. */
const gate =
  (callers: number, spreadMs: number, attempts = 6): Program =>
  async (stage, calls) => {
    let heldUntilMs = 0;
    let next = 0;
    const caller = async () => {
      for (let call = calls[next++]; call !== undefined; call = calls[next++]) {
        for (let attempt = 1; ; attempt++) {
          while (stage.now() < heldUntilMs) await stage.sleep(heldUntilMs - stage.now() + spreadMs * stage.random());
          const seen = await stage.send(call);
          if (!isRefusal(seen)) {
            failing(seen);
            break;
          }
          if (attempt >= attempts) throw new Error('gave up');
          heldUntilMs = Math.max(heldUntilMs, stage.now() + toldMs(seen) + 400 * attempt);
        }
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
  };

/** Pauses before the next call if the limit has no requests left. */
const pacing =
  (manner: Manner): Program =>
  async (stage, calls) => {
    for (const [number, call] of calls.entries()) {
      let last: Seen | undefined;
      const send: Stage['send'] = async (each) => {
        last = await stage.send(each);
        return last;
      };
      await inTurn(manner)({ ...stage, send }, [call]);
      if (last?.headers.get('x-ratelimit-remaining') === '0' && number + 1 < calls.length)
        await stage.sleep(Math.max(0, untilResetMs(last)));
    }
  };

/** Gives up all calls while its breaker is open, with an error. */
const breaker: Program = async (stage, calls) => {
  for (const call of calls) failing(await stage.send(call));
};

/** Obeys refusals; repeats a POST of unknown result only if the pet is not in the list, with one Idempotency-Key. */
const checking: Program = async (stage, calls) => {
  const send: Stage['send'] = (call) =>
    call?.method === 'POST'
      ? clients.looksFirst(stage, { ...call, headers: { 'idempotency-key': 'k-1' } })
      : stage.send(call);
  await inTurn({ waitMs: times(2), attempts: 5 })({ ...stage, send }, calls);
};

/** Polls each five seconds, except during a wait. */
const polling: Program = async (stage, calls) => {
  for (const call of calls) {
    const seen = await stage.send(call);
    await stage.sleep(isRefusal(seen) ? Math.max(5_000, toldMs(seen)) : 5_000);
    if (isRefusal(seen)) failing(await stage.send(call));
  }
};

const told: Manner = { waitMs: toldMs, attempts: 5 };
const times =
  (factor: number, firstMs = 1_000): Manner['waitMs'] =>
  (seen, n) =>
    toldMs(seen) + firstMs * factor ** n;
const sturdy: Manner = { ...told, retriesErrors: true };

const right: Record<string, [kind: string, program: Program]> = {
  r01: ['fetch, Retry-After and waits that grow by 1.6', inTurn({ waitMs: times(1.6), attempts: 9 })],
  r02: [
    'fetch, jitter above Retry-After',
    inTurn({ ...told, waitMs: (seen, n, random) => toldMs(seen) + random() * 1_000 * 2 ** n }),
  ],
  r03: ['undici, a gate for five callers', gate(5, 500)],
  r04: ['axios, reads Remaining', pacing(told)],
  r05: ['got, its own retry', inTurn({ waitMs: toldMs, attempts: 3, retriesErrors: true })],
  r06: ['ky, its own retry', inTurn({ waitMs: toldMs, attempts: 3, retriesErrors: true })],
  r07: ['superagent, a breaker that reports', breaker],
  r08: ['needle, stops at a 429', breaker],
  r09: [
    'ofetch, waits for at most 8 s',
    inTurn({ ...told, waitMs: (seen) => (toldMs(seen) > 8_000 ? undefined : toldMs(seen)) }),
  ],
  r10: ['p-queue, paused', gate(1, 0)],
  r11: ['Bottleneck, one queue', gate(1, 300)],
  r12: ['wretch, one retry', inTurn({ waitMs: toldMs, attempts: 2 })],
  r13: ['Idempotency-Key, and a check', checking],
  r14: [
    'a HEAD probe before each retry',
    inTurn({ waitMs: times(2), attempts: 5, before: (stage) => stage.send({ method: 'HEAD' }) }),
  ],
  r15: ['polls each five seconds', polling],
  r16: ['cockatiel, backoff above Retry-After', inTurn({ ...sturdy, waitMs: times(2, 500) })],
  r17: ['opossum, reports while open', breaker],
  r18: ['rxjs, a timer of Retry-After', inTurn({ waitMs: times(2, 200), attempts: 6 })],
  r19: ['openapi-fetch, a middleware', inTurn({ waitMs: times(2), attempts: 4 })],
  r20: [
    'query-core, three retries',
    inTurn({ ...sturdy, waitMs: (seen, n) => Math.max(toldMs(seen), 1_000 * 2 ** n), attempts: 4 }),
  ],
  r21: ['urllib3 Retry', inTurn({ ...sturdy, attempts: 4 })],
  r22: [
    'httpx with tenacity',
    inTurn({ waitMs: (seen, n, random) => toldMs(seen) + random() * 2 ** n * 1_000, attempts: 6 }),
  ],
  r23: ['aiohttp, a gate for eight tasks', gate(8, 900)],
  r24: ['Faraday retry', inTurn({ ...sturdy, waitMs: times(2, 300), attempts: 5 })],
  r25: ['Guzzle, a middleware of its own', inTurn({ waitMs: times(2), attempts: 5 })],
  r26: ['wget in a loop that sleeps', inTurn({ waitMs: (seen, n) => toldMs(seen) + 1_000 * n, attempts: 5 })],
  r27: ['curl --retry', inTurn({ waitMs: toldMs, attempts: 3 })],
  r28: [
    'aborts after 12 s',
    inTurn({ waitMs: (seen, n) => (n > 2 || toldMs(seen) > 12_000 ? undefined : toldMs(seen)), attempts: 4 }),
  ],
  r29: ['paces itself by Remaining', pacing({ waitMs: times(2), attempts: 4 })],
  r30: ['go-retryablehttp', inTurn({ waitMs: toldMs, attempts: 5 })],
};

const read = (n: number): Call => ({ path: `/pets?limit=${n + 5}` });
const write: Call = { method: 'POST', body: '{"name":"Newcomer","categoryId":1}' };
const reads = Array.from({ length: 4 }, (_, n) => read(n));

interface Situation {
  scenario: string;
  calls: readonly Call[];
  changes?: Scenario;
  /** Warnings that name no bug: the service asked for many attempts, and a client obeyed each time. */
  remarks?: readonly string[];
}

/** Situations without expectations, so that a client may give up with an error. */
const situations: Situation[] = [
  { scenario: 'minute-wall', calls: reads.slice(0, 2) },
  {
    scenario: 'minute-wall',
    calls: [{}, {}, {}],
    changes: { windows: { minute: '10s' }, keys: { 'free-key': { usage: { minute: 58 } } } },
  },
  { scenario: 'stubborn-429', calls: [{}], remarks: ['retry-storm', 'no-backoff-growth'] },
  // A recording does not show that the caller got an error.
  { scenario: 'post-429', calls: [write], remarks: ['lost-write'] },
  { scenario: 'flaky-5xx', calls: reads },
  { scenario: 'sit-out-the-ban', calls: [{}] },
  { scenario: 'day-wall', calls: [{}] },
  { scenario: 'reset-then-ok', calls: reads.slice(0, 3) },
  { scenario: 'post-stored-answer-lost', calls: [write] },
  { scenario: 'own-mistake', calls: [{}] },
];

test.each(Object.entries(right))('nobody accuses %s', async (_, [kind, program]) => {
  const accused: unknown[] = [];
  for (const { scenario, calls, changes, remarks = [] } of situations) {
    const client = (stage: Stage) => program(stage, calls);
    const all = { ...changes, client: { key: 'free-key' }, expect: {} };
    for (const [way, verdict] of await verdictsOn(scenario, { client, changes: all }))
      if (verdict.outcome === 'fail' || blamed(verdict).some((code) => !remarks.includes(code)))
        accused.push([scenario, way, verdict.outcome, verdict.findings.map(({ code, text }) => `${code}: ${text}`)]);
  }
  expect(accused, kind).toEqual([]);
});

interface Wrong {
  id: string;
  kind: string;
  scenario: string;
  program: (stage: Stage) => Promise<unknown>;
  /** Rule that finds the bug. */
  code: FindingCode;
  /** Severity of the finding, or the outcome without one. Default: `fail`. */
  severity?: 'warn' | 'info' | 'inconclusive';
  /** Severity or outcome in a recording, if it differs from the live one. */
  recorded?: 'info' | 'inconclusive' | 'fail' | 'pass';
  changes?: Scenario;
  stoppedAfterSeconds?: number;
}

const retrying = (waitMs: Manner['waitMs'], attempts = 4) => inTurn({ waitMs, attempts });
const on =
  (program: Program, ...calls: Call[]) =>
  (stage: Stage) =>
    program(stage, calls.length > 0 ? calls : [{}]);
/** Makes calls and hides the errors. */
const hiding =
  (program: Program, ...calls: Call[]) =>
  async (stage: Stage) => {
    for (const call of calls) await program(stage, [call]).catch(() => {});
  };

const wrong: Wrong[] = [
  {
    id: 'x01',
    kind: 'subtracts 300 ms from each fifth wait',
    scenario: 'jitter-below',
    program: (stage) => {
      let waits = 0;
      const wait: Manner['waitMs'] = (seen) => toldMs(seen) + (++waits % 5 === 0 ? -300 : 40);
      return retrying(wait, 30)(stage, Array(21).fill({}));
    },
    code: 'early-retry',
  },
  {
    id: 'x02',
    kind: 'axios: seconds as milliseconds',
    changes: { expect: {} },
    scenario: 'minute-wall',
    program: on(
      retrying((seen) => toldMs(seen) / 1_000),
      {},
      {},
    ),
    code: 'early-retry',
    // So soon after the refusal, another caller may have sent the request.
    recorded: 'inconclusive',
  },
  {
    id: 'x03',
    kind: 'undici: the smaller of backoff and Retry-After',
    scenario: 'minute-wall',
    program: on(
      retrying((seen, n) => Math.min(toldMs(seen), 500 * 2 ** n)),
      {},
      {},
    ),
    code: 'early-retry',
  },
  {
    id: 'x04',
    kind: 'counts the wait from the start of its request',
    scenario: 'post-429',
    changes: {
      keys: {},
      faults: [
        {
          when: { first: 3 },
          then: { delay: { fixed: '600ms' }, respond: { status: 429, headers: { 'Retry-After': 2 } } },
        },
      ],
    },
    program: async (stage) => {
      let sentMs = stage.now();
      const send: Stage['send'] = (call) => {
        sentMs = stage.now();
        return stage.send(call);
      };
      await retrying((seen) => toldMs(seen) - (stage.now() - sentMs))({ ...stage, send }, [write]);
    },
    code: 'early-retry',
  },
  {
    id: 'x05',
    kind: 'got: at most 5 s',
    scenario: 'minute-wall',
    program: on(
      retrying((seen) => Math.min(toldMs(seen), 5_000)),
      {},
      {},
    ),
    code: 'early-retry',
  },
  {
    id: 'x06',
    kind: 'ignores bans',
    scenario: 'sit-out-the-ban',
    program: on(retrying(() => 2_000, 6)),
    code: 'ban-hammered',
    // In a recording, a ban is a refusal, and early-retry fails.
    recorded: 'fail',
  },
  {
    id: 'x07',
    kind: 'repeats a POST without a check',
    scenario: 'post-stored-answer-lost',
    program: (stage) => clients.repeatsBlindly()(stage, write),
    code: 'duplicate-write',
    recorded: 'inconclusive',
  },
  {
    id: 'x08',
    kind: 'ky: waits 80 to 100 %',
    scenario: 'jitter-below',
    program: on(
      inTurn({ waitMs: (seen, _, random) => toldMs(seen) * (0.8 + 0.2 * random()), attempts: 30 }),
      ...Array(21).fill({}),
    ),
    code: 'early-retry',
  },
  {
    id: 'x09',
    kind: 'no jitter',
    scenario: 'thundering-herd',
    program: (stage) => Promise.all(Array.from({ length: 10 }, () => retrying(toldMs)(stage, [{}]))),
    code: 'no-jitter',
  },
  {
    id: 'x10',
    kind: 'ofetch: retries each 4xx',
    scenario: 'own-mistake',
    program: (stage) => clients.retrying(() => 500, { attempts: 4, on: ({ status }) => status >= 400 })(stage),
    code: 'retried-4xx',
    severity: 'warn',
  },
  {
    id: 'x11',
    kind: 'loses a page',
    scenario: 'minute-wall',
    program: hiding(breaker, read(1), read(2), read(3)),
    code: 'gave-up',
  },
  {
    id: 'x12',
    kind: 'endless retries each second',
    scenario: 'stubborn-429',
    program: on(retrying(() => 1_000, 40)),
    code: 'retry-storm',
  },
  ...(['x13', 'x15', 'x27', 'x30'] as const).map(
    (id): Wrong => ({
      id,
      kind: 'caches the 429, returns a part, prints it or drops the job, and exits with 0',
      scenario: 'day-wall',
      program: hiding(breaker, {}, read(1)),
      code: 'gave-up',
      // The exit code is not on the wire.
      recorded: 'info',
    }),
  ),
  {
    id: 'x14',
    kind: 'ten times too long',
    scenario: 'post-429',
    program: on(
      retrying((seen) => 30 * toldMs(seen)),
      write,
    ),
    code: 'overslept',
    severity: 'warn',
  },
  {
    id: 'x16',
    kind: 'drops the body',
    scenario: 'post-body-lost',
    program: (stage) => clients.losesItsBody(stage, write),
    code: 'body-changed',
  },
  {
    id: 'x17',
    kind: 'a timeout below the latency',
    scenario: 'slow',
    program: (stage) => clients.repeatsBlindly({ timeoutMs: 500 })(stage),
    changes: { client: { key: 'free-key' } },
    code: 'impatient',
  },
  {
    id: 'x18',
    kind: 'another key after a 429',
    scenario: 'minute-wall',
    changes: { keys: { 'free-key': { usage: { minute: 'all' } }, other: { plan: 'pro' } }, expect: {} },
    program: async (stage) => {
      const headers = { 'user-agent': 'app/1' };
      await stage.send({ headers });
      await stage.sleep(300);
      await stage.send({ key: 'other', headers });
    },
    code: 'changed-key',
    severity: 'info',
  },
  {
    id: 'x19',
    kind: 'tenacity: exponential waits alone',
    scenario: 'backoff-only',
    program: on(retrying((_, n) => 1_000 * 2 ** n)),
    code: 'early-retry',
  },
  {
    id: 'x20',
    kind: 'repeats the first wait',
    scenario: 'growing-ban',
    program: on(
      retrying(() => 5_000, 4),
      {},
      {},
      {},
      {},
    ),
    code: 'early-retry',
  },
  {
    id: 'x21',
    kind: 'Reset by its own clock',
    scenario: 'clock-skew-ahead',
    program: (stage) => clients.waitsForResetByItsOwnClock(stage),
    code: 'overslept',
  },
  {
    id: 'x22',
    kind: 'parseInt of Retry-After',
    scenario: 'fractional',
    program: (stage) => clients.cutsOffFractions(stage),
    code: 'early-retry',
  },
  {
    id: 'x23',
    kind: 'hedges',
    scenario: 'post-429',
    program: async (stage) => {
      await stage.sleep(toldMs(await stage.send(write)));
      await Promise.all([stage.send(write), stage.send(write)]);
    },
    code: 'duplicate-write',
    severity: 'inconclusive',
    recorded: 'pass',
  },
  {
    id: 'x24',
    kind: 'nested axios-retry',
    scenario: 'nested-retries',
    program: (stage) => clients.inLayers(3, 3)(stage),
    code: 'retry-storm',
  },
  {
    id: 'x26',
    kind: 'a heartbeat during the wait',
    scenario: 'minute-wall',
    program: async (stage) => {
      for (let n = 0; n < 6; n++) {
        await stage.send(n === 1 ? read(9) : {});
        await stage.sleep(1_000);
      }
    },
    code: 'early-retry',
  },
  {
    id: 'x28',
    kind: 'Guzzle: repeats at once',
    changes: { expect: {} },
    scenario: 'minute-wall',
    program: on(
      retrying(() => 1, 8),
      {},
      {},
    ),
    code: 'early-retry',
    // So soon after the refusal, another caller may have sent the request.
    recorded: 'inconclusive',
  },
  {
    id: 'x29',
    kind: 'SWR: waits of its own',
    scenario: 'backoff-only',
    program: on(retrying((_, n, random) => 5_000 * (0.5 + random()) * 2 ** n)),
    code: 'early-retry',
  },
];

test.each(wrong)(
  'finds $id: $kind',
  async ({ scenario, program: client, code, severity = 'fail', recorded, ...more }) => {
    for (const [way, verdict] of await verdictsOn(scenario, { client, ...more })) {
      const { outcome } = verdict;
      const is = [way, found(verdict, code)?.severity ?? outcome];
      expect(is, verdict.reason).toEqual([way, way === 'live' ? severity : (recorded ?? severity)]);
    }
  },
);

test('the table has all fifty-nine clients', () => {
  expect([Object.keys(right).length, new Set(wrong.map(({ id }) => id)).size]).toEqual([30, 29]);
});
