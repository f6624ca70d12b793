// @module-tag slow
import { describe, expect, test } from 'vitest';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { incidentFrom } from '../../src/fidelity/deduce/incident-text.js';
import { Learner } from '../../src/fidelity/deduce/learner.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { readYaml } from '../../src/scenario/read-yaml.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { open } from '../scenarios/stage.js';
import { verdictCases } from '../scenarios/verdict-cases.js';
import { tries } from '../support/prove.js';
import { fileOf, harOf, journalOf, recordTraffic } from './recorded-traffic.js';

async function incidentOf(text: string) {
  const recording = await readRecording([fileOf(text, 5_000)], recordedPetstore);
  const learner = new Learner();
  for (const exchange of recording.exchanges) learner.add(exchange);
  return { recording, ...(await incidentFrom(recording, learner, 'incident')) };
}

test.each([
  ['{"log":{"entries":[{"request":{"method":"GET"', 'got 0 entries without one; the file ends within an entry'],
  ['{"crc":"0","file":"petstore-sim log","format":1}\n', 'got a log of --data; petstore-sim replay FOLDER --judge'],
])('%s is rejected with what to do', async (text, message) => {
  await expect(readRecording([fileOf(text, 5_000)], recordedPetstore)).rejects.toThrow(message);
});

const secret = 'secret-key-of-a-team';

test('a recording of a right client becomes a scenario with the recorded statuses', async () => {
  const runs = tries(6, 100);
  const differing: string[] = [];
  for (let seed = 1; seed <= runs; seed++) {
    const scenario: Scenario = {
      clock: { start: '2026-03-01T10:00:07.300Z' },
      keys: { [secret]: { plan: 'free', usage: { minute: seed % 55 } } },
      assumptions: { limitOutOfRange: seed % 2 === 0 ? 'clamp' : 'reject', listOrder: 'newest-first' },
      faults: [
        { when: { operation: 'getPet', nth: 3 }, then: { respond: { status: 503, headers: { 'Retry-After': '2' } } } },
      ],
    };
    const { har } = await recordTraffic(scenario, { seed, count: 80, key: secret, types: ['application/json'] });
    const { text, replayed, scenario: made } = await incidentOf(har);
    if (replayed.differing.length > 0) differing.push(`seed ${seed}: ${replayed.differing}`);
    expect(text).not.toContain(secret);
    const read = readYaml(text);
    expect(read.issues).toEqual([]);
    createSimulator({ scenario: read.value as Scenario });
    expect(Object.keys(made.keys ?? {})).toEqual(['key-1']);
  }
  expect(differing).toEqual([]);
});

describe('an incident of each shipped scenario', () => {
  const cases = Object.entries(verdictCases).flatMap(([name, all]) =>
    all
      .filter(({ stoppedAfterSeconds }) => stoppedAfterSeconds === undefined)
      .slice(0, 1)
      .map((each) => [name, each] as const),
  );
  test.each(cases)('%s is a scenario that check accepts', async (name, { client, changes }) => {
    const stage = open(name, changes);
    await stage.run(client).catch(() => {});
    for (const recorded of [harOf(stage.sim), journalOf(stage.sim)]) {
      const { text, scenario } = await incidentOf(recorded);
      const { value, issues } = readYaml(text);
      expect(issues).toEqual([]);
      expect(createSimulator({ scenario: value as Scenario }).name).toBe('incident');
      expect(scenario.client?.key).toBe('key-1');
      expect(text).toMatch(/# Replayed at the recorded times, \d+ of \d+ requests? gets? the recorded status\./);
    }
  });
});

/** A simulator whose key has used so much of its minute before a first request, which no recording has. */
async function usedBefore(start: string, minute: number) {
  const scenario: Scenario = {
    clock: { start, mode: 'frozen' },
    keys: { [secret]: { plan: 'free', usage: { minute } } },
    ban: 'off',
  };
  const sim = createSimulator({ scenario });
  const list = () => sim.fetch('http://x.test/v1/pets', { headers: { authorization: `Bearer ${secret}` } });
  await list();
  return { sim, list };
}

test('a used-up window in the middle of a minute ends at the recorded time', async () => {
  const { sim, list } = await usedBefore('2026-01-01T12:00:00Z', 59);
  sim.clock.advance('40s');
  sim.journal.clear();
  await list();
  sim.clock.advance('20s');
  await list();
  const { replayed, text } = await incidentOf(harOf(sim));
  expect(replayed).toMatchObject({ same: 2, differing: [] });
  expect(text).toMatch(/# The minute window is 20s long, to end at the same time as the recorded one\./);
});

test('a minute whose end is not in the recording ends at the recorded time too', async () => {
  const { sim, list } = await usedBefore('2026-01-01T12:00:49Z', 58);
  sim.clock.advance('49s');
  sim.journal.clear();
  for (let n = 0; n < 3; n++) await list();
  const { replayed, scenario } = await incidentOf(harOf(sim));
  expect(replayed).toMatchObject({ same: 3, sameWaits: 2 });
  expect(scenario.windows).toEqual({ minute: '11s' });
});

/** Entry of Playwright with Chromium for a request without a response. */
const unanswered = (failure: string, ms: number) => ({
  startedDateTime: '2026-01-01T12:00:00.000Z',
  time: ms,
  request: {
    method: 'GET',
    url: 'http://x.test/v1/pets',
    headers: [{ name: 'authorization', value: `Bearer ${secret}` }],
  },
  response: { status: -1, headers: [], content: { size: -1 }, _failureText: failure },
  timings: { send: -1, wait: -1, receive: -1 },
});

describe('a request without a response becomes', () => {
  test.each([
    ['a longer wait, where the page gave up', 'net::ERR_ABORTED', 1_500, [{ delay: 3_000 }]],
    ['nothing, where the page was left', 'net::ERR_ABORTED', 20, []],
    ['a reset, where the connection ended', 'net::ERR_EMPTY_RESPONSE', 20, [{ reset: true }]],
    ['a late reset, where a router ended it', 'net::ERR_CONNECTION_ABORTED', 1_500, [{ reset: true, delay: 1_500 }]],
    ['a late reset, where it ended late', 'net::ERR_CONNECTION_RESET', 1_500, [{ reset: true, delay: 1_500 }]],
  ])('%s', async (_, failure, ms, effects) => {
    const { scenario, replayed, text } = await incidentOf(
      JSON.stringify({ log: { entries: [unanswered(failure, ms)] } }),
    );
    expect(text.includes('twice as long as the client waited')).toBe(failure === 'net::ERR_ABORTED');
    expect((scenario.faults ?? []).map(({ then }) => then)).toEqual(effects);
    const isKnown = failure !== 'net::ERR_ABORTED';
    expect(replayed).toMatchObject({ compared: isKnown ? 1 : 0, same: isKnown ? 1 : 0 });
  });
});
