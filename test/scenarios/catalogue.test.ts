// @module-tag slow
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { generatePets } from '../../src/entries/seed.js';
import { judge } from '../../src/entries/verdict.js';
import { readRecordedLog } from '../../src/persistence/node/folder/recording.js';
import { replayLog } from '../../src/persistence/replay-log.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { readShippedScenarios } from '../../src/scenario-files/shipped-scenarios.js';
import * as clients from './clients.js';
import { removeRecordings } from './open-recorded.js';
import { type Call, fileNames, open as openStage, type RecordedStage, type Stage } from './stage.js';
import { runCase, verdictCases } from './verdict-cases.js';

const opened: RecordedStage[] = [];
/** Scenarios whose clients are tested below. The last test checks that these are all scenarios. */
const tried = new Set<string>();
const open: typeof openStage = (...of) => {
  const stage = openStage(...of);
  tried.add(of[0]);
  opened.push(stage);
  return stage;
};

/** Every run below, of a right or a wrong client, is recorded, and its recording is replayed. */
let replayed = 0;
afterEach(async () => {
  for (const stage of opened.splice(0)) {
    const { machine, file } = await stage.close();
    const { entries, notice } = readRecordedLog(file);
    const again = await replayLog({ entries }, { service: servedPetstore, generatePets });
    expect(notice).toBeUndefined();
    expect(again.difference).toBeUndefined();
    expect(again.machine?.sim.journal.query()).toEqual(machine.sim.journal.query());
    expect(again.machine?.judge()).toEqual(machine.judge());
    replayed += machine.sim.journal.size;
  }
});
afterAll(() => {
  removeRecordings();
  expect(replayed).toBeGreaterThan(1000);
});

const newcomer: Call = { method: 'POST', body: '{"name":"Newcomer","categoryId":1}' };

// verdicts.test.ts tests what the scenario does to each of these clients. Here their runs are recorded and replayed.
describe.each(Object.entries(verdictCases))('%s', (name, cases) => {
  test.each(cases)('a client that $does sends requests that are replayed alike', async (each) => {
    const stage = open(name, each.changes);
    await runCase(stage, each);
    expect(stage.log()).not.toEqual([]);
  });
});

test.each([
  ['reset-in-ms', 429, 'x-ratelimit-reset', String(Date.parse('2026-01-01T12:00:05Z'))],
  ['reset-as-delta', 429, 'x-ratelimit-reset', '5'],
  ['clock-skew', 429, 'date', 'Thu, 01 Jan 2026 11:59:20 GMT'],
  ['429-with-remaining', 429, 'x-ratelimit-remaining', '9'],
  ['200-with-remaining-0', 200, 'x-ratelimit-remaining', '0'],
  ['401-with-remaining-0', 401, 'x-ratelimit-remaining', '0'],
  ['day-quota-gone', 429, 'x-ratelimit-limit', '1000'],
  ['http-date-past', 429, 'retry-after', 'Thu, 01 Jan 2026 11:59:59 GMT'],
  ['huge', 429, 'retry-after', '43200'],
  ['ban-as-403', 403, 'retry-after', '10'],
  ['ban-as-418', 418, 'retry-after', '10'],
])('%s responds with %i, %s %s', async (name, status, header, value) => {
  const answer = await open(name).send();
  expect([answer.status, answer.headers.get(header)]).toEqual([status, value]);
});

test('penalty-extends restarts its ban at each request', async () => {
  const stage = open('penalty-extends');
  await stage.run(clients.every(2000, 3));
  expect(stage.log()).toEqual(['0s, 2s, 4s: GET 429, Retry-After 10']);
});

test('shards has ten requests of others a second', async () => {
  const stage = open('shards');
  await stage.run(clients.patient);
  await stage.runUntil(7);
  // In the seconds 5, 6 and 7.
  expect(stage.sim.keys.get('free-key').minute.remaining).toBe(60 - 1 - 30);
});

test('browser-cannot-see exposes no rate-limit header', () => {
  expect(open('browser-cannot-see').sim.settings.cors).toBe('hidden');
});

