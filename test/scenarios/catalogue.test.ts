// @module-tag slow
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { readRecordedLog } from '../../src/persistence/node/folder/recording.js';
import { replayLog } from '../../src/persistence/replay-log.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { generatePets } from '../../src/seed.js';
import * as clients from './clients.js';
import { removeRecordings } from './open-recorded.js';
import { type Call, fileNames, open as openStage, type RecordedStage, type Stage } from './stage.js';

const { patient } = clients;

const opened: RecordedStage[] = [];
const open: typeof openStage = (...of) => {
  const stage = openStage(...of);
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

/** A stage after one client has made one call. */
async function play(name: string, client: clients.Client, call?: Call) {
  const stage = open(name);
  const end = await stage.run((on) =>
    client(on, call).then(
      ({ status }) => status,
      (error: Error) => error.message,
    ),
  );
  return { stage, end, log: stage.log(), key: () => stage.sim.keys.get('free-key') };
}

/** The client's log and its result. */
async function seen(name: string, client: clients.Client, call?: Call) {
  const { log, end } = await play(name, client, call);
  return [...log, end];
}

const newcomer: Call = { method: 'POST', body: '{"name":"Newcomer","categoryId":1}' };
const stored = ({ sim }: Stage) => sim.pets.list().filter(({ name }) => name === 'Newcomer').length;

/** Scenarios whose clients are tested below. The last test checks that this covers all scenarios. */
const tried = new Set<string>();
function scenario(name: string, tests: (name: string) => void): void {
  tried.add(name);
  describe(name, () => tests(name));
}

scenario('minute-wall', (name) => {
  test('serves a client that obeys Retry-After', async () => {
    const stage = open(name);
    await stage.run(async (on) => [await patient(on), await patient(on)]);
    expect(stage.log()).toEqual(['0s GET 200', '0s GET 429, Retry-After 10', '10s GET 200']);
  });

  test('bans a client that retries every second at its third early request', async () => {
    const stage = open(name);
    await stage.run(async (on) => [await on.send(), await clients.every(1000, 6)(on)]);
    expect(stage.log()).toEqual([
      '0s GET 200',
      '0s GET 429, Retry-After 10',
      '1s GET 429, Retry-After 9',
      '2s GET 429, Retry-After 8',
      '3s GET 429, Retry-After 7',
      '4s GET 429, Retry-After 120',
      '5s GET 429, Retry-After 119',
    ]);
    expect(stage.sim.keys.get('free-key').state).toBe('banned');
  });

  test('does not serve a client that gives up on a 429', async () => {
    const stage = open(name);
    const last = await stage.run(async (on) => [await on.send(), await clients.takesItForTheEnd(on)]);
    expect(last.map(({ status }) => status)).toEqual([200, 429]);
  });
});

scenario('backoff-only', (name) => {
  test('serves a client that treats Retry-After as a minimum', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 30', '30s GET 200', 200]);
  });

  test('bans a client with a backoff of 1, 2, 4 and 8 seconds', async () => {
    expect(await seen(name, clients.backsOffOnly)).toEqual([
      '0s GET 429, Retry-After 30',
      '1s GET 429, Retry-After 29',
      '3s GET 429, Retry-After 27',
      '7s GET 429, Retry-After 23',
      '15s GET 429, Retry-After 120',
      429,
    ]);
  });
});

scenario('retry-after-clamped', (name) => {
  test('serves a client that waits 45 seconds', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 45', '45s GET 200', 200]);
  });

  test('refuses a client with a cap of 30 seconds once', async () => {
    const { log, end, key } = await play(name, clients.capsAt(30));
    expect([...log, end]).toEqual(['0s GET 429, Retry-After 45', '30s GET 429, Retry-After 15', '45s GET 200', 200]);
    expect(key().state).toBe('active');
  });

  test('bans a client with a cap of 10 seconds', async () => {
    const { log, key } = await play(name, clients.capsAt(10));
    expect(log).toEqual([
      '0s GET 429, Retry-After 45',
      '10s GET 429, Retry-After 35',
      '20s GET 429, Retry-After 25',
      '30s GET 429, Retry-After 120',
      '40s GET 429, Retry-After 110',
    ]);
    expect(key().state).toBe('banned');
  });
});

scenario('retry-after-60-edge', (name) => {
  const keys = [60, 61, 120, 121];

  test.each(keys)('serves a client that waits %i seconds', async (seconds) => {
    const key = `wait-${seconds}`;
    expect(await seen(name, patient, { key })).toEqual([
      `0s GET 429, Retry-After ${seconds}`,
      `${seconds}s GET 200`,
      200,
    ]);
  });

  test.each(keys)('exposes a client that ignores a Retry-After of %i seconds', async (seconds) => {
    const key = `wait-${seconds}`;
    const below60 = await play(name, clients.believesBelow(60), { key });
    const refused = [`0s, 0.5s: GET 429, Retry-After ${seconds}`, `1.5s GET 429, Retry-After ${seconds - 1}`];
    expect([...below60.log, below60.end]).toEqual([...refused, 429]);
    const upTo120 = await play(name, clients.believesBelow(121), { key });
    expect(upTo120.end).toBe(seconds > 120 ? 429 : 200);
  });
});

