import { existsSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { calibrate as calibrateCommand } from '../../src/cli/commands/calibrate.js';
import { compare as compareCommand } from '../../src/cli/commands/compare.js';
import { calibrate } from '../../src/fidelity/ask-service/calibrate.js';
import type { Probe } from '../../src/fidelity/ask-service/questions.js';
import type { ServiceResponse, Transport } from '../../src/fidelity/ask-service/service-client.js';
import { compare } from '../../src/fidelity/compare/compare.js';
import { listenLocally } from '../support/listen-locally.js';
import { newFolder } from '../support/new-folder.js';
import { asking, hiddenWorld } from './hidden-worlds.js';

const folder = newFolder();
afterEach(() => {
  vi.restoreAllMocks();
});

const serve = async (listener: RequestListener) => `${(await listenLocally(createServer(listener))).url}/v1`;

const json = (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener => {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
};
const error = (status: number) => json(status, { code: 'x', message: 'x', status });

let written = 0;
const endless: RequestListener = (_, response) => {
  const chunk = Buffer.alloc(1_000_000, 0x20);
  response.writeHead(200, { 'content-type': 'application/json' });
  const write = () => {
    // Bounded, so that the test ends with a client that reads everything.
    while (!response.destroyed && written < 200_000_000) {
      written += chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', write);
        return;
      }
    }
    response.end();
  };
  write();
};

const services: [name: string, sentence: RegExp, listener: RequestListener][] = [
  ['a wrong base path', /responded with 404, expected a list of pets; check the base path/, error(404)],
  ['a wrong key', /rejected the API key with 401/, error(401)],
  ['a key without permission', /rejected the API key with 403/, error(403)],
  ['a redirect', /responded with a redirect \(302\)/, json(302, {}, { location: '/login' })],
  [
    'HTML under 200',
    /responded with 200 and a body that is not JSON \(text\/html\)/,
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'),
  ],
  ['a response without end', /responded with more than 10 MB/, endless],
];

describe.each(services)('%s', (name, sentence, listener) => {
  // Both commands ask in the same way, so one service shows how `compare` ends.
  const commands = listener === endless ? (['calibrate', 'compare'] as const) : (['calibrate'] as const);
  test.each(commands)('ends %s with a sentence and exit code 2', async (command) => {
    const target = await serve(listener);
    written = 0;
    vi.stubEnv('KEY_OF_UNUSABLE', 'free-key');
    const out = join(folder, `${name} ${command}.yaml`);
    let text = '';
    vi.spyOn(process.stderr, 'write').mockImplementation((piece) => {
      text += piece;
      return true;
    });
    const print = (piece: string) => {
      text += piece;
    };
    const flags = { target, 'key-env': 'KEY_OF_UNUSABLE', budget: '12' };
    const code =
      command === 'calibrate'
        ? await calibrateCommand({ flags: { ...flags, out }, rest: [], argumentsBeforeSeparator: 0, print })
        : await compareCommand({ flags, rest: [], argumentsBeforeSeparator: 0, print });
    expect(text).toMatch(sentence);
    expect(code).toBe(2);
    if (command === 'calibrate') expect(existsSync(out)).toBe(false);
    else expect(text).toContain('COULD NOT CHECK');
    // Buffered bytes are sent as well.
    expect(written).toBeLessThan(60_000_000);
  });
});

/** @param answerFrom the number of the first request that `answer` replaces */
function replaced(answerFrom: number, answer: ServiceResponse): Transport {
  const { transport } = hiddenWorld(1_001, 'second');
  let sent = 0;
  return { ...transport, send: async (probe) => (++sent < answerFrom ? transport.send(probe) : answer) };
}

const plain = (status: number, type: string, body: string): ServiceResponse => ({
  status,
  headers: [['content-type', type]],
  body,
});

test.each<[string, RegExp, ServiceResponse]>([
  ['does not respond', /^No response from .*, 6 times in a row/, plain(0, '', '')],
  ['fails', /responded with 502, 6 failures in a row/, plain(502, 'text/html', 'Bad Gateway')],
  ['becomes a login page', /a body that is not JSON/, plain(200, 'text/html', '<html>')],
  ['redirects', /a redirect \(307\)/, plain(307, 'text/html', '')],
  ['rejects the key', /rejected the API key with 401/, plain(401, 'application/json', '{}')],
])('a service that %s from request 6 on has shown what five requests show', async (_, sentence, answer) => {
  const { learner, ended, isUnusable, exchanges } = await calibrate(replaced(6, answer), asking);
  expect([ended, isUnusable]).toEqual([expect.stringMatching(sentence), true]);
  const five = await calibrate(hiddenWorld(1_001, 'second').transport, { ...asking, budget: 5 });
  expect(five.isUnusable).toBe(false);
  expect(learner.settings()).toEqual(five.learner.settings());
  expect(learner.contradictions).toEqual([]);
  const comparison = await compare({ assumptions: { listOrder: 'shuffled' } }, exchanges, ended);
  expect(comparison).toMatchObject({ outcome: 'could not check', reason: ended });
  expect((await compare({}, exchanges, undefined)).outcome).toBe('could not check');

  // The log of a failed run is read by the next one.
  const next = await calibrate(hiddenWorld(1_001, 'second').transport, { ...asking, budget: 6 }, exchanges.slice(-1));
  expect(next.learner.settings()).toEqual(five.learner.settings());
});

test.each([
  ['Retry-After', 429, '60', { 'retry-after': '999999999999999' }],
  ['X-RateLimit-Reset', 200, '9999999999999', {}],
])('a %s in more than 30,000 years ends with a sentence', async (_, status, reset, more) => {
  const rate = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
  const headers = Object.entries({ 'content-type': 'application/json', ...rate, ...more });
  const { ended, exchanges } = await calibrate(replaced(1, { status, headers, body: '[]' }), asking);
  expect([ended, exchanges.length]).toEqual([
    expect.stringMatching(/^The next request is possible after the year 9999/),
    1,
  ]);
});

test('a 501 or 500 for an unknown method does not end calibration', async () => {
  for (const status of [501, 500]) {
    const { transport } = hiddenWorld(1_001, 'second');
    const send = async (probe: Probe) =>
      probe.question === 'unknownMethod' ? plain(status, 'text/plain', 'no') : transport.send(probe);
    const { learner, exchanges, ended } = await calibrate({ ...transport, send }, asking);
    const isMethod = ({ question }: { question?: string | undefined }) => question === 'unknownMethod';
    expect([ended, exchanges.filter(isMethod).length]).toEqual([undefined, status === 501 ? 1 : 3]);
    expect(learner.about('unauthorizedHeaders').state).toBe('certain');
    expect(learner.about('acceptAnyKey').state).toBe('certain');
  }
});

/** A service in virtual time that refuses until an instant, by its own clock. */
function refusing(untilMs: number, aheadMs: number, retryAfter: (leftMs: number) => string) {
  const startMs = Date.UTC(2026, 4, 1, 12, 0, 0, 700);
  let nowMs = startMs;
  const sentMs: number[] = [];
  const transport: Transport = {
    baseUrl: 'https://refusing.example/v1',
    now: () => nowMs,
    sleep: async (ms) => {
      nowMs += Math.ceil(ms);
    },
    send: async () => {
      sentMs.push(nowMs - startMs);
      const leftMs = startMs + untilMs - nowMs;
      const date = ['date', new Date(nowMs + aheadMs).toUTCString()] as const;
      const type = ['content-type', 'application/json'] as const;
      return leftMs > 0
        ? { status: 429, headers: [type, date, ['retry-after', retryAfter(leftMs)]], body: '{}' }
        : { status: 200, headers: [type, date], body: '[]' };
    },
  };
  return { transport, sentMs, serviceNow: () => nowMs + aheadMs };
}

test("a wait until a date is counted by the service's clock", async () => {
  const service = refusing(59_000, 120_000, (leftMs) => new Date(service.serviceNow() + leftMs).toUTCString());
  await calibrate(service.transport, { ...asking, budget: 2, patienceMs: 70_000 });
  expect(service.sentMs).toEqual([0, expect.any(Number)]);
  expect(service.sentMs[1]).toBeGreaterThanOrEqual(59_000);
  expect(service.sentMs[1]).toBeLessThanOrEqual(62_500);
});

test('a Retry-After that is rounded down is waited for to its end', async () => {
  const { transport, sentMs } = refusing(59_900, 0, (leftMs) => String(Math.floor(leftMs / 1000)));
  await calibrate(transport, { ...asking, budget: 2 });
  expect(sentMs[1]).toBeGreaterThanOrEqual(59_900);
});

test('sends at most ten requests per second', async () => {
  const { transport } = hiddenWorld(7, 'ours');
  const { exchanges } = await calibrate(transport, { ...asking, allowsExhaust: true });
  expect(exchanges.length).toBeGreaterThan(10);
  for (const [index, { arrivedAtMs }] of exchanges.entries()) {
    const tenBefore = exchanges[index - 10]?.arrivedAtMs ?? 0;
    expect(arrivedAtMs - tenBefore).toBeGreaterThanOrEqual(1_000);
  }
});