test('html-429 refuses with an HTML page without rate-limit headers', async () => {
  const { headers, text } = await open('html-429').send();
  expect(headers.get('content-type')).toBe('text/html');
  expect([...headers.keys()].filter((header) => /ratelimit|retry/.test(header))).toEqual([]);
  expect(text).toMatch(/^<!doctype html>/);
});

test.each(['http-date-past', 'html-429', 'zero'])('%s bans no client while it does not state a wait', async (name) => {
  const stage = open(name);
  const { status } = await stage.run(clients.every(500, 20));
  expect([status, stage.sim.keys.get('free-key').strikes]).toEqual([200, 0]);
});

test.each([
  ['obeys Retry-After leaves quota for', clients.patient, 8],
  ['retries at once burns', clients.every(1, 11), 0],
])('storm-burns-the-day: a client that %s the day', async (_, client, left) => {
  const stage = open('storm-burns-the-day');
  await stage.run(client);
  expect(stage.sim.keys.get('free-key').day.remaining).toBe(left);
});

test.each(['nested-retries', 'stubborn-429'])(
  '%s: an injected 429 has the same headers as a real one',
  async (name) => {
    const { headers } = await open(name).send();
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBe(Date.parse(headers.get('date') ?? '') + 1000);
    expect(headers.get('cache-control')).toBe('no-store');
  },
);

type Listed = { id: number; name: string; status: string }[];

describe('empty', () => {
  const name = 'empty';
  test('returns an empty list, and assigns id 1 to the first pet', async () => {
    const stage = open(name);
    expect((await stage.send()).text).toBe('[]');
    expect(JSON.parse((await stage.send(newcomer)).text).id).toBe(1);
  });
  test('fails a client that reads the first pet without a check', async () => {
    const [first] = JSON.parse((await open(name).send()).text) as Listed;
    expect(() => (first as Listed[number]).name).toThrow(TypeError);
  });
});

describe('int64-ids', () => {
  const name = 'int64-ids';
  test('preserves every digit for a client that parses text', async () => {
    const stage = open(name);
    const ids: (string | undefined)[] = [];
    for (let n = 0; n < 3; n++) ids.push(/"id":(\d+)/.exec((await stage.send(newcomer)).text)?.[1]);
    expect(ids).toEqual(['9007199254740990', '9007199254740991', '9007199254740992']);
    const { text } = await stage.send({ path: '/pets/9007199254740993' });
    expect(text).toBe('{"id":9007199254740993,"name":"Odd","categoryId":9223372036854775807,"status":"pending"}');
  });
  test.each(['/pets', '/pets?status=pending'])('finds a client that rounds the ids of GET %s', async (path) => {
    const stage = open(name);
    const [odd] = (JSON.parse((await stage.send({ path })).text) as Listed).filter((pet) => pet.name === 'Odd');
    expect((await stage.send({ path: `/pets/${odd?.id}` })).status).toBe(404);
    expect(judge(stage.sim)).toMatchObject({
      outcome: 'fail',
      findings: expect.arrayContaining([expect.objectContaining({ code: 'rounded-int64' })]),
    });
  });
});

describe('after-removal', () => {
  const name = 'after-removal';
  test('gives pets to a client that lists by status', async () => {
    const stage = open(name);
    const { status, text } = await stage.send({ path: '/pets?status=available&limit=100' });
    expect(status).toBe(200);
    expect((JSON.parse(text) as Listed).map((pet) => pet.name)).toContain('Rex');
  });
  test('responds with 404 to a client that gets a single pet that exists', async () => {
    const stage = open(name);
    const { status, text, headers } = await stage.send({ path: '/pets/1' });
    expect([status, headers.get('date')]).toEqual([404, 'Thu, 05 Dec 2030 00:00:00 GMT']);
    expect(JSON.parse(text).message).toContain('removed on 5 December 2030');
    expect(stage.sim.pets.get(1)?.name).toBe('Rex');
  });
});