scenario('http-date', (name) => {
  const inFiveSeconds = '0s GET 429, Retry-After Thu, 01 Jan 2026 12:00:05 GMT';

  test('serves a client that parses dates', async () => {
    expect(await seen(name, patient)).toEqual([inFiveSeconds, '5s GET 200', 200]);
  });

  test('exhausts the attempts of a client that expects a number', async () => {
    expect(await seen(name, clients.readsANumber)).toEqual([
      inFiveSeconds.replace('0s ', '0s to 0.009s, every 0.001s: '),
      429,
    ]);
  });
});

scenario('http-date-past', (name) => {
  test('serves a client with growing waits', async () => {
    expect(await seen(name, patient)).toEqual([
      '0s GET 429, Retry-After Thu, 01 Jan 2026 11:59:59 GMT',
      '1s GET 429, Retry-After Thu, 01 Jan 2026 12:00:00 GMT',
      '3s GET 200',
      200,
    ]);
  });

  test('bans no client while it does not state a wait', async () => {
    const { end, key } = await play(name, clients.every(500, 20));
    expect([end, key().state]).toEqual([200, 'active']);
  });

  test('exhausts the attempts of a client that waits until a past date', async () => {
    expect(await seen(name, clients.untilTheDate)).toEqual([
      '0s to 0.009s, every 0.001s: GET 429, Retry-After Thu, 01 Jan 2026 11:59:59 GMT',
      429,
    ]);
  });
});

scenario('malformed', (name) => {
  test('serves a client that falls back to Reset', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After soon', '5s GET 200', 200]);
  });

  test('exhausts the attempts of a client that waits for NaN, and stops one that fails on the header', async () => {
    const refused = '0s to 0.009s, every 0.001s: GET 429, Retry-After soon';
    expect(await seen(name, clients.readsANumber)).toEqual([refused, 429]);
    const failed = ['0s GET 429, Retry-After soon', 'invalid Retry-After soon'];
    expect(await seen(name, clients.failsOnOddRetryAfter)).toEqual(failed);
  });
});

scenario('fractional', (name) => {
  test('serves a client that rounds up', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 1.5', '2s GET 200', 200]);
  });

  test('bans a client that truncates the fraction, and stops one that fails on the fraction', async () => {
    expect(await seen(name, clients.cutsOffFractions)).toEqual([
      '0s GET 429, Retry-After 1.5',
      '1s, 1.001s, 1.002s: GET 429, Retry-After 0.5',
      '1.003s GET 429, Retry-After 119.5',
      429,
    ]);
    const failed = ['0s GET 429, Retry-After 1.5', 'invalid Retry-After 1.5'];
    expect(await seen(name, clients.failsOnOddRetryAfter)).toEqual(failed);
  });
});

scenario('zero', (name) => {
  test('serves a client with growing waits', async () => {
    const { log, end, key } = await play(name, patient);
    expect([...log, end]).toEqual(['0s, 1s: GET 429, Retry-After 0', '3s GET 200', 200]);
    expect(key().state).toBe('active');
  });

  test('bans no client while it does not state a wait', async () => {
    const { end, key } = await play(name, clients.every(500, 20));
    expect([end, key().state]).toEqual([200, 'active']);
  });

  test('exhausts the attempts of a client that does not wait, and makes one give up that treats 0 as missing', async () => {
    expect(await seen(name, clients.readsANumber)).toEqual(['0s to 0.009s, every 0.001s: GET 429, Retry-After 0', 429]);
    expect(await seen(name, clients.stopsAtZero)).toEqual(['0s GET 429, Retry-After 0', 429]);
  });
});

scenario('huge', (name) => {
  test('is reported to the caller at once by a client that gives up, and serves one that defers its work', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 43200', 429]);
    expect(await seen(name, clients.parks)).toEqual(['0s GET 429, Retry-After 43200', '43200s GET 200', 200]);
  });

  test('bans a client that retries at its own interval', async () => {
    expect(await seen(name, clients.backsOffOnly)).toEqual([
      '0s GET 429, Retry-After 43200',
      '1s GET 429, Retry-After 43199',
      '3s GET 429, Retry-After 43197',
      '7s GET 429, Retry-After 43193',
      '15s GET 429, Retry-After 43185',
      429,
    ]);
    const { key } = await play(name, clients.backsOffOnly);
    expect(key().state).toBe('banned');
  });
});

scenario('timer-overflow', (name) => {
  test('is reported to the caller at once by a client that gives up, and serves one that splits its wait', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 2592000', 429]);
    expect(await seen(name, clients.parks)).toEqual(['0s GET 429, Retry-After 2592000', '2592000s GET 200', 200]);
  });

  test('exhausts the attempts of a client whose timer overflows', async () => {
    const refused = '0s to 0.009s, every 0.001s: GET 429, Retry-After 2592000';
    expect(await seen(name, clients.readsANumber)).toEqual([refused, 429]);
  });
});

