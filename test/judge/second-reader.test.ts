import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import { gauntletScenarios } from '../clients/gauntlet.js';
import { listenLocally } from '../support/listen-locally.js';
import { type Ending, type Expects, readWire, type Sent } from './second-reader.js';
import { readResults } from './second-reader-comparison.js';
import { openWireLog } from './wire-log.js';

const startMs = Date.parse('2026-01-01T12:00:00Z');
const instant = (ms: number) => new Date(startMs + ms).toUTCString();

/** A request that is answered 2 ms later. */
const sent = (atMs: number, status: number, more: Partial<Sent> = {}): Sent => ({
  atMs: startMs + atMs,
  doneMs: startMs + atMs + 2,
  connection: 1,
  method: 'GET',
  target: '/v1/pets',
  key: 'free-key',
  status,
  isReadable: true,
  date: instant(atMs),
  ...more,
});
const served = (atMs: number, more?: Partial<Sent>) => sent(atMs, 200, more);
const refused = (atMs: number, seconds: number, more?: Partial<Sent>) =>
  sent(atMs, 429, { code: 'rate_limit_exceeded', 'retry-after': String(seconds), ...more });
const banned = (atMs: number, seconds: number) => refused(atMs, seconds, { code: 'key_banned' });
const post = { method: 'POST', body: 'rex', bodyBytes: 30, pet: 'Rex' };
const many = <Item>(count: number, make: (at: number) => Item) => Array.from({ length: count }, (_, at) => make(at));

const ended: Ending = { atMs: startMs + 60_000, isStopped: false, exitCode: 0, stored: [] };
const oneRead: Expects = {
  key: 'free-key',
  operation: 'listPets',
  calls: 1,
  parallel: 1,
  served: false,
  fail: [],
  hidesHeaders: false,
};
const oneWrite: Partial<Expects> = { operation: 'createPet', served: true };

interface Run {
  log: Sent[];
  ending?: Partial<Ending>;
}
interface Pair {
  finding: FindingCode;
  does: string;
  wrong: Run;
  right: Run;
  expects?: Partial<Expects>;
}

const read = ({ log, ending }: Run, expects: Partial<Expects> = {}) =>
  readWire(log, { ...ended, ...ending }, { ...oneRead, ...expects });