describe('large-catalogue', () => {
  const name = 'large-catalogue';
  const stage = open(name);

  test('returns a hundred pets of a status for a limit of 100', async () => {
    expect(stage.sim.pets.size).toBe(100_000);
    const { text } = await stage.send({ path: '/pets?status=sold&limit=100' });
    const pets = JSON.parse(text) as Listed;
    expect(pets).toHaveLength(100);
    expect(new Set(pets.map(({ status }) => status))).toEqual(new Set(['sold']));
  });
  test('returns twenty of a hundred thousand pets without a limit', async () => {
    expect(JSON.parse((await stage.send()).text)).toHaveLength(20);
  });
});

describe.each([
  ['pagination-cursor', 40, [40, 1]],
  ['pagination-offset', 41, [40, 1]],
  ['pagination-page', 41, [40, 1]],
])('%s', (name, withRepeats, [most, least]) => {
  /** All ids found by following the pages; a pet is added after the first page. */
  const idsOfAllPages = async (stage: Stage) => {
    const ids: number[] = [];
    for (let path: string | undefined = '/pets'; path !== undefined; ) {
      const { text, headers } = await stage.send({ path });
      ids.push(...(JSON.parse(text) as Listed).map(({ id }) => id));
      if (path === '/pets') await stage.send(newcomer);
      path = /^<http:\/\/petstore\.test\/v1([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    return ids;
  };

  test('gives every pet once to a client that follows the Link and drops duplicates', async () => {
    const ids = new Set(await idsOfAllPages(open(name)));
    expect([ids.size, Math.max(...ids), Math.min(...ids)]).toEqual([40, most, least]);
  });
  test('gives half of the pets to a client that reads only the first page', async () => {
    expect(JSON.parse((await open(name).send()).text)).toHaveLength(20);
  });
  test(`gives ${withRepeats} pets to a client that follows the Link and keeps duplicates`, async () => {
    expect(await idsOfAllPages(open(name))).toHaveLength(withRepeats);
  });
});

// Scenarios of `gauntlet --classes`, which expect nothing of a client.
describe.each([
  ['own-mistake', 'retried-4xx', [1_000, 2_000, 4_000], []],
  ['quota-gone-for-good', 'retried-permanent', [1_000, 2_000, 4_000], []],
  ['vendor-wait', 'early-retry', [1_000, 1_000], [3_100, 3_100]],
] as const)('%s', (name, code, wrong, right) => {
  test.each([
    ['wrong', wrong, true],
    ['right', right, false],
  ] as const)('the rule of its class finds the %s client alone', async (_, waits, isFound) => {
    const stage = open(name);
    await stage.run(async (run) => {
      await run.send();
      for (const ms of waits) {
        await run.sleep(ms);
        await run.send();
      }
    });
    expect(
      judge(stage.sim, { isOver: true })
        .findings.map((finding) => finding.code as string)
        .includes(code),
    ).toBe(isFound);
  });
});

test.each([
  [1, 1],
  [3, 3],
])('retry-budget: %d attempts of each call are as many requests per call', async (attempts, ratio) => {
  const stage = open('retry-budget');
  const call = async (run: Stage) => {
    for (let n = 0; n < attempts; n++) {
      if (n > 0) await run.sleep(1_000);
      await run.send();
    }
  };
  await stage.run((run) => Promise.all(Array.from({ length: 30 }, () => call(run))));
  expect(judge(stage.sim, { isOver: true }).amplification?.overall ?? 1).toBe(ratio);
});

test('the search for twice finds each scenario that fails a client that writes twice', () => {
  const scenarios = Object.values(readShippedScenarios());
  const twice = scenarios.filter(({ expect: wanted }) => wanted?.fail?.includes('duplicate-write'));
  expect(twice.length).toBeGreaterThan(3);
  for (const { description } of twice) expect(description).toMatch(/\btwice\b/);
});

test('every shipped scenario is tested here', () => {
  expect([...tried].sort()).toEqual(fileNames);
});