scenario('missing', (name) => {
  test('serves a client that waits until Reset', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429', '5s GET 200', 200]);
  });

  test('exhausts the attempts of a client that reads the missing header as 0', async () => {
    expect(await seen(name, clients.readsANumber)).toEqual(['0s to 0.009s, every 0.001s: GET 429', 429]);
  });
});

scenario('html-429', (name) => {
  test('refuses with an HTML page without rate-limit headers', async () => {
    const { headers, text } = await open(name).send();
    expect(headers.get('content-type')).toBe('text/html');
    expect([...headers.keys()].filter((header) => /ratelimit|retry/.test(header))).toEqual([]);
    expect(text).toMatch(/^<!doctype html>/);
  });

  test('serves a client that checks the status', async () => {
    expect(await seen(name, patient)).toEqual(['0s, 1s, 3s: GET 429', '7s GET 200', 200]);
  });

  test('bans no client while it does not state a wait', async () => {
    const { end, key } = await play(name, clients.every(500, 20));
    expect([end, key().state]).toEqual([200, 'active']);
  });

  test('stops a client that parses the page', async () => {
    const [first, end] = await seen(name, clients.parsesFirst);
    expect(first).toBe('0s GET 429');
    expect(end).toContain('not valid JSON');
  });
});

scenario('epoch-in-retry-after', (name) => {
  const refused = `0s GET 429, Retry-After ${Date.parse('2026-01-01T12:00:05Z') / 1000}`;

  test('serves a client that rejects implausible values', async () => {
    expect(await seen(name, patient)).toEqual([refused, '5s GET 200', 200]);
  });

  test('makes a client that trusts the header sleep for fifty-six years', async () => {
    const stage = open(name);
    const served = stage.run(clients.retrying(({ headers }) => Number(headers.get('retry-after'))));
    expect((await served).status).toBe(200);
    const [, second] = stage.log();
    expect(Number(second?.split('s ')[0]) * 1000).toBeGreaterThan(56 * 365 * 86_400);
  });
});

scenario('ms-in-retry-after', (name) => {
  test('serves a client that rejects implausible values', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 10000', '10s GET 200', 200]);
  });

  test('makes a client that trusts the header sleep for hours', async () => {
    expect(await seen(name, clients.readsANumber)).toEqual(['0s GET 429, Retry-After 10000', '10000s GET 200', 200]);
  });
});

scenario('reset-in-ms', (name) => {
  test('serves a client that detects the unit by magnitude', async () => {
    const { headers } = await open(name).send();
    expect(headers.get('x-ratelimit-reset')).toBe(String(Date.parse('2026-01-01T12:00:05Z')));
    expect(await seen(name, patient)).toEqual(['0s GET 429', '5s GET 200', 200]);
  });

  test('exhausts the attempts of a client whose timer overflows', async () => {
    expect(await seen(name, clients.waitsForResetByItsOwnClock)).toEqual(['0s to 0.009s, every 0.001s: GET 429', 429]);
  });
});

scenario('reset-as-delta', (name) => {
  test('serves a client that detects the unit by magnitude', async () => {
    const { headers } = await open(name).send();
    expect(headers.get('x-ratelimit-reset')).toBe('5');
    expect(await seen(name, patient)).toEqual(['0s GET 429', '5s GET 200', 200]);
  });

  test('exhausts the attempts of a client that reads an instant of 1970', async () => {
    expect(await seen(name, clients.waitsForResetByItsOwnClock)).toEqual(['0s to 0.009s, every 0.001s: GET 429', 429]);
  });
});

scenario('clock-skew', (name) => {
  test('serves a client that uses Retry-After', async () => {
    const { headers } = await open(name).send();
    expect(headers.get('date')).toBe('Thu, 01 Jan 2026 11:59:20 GMT');
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 10', '10s GET 200', 200]);
  });

  test('exhausts the attempts of a client that waits for Reset by its own clock', async () => {
    expect(await seen(name, clients.waitsForResetByItsOwnClock)).toEqual([
      '0s to 0.009s, every 0.001s: GET 429, Retry-After 10',
      429,
    ]);
  });
});

scenario('clock-skew-ahead', (name) => {
  test('serves a client that uses Retry-After', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 10', '10s GET 200', 200]);
  });

  test('delays a client that waits for Reset by its own clock by 40 seconds', async () => {
    expect(await seen(name, clients.waitsForResetByItsOwnClock)).toEqual([
      '0s GET 429, Retry-After 10',
      '50s GET 200',
      200,
    ]);
  });
});

scenario('429-with-remaining', (name) => {
  test('serves a client that checks the status', async () => {
    const { headers } = await open(name).send();
    expect(headers.get('x-ratelimit-remaining')).toBe('9');
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 5', '5s GET 200', 200]);
  });

  test('exhausts the attempts of a client that trusts Remaining', async () => {
    expect(await seen(name, clients.trustsRemaining)).toEqual([
      '0s to 0.009s, every 0.001s: GET 429, Retry-After 5',
      429,
    ]);
  });
});

