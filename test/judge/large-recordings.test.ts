import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { judgedRecording } from '../../src/control-api/judged-recording.js';
import { growthOf, isExponential, keepsGrowing, minimumGrowth } from '../../src/judge/growth.js';
import { judgeRecording } from '../../src/judge/judge-recording.js';
import { JudgedRequest } from '../../src/judge/judged-request.js';
import { operationFacts } from '../../src/judge/run.js';
import { causeOf, type MeasuredWait } from '../../src/judge/wait-pattern.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { petstore } from '../../src/petstore/petstore.js';
import { createTwinSearch, numberInOrder, readRecording } from '../../src/traffic-files/read-recording.js';

/** Fields of the judge's requests whose reads are counted, as a measure of its work that no clock disturbs. */
const counted = ['arrivedAtMs', 'answeredAtMs', 'missing', 'status'] as const;
const getters = counted.map((field) => Object.getOwnPropertyDescriptor(JudgedRequest.prototype, field) ?? {});
let reads = 0;

interface Line {
  ms: number;
  status: number;
  path?: string;
  key?: string;
  retryAfter?: number;
  durationMs?: number;
  /** Time from which the simulator serves the key again. Only in recordings of the simulator. */
  promisedMs?: number;
}

/** Clients whose recordings grow in different ways, as lines by their number. */
const clients: Record<string, (n: number) => Line> = {
  'keeps sending after each refusal': (n) =>
    n % 10 < 2 ? { ms: 1_000 * n, status: 200 } : { ms: 1_000 * n, status: 429, retryAfter: 30 },
  'has as many keys as waits': (n) => ({
    ms: 100 * n,
    status: n % 3 ? 200 : 429,
    key: `key-number-${n % 97}`,
    retryAfter: 600,
  }),
  'asks for another path in each request of one wait': (n) => ({
    ms: 50 * n,
    status: 429,
    path: `/pets/${n}`,
    retryAfter: 1e6,
  }),
  'repeats one call without a wait': (n) => ({ ms: n, status: 429, retryAfter: 60 }),
  'sends all requests before the first response': (n) => ({ ms: 3 * n, status: 200, durationMs: 9e6 }),
  'breaks each wait of the simulator once': (n) => {
    const startMs = 100_000 * Math.floor(n / 3);
    return [
      { ms: startMs, status: 200, promisedMs: 0 },
      { ms: startMs + 1_000, status: 429, retryAfter: 60, promisedMs: startMs + 61_000 },
      { ms: startMs + 2_000, status: 429, retryAfter: 69, promisedMs: startMs + 71_000 },
    ][n % 3] as Line;
  },
  'gets outages': (n) => ({ ms: 500 * n, status: n % 9 ? 503 : 200, path: `/pets/${n % 50}` }),
};

function textOf(client: (n: number) => Line, count: number): string {
  const startMs = Date.UTC(2026, 0, 1);
  const lines = Array.from({ length: count }, (_, n) => {
    const { ms, status, path = '/pets', key = 'free-key', retryAfter, durationMs = 8, promisedMs } = client(n);
    return JSON.stringify({
      time: new Date(startMs + ms).toISOString(),
      ...{ durationMs, method: 'GET', baseUrl: 'http://127.0.0.1:4010/v1', path, status },
      headers: status === 429 ? { 'Retry-After': String(retryAfter) } : {},
      requestHeaders: { authorization: `Bearer ${key}` },
      ...(promisedMs !== undefined && {
        ...{ id: n + 1, lastArrivedId: n + 1, strikes: 0, episode: 0, key, plan: 'free' },
        ...(status === 429 && { refusal: 'limit', promisedAt: new Date(startMs + promisedMs).toISOString() }),
      }),
    });
  });
  return `${lines.join('\n')}\n`;
}

const read = (text: string) =>
  readRecording([{ name: 'large.jsonl', pieces: [new TextEncoder().encode(text)] }], recordedPetstore);

async function workOf(client: (n: number) => Line, count: number) {
  const recording = await read(textOf(client, count));
  reads = 0;
  const { result, report } = judgedRecording(recording, {
    ...operationFacts([petstore]),
    name: 'large.jsonl',
    isOver: true,
  });
  report(result);
  return reads;
}

describe('the work for a large recording grows with its requests, of a client that', () => {
  beforeEach(() => {
    for (const [index, { get }] of getters.entries())
      Object.defineProperty(JudgedRequest.prototype, counted[index] as string, {
        configurable: true,
        get() {
          reads++;
          return get?.call(this);
        },
      });
  });
  afterEach(() => {
    for (const [index, getter] of getters.entries())
      Object.defineProperty(JudgedRequest.prototype, counted[index] as string, getter);
  });

  test.each(Object.entries(clients))('%s', async (_, client) => {
    const [few, many] = [await workOf(client, 2_000), await workOf(client, 8_000)];
    expect(many / few).toBeLessThan(5);
  });
});

test('requests are numbered by few comparisons, however many others a slow response spans', async () => {
  const { exchanges } = await read(textOf(clients['sends all requests before the first response'] as never, 4_000));
  let times = 0;
  const pending = exchanges.map((exchange) => ({
    ...exchange,
    get arrivedAtMs() {
      times++;
      return exchange.arrivedAtMs;
    },
  }));
  numberInOrder(pending);
  expect(pending.map(({ lastArrivedId }) => lastArrivedId)).toEqual(Array(4_000).fill(4_000));
  expect(times / 4_000).toBeLessThan(20);
});

test('the cause of 150,000 waits is found, which are too many arguments for one call', () => {
  const wait: MeasuredWait = { waitMs: 5, askedMs: 60_000, form: 'seconds', isEarly: true, attempt: 0 };
  const waits = Array.from({ length: 150_000 }, (_, attempt) => ({ ...wait, waitMs: attempt % 20, attempt }));
  expect(causeOf(waits)?.text(waits)).toBe('a Retry-After that was not read');
});

test('130,000 attempts of one call are judged, which are too many arguments for one call', async () => {
  const waits = Array.from({ length: 130_000 }, (_, attempt) => 1_000 + (attempt % 7));
  expect([growthOf(waits) < minimumGrowth, isExponential(waits), keepsGrowing(waits)]).toEqual([true, false, false]);
  const { exchanges } = await read(textOf((n) => ({ ms: 2_000 * n, status: 429, retryAfter: 1 }), 130_000));
  const { findings } = judgeRecording(exchanges, { ...operationFacts([petstore]), name: 'large.jsonl', isOver: true });
  expect(findings.map(({ code }) => code)).toEqual(['retry-storm', 'gave-up']);
});

test('the requests of a service worker are found by few comparisons, each for one request of the page', async () => {
  const count = 4_000;
  const { exchanges } = await read(textOf((n) => ({ ms: 100 * n, status: 200 }), count));
  let times = 0;
  const drafts = exchanges.map((exchange) => ({
    signs: {},
    pending: {
      ...exchange,
      get arrivedAtMs() {
        times++;
        return exchange.arrivedAtMs;
      },
    },
  }));
  const takeTwin = createTwinSearch(drafts);
  const twins = exchanges.map((outer) => takeTwin(outer)?.id);
  expect(twins).toEqual(exchanges.map(({ id }) => id));
  expect(exchanges.map((outer) => takeTwin(outer))).toEqual(Array(count).fill(undefined));
  expect(times / count).toBeLessThan(100);
});
