// @module-tag slow
import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/entries/index.js';
import { judge, type Verdict } from '../../src/entries/verdict.js';
import { judgeRecording } from '../../src/judge/judge-recording.js';
import { rules } from '../../src/judge/rules.js';
import { operationFacts } from '../../src/judge/run.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { petstore } from '../../src/petstore/petstore.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { open } from '../scenarios/stage.js';
import { runCase, type VerdictCase, verdictCases } from '../scenarios/verdict-cases.js';
import { type Program, ran, retryAfter, retrying, runPrograms, sending } from '../support/client-lab.js';
import { blamed } from '../support/findings.js';
import { frozen } from '../support/frozen.js';
import { tries } from '../support/prove.js';
import { createDraw } from './hidden-worlds.js';
import { checkAfterLostWrite, fileOf, harOf, journalOf } from './recorded-traffic.js';

/** Verdict on a recording of a simulator. @param change removes parts that another recorder would not have */
async function recorded(sim: Simulator, text: string, change: (text: string) => string = (same) => same) {
  const { scenario } = sim;
  const { exchanges } = await readRecording([fileOf(change(text), 700)], recordedPetstore, {
    publicKeys: Object.keys(scenario.keys ?? {}),
  });
  return judgeRecording(exchanges, {
    ...operationFacts([petstore]),
    name: sim.name,
    isOver: true,
    expect: scenario.expect,
    needs: scenario.client,
    areHeadersHidden: sim.settings.cors === 'hidden',
  });
}

/** Converts our recording to one of another program: with request headers, without the simulator's knowledge. */
const asForeign = (text: string): string => {
  const har = JSON.parse(text);
  for (const entry of har.log.entries) {
    const { call, client } = entry._petstoreSim;
    if (call !== undefined) entry.request.headers.push({ name: 'x-sim-call', value: call });
    if (client !== undefined) entry.request.headers.push({ name: 'user-agent', value: client });
    delete entry._petstoreSim;
    entry.response.headers = entry.response.headers.map(({ name, value }: { name: string; value: string }) => ({
      name: name.toLowerCase(),
      value,
    }));
  }
  return JSON.stringify(har);
};

/** JSON Lines as another program would have written them. */
const withoutOwnFields = (text: string): string =>
  text.replace(/.+/g, (line) => {
    const { id, durationMs, ...own } = JSON.parse(line);
    const kept = sharedFields.map((name) => [name, own[name]]);
    return JSON.stringify({ id: id + 100, durationMs: durationMs + 1, ...Object.fromEntries(kept) });
  });
const sharedFields = ['time', 'key', 'method', 'baseUrl', 'path', 'query', 'status', 'headers'];

async function play(name: string, each: VerdictCase) {
  const stage = open(name, each.changes);
  await runCase(stage, each);
  return stage.sim;
}

const needing = Object.entries(rules).flatMap(([code, { needs }]) => (needs === 'simulator' ? [code] : []));
const said = ({ outcome, findings, exercised }: Verdict) => ({ outcome, findings, exercised });

describe.each(Object.entries(verdictCases))('%s', (name, cases) => {
  test.each(cases)('a client that $does receives the live verdict from our own HAR and JSON Lines', async (each) => {
    const sim = await play(name, each);
    // Recordings contain neither reported outcomes nor the end of the client's process.
    if (sim.journal.outcomes.length > 0) return;
    const live = said(judge(sim, { isOver: true }));
    // Counted from the last answer, because that is where a recording ends.
    const lastMs = Math.max(...sim.journal.query().map(({ finishedAtMs }) => finishedAtMs));
    if (sim.clock.now() > lastMs && stopped(each)) return;
    expect(said(await recorded(sim, harOf(sim)))).toEqual(live);
    expect(said(await recorded(sim, journalOf(sim)))).toEqual(live);
  });

  const right = cases.filter(({ names, outcome }) => names === undefined && outcome === undefined);
  test.each(right)('a client that $does passes by a foreign recording only if nothing is unknown', async (each) => {
    const sim = await play(name, each);
    const live = judge(sim, { isOver: true });
    const foreign = await recorded(sim, harOf(sim), asForeign);
    expect(foreign.unknown).toEqual(expect.arrayContaining(needing));
    expect(foreign.exercised.filter((code) => needing.includes(code))).toEqual([]);
    const isRight = live.outcome === 'pass';
    if (isRight && blamed(live).length === 0)
      expect(foreign.findings.filter(({ severity }) => severity === 'fail')).toEqual([]);
  });
});

const stopped = ({ stoppedAfterSeconds }: VerdictCase) => stoppedAfterSeconds !== undefined;