scenario('200-with-remaining-0', (name) => {
  test('sends no 429 to a client that keeps the result and paces itself', async () => {
    const stage = open(name);
    const [first] = await stage.run((on) => clients.pacing(on, 2));
    expect(first?.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(stage.log()).toEqual(['0s, 5s: GET 200']);
  });

  test('stores two pets for a client that treats the success as a refusal', async () => {
    const { stage, log } = await play(name, clients.takesZeroForRefusal, newcomer);
    expect(log).toEqual(['0s, 5s: POST 201']);
    expect(stored(stage)).toBe(2);
  });

  test('refuses a client that continues without a pause', async () => {
    const stage = open(name);
    await stage.run(async (on) => [await on.send(), await on.send()]);
    expect(stage.log()).toEqual(['0s GET 200', '0s GET 429, Retry-After 5']);
  });
});

scenario('401-with-remaining-0', (name) => {
  test('sends one 401 to a client that stops', async () => {
    const { headers } = await open(name).send();
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(await seen(name, patient)).toEqual(['0s GET 401', 401]);
  });

  test('sends repeated 401s to a client that sleeps until Reset', async () => {
    expect(await seen(name, clients.sleepsUntilReset)).toEqual(['0s to 15s, every 5s: GET 401', 401]);
  });
});

scenario('day-wall', (name) => {
  test('is reported to the caller at once by a client that reads Retry-After', async () => {
    const stage = open(name);
    await stage.run(async (on) => [await patient(on), await patient(on)]);
    expect(stage.log()).toEqual(['0s GET 200', '0s GET 429, Retry-After 86400']);
  });

  test('bans a client that retries every minute', async () => {
    const stage = open(name);
    await stage.run(async (on) => [await on.send(), await clients.every(60_000, 5)(on)]);
    expect(stage.log()).toEqual([
      '0s GET 200',
      '0s GET 429, Retry-After 86400',
      '60s GET 429, Retry-After 86340',
      '120s GET 429, Retry-After 86280',
      '180s GET 429, Retry-After 86220',
      '240s GET 429, Retry-After 86160',
    ]);
    expect(stage.sim.keys.get('free-key').state).toBe('banned');
  });
});

scenario('day-quota-gone', (name) => {
  test('serves a client that waits for the rest of the day', async () => {
    const { headers } = await open(name).send();
    expect(headers.get('x-ratelimit-limit')).toBe('1000');
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 30', '30s GET 200', 200]);
  });

  test('bans a client that only considers the minute', async () => {
    const { log, key } = await play(name, clients.every(2000, 4));
    expect(log).toEqual([
      '0s GET 429, Retry-After 30',
      '2s GET 429, Retry-After 28',
      '4s GET 429, Retry-After 26',
      '6s GET 429, Retry-After 120',
    ]);
    expect(key().state).toBe('banned');
  });
});

scenario('minute-mistaken-for-day', (name) => {
  test('serves a client that obeys Retry-After', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 20', '20s GET 200', 200]);
  });

  test('does not serve a client that gives up at once', async () => {
    expect(await seen(name, clients.takesItForTheEnd)).toEqual(['0s GET 429, Retry-After 20', 429]);
  });
});

scenario('storm-burns-the-day', (name) => {
  test("leaves the day's quota to a client that obeys Retry-After", async () => {
    const { log, end, key } = await play(name, patient);
    expect([...log, end]).toEqual(['0s GET 429, Retry-After 5', '5s GET 200', 200]);
    expect(key().day.remaining).toBe(8);
  });

  test('exhausts the quota of a client that retries at once', async () => {
    const { log, key } = await play(name, clients.every(1, 11));
    expect(log).toEqual([
      '0s to 0.008s, every 0.001s: GET 429, Retry-After 5',
      '0.009s, 0.01s: GET 429, Retry-After 86400',
    ]);
    expect(key().day.remaining).toBe(0);
  });
});

scenario('near-minute-limit', (name) => {
  test('sends no 429 to a client that paces itself', async () => {
    const stage = open(name);
    await stage.run((on) => clients.pacing(on, 3));
    expect(stage.log()).toEqual(['0s, 0s, 5s: GET 200']);
  });

  test('refuses a client that assumes a full quota', async () => {
    const stage = open(name);
    await stage.run(async (on) => [await on.send(), await on.send(), await on.send()]);
    expect(stage.log()).toEqual(['0s, 2 times: GET 200', '0s GET 429, Retry-After 5']);
  });
});

scenario('parallel-burst', (name) => {
  test('serves a client that pauses all calls together', async () => {
    const stage = open(name);
    const all = await stage.run((on) => clients.sharedGate(on, 80));
    expect(all.map(({ status }) => status)).toEqual(Array(80).fill(200));
    expect(stage.log()).toEqual([
      '0s, 60 times: GET 200',
      '0s, 20 times: GET 429, Retry-After 5',
      '5s, 20 times: GET 200',
    ]);
  });

  test('bans a client whose calls retry independently', async () => {
    const stage = open(name);
    await stage.run((on) => Promise.all(Array.from({ length: 80 }, () => clients.backsOffOnly(on))));
    expect(stage.log().slice(0, 5)).toEqual([
      '0s, 60 times: GET 200',
      '0s, 20 times: GET 429, Retry-After 5',
      '1s, 20 times: GET 429, Retry-After 4',
      '3s, 2 times: GET 429, Retry-After 2',
      '3s, 18 times: GET 429, Retry-After 120',
    ]);
    expect(stage.sim.keys.get('free-key').state).toBe('banned');
  });
});

