import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgedRecording } from '../../src/control-api/judged-recording.js';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import { readScenario, refusals, words } from '../../src/entries/node.js';
import { judge } from '../../src/judge/judge.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { refusingServices } from '../../src/scenario/fault-schema.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { readTold } from '../../src/values/told-waits.js';
import { writeWaits } from '../../src/values/written-waits.js';
import { fileOf, harOf, journalOf } from '../fidelity/recorded-traffic.js';
import { found } from '../support/findings.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';

const site = 'https://api.example.test';
const start = '2026-01-01T12:00:00.000Z';
const startMs = Date.parse(start);
const toldMs = 30_000;

/** Waits before the retries of a client that is refused `first` times. */
const waitsOf = {
  hasty: { first: 4, waitsMs: [1_300, 1_200, 1_250, 70_000] },
  patient: { first: 1, waitsMs: [31_300] },
  growing: { first: 4, waitsMs: [1_000, 2_100, 4_300, 8_900] },
};

/** Service whose refusals tell a wait that binds; a hint or nothing shows only growing waits to be right. */
const isBinding = (name: string) => !['aws', 's3', 'salesforce', 'stripe'].includes(name);

type Service = (typeof refusingServices)[number];

/** Scenarios that refuse the first requests in the words of a service. */
const scenarios: Readonly<Record<string, (name: Service, first: number) => Scenario>> = {
  'a fault rule': (name, first) => ({
    faults: [{ when: { first }, then: { respond: { ...refusals[name], wait: toldMs } } }],
  }),
  'the limit of a key': (name) => ({
    words: words[name],
    windows: { minute: toldMs },
    keys: { 'free-key': { usage: { minute: 'all' } } },
    ban: 'off',
  }),
};

/** Plays a client against a frozen simulator, and writes what the client saw as JSON Lines. */
async function play(name: Service, pace: keyof typeof waitsOf, by = 'a fault rule') {
  const { first, waitsMs } = waitsOf[pace];
  const scenario = scenarios[by]?.(name, first);
  const sim = createSimulator({ scenario: { ...scenario, clock: { start, mode: 'frozen' } }, onWarning: () => {} });
  const lines: string[] = [];
  let atMs = 0;
  for (const waitMs of [0, ...waitsMs, 70_000]) {
    atMs += waitMs;
    sim.clock.set(new Date(startMs + atMs));
    const requestHeaders = { authorization: 'Bearer free-key', 'user-agent': 'app/1' };
    const response = await sim.fetch('http://petstore.test/v1/pets', { headers: requestHeaders });
    lines.push(
      JSON.stringify({
        time: new Date(startMs + atMs).toISOString(),
        durationMs: 0,
        method: 'GET',
        baseUrl: site,
        path: '/things',
        status: response.status,
        requestHeaders,
        headers: Object.fromEntries(response.headers),
        requestBody: { text: '' },
        responseBody: { text: await response.text() },
      }),
    );
  }
  return { sim, lines: lines.join('\n') };
}

async function judgedText(text: string, baseUrl?: string, refused: number[] = []): Promise<Verdict> {
  const recording = await readRecording([fileOf(text, 500)], recordedPetstore, { baseUrl, isAnyService: true });
  return judgedRecording(recording, { name: 'recording', isOver: true, refusals: refused }).result;
}

/** Verdicts on a client: live, from both exports of the simulator, and from the client's own recording. */
async function verdictsOn(...of: Parameters<typeof play>): Promise<[way: string, verdict: Verdict][]> {
  const { sim, lines } = await play(...of);
  const { status = 429 } = refusals[of[0]];
  return [
    ['live', judge(sim, { isOver: true })],
    ['HAR', await judgedText(harOf(sim))],
    ['journal', await judgedText(journalOf(sim))],
    ['recorded by the client', await judgedText(lines, site, status === 429 ? [] : [status])],
  ];
}