/** Runs that differ in one thing. */
const pairs: Pair[] = [
  {
    finding: 'early-retry',
    does: 'retried 60 ms before Retry-After',
    wrong: { log: [refused(0, 3), refused(2_942, 1), served(4_000)] },
    right: { log: [refused(0, 3), refused(2_962, 1), served(4_000)] },
  },
  {
    finding: 'early-retry',
    does: 'retried before X-RateLimit-Reset, without Retry-After',
    wrong: {
      log: [sent(0, 429, { 'x-ratelimit-reset': String(startMs / 1_000 + 3) }), sent(2_000, 429), served(4_000)],
    },
    right: {
      log: [sent(0, 429, { 'x-ratelimit-reset': String(startMs / 1_000 + 3) }), sent(3_000, 429), served(4_000)],
    },
  },
  {
    finding: 'early-retry',
    does: 'retried before the date of Retry-After',
    wrong: { log: [sent(0, 429, { 'retry-after': instant(5_000) }), sent(1_000, 429), served(5_000)] },
    right: { log: [sent(0, 429, { 'retry-after': instant(5_000) }), served(5_000)] },
  },
  {
    finding: 'early-retry',
    does: 'retried after Reset but before Retry-After, and was rejected again',
    wrong: {
      log: [refused(0, 3, { 'x-ratelimit-reset': String(startMs / 1_000 + 1) }), refused(1_500, 2), served(4_000)],
    },
    right: { log: [refused(0, 3, { 'x-ratelimit-reset': String(startMs / 1_000 + 1) }), served(1_500)] },
  },
  {
    finding: 'early-retry',
    does: 'retried early a second after the rejections of a burst',
    wrong: { log: [...many(4, (at) => refused(at / 10, 5)), ...many(4, (at) => refused(1_500 + at / 10, 4))] },
    right: { log: [...many(4, (at) => refused(at / 10, 5)), ...many(4, (at) => served(5_100 + 100 * at))] },
    expects: { parallel: 4, calls: 4 },
  },
  {
    finding: 'early-retry',
    does: 'retried before the Retry-After of a 503',
    wrong: { log: [sent(0, 503, { 'retry-after': '3' }), sent(1_000, 503), served(9_000)] },
    right: { log: [sent(0, 503, { 'retry-after': '3' }), sent(3_000, 503), served(9_000)] },
  },
  {
    finding: 'overslept',
    does: 'came 11 s late',
    wrong: { log: [refused(0, 3), served(14_100)] },
    right: { log: [refused(0, 3), served(12_000)] },
  },
  {
    finding: 'no-backoff-growth',
    does: 'waited equally long after each refusal',
    wrong: { log: many(5, (at) => refused(at * 1_500, 1)) },
    right: { log: [0, 1_500, 4_000, 8_500, 17_500].map((ms) => refused(ms, 1)) },
  },
  {
    finding: 'no-backoff-growth',
    does: 'waited at random, but never much less than before',
    wrong: { log: [0, 1_600, 2_800, 4_300].map((ms) => sent(ms, 429)) },
    right: { log: [0, 1_650, 2_800, 4_580, 5_180].map((ms) => sent(ms, 429)) },
  },
  {
    finding: 'no-jitter',
    does: 'came back together',
    wrong: { log: [...many(6, (at) => refused(at / 10, 5)), ...many(6, (at) => served(5_100 + at))] },
    right: { log: [...many(6, (at) => refused(at / 10, 5)), ...many(6, (at) => served(5_100 + 90 * at))] },
    expects: { parallel: 6, calls: 6 },
  },
  {
    finding: 'no-shared-gate',
    does: 'made another call while one waited',
    wrong: { log: [refused(0, 5), refused(2_000, 3, { target: '/v1/pets?limit=1' }), served(5_100)] },
    right: { log: [refused(0, 5), served(5_100, { target: '/v1/pets?limit=1' }), served(5_200)] },
    expects: { parallel: 2, calls: 2 },
  },
  {
    finding: 'no-shared-gate',
    does: 'called while one waited, and not while all of its callers did',
    wrong: { log: [refused(0, 5), refused(2, 5), refused(2_000, 3, { target: '/v1/pets/1' })] },
    right: { log: [refused(0, 5), refused(2, 5), refused(4, 5), refused(2_000, 3, { target: '/v1/pets/1' })] },
    expects: { parallel: 3, calls: 3 },
  },
  {
    finding: 'retry-storm',
    does: 'made seven attempts',
    wrong: { log: [0, 1.1, 2.6, 5, 9, 16, 29].map((s) => sent(s * 1_000, 503)) },
    right: { log: [0, 1.1, 2.6, 5, 9, 16].map((s) => sent(s * 1_000, 503)) },
  },
  {
    finding: 'ban-tripped',
    does: 'was banned after a 429',
    wrong: { log: [refused(0, 5), refused(2_000, 3), banned(3_000, 9)] },
    right: { log: [banned(0, 9), served(9_100)] },
  },
  {
    finding: 'ban-hammered',
    does: 'sent a request during the ban',
    wrong: { log: [banned(0, 9), banned(3_000, 6)] },
    right: { log: [banned(0, 9), banned(9_100, 6)] },
  },
  {
    finding: 'ignored-day-window',
    does: 'retried before the end of the day',
    wrong: { log: [refused(0, 9, { 'x-ratelimit-limit': '1000' }), refused(3_000, 6)] },
    right: { log: [refused(0, 9, { 'x-ratelimit-limit': '60' }), refused(3_000, 6)] },
  },
  {
    finding: 'duplicate-write',
    does: 'stored the pet of a lost response again',
    wrong: { log: [sent(0, 0, post), sent(1_000, 201, post)], ending: { stored: ['Rex', 'Rex'] } },
    right: { log: [sent(0, 0, post), served(500, { shown: ['Rex'] })], ending: { stored: ['Rex'] } },
    expects: oneWrite,
  },
  {
    finding: 'lost-write',
    does: 'never sent a refused pet again',
    wrong: { log: [refused(0, 2, post)] },
    right: { log: [refused(0, 2, post), sent(2_100, 201, post)], ending: { stored: ['Rex'] } },
    expects: oneWrite,
  },
  {
    finding: 'body-changed',
    does: 'sent it again without its body',
    wrong: { log: [refused(0, 2, post), sent(2_100, 400, { method: 'POST' })] },
    right: { log: [refused(0, 2, post), sent(2_100, 201, post)], ending: { stored: ['Rex'] } },
    expects: oneWrite,
  },
  {
    finding: 'retried-401',
    does: 'sent a refused key three times',
    wrong: { log: many(3, (at) => sent(at * 1_000, 401)) },
    right: { log: many(2, (at) => sent(at * 1_000, 401)) },
    expects: { fail: ['retried-401'] },
  },
  {
    finding: 'gave-up',
    does: 'ended with 0 after a refusal',
    wrong: { log: [refused(0, 2)] },
    right: { log: [refused(0, 2)], ending: { exitCode: 1 } },
  },
  {
    finding: 'gave-up',
    does: 'ended with 0 after a write without a response',
    wrong: { log: [sent(0, 503, post)] },
    right: { log: [sent(0, 503, post)], ending: { exitCode: 1 } },
    expects: oneWrite,
  },
  {
    finding: 'impatient',
    does: 'left a response after a second, and not after a time limit of two',
    wrong: { log: [sent(0, 0, { isLeft: true, doneMs: startMs + 1_000 }), served(3_000)] },
    right: { log: [sent(0, 0, { isLeft: true, doneMs: startMs + 2_100 }), served(3_000)] },
  },
  {
    finding: 'impatient',
    does: 'left a response and asked again',
    wrong: { log: [sent(0, 0, { isLeft: true, doneMs: startMs + 900 }), served(1_000)] },
    right: { log: [served(0, { doneMs: startMs + 900 }), served(1_000)] },
  },
];