scenario('thundering-herd', (name) => {
  const herd = async (client: clients.Client) => {
    const stage = open(name);
    await stage.run((on) => Promise.all(Array.from({ length: 20 }, () => client(on))));
    expect(stage.sim.keys.get('free-key')).toMatchObject({ state: 'active', strikes: 0 });
    return stage.log();
  };

  test('gets spread retries from a client with jitter', async () => {
    let random = 7;
    const withJitter = clients.retrying(({ headers }) => {
      random = (random * 16_807) % 2_147_483_647;
      return Number(headers.get('retry-after')) * 1000 + (random % 1000);
    });
    const [refused, served] = await herd(withJitter);
    expect(refused).toBe('0s, 20 times: GET 429, Retry-After 5');
    const times = [...(served ?? '').matchAll(/([\d.]+)s/g)].map(([, time]) => Number(time));
    expect(times).toHaveLength(20);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(0.5);
  });

  test('gets simultaneous retries from a client without jitter', async () => {
    expect(await herd(clients.readsANumber)).toEqual(['0s, 20 times: GET 429, Retry-After 5', '5s, 20 times: GET 200']);
  });
});

/** An injected 429 has the same headers as a real one. */
async function refusesForASecond(name: string): Promise<void> {
  const { headers } = await open(name).send();
  expect(headers.get('x-ratelimit-remaining')).toBe('0');
  expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBe(Date.parse(headers.get('date') ?? '') + 1000);
  expect(headers.get('cache-control')).toBe('no-store');
}

scenario('nested-retries', (name) => {
  test('gets five requests from a client that limits its attempts', async () => {
    const { log, key } = await play(name, patient);
    expect(log).toEqual(['0s, 1s, 3s, 7s, 15s: GET 429, Retry-After 1']);
    expect(key().state).toBe('active');
  });

  test('gets 27 requests for one call from a client with three retry layers', async () => {
    expect(await seen(name, clients.inLayers(3, 3))).toEqual(['0s to 26s, every 1s: GET 429, Retry-After 1', 429]);
  });

  test('refuses like the service', () => refusesForASecond(name));
});

scenario('stubborn-429', (name) => {
  test('is given up by a client with growing waits and limited attempts', async () => {
    expect(await seen(name, patient)).toEqual(['0s, 1s, 3s, 7s, 15s: GET 429, Retry-After 1', 429]);
  });

  test('refuses like the service', () => refusesForASecond(name));

  test('serves a client that retries every second after eight refusals', async () => {
    expect(await seen(name, clients.everySecond)).toEqual([
      '0s to 7s, every 1s: GET 429, Retry-After 1',
      '8s GET 200',
      200,
    ]);
  });
});

scenario('abort-while-waiting', (name) => {
  const call = async (stage: Stage, signal: AbortSignal) => {
    const { headers } = await stage.send();
    await stage.sleep(Number(headers.get('retry-after')) * 1000, signal);
    await stage.send();
  };
  const callerGivesUp = async (act: typeof call) => {
    const stage = open(name);
    const controller = new AbortController();
    const end = act(stage, controller.signal).catch(({ message }: Error) => message);
    await stage.runUntil(2);
    controller.abort(new Error('nobody waits any more'));
    await stage.runUntil(60);
    return [...stage.log(), await end];
  };

  test('gets no request from a client that ends its wait with its caller', async () => {
    expect(await callerGivesUp(call)).toEqual(['0s GET 429, Retry-After 20', 'nobody waits any more']);
  });

  test('gets a useless request from a client that continues to wait', async () => {
    const deaf: typeof call = (stage) => call(stage, new AbortController().signal);
    expect(await callerGivesUp(deaf)).toEqual(['0s GET 429, Retry-After 20', '20s GET 200', undefined]);
  });
});

scenario('ban-on-third-strike', (name) => {
  test('does not ban a client that obeys Retry-After', async () => {
    const { log, key } = await play(name, patient);
    expect(log).toEqual(['0s GET 429, Retry-After 10', '10s GET 200']);
    expect(key()).toMatchObject({ state: 'active', strikes: 0 });
  });

  test('bans a client that retries every two seconds at its fourth request', async () => {
    const { stage, log, key } = await play(name, clients.every(2000, 4));
    expect(log).toEqual([
      '0s GET 429, Retry-After 10',
      '2s GET 429, Retry-After 8',
      '4s GET 429, Retry-After 6',
      '6s GET 429, Retry-After 20',
    ]);
    expect(key()).toMatchObject({ state: 'banned', bannedUntil: '2026-01-01T12:00:26.000Z' });
    const { text } = await stage.send();
    expect(JSON.parse(text).code).toBe('key_banned');
  });
});