describe('of several files', () => {
  const stored = frozen({ limits: 'off' });
  const send = (init: RequestInit = {}) =>
    stored.fetch('http://petstore.test/v1/pets', { ...init, headers: { authorization: 'Bearer free-key' } });
  const rex = { method: 'POST', body: '{"name":"Rex","categoryId":1}' };
  const read = (...texts: string[]) =>
    readRecording(
      texts.map((text, at) => fileOf(text, 5_000, `file ${at + 1}`)),
      recordedPetstore,
      { publicKeys: ['free-key'] },
    );

  test.each([
    ['JSON Lines', journalOf],
    ['HAR', harOf],
  ])('%s, a request counts once that stands in two', async (_, write) => {
    stored.reset();
    await send(rex);
    const first = write(stored);
    stored.clock.advance(1_000);
    await send();
    const { exchanges, notes } = await read(first, write(stored));
    expect(exchanges.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(notes).toEqual(['file 2: 1 of 2 requests skipped, because an earlier file contains them.']);
  });

  test('two equal requests count twice, also if a file before has only one of them', async () => {
    stored.reset();
    await send();
    const one = asForeign(harOf(stored));
    await send();
    const both = asForeign(harOf(stored));
    expect((await read(both, one, both)).exchanges).toHaveLength(2);
    expect((await read(one, both)).exchanges).toHaveLength(2);
  });

  test.each([
    ['this simulator', (text: string) => text, (text: string) => text],
    ['another program', asForeign, withoutOwnFields],
  ])('HAR and JSON Lines of one run by %s count each request once', async (_, changeHar, changeLines) => {
    stored.reset();
    await send(rex);
    await send(rex);
    stored.clock.advance(1_000);
    await send();
    stored.clock.advance(1_000);
    await send({ method: 'POST', body: JSON.stringify({ ...JSON.parse(rex.body), name: 'x'.repeat(20_000) }) });
    const [har, lines] = [changeHar(harOf(stored)), changeLines(journalOf(stored))];
    for (const texts of [
      [har, lines],
      [lines, har],
    ] as const) {
      const { exchanges, notes } = await read(...texts);
      expect(exchanges.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'POST']);
      expect(notes).toEqual(['file 2: 4 of 4 requests skipped, because an earlier file contains them.']);
    }
  });

  test('a further request in the second form of a recording counts', async () => {
    stored.reset();
    await send();
    const har = asForeign(harOf(stored));
    await send();
    expect((await read(har, withoutOwnFields(journalOf(stored)))).exchanges).toHaveLength(2);
  });

  test('two similar requests of one file are two', async () => {
    stored.reset();
    await send(rex);
    const line = journalOf(stored);
    const counts = async (...texts: string[]) => (await read(...texts)).exchanges.length;
    expect(await counts(line + line)).toBe(2);
    expect(await counts(line, line + line)).toBe(2);
    expect(await counts(line + line, line)).toBe(2);
  });

  test('two requests without a time are never treated as one', async () => {
    const entry = {
      request: { method: 'GET', url: 'http://x.test/v1/pets', headers: [{ name: 'authorization', value: 'Bearer a' }] },
      response: { status: 200, headers: [], content: { text: '[]' } },
    };
    const har = JSON.stringify({ log: { entries: [entry] } });
    const { exchanges, notes } = await read(har, har);
    expect([exchanges.length, notes]).toEqual([2, []]);
  });

  test('a file without a request of the service is reported', async () => {
    stored.reset();
    await send(rex);
    const { notes } = await read(journalOf(stored), '{"an":"other"}\n{"form":1}');
    expect(notes).toEqual(['file 2: expected requests to the service, got none among 2 entries.']);
  });
});

const wall = { windows: { minute: '30s' }, keys: { 'free-key': { usage: { minute: 60 } } } } as const;
const obeying = retrying((answer) => retryAfter(answer) * 1000);