describe('the second reader', () => {
  test.each(pairs)('finds $finding if a client $does', ({ finding, wrong, right, expects }) => {
    expect(read(wrong, expects).findings).toContain(finding);
    expect(read(right, expects).findings).not.toContain(finding);
  });

  const outcomes: [string, string, Run, Partial<Expects>?][] = [
    ['pass', 'waited and was served', { log: [refused(0, 2), served(2_100)] }],
    ['pass', 'gave up and reported it', { log: [refused(0, 2)], ending: { exitCode: 1 } }],
    ['pass', 'only warned', { log: [refused(0, 3), served(14_100)] }],
    [
      'fail',
      'only warned, where the scenario names the finding',
      { log: [refused(0, 3), served(14_100)] },
      { fail: ['overslept'] },
    ],
    [
      'fail',
      'gave up although a success was required',
      { log: [refused(0, 2)], ending: { exitCode: 1 } },
      { served: true },
    ],
    ['inconclusive', 'sent nothing', { log: [] }],
    ['inconclusive', 'was never refused', { log: [served(0)] }],
    [
      'inconclusive',
      'was stopped during its wait',
      { log: [refused(0, 2), served(2_100), refused(3_000, 80)], ending: { isStopped: true } },
    ],
    [
      'inconclusive',
      'used another key',
      { log: [refused(0, 2, { key: 'pro-key' }), served(2_100, { key: 'pro-key' })] },
    ],
    ['inconclusive', 'made too few calls', { log: [refused(0, 2), served(2_100)] }, { calls: 2 }],
    [
      'inconclusive',
      'called one by one',
      { log: [refused(0, 2), ...many(4, (at) => served(2_100 + 9 * at))] },
      { calls: 4, parallel: 4 },
    ],
    ['inconclusive', 'got only 401', { log: [sent(0, 401)], ending: { exitCode: 1 } }],
    [
      'inconclusive',
      'was not put to the test of the scenario',
      { log: [refused(0, 2), served(2_100)] },
      { fail: ['retried-401'] },
    ],
  ];
  test.each(outcomes)('reads %s of a client that %s', (outcome, _, run, expects) => {
    expect(read(run, expects).outcome).toBe(outcome);
  });

  test('imports nothing', () => {
    expect(readFileSync(new URL('second-reader.ts', import.meta.url), 'utf8')).not.toMatch(/\bimport\b|\brequire\(/);
  });
});

describe('the comparison of real clients', () => {
  const { runs, clients, scenarios, outcome, findings, falseAccusations, differences } = readResults();

  test('covers more than a thousand runs, and every scenario with an expectation', () => {
    expect(runs).toBeGreaterThan(1_000);
    expect(clients).toBeGreaterThan(40);
    expect(scenarios).toBe(gauntletScenarios.length);
  });

  test('agrees in 99 of 100 outcomes and 97 of 100 findings, without false accusations', () => {
    expect(outcome / runs).toBeGreaterThanOrEqual(0.99);
    expect(findings / runs).toBeGreaterThanOrEqual(0.97);
    expect(falseAccusations).toBe(0);
  });

  test('explains each difference', () => {
    expect(differences.length).toBeGreaterThanOrEqual(runs - findings);
    expect(differences.filter(({ why }) => why === '')).toEqual([]);
  });
});

describe('the wire log', () => {
  test('has each request with its response, and passes the bytes unchanged', async () => {
    const server = createServer((request, response) => {
      const isPost = request.method === 'POST';
      response.writeHead(isPost ? 429 : 200, { 'Retry-After': '3', 'Content-Type': 'application/json' });
      // Without a length Node sends chunks.
      response.write(isPost ? '{"code":' : '[{"name":"Rex"}');
      response.end(isPost ? '"key_banned"}' : ']');
    });
    const wire = await openWireLog((await listenLocally(server)).port);
    try {
      const url = `http://127.0.0.1:${wire.port}/v1/pets?limit=1`;
      const headers = { authorization: 'Bearer free-key', 'x-sim-call': 'first' };
      expect(await (await fetch(url, { headers })).json()).toEqual([{ name: 'Rex' }]);
      expect((await fetch(url, { method: 'POST', body: '{"name":"Rex"}' })).status).toBe(429);
      const common = { target: '/v1/pets?limit=1', isReadable: true, 'retry-after': '3' };
      expect(wire.sent).toMatchObject([
        { ...common, method: 'GET', key: 'free-key', call: 'first', status: 200, shown: ['Rex'] },
        { ...common, method: 'POST', status: 429, code: 'key_banned', bodyBytes: 14, pet: 'Rex' },
      ]);
      expect(wire.sent.every(({ atMs, doneMs }) => doneMs >= atMs && Math.abs(Date.now() - atMs) < 60_000)).toBe(true);
    } finally {
      await wire.close();
    }
  });

  test('distinguishes a connection cut by the server from one closed by the client', async () => {
    const server = createServer(({ url }, response) => {
      if (url === '/cut') response.destroy();
    });
    const wire = await openWireLog((await listenLocally(server)).port);
    const seen = async (count: number) => {
      while (wire.sent.length < count || wire.sent.some(({ doneMs }) => doneMs === Number.POSITIVE_INFINITY))
        await new Promise((resolve) => setTimeout(resolve, 5));
    };
    try {
      const url = `http://127.0.0.1:${wire.port}`;
      await expect(fetch(`${url}/cut`)).rejects.toThrow();
      await seen(1);
      const leaving = new AbortController();
      const left = fetch(`${url}/hang`, { signal: leaving.signal });
      while (wire.sent.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      leaving.abort();
      await expect(left).rejects.toThrow();
      await seen(2);
      expect(wire.sent).toMatchObject([
        { target: '/cut', status: 0, isLeft: false },
        { target: '/hang', status: 0, isLeft: true },
      ]);
    } finally {
      await wire.close();
    }
  });
});