scenario('sit-out-the-ban', (name) => {
  test('serves the next request of a client that stays silent', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 15', '15s GET 200', 200]);
  });

  test('gets eight requests from a client that polls', async () => {
    const { log, end } = await play(name, clients.every(2000, 10));
    expect(log).toHaveLength(9);
    expect(log.at(0)).toBe('0s GET 429, Retry-After 15');
    expect(log.at(-2)).toBe('14s GET 429, Retry-After 1');
    expect([log.at(-1), end]).toEqual(['16s GET 200', 200]);
  });
});

scenario('growing-ban', (name) => {
  test('bans a client once that reads each Retry-After', async () => {
    const stage = open(name);
    await stage.run(async (on) => {
      for (let call = 0; call < 4; call++) await patient(on);
    });
    expect(stage.log()).toEqual([
      '0s GET 429, Retry-After 5',
      '5s, 3 times: GET 200',
      '5s GET 429, Retry-After 8',
      '13s GET 200',
    ]);
  });

  test('gets a request during the second ban from a client that waits as long as for the first', async () => {
    const stage = open(name);
    await stage.run(async (on) => {
      for (let call = 0; call < 4; call++) await clients.every(5000, 4)(on);
    });
    expect(stage.log()).toEqual([
      '0s GET 429, Retry-After 5',
      '5s, 3 times: GET 200',
      '5s GET 429, Retry-After 8',
      '10s GET 429, Retry-After 10',
      '15s GET 429, Retry-After 5',
      '20s GET 200',
    ]);
  });
});

scenario('penalty-extends', (name) => {
  test('serves the next request of a client that stays silent', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 10', '10s GET 200', 200]);
  });

  test('does not serve a client that polls every two seconds', async () => {
    expect(await seen(name, clients.every(2000, 20))).toEqual(['0s to 38s, every 2s: GET 429, Retry-After 10', 429]);
  });
});

for (const status of [418, 403]) {
  scenario(`ban-as-${status}`, (name) => {
    test('serves a client that obeys Retry-After for any status', async () => {
      expect(await seen(name, patient)).toEqual([`0s GET ${status}, Retry-After 10`, '10s GET 200', 200]);
    });

    test('gets an immediate retry from a client that only handles 429', async () => {
      expect(await seen(name, clients.every(1, 10))).toEqual([
        `0s to 0.009s, every 0.001s: GET ${status}, Retry-After 10`,
        status,
      ]);
    });
  });
}

scenario('401-loop', (name) => {
  test('sends one 401 to a client that stops', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After 3', '3s GET 401', 401]);
  });

  test('sends repeated 401s to a client that handles them like a 429', async () => {
    const waits = clients.alsoOn401(clients.waitAsTold, 5);
    const [first, rest, end] = await seen(name, waits);
    expect([first, end]).toEqual(['0s GET 429, Retry-After 3', 401]);
    expect(rest).toMatch(/^3s(, [\d.]+s){3}: GET 401$/);
  });
});

scenario('revoked-mid-run', (name) => {
  test('serves a client that gets another key', async () => {
    const stage = open(name);
    await stage.run(async (on) => {
      let key = 'free-key';
      for (let call = 0; call < 5; call++, await on.sleep(750)) {
        const { status } = await on.send({ key });
        if (status !== 401) continue;
        key = 'next-key';
        await on.send({ key });
      }
    });
    expect(stage.log()).toEqual(['0s, 1s: GET 200', '2s GET 401', '2s, 3s, 4s: GET 200']);
  });

  test('refuses all further calls of a client that keeps the key', async () => {
    const stage = open(name);
    await stage.run(async (on) => {
      for (let call = 0; call < 5; call++, await on.sleep(750)) await on.send();
    });
    expect(stage.log()).toEqual(['0s, 1s: GET 200', '2s, 2.75s, 3.5s: GET 401']);
  });
});

scenario('jitter-below', (name) => {
  test('serves a client that adds to Retry-After, on every call', async () => {
    const stage = open(name);
    const adding = clients.retrying(({ headers }) => Number(headers.get('retry-after')) * 1000 + 100);
    const ends = await stage.run(async (on) => [await adding(on), await adding(on), await adding(on)]);
    expect(ends.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(ends.map(({ headers }) => headers.has('x-ratelimit-reset'))).toEqual([false, false, false]);
  });

  test('refuses a client with negative jitter again, but does not ban it', async () => {
    const stage = open(name);
    const below = clients.retrying(({ headers }) => Number(headers.get('retry-after')) * 900);
    await stage.run(async (on) => [await below(on), await below(on)]);
    expect(stage.log().filter((line) => line.includes('429'))).toEqual([
      '0s GET 429, Retry-After 2',
      '1.8s GET 429, Retry-After 1',
    ]);
    expect(stage.sim.keys.get('free-key').state).toBe('active');
  });
});

scenario('negative-retry-after', (name) => {
  test('serves a client that uses Reset', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET 429, Retry-After -5', '5s GET 200', 200]);
  });

  test('exhausts the attempts of a client that passes the value to a timer', async () => {
    expect(await seen(name, clients.readsANumber)).toEqual([
      '0s to 0.009s, every 0.001s: GET 429, Retry-After -5',
      429,
    ]);
  });
});