test('a foreign recording never blames a right client', async () => {
  const runs = tries(40, 1_000);
  const accused: unknown[] = [];
  for (let seed = 1; seed <= runs; seed++) {
    const { below, pick, chance } = createDraw(seed);
    const sim = frozen({
      plans: { free: { minute: 4, day: 1_000 } },
      windows: { minute: '20s' },
      limits: {
        retryAfterForm: pick(['seconds', 'http-date']),
        algorithm: pick(['fixed-window', 'sliding-log', 'token-bucket']),
      },
    });
    sim.clock.advance(below(1_000));
    const jitterMs = chance(0.5) ? 3_000 : 0;
    const byReset = chance(0.3);
    // Requests and answers take their time on the way, and the recording machine's clock is wrong.
    const travelMs = below(300);
    const skewMs = chance(0.5) ? below(8_000_000) - 4_000_000 : 0;
    const times: { sentMs: number; answeredMs: number }[] = [];
    const client: Program = function* ({ send, now }) {
      for (let call = 0; call < 9; call++) {
        for (;;) {
          const sentMs = now();
          yield Math.floor(travelMs / 2);
          const { headers } = send({ query: `limit=${call + 1}` });
          yield Math.ceil(travelMs / 2);
          times.push({ sentMs, answeredMs: now() });
          if (headers['Retry-After'] === undefined) break;
          const untilReset = Number(headers['X-RateLimit-Reset']) * 1000 - now();
          const isDate = headers['Retry-After'].endsWith('GMT');
          yield isDate || byReset ? untilReset : Number(headers['Retry-After']) * 1000 + below(jitterMs + 1);
        }
        yield below(400);
      }
    };
    runPrograms(sim, [client], { timerJitter: () => below(15) });
    const verdict = await recorded(sim, harOf(sim), (text) => asSeenFrom(asForeign(text), skewMs, times));
    const blame = blamed(verdict).filter((code) => code !== 'no-jitter');
    if (blame.length > 0 || verdict.outcome === 'fail')
      accused.push({ seed, skewMs, travelMs, findings: verdict.findings });
  }
  expect(accused.slice(0, 1)).toEqual([]);
});

/**
 * A HAR as a client's machine writes it, whose clock is ahead by so much; with the times that the client has measured.
 */
function asSeenFrom(
  text: string,
  skewMs: number,
  times: readonly { sentMs: number; answeredMs: number }[] = [],
): string {
  const har = JSON.parse(text);
  for (const [index, entry] of har.log.entries.entries()) {
    const { sentMs, answeredMs } = times[index] ?? {
      sentMs: Date.parse(entry.startedDateTime),
      answeredMs: Date.parse(entry.startedDateTime),
    };
    entry.startedDateTime = new Date(sentMs + skewMs).toISOString();
    entry.time = answeredMs - sentMs;
    entry.timings = { blocked: -1, dns: -1, connect: -1, send: 0, wait: entry.time, receive: 0 };
  }
  return JSON.stringify(har);
}

test.each([
  ['comes too early', sending([2_000, 2_000]), 'early-retry'],
  ['never waits', sending([10, 10, 10]), 'early-retry'],
] as const)('a client that %s is named by a recording of a machine whose clock is wrong', async (_, client, code) => {
  for (const skewMs of [-7_200_000, -1_700, 0, 900, 86_400_000]) {
    const sim = ran({ ...wall, ban: 'off' }, client);
    const verdict = await recorded(sim, harOf(sim), (text) => asSeenFrom(asForeign(text), skewMs));
    expect([skewMs, blamed(verdict).includes(code)]).toEqual([skewMs, true]);
  }
});

describe('missing parts of a recording make the verdict inconclusive, with advice on recording', () => {
  type Entry = Record<'request' | 'response', object>;
  const leftOut: [what: string, say: RegExp, change: (entry: Entry) => object][] = [
    ['keys', /API key.*sensitive data.*--one-key/, ({ request }) => ({ request: { ...request, headers: [] } })],
    ['timings', /without times/, () => ({ time: undefined, timings: undefined })],
    ['headers of answers', /Retry-After/, ({ response }) => ({ response: { ...response, headers: [] } })],
  ];

  test.each(leftOut)('%s', async (_, say, change) => {
    for (const client of [obeying, sending([2_000, 2_000])]) {
      const sim = ran({ ...wall, ban: 'off' }, client);
      const verdict = await recorded(sim, harOf(sim), (text) => {
        const har = JSON.parse(asForeign(text));
        for (const entry of har.log.entries) Object.assign(entry, change(entry));
        return JSON.stringify(har);
      });
      expect(verdict.outcome).toBe('inconclusive');
      expect(verdict.reason).toMatch(say);
      expect(verdict.findings).toEqual([]);
    }
  });

  test('bodies of responses, after a write whose response was lost', async () => {
    const sim = await checkAfterLostWrite('free-key');
    const verdict = await recorded(sim, harOf(sim), (text) => {
      const har = JSON.parse(asForeign(text));
      for (const { response } of har.log.entries) delete response.content.text;
      // Chromium records a lost response with status 0.
      har.log.entries[0].response.status = 0;
      return JSON.stringify(har);
    });
    expect(verdict).toMatchObject({
      outcome: 'inconclusive',
      reason: expect.stringMatching(/without the response body/),
    });
    expect(verdict.findings).toEqual([]);
  });
});