describe.each(refusingServices)('a refusal in the words of %s', (name) => {
  test.each(Object.keys(scenarios))('by %s convicts a hasty client, or says that no wait binds', async (by) => {
    for (const [way, verdict] of await verdictsOn(name, 'hasty', by)) {
      expect(verdict.outcome, `${way}: ${verdict.reason}`).toBe(isBinding(name) ? 'fail' : 'inconclusive');
      expect(found(verdict, 'early-retry')?.severity, way).toBe(isBinding(name) ? 'fail' : undefined);
      expect(verdict.counts.refused, way).toBe(4);
    }
  });

  test.each(Object.keys(scenarios))('by %s passes a patient client', async (by) => {
    for (const [way, verdict] of await verdictsOn(name, isBinding(name) ? 'patient' : 'growing', by)) {
      // The hint of AWS binds no client. What it means is known of the simulator's own limits alone.
      const isUnsure = name === 'aws' && (by === 'a fault rule' || way === 'recorded by the client');
      const expected = isUnsure ? 'inconclusive' : 'pass';
      expect(verdict.outcome, `${way}: ${verdict.reason}`).toBe(expected);
      expect(verdict.findings, way).toEqual([]);
    }
  });

  test('has the words of the service alone, also behind the limit of a key', async () => {
    const { sim } = await play(name, 'patient');
    const [refused] = sim.journal.query();
    expect(refused).toMatchObject({ status: refusals[name].status, refusedBy: 'fault', rate: undefined });
    const own = Object.keys(refusals[name].headers ?? {});
    const rest = Object.keys(refused?.headers ?? {}).filter((header) => !own.includes(header));
    expect(rest).toEqual(expect.not.arrayContaining([expect.stringMatching(/limit|retry/i)]));
    expect(JSON.stringify([refused?.headers, refused?.responseBody])).not.toMatch(/\{[A-Za-z]/);
  });
});

test.each([
  ['Retry-After', 'seconds'],
  ['Retry-After-Ms', 'milliseconds'],
  ['Retry-After', 'Unix seconds'],
  ['Retry-After', 'Unix milliseconds'],
  ['Retry-After', 'date'],
  ['X-RateLimit-Reset', 'RFC 3339'],
  ['Retry-Delay', 'duration'],
])('%s as %s is read as it was written', (header, form) => {
  const [nowMs, untilMs] = [startMs + 345, startMs + 31_000];
  const written = writeWaits(`{${form}}`, untilMs, nowMs);
  const { retry, reset } = readTold({ headers: { [header]: written }, answeredAtMs: nowMs, status: 429 });
  const told = retry ?? reset;
  expect(told?.form).toBe(form);
  expect((told?.untilMs ?? 0) - untilMs).toBeGreaterThanOrEqual(0);
  expect((told?.untilMs ?? 0) - untilMs).toBeLessThan(1_000);
});

test('a text keeps braces that are no form of a wait', () => {
  expect(writeWaits('{"a":{"b":{}}} {name}', startMs + 1, startMs)).toBe('{"a":{"b":{}}} {name}');
});

const refusedBody = async (sim: Pick<Simulator, 'fetch'>) => {
  const response = await sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
  return [response.status, response.headers.get('retry-after'), await response.text()];
};

test('a scenario file names the service, and may change its words', async () => {
  const folder = newFolder();
  const file = join(folder, 'like.yaml');
  const write = (respond: string) => writeFileSync(file, `faults:\n  - then: { respond: ${respond} }\n`);
  write('{ like: slack, wait: 7s }');
  const sim = createSimulator({ scenario: await readScenario(file) });
  expect(await refusedBody(sim)).toEqual([429, '7', '{"ok":false,"error":"ratelimited"}']);
  write('{ like: slack, status: 503, headers: { Retry-After: null, X-A: "{milliseconds}" } }');
  const other = createSimulator({ scenario: await readScenario(file) });
  expect(await refusedBody(other)).toEqual([503, null, '{"ok":false,"error":"ratelimited"}']);
  write('{ like: slak }');
  await expect(readScenario(file)).rejects.toThrow('did you mean slack?');
  write('{ headers: { A: b } }');
  await expect(readScenario(file)).rejects.toThrow('expected a status; only');
});

test('the control API takes the name of the service, and stores its words', async () => {
  const sim = createSimulator();
  const server = await openServer(sim);
  const send = (method: string, path: string, body: object) =>
    fetch(`${server.controlUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const like = { name: 'limited', then: { respond: { like: 'notion', wait: '9s' } } };
  expect((await send('POST', '/fault-check', { fault: like })).status).toBe(200);
  expect((await send('POST', '/faults', like)).status).toBe(201);
  expect((await refusedBody(sim))[1]).toBe('9');
  const changed = { then: { respond: { like: 'telegram' } } };
  expect((await send('PUT', '/faults/limited', { fault: changed })).status).toBe(200);
  expect((await refusedBody(sim))[2]).toContain('"retry_after":5');
  const scenario = { faults: [{ then: { respond: { like: 'stripe' } } }] };
  expect((await send('POST', '/scenario', { scenario })).status).toBe(200);
  expect((await refusedBody(sim))[2]).toContain('rate_limit');
});

test('a page reads the headers of such a refusal', async () => {
  const scenario = { faults: [{ then: { respond: refusals.x } }] };
  const server = await openServer(createSimulator({ scenario }));
  const headers = { authorization: 'Bearer free-key', origin: 'http://localhost:5173' };
  const response = await fetch(`${server.baseUrl}/pets`, { headers });
  expect(response.headers.get('access-control-expose-headers')).toContain('x-rate-limit-reset');
});