scenario('shards', (name) => {
  test('serves concurrent callers with a shared pause, although others use the key', async () => {
    const all = await open(name).run((on) => clients.sharedGate(on, 4));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('bans a client that retries every second', async () => {
    const { key } = await play(name, clients.everySecond);
    expect(key().state).toBe('banned');
  });
});

scenario('shared-quota', (name) => {
  test('serves a hundred callers with a shared pause, sixty of them at once', async () => {
    const stage = open(name);
    const all = await stage.run((on) => clients.sharedGate(on, 100));
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect(stage.log()[0]).toBe('0s, 60 times: GET 200');
  });

  test('bans callers with independent backoff', async () => {
    const stage = open(name);
    await stage.run((on) => Promise.all(Array.from({ length: 100 }, () => clients.backsOffOnly(on))));
    expect(stage.sim.keys.get('free-key').state).toBe('banned');
  });
});

scenario('post-429', (name) => {
  test('stores the pet of a client that repeats a refused POST', async () => {
    const { stage, log } = await play(name, patient, newcomer);
    expect(log).toEqual(['0s POST 429, Retry-After 2', '2s POST 201']);
    expect(stored(stage)).toBe(1);
  });

  test('does not store the pet of a client that does not repeat the POST', async () => {
    const { stage, log } = await play(name, clients.takesItForTheEnd, newcomer);
    expect(log).toEqual(['0s POST 429, Retry-After 2']);
    expect(stored(stage)).toBe(0);
  });
});

scenario('post-body-lost', (name) => {
  test('stores the pet of a client that sends the same body again', async () => {
    const { stage, log } = await play(name, patient, newcomer);
    expect(log).toEqual(['0s POST 429, Retry-After 2', '2s POST 201']);
    expect(stored(stage)).toBe(1);
  });

  test('rejects the empty body of a client that has consumed the stream', async () => {
    const { stage, log } = await play(name, clients.losesItsBody, newcomer);
    expect(log).toEqual(['0s POST 429, Retry-After 2', '2s POST 400']);
    expect(stored(stage)).toBe(0);
  });
});

describe.each([
  ['post-ambiguous', '0s POST 503'],
  ['post-stored-answer-lost', '0s POST no answer, connection lost'],
])('%s', (name, lost) => {
  tried.add(name);

  test('stores one pet for a client that checks before it repeats', async () => {
    const { stage, log } = await play(name, clients.looksFirst, newcomer);
    expect(log).toEqual([lost, '1s GET 200']);
    expect(stored(stage)).toBe(1);
  });

  test('stores two pets for a client that repeats blindly', async () => {
    const { stage, log } = await play(name, clients.repeatsBlindly(), newcomer);
    expect(log).toEqual([lost, '0s POST 201']);
    expect(stored(stage)).toBe(2);
  });
});

scenario('post-answer-late', (name) => {
  test('stores one pet for a client that waits for the response', async () => {
    const { stage, log, end } = await play(name, clients.takesItForTheEnd, newcomer);
    expect([log, end]).toEqual([['0s POST 201'], 201]);
    expect(stage.now() - Date.parse('2026-01-01T12:00:00Z')).toBe(10_000);
    expect(stored(stage)).toBe(1);
  });

  test('stores one pet for a client that checks before it repeats', async () => {
    const { stage, log } = await play(name, clients.looksFirst, newcomer);
    expect(log).toEqual(['0s POST given up', '6s GET 200']);
    expect(stored(stage)).toBe(1);
  });

  test('stores two pets for a client that repeats blindly after two seconds', async () => {
    const { stage, log } = await play(name, clients.repeatsBlindly(), newcomer);
    expect(log).toEqual(['0s POST given up', '2s POST 201']);
    expect(stored(stage)).toBe(2);
  });
});

scenario('browser-cannot-see', (name) => {
  test('exposes no rate-limit header', () => {
    expect(open(name).sim.settings.cors).toBe('hidden');
  });

  test('serves a client that needs no headers', async () => {
    expect(await seen(name, clients.behindCors(patient))).toEqual([
      '0s GET 429, Retry-After 3',
      '1s GET 429, Retry-After 2',
      '3s GET 200',
      200,
    ]);
  });

  test('exhausts the attempts of a client that reads 0', async () => {
    const refused = '0s to 0.009s, every 0.001s: GET 429, Retry-After 3';
    expect(await seen(name, clients.behindCors(clients.readsANumber))).toEqual([refused, 429]);
  });
});

scenario('flaky-5xx', (name) => {
  const calls = async (client: clients.Client) => {
    const stage = open(name);
    const statuses = await stage.run(async (on) => {
      const all: number[] = [];
      for (let call = 0; call < 40; call++) all.push((await client(on)).status);
      return all;
    });
    return { stage, statuses };
  };

  test('serves every call of a client that retries with growing waits', async () => {
    const { stage, statuses } = await calls(clients.sturdy());
    expect(statuses).toEqual(Array(40).fill(200));
    const log = stage.log().join('\n');
    expect(log).toContain('GET 503, Retry-After 1');
    expect(log).toContain('GET 500');
  });

  test('fails about a quarter of the calls of a client that gives up on the first 5xx', async () => {
    const { statuses } = await calls(clients.takesItForTheEnd);
    expect(count(statuses)).toEqual({ 200: 30, 500: 4, 503: 6 });
  });
});

const count = (statuses: number[]) =>
  Object.fromEntries(
    [...new Set(statuses)].map((status) => [status, statuses.filter((each) => each === status).length]),
  );

scenario('slow', (name) => {
  test('serves fifty calls of a client without a short timeout', async () => {
    const stage = open(name);
    const took: number[] = [];
    await stage.run(async (on) => {
      for (let call = 0; call < 50; call++) {
        const fromMs = on.now();
        expect((await on.send({ timeoutMs: 10_000 })).status).toBe(200);
        took.push(on.now() - fromMs);
      }
    });
    took.sort((a, b) => a - b);
    expect(took[25]).toBeGreaterThan(150);
    expect(took[25]).toBeLessThan(600);
    expect(took[49]).toBeGreaterThan(1000);
  });

  test('uses quota without a response for a client with a timeout of half a second', async () => {
    const stage = open(name);
    const served = await stage.run(async (on) => {
      let answers = 0;
      for (let call = 0; call < 50; call++) {
        const answer = await on.send({ timeoutMs: 500 }).catch(() => undefined);
        if (answer) answers++;
      }
      return answers;
    });
    expect(served).toBe(32);
    expect(stage.sim.keys.get('free-key').day.remaining).toBe(950);
  });
});

scenario('slow-drip', (name) => {
  test('is read completely by a client with a timeout per chunk', async () => {
    const stage = open(name);
    const { text } = await stage.run((on) => on.send());
    expect(JSON.parse(text)).toHaveLength(20);
    const seconds = (stage.now() - Date.parse('2026-01-01T12:00:00Z')) / 1000;
    expect(seconds).toBeGreaterThan(5);
    expect(seconds).toBeLessThan(20);
  });

  test('is not read by a client with a total timeout of five seconds', async () => {
    const impatient = clients.sturdy({ timeoutMs: 5_000, attempts: 3 });
    expect(await seen(name, impatient)).toEqual(['0s, 6s, 13s: GET given up', 'gave up']);
  });
});

scenario('hang', (name) => {
  test('is abandoned by a client with a timeout, which succeeds at its second attempt', async () => {
    expect(await seen(name, clients.sturdy({ timeoutMs: 5_000 }))).toEqual(['0s GET given up', '6s GET 200', 200]);
  });

  test('is not abandoned by a client without a timeout', async () => {
    const stage = open(name);
    let answered = false;
    void clients.takesItForTheEnd(stage).then(() => {
      answered = true;
    });
    await stage.runUntil(86_400);
    expect([stage.log(), answered]).toEqual([['0s GET no answer'], false]);
  });
});

scenario('reset-then-ok', (name) => {
  test('serves the second attempt of each call', async () => {
    expect(await seen(name, clients.sturdy())).toEqual(['0s GET no answer, connection lost', '1s GET 200', 200]);
  });

  test('is given up by a client that only retries responses with a status', async () => {
    expect(await seen(name, patient)).toEqual(['0s GET no answer, connection lost', 'Failed to fetch']);
  });
});

scenario('truncated-json', (name) => {
  test('serves a client that retries broken responses', async () => {
    expect(await seen(name, clients.sturdy())).toEqual(['0s GET 200, connection lost', '1s GET 200', 200]);
  });

  test('gives no pets to a client that ignores the break', async () => {
    const stage = open(name);
    const pets = await stage.run((on) =>
      on.send().then(
        ({ text }) => JSON.parse(text),
        () => [],
      ),
    );
    expect([pets, stage.log()]).toEqual([[], ['0s GET 200, connection lost']]);
  });
});

type Listed = { id: number; name: string; status: string }[];

scenario('empty', (name) => {
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

scenario('int64-ids', (name) => {
  test('preserves every digit for a client that parses text', async () => {
    const stage = open(name);
    const ids: (string | undefined)[] = [];
    for (let n = 0; n < 3; n++) ids.push(/"id":(\d+)/.exec((await stage.send(newcomer)).text)?.[1]);
    expect(ids).toEqual(['9007199254740990', '9007199254740991', '9007199254740994']);
    const { text } = await stage.send({ path: '/pets/9007199254740993' });
    expect(text).toBe('{"id":9007199254740993,"name":"Odd","categoryId":9223372036854775807,"status":"pending"}');
  });

  test('gives another pet to a client that rounds', async () => {
    const stage = open(name);
    const pending = JSON.parse((await stage.send({ path: '/pets?status=pending' })).text) as Listed;
    expect(pending[0]?.name).toBe('Odd');
    const again = await stage.send({ path: `/pets/${pending[0]?.id}` });
    expect(JSON.parse(again.text).name).toBe('Even');
  });
});

scenario('after-removal', (name) => {
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

scenario('large-catalogue', (name) => {
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
  tried.add(name);

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

test('every shipped scenario is tested here', () => {
  expect([...tried].sort()).toEqual(fileNames);
});
