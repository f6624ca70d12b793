import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSimulator, type Scenario } from '../../src/index.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import { judge } from '../../src/verdict.js';
import { found } from '../support/findings.js';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T12:00:00.250Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

type Send = (path?: string, body?: string | null) => Promise<Response>;

const wall: Scenario = { keys: { 'free-key': { usage: { minute: 60 } } } };
const rex = '{"name":"Rex","categoryId":1}';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const seconds = (response: Response) => Number(response.headers.get('retry-after'));

/** The usual retry loop. Each loop below has one fault. */
async function loop(
  send: () => Promise<Response>,
  waitMs: (response: Response, attempt: number) => number,
  attempts = 12,
) {
  for (let attempt = 1; ; attempt++) {
    const response = await send();
    if (response.headers.get('retry-after') === null || attempt === attempts) return response;
    await sleep(waitMs(response, attempt));
  }
}

/** Runs a client against a simulator to its end, and judges it. */
async function judged(scenario: Scenario, client: (send: Send) => Promise<unknown>) {
  const sim = createSimulator({ scenario });
  const send: Send = (path = '/pets', body) =>
    sim.fetch(`http://petstore.test/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: 'Bearer free-key', 'content-type': 'application/json' },
      ...(typeof body === 'string' && { body }),
    });
  let hasEnded = false;
  const end = client(send).finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) await vi.advanceTimersToNextTimerAsync();
  await end;
  return judge(sim, { isOver: true });
}

interface BadClient {
  does: string;
  code: FindingCode;
  says: RegExp;
  scenario?: Scenario;
  client: (send: Send) => Promise<unknown>;
}

const clients: BadClient[] = [
  {
    does: 'retries each second',
    code: 'early-retry',
    says: /looks like a fixed wait of 1 s/,
    client: (send) => loop(send, () => 1_000),
  },
  {
    does: 'cuts the wait down to 10 s',
    code: 'early-retry',
    says: /after exactly 10.0 s: looks like a cap of 10 s/,
    client: (send) => loop(send, (response) => Math.min(seconds(response), 10) * 1000),
  },
  {
    does: 'backs off by 1, 2, 4 and 8 s without reading Retry-After',
    code: 'early-retry',
    says: /after 1.0 s, 2.0 s, 4.0 s.*a backoff that ignores Retry-After/,
    client: (send) => loop(send, (_, attempt) => 2 ** (attempt - 1) * 1000),
  },
  {
    does: 'reads a date as a number and waits for NaN milliseconds',
    code: 'early-retry',
    says: /without any wait: looks like an HTTP date read as a number/,
    scenario: { ...wall, limits: { retryAfterForm: 'http-date' } },
    client: (send) => loop(send, (response) => seconds(response) * 1000),
  },
  {
    does: 'hands a timer more than it can hold',
    code: 'early-retry',
    says: /a wait longer than the maximum of a timer/,
    scenario: { keys: { 'free-key': { bannedFor: '30d' } } },
    client: (send) => loop(send, (response) => (seconds(response) * 1000 > 2 ** 31 - 1 ? 1 : seconds(response) * 1000)),
  },
  {
    does: 'takes seconds for milliseconds',
    code: 'early-retry',
    says: /looks like seconds passed to a timer that takes milliseconds/,
    client: (send) => loop(send, seconds),
  },
  {
    does: 'takes milliseconds for seconds',
    code: 'overslept',
    says: /looks like milliseconds passed to a sleep function that takes seconds/,
    client: (send) => loop(send, (response) => seconds(response) * 1_000_000),
  },
  {
    does: 'repeats a write blindly when its answer was lost',
    code: 'duplicate-write',
    says: /2 pets with one body/,
    scenario: { faults: [{ when: { nth: 1 }, then: { reset: true, phase: 'after' } }] },
    client: (send) => send('/pets', rex).catch(() => send('/pets', rex)),
  },
  {
    does: 'has used up the body when it tries again',
    code: 'body-changed',
    says: /retried with an empty body/,
    scenario: wall,
    client: (send) => {
      const bodies = [rex];
      return loop(
        () => send('/pets', bodies.pop() ?? null),
        (response) => seconds(response) * 1000,
      );
    },
  },
  {
    does: 'logs in again and again with a revoked key',
    code: 'retried-401',
    says: /sent again 4 times after a 401/,
    scenario: { keys: { 'free-key': { state: 'revoked' } } },
    async client(send) {
      for (let attempt = 1; attempt <= 5; attempt++) {
        await send();
        await sleep(500);
      }
    },
  },
  {
    does: 'tries each minute when the day is used up',
    code: 'ignored-day-window',
    says: /exhausted for another 24 h, but the client sent 3 more requests/,
    scenario: { keys: { 'free-key': { usage: { day: 1000 } } } },
    client: (send) => loop(send, () => 60_000, 4),
  },
  {
    does: 'retries in three layers',
    code: 'retry-storm',
    says: /tried 27 times/,
    scenario: { ...wall, windows: { minute: '1s' }, background: { 'free-key': 100 } },
    client: (send) => {
      const layer = (inner: () => Promise<Response>) => () => loop(inner, (response) => seconds(response) * 1000, 3);
      return layer(layer(layer(() => send())))();
    },
  },
  {
    does: 'retries each second for ever',
    code: 'no-backoff-growth',
    says: /Refused 6 times in a row, with about the same wait each time/,
    scenario: { ...wall, windows: { minute: '1s' }, background: { 'free-key': 100 } },
    client: (send) => loop(send, () => 1_000, 6),
  },
  {
    does: 'continues other calls while one waits',
    code: 'no-shared-gate',
    says: /Another call with the same key was sent 3 times/,
    client: (send) =>
      Promise.all(
        [0, 1, 2, 3, 4].map(async (index) => {
          // Two concurrent calls. Sequential ones would be one thread, with early requests.
          if (index > 1) await sleep((index - 1) * 2_000);
          return loop(
            () => send(`/pets?limit=${index + 1}`),
            (response) => seconds(response) * 1000 + index * 700,
          );
        }),
      ),
  },
  {
    does: 'sends all of its callers back in the same moment',
    code: 'no-jitter',
    says: /8 waiting calls retried within/,
    client: (send) =>
      Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          loop(
            () => send(`/pets?limit=${index + 1}`),
            (response) => seconds(response) * 1000,
          ),
        ),
      ),
  },
  {
    does: 'reads identifiers as floating-point numbers',
    code: 'rounded-int64',
    says: /The service sent 9007199254740993, but the client sent back 9007199254740992/,
    scenario: { ids: { start: 9007199254740993n } },
    async client(send) {
      const { id } = (await (await send('/pets', rex)).json()) as { id: number };
      await send(`/pets/${id}`);
    },
  },
];

describe('a faulty client is found by the right rule', () => {
  test.each(clients.map((client) => [client.does, client] as const))(
    'that %s',
    async (_, { code, says, scenario = wall, client }) => {
      expect(found(await judged(scenario, client), code)?.text).toMatch(says);
    },
  );
});

test('the corrected client gets no finding', async () => {
  const verdict = await judged(wall, (send) => loop(send, (response) => seconds(response) * 1000));
  expect(verdict).toMatchObject({ outcome: 'pass', findings: [] });
});

describe('a run is inconclusive', () => {
  test('if nothing put the client to the test', async () => {
    expect((await judged({}, (send) => send())).outcome).toBe('inconclusive');
    expect((await judged({ limits: 'off' }, (send) => Promise.all([send(), send()]))).outcome).toBe('inconclusive');
  });

  test('if the journal dropped entries', async () => {
    const verdict = await judged({ plans: { free: { minute: 1e6, day: 1e6 } } }, async (send) => {
      for (let n = 0; n < 10_050; n++) await send('/pets?limit=1');
    });
    expect(verdict).toMatchObject({ outcome: 'inconclusive', counts: { requests: 10_000, dropped: 50 } });
  });
});
