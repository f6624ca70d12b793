// @module-tag slow
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { readRecordedLog } from '../../src/persistence/node/folder/recording.js';
import { replayLog } from '../../src/persistence/replay-log.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { generatePets } from '../../src/seed.js';
import * as clients from './clients.js';
import { removeRecordings } from './open-recorded.js';
import { type Call, fileNames, open as openStage, type RecordedStage, type Seen, type Stage } from './stage.js';

const { patient } = clients;

const opened: RecordedStage[] = [];
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

type Act = (stage: Stage) => Promise<Seen | Seen[]>;
const newcomer: Call = { method: 'POST', body: '{"name":"Newcomer","categoryId":1}' };
const stored = ({ sim }: Stage) => sim.pets.list().filter(({ name }) => name === 'Newcomer').length;

/** Tests that a client leaves a log: its requests, its last status or error, its pets, and whether it is banned. */
type Play = (does: string, act: Act, log: unknown[]) => void;

/** Scenarios whose clients are tested below. The last test checks that this covers all scenarios. */
const tried = new Set<string>();
function scenario(name: string, tests: (play: Play, name: string) => void): void {
  describe(name, () =>
    tests((does, act, log) => test(does, async () => expect(await seen(name, act)).toEqual(log)), name),
  );
}

async function seen(name: string, act: Act): Promise<unknown[]> {
  const stage = open(name);
  const end = await stage.run((on) =>
    act(on).then(
      (of) => [of].flat().at(-1)?.status,
      ({ message }: Error) => message,
    ),
  );
  const pets = stage.log().some((line) => line.includes('POST')) ? [`${stored(stage)} stored`] : [];
  const { state } = stage.sim.keys.get('free-key');
  return [...stage.log(), end, ...pets, ...(state === 'banned' ? ['banned'] : [])];
}

const once = clients.takesItForTheEnd;
const asks =
  (client: clients.Client, call: Call): Act =>
  (stage) =>
    client(stage, call);
const posts = (client: clients.Client) => asks(client, newcomer);
const inTurn =
  (...calls: Act[]): Act =>
  async (stage) => {
    let last: Seen | Seen[] = [];
    for (const call of calls) last = await call(stage);
    return last;
  };
const times = (count: number, act: Act): Act => inTurn(...Array<Act>(count).fill(act));
/** Refusals of one wait at several seconds: each asks for what is left of it. */
const refusedFor = (waitSeconds: number, ...seconds: number[]) =>
  seconds.map((second) => `${second}s GET 429, Retry-After ${waitSeconds - second}`);
const sideBySide =
  (count: number, client: clients.Client): Act =>
  (stage) =>
    Promise.all(Array.from({ length: count }, () => client(stage)));

describe('a client that obeys its first response is served when its wait ends', () => {
  test.each<[name: string, does: string, refused: string, seconds: number, key?: string]>([
    ['backoff-only', 'treats Retry-After as a minimum', '429, Retry-After 30', 30],
    ['retry-after-clamped', 'has no cap', '429, Retry-After 45', 45],
    ...[60, 61, 120, 121].map((seconds): [string, string, string, number, string] => [
      'retry-after-60-edge',
      `waits ${seconds} seconds`,
      `429, Retry-After ${seconds}`,
      seconds,
      `wait-${seconds}`,
    ]),
    ['http-date', 'parses dates', '429, Retry-After Thu, 01 Jan 2026 12:00:05 GMT', 5],
    ['malformed', 'falls back to Reset', '429, Retry-After soon', 5],
    ['fractional', 'rounds up', '429, Retry-After 1.5', 2],
    ['missing', 'waits until Reset', '429', 5],
    ['epoch-in-retry-after', 'rejects implausible values', '429, Retry-After 1767268805', 5],
    ['ms-in-retry-after', 'rejects implausible values', '429, Retry-After 10000', 10],
    ['reset-in-ms', 'detects the unit by magnitude', '429', 5],
    ['reset-as-delta', 'detects the unit by magnitude', '429', 5],
    ['clock-skew', 'uses Retry-After', '429, Retry-After 10', 10],
    ['clock-skew-ahead', 'uses Retry-After', '429, Retry-After 10', 10],
    ['429-with-remaining', 'checks the status', '429, Retry-After 5', 5],
    ['day-quota-gone', 'waits for the rest of the day', '429, Retry-After 30', 30],
    ['minute-mistaken-for-day', 'obeys Retry-After', '429, Retry-After 20', 20],
    ['ban-on-third-strike', 'obeys Retry-After', '429, Retry-After 10', 10],
    ['sit-out-the-ban', 'stays silent', '429, Retry-After 15', 15],
    ['penalty-extends', 'stays silent', '429, Retry-After 10', 10],
    ['ban-as-418', 'obeys Retry-After for any status', '418, Retry-After 10', 10],
    ['ban-as-403', 'obeys Retry-After for any status', '403, Retry-After 10', 10],
    ['negative-retry-after', 'uses Reset', '429, Retry-After -5', 5],
  ])('%s: one that %s, %s', async (name, _, refused, seconds, key = 'free-key') => {
    expect(await seen(name, asks(patient, { key }))).toEqual([`0s GET ${refused}`, `${seconds}s GET 200`, 200]);
  });
});

describe('a client that does not wait exhausts its ten attempts', () => {
  const { readsANumber, waitsForResetByItsOwnClock } = clients;
  test.each<[name: string, does: string, client: clients.Client, refused: string, isBanned?: boolean]>([
    ['http-date', 'expects a number', readsANumber, '429, Retry-After Thu, 01 Jan 2026 12:00:05 GMT'],
    [
      'http-date-past',
      'waits until a past date',
      clients.untilTheDate,
      '429, Retry-After Thu, 01 Jan 2026 11:59:59 GMT',
    ],
    ['malformed', 'waits for NaN', readsANumber, '429, Retry-After soon'],
    ['zero', 'does not wait', readsANumber, '429, Retry-After 0'],
    ['timer-overflow', 'overflows its timer', readsANumber, '429, Retry-After 2592000', true],
    ['missing', 'reads the missing header as 0', readsANumber, '429'],
    ['reset-in-ms', 'overflows its timer', waitsForResetByItsOwnClock, '429'],
    ['reset-as-delta', 'reads an instant of 1970', waitsForResetByItsOwnClock, '429'],
    ['clock-skew', 'waits for Reset by its own clock', waitsForResetByItsOwnClock, '429, Retry-After 10'],
    ['429-with-remaining', 'trusts Remaining', clients.trustsRemaining, '429, Retry-After 5'],
    ['ban-as-418', 'only handles 429', clients.every(1, 10), '418, Retry-After 10', true],
    ['ban-as-403', 'only handles 429', clients.every(1, 10), '403, Retry-After 10', true],
    ['negative-retry-after', 'passes the value to a timer', readsANumber, '429, Retry-After -5'],
    ['browser-cannot-see', 'reads 0', clients.behindCors(readsANumber), '429, Retry-After 3'],
  ])('%s: one that %s', async (name, _, client, refused, isBanned = false) => {
    const log = [`0s to 0.009s, every 0.001s: GET ${refused}`, Number.parseInt(refused, 10)];
    expect(await seen(name, client)).toEqual(isBanned ? [...log, 'banned'] : log);
  });
});

describe('a client that adds a pet', () => {
  const { looksFirst, losesItsBody, repeatsBlindly, takesZeroForRefusal } = clients;
  const refused = '0s POST 429, Retry-After 2';
  const lost = '0s POST no answer, connection lost';
  test.each<[name: string, does: string, client: clients.Client, log: string[], status: number, pets: number]>([
    ['post-429', 'repeats a refused POST', patient, [refused, '2s POST 201'], 201, 1],
    ['post-429', 'does not repeat it', once, [refused], 429, 0],
    ['post-body-lost', 'sends the same body again', patient, [refused, '2s POST 201'], 201, 1],
    ['post-body-lost', 'has consumed the stream', losesItsBody, [refused, '2s POST 400'], 400, 0],
    ['post-ambiguous', 'checks before it repeats', looksFirst, ['0s POST 503', '1s GET 200'], 200, 1],
    ['post-ambiguous', 'repeats blindly', repeatsBlindly(), ['0s POST 503', '0s POST 201'], 201, 2],
    ['post-stored-answer-lost', 'checks before it repeats', looksFirst, [lost, '1s GET 200'], 200, 1],
    ['post-stored-answer-lost', 'repeats blindly', repeatsBlindly(), [lost, '0s POST 201'], 201, 2],
    ['post-answer-late', 'checks before it repeats', looksFirst, ['0s POST given up', '6s GET 200'], 200, 1],
    ['post-answer-late', 'repeats after two seconds', repeatsBlindly(), ['0s POST given up', '2s POST 201'], 201, 2],
    ['200-with-remaining-0', 'treats 201 as a refusal', takesZeroForRefusal, ['0s, 5s: POST 201'], 201, 2],
  ])('%s: one that %s', async (name, _, client, log, status, pets) => {
    expect(await seen(name, posts(client))).toEqual([...log, status, `${pets} stored`]);
  });
});

describe('a client that retries too early is banned', () => {
  test.each<[name: string, does: string, act: Act, log: string[]]>([
    [
      'minute-wall',
      'retries every second',
      inTurn(once, clients.every(1000, 6)),
      ['0s GET 200', ...refusedFor(10, 0, 1, 2, 3), ...refusedFor(124, 4, 5)],
    ],
    [
      'backoff-only',
      'waits 1, 2, 4 and 8 seconds',
      clients.backsOffOnly,
      [...refusedFor(30, 0, 1, 3, 7), ...refusedFor(135, 15)],
    ],
    [
      'retry-after-clamped',
      'has a cap of 10 seconds',
      clients.capsAt(10),
      [...refusedFor(45, 0, 10, 20), ...refusedFor(150, 30, 40)],
    ],
    [
      'fractional',
      'truncates the fraction',
      clients.cutsOffFractions,
      [
        '0s GET 429, Retry-After 1.5',
        '1s, 1.001s, 1.002s: GET 429, Retry-After 0.5',
        '1.003s GET 429, Retry-After 119.5',
      ],
    ],
    ['huge', 'retries at its own interval', clients.backsOffOnly, refusedFor(43_200, 0, 1, 3, 7, 15)],
    [
      'day-wall',
      'retries every minute',
      inTurn(once, clients.every(60_000, 5)),
      ['0s GET 200', ...refusedFor(86_400, 0, 60, 120, 180, 240)],
    ],
    [
      'day-quota-gone',
      'only considers the minute',
      clients.every(2000, 4),
      [...refusedFor(30, 0, 2, 4), ...refusedFor(126, 6)],
    ],
    [
      'penalty-extends',
      'polls every two seconds',
      clients.every(2000, 20),
      ['0s to 38s, every 2s: GET 429, Retry-After 10'],
    ],
  ])('%s: one that %s', async (name, _, act, log) => {
    expect(await seen(name, act)).toEqual([...log, 429, 'banned']);
  });
});

test.each([
  ['reset-in-ms', 'x-ratelimit-reset', String(Date.parse('2026-01-01T12:00:05Z'))],
  ['reset-as-delta', 'x-ratelimit-reset', '5'],
  ['clock-skew', 'date', 'Thu, 01 Jan 2026 11:59:20 GMT'],
  ['429-with-remaining', 'x-ratelimit-remaining', '9'],
  ['200-with-remaining-0', 'x-ratelimit-remaining', '0'],
  ['401-with-remaining-0', 'x-ratelimit-remaining', '0'],
  ['day-quota-gone', 'x-ratelimit-limit', '1000'],
])('%s responds with %s %s', async (name, header, value) => {
  expect((await open(name).send()).headers.get(header)).toBe(value);
});

scenario('minute-wall', (play) => {
  play('serves a client that obeys Retry-After', times(2, patient), [
    '0s GET 200',
    '0s GET 429, Retry-After 10',
    '10s GET 200',
    200,
  ]);
  play('does not serve a client that gives up on a 429', times(2, once), [
    '0s GET 200',
    '0s GET 429, Retry-After 10',
    429,
  ]);
});

scenario('retry-after-clamped', (play) => {
  play('refuses a client with a cap of 30 seconds once', clients.capsAt(30), [
    ...refusedFor(45, 0, 30),
    '45s GET 200',
    200,
  ]);
});

scenario('retry-after-60-edge', (play) => {
  for (const seconds of [60, 61, 120, 121]) {
    const key = `wait-${seconds}`;
    const refused = `GET 429, Retry-After ${seconds}`;
    play(
      `exposes a client that ignores a Retry-After of ${seconds} seconds`,
      asks(clients.believesBelow(60), { key }),
      [`0s, 0.5s: ${refused}`, `1.5s GET 429, Retry-After ${seconds - 1}`, 429],
    );
    const upTo120 =
      seconds > 120 ? [`0s, 0.5s: ${refused}`, expect.any(String), 429] : [expect.any(String), expect.any(String), 200];
    play(
      `serves a client that believes ${seconds} seconds if up to 120`,
      asks(clients.believesBelow(121), { key }),
      upTo120,
    );
  }
});

scenario('http-date-past', (play) => {
  play('serves a client with growing waits', patient, [
    '0s GET 429, Retry-After Thu, 01 Jan 2026 11:59:59 GMT',
    '1s GET 429, Retry-After Thu, 01 Jan 2026 12:00:00 GMT',
    '3s GET 200',
    200,
  ]);
  play('bans no client while it does not state a wait', clients.every(500, 20), [
    '0s, 0.5s: GET 429, Retry-After Thu, 01 Jan 2026 11:59:59 GMT',
    '1s, 1.5s: GET 429, Retry-After Thu, 01 Jan 2026 12:00:00 GMT',
    '2s, 2.5s: GET 429, Retry-After Thu, 01 Jan 2026 12:00:01 GMT',
    '3s GET 200',
    200,
  ]);
});

scenario('malformed', (play) => {
  const refused = 'GET 429, Retry-After soon';
  play('stops a client that fails on the header', clients.failsOnOddRetryAfter, [
    `0s ${refused}`,
    'invalid Retry-After soon',
  ]);
});

scenario('fractional', (play) => {
  const refused = '0s GET 429, Retry-After 1.5';
  play('stops a client that fails on the fraction', clients.failsOnOddRetryAfter, [refused, 'invalid Retry-After 1.5']);
});

scenario('zero', (play) => {
  const refused = 'GET 429, Retry-After 0';
  play('serves a client with growing waits', patient, [`0s, 1s: ${refused}`, '3s GET 200', 200]);
  play('bans no client while it does not state a wait', clients.every(500, 20), [
    `0s to 2.5s, every 0.5s: ${refused}`,
    '3s GET 200',
    200,
  ]);
  play('makes a client give up that treats 0 as missing', clients.stopsAtZero, [`0s ${refused}`, 429]);
});

scenario('huge', (play) => {
  const refused = '0s GET 429, Retry-After 43200';
  play('is reported to the caller at once by a client that gives up', patient, [refused, 429]);
  play('serves a client that defers its work', clients.parks, [refused, '43200s GET 200', 200]);
});

scenario('timer-overflow', (play) => {
  const refused = 'GET 429, Retry-After 2592000';
  play('is reported to the caller at once by a client that gives up', patient, [`0s ${refused}`, 429, 'banned']);
  play('serves a client that splits its wait', clients.parks, [`0s ${refused}`, '2592000s GET 200', 200]);
});

scenario('html-429', (play, name) => {
  test('refuses with an HTML page without rate-limit headers', async () => {
    const { headers, text } = await open(name).send();
    expect(headers.get('content-type')).toBe('text/html');
    expect([...headers.keys()].filter((header) => /ratelimit|retry/.test(header))).toEqual([]);
    expect(text).toMatch(/^<!doctype html>/);
  });
  play('serves a client that checks the status', patient, ['0s, 1s, 3s: GET 429', '7s GET 200', 200]);
  play('bans no client while it does not state a wait', clients.every(500, 20), [
    '0s to 4.5s, every 0.5s: GET 429',
    '5s GET 200',
    200,
  ]);
  play('stops a client that parses the page', clients.parsesFirst, [
    '0s GET 429',
    expect.stringContaining('not valid JSON'),
  ]);
});

scenario('epoch-in-retry-after', (play) => {
  const refused = `0s GET 429, Retry-After ${Date.parse('2026-01-01T12:00:05Z') / 1000}`;
  const trusting = clients.retrying(({ headers }) => Number(headers.get('retry-after')));
  play('makes a client that trusts the header sleep for fifty-six years', trusting, [
    refused,
    `${Date.parse('2026-01-01T12:00:05Z') / 1e6}s GET 200`,
    200,
  ]);
});

scenario('ms-in-retry-after', (play) => {
  const refused = '0s GET 429, Retry-After 10000';
  play('makes a client that trusts the header sleep for hours', clients.readsANumber, [refused, '10000s GET 200', 200]);
});

scenario('clock-skew-ahead', (play) => {
  const refused = '0s GET 429, Retry-After 10';
  const byOwnClock = clients.waitsForResetByItsOwnClock;
  play('delays a client that waits for Reset by its own clock by 40 seconds', byOwnClock, [
    refused,
    '50s GET 200',
    200,
  ]);
});

scenario('200-with-remaining-0', (play) => {
  const paced: Act = (on) => clients.pacing(on, 2);
  play('sends no 429 to a client that keeps the result and paces itself', paced, ['0s, 5s: GET 200', 200]);
  play('refuses a client that continues without a pause', times(2, once), [
    '0s GET 200',
    '0s GET 429, Retry-After 5',
    429,
  ]);
});

scenario('401-with-remaining-0', (play) => {
  play('sends one 401 to a client that stops', patient, ['0s GET 401', 401]);
  play('sends repeated 401s to a client that sleeps until Reset', clients.sleepsUntilReset, [
    '0s to 15s, every 5s: GET 401',
    401,
  ]);
});

scenario('day-wall', (play) => {
  play('is reported to the caller at once by a client that reads Retry-After', times(2, patient), [
    '0s GET 200',
    '0s GET 429, Retry-After 86400',
    429,
  ]);
});

scenario('minute-mistaken-for-day', (play) => {
  const refused = '0s GET 429, Retry-After 20';
  play('does not serve a client that gives up at once', once, [refused, 429]);
});

scenario('storm-burns-the-day', (_, name) => {
  test.each<[string, clients.Client, log: string[], left: number]>([
    ['leaves quota to a client that obeys Retry-After', patient, ['0s GET 429, Retry-After 5', '5s GET 200'], 8],
    [
      'leaves none to a client that retries at once',
      clients.every(1, 11),
      ['0s to 0.008s, every 0.001s: GET 429, Retry-After 5', '0.009s, 0.01s: GET 429, Retry-After 86400'],
      0,
    ],
  ])('%s', async (_, client, log, left) => {
    const stage = open(name);
    await stage.run(client);
    expect([stage.log(), stage.sim.keys.get('free-key').day.remaining]).toEqual([log, left]);
  });
});

scenario('near-minute-limit', (play) => {
  const paced: Act = (on) => clients.pacing(on, 3);
  play('sends no 429 to a client that paces itself', paced, ['0s, 0s, 5s: GET 200', 200]);
  play('refuses a client that assumes a full quota', times(3, once), [
    '0s, 2 times: GET 200',
    '0s GET 429, Retry-After 5',
    429,
  ]);
});

scenario('parallel-burst', (play, name) => {
  const gated: Act = (on) => clients.sharedGate(on, 80);
  play('serves a client that pauses all calls together', gated, [
    '0s, 60 times: GET 200',
    '0s, 20 times: GET 429, Retry-After 5',
    '5s, 20 times: GET 200',
    200,
  ]);
  test('bans a client whose calls retry independently', async () => {
    const log = await seen(name, sideBySide(80, clients.backsOffOnly));
    expect([...log.slice(0, 5), log.at(-1)]).toEqual([
      '0s, 60 times: GET 200',
      '0s, 20 times: GET 429, Retry-After 5',
      '1s, 20 times: GET 429, Retry-After 4',
      '3s, 2 times: GET 429, Retry-After 2',
      '3s, 18 times: GET 429, Retry-After 120',
      'banned',
    ]);
  });
});

scenario('thundering-herd', (_, name) => {
  const herd = async (client: clients.Client) => {
    const stage = open(name);
    await stage.run(sideBySide(20, client));
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

test.each(['nested-retries', 'stubborn-429'])(
  '%s: an injected 429 has the same headers as a real one',
  async (name) => {
    const { headers } = await open(name).send();
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBe(Date.parse(headers.get('date') ?? '') + 1000);
    expect(headers.get('cache-control')).toBe('no-store');
  },
);

scenario('nested-retries', (play) => {
  play('gets five requests from a client that limits its attempts', patient, [
    '0s, 1s, 3s, 7s, 15s: GET 429, Retry-After 1',
    429,
  ]);
  play('gets 27 requests for one call from a client with three retry layers', clients.inLayers(3, 3), [
    '0s to 26s, every 1s: GET 429, Retry-After 1',
    429,
  ]);
});

scenario('stubborn-429', (play) => {
  play('is given up by a client with growing waits and limited attempts', patient, [
    '0s, 1s, 3s, 7s, 15s: GET 429, Retry-After 1',
    429,
  ]);
  play('serves a client that retries every second after eight refusals', clients.everySecond, [
    '0s to 7s, every 1s: GET 429, Retry-After 1',
    '8s GET 200',
    200,
  ]);
});

scenario('abort-while-waiting', (_, name) => {
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

scenario('ban-on-third-strike', (_, name) => {
  test('bans a client that retries every two seconds at its fourth request', async () => {
    const stage = open(name);
    await stage.run(clients.every(2000, 4));
    expect(stage.log()).toEqual([...refusedFor(10, 0, 2, 4), '6s GET 429, Retry-After 20']);
    const banned = { state: 'banned', bannedUntil: '2026-01-01T12:00:26.000Z' };
    expect(stage.sim.keys.get('free-key')).toMatchObject(banned);
    expect(JSON.parse((await stage.send()).text).code).toBe('key_banned');
  });
});

scenario('sit-out-the-ban', (play) => {
  play('gets eight requests from a client that polls', clients.every(2000, 10), [
    ...refusedFor(15, 0, 2, 4, 6, 8, 10, 12, 14),
    '16s GET 200',
    200,
  ]);
});

scenario('growing-ban', (play) => {
  const start = ['0s GET 429, Retry-After 5', '5s, 3 times: GET 200', '5s GET 429, Retry-After 8'];
  play('bans a client once that reads each Retry-After', times(4, patient), [...start, '13s GET 200', 200]);
  const second = 'gets a request during the second ban from a client that waits as long as for the first';
  play(second, times(4, clients.every(5000, 4)), [...start, ...refusedFor(20, 10, 15), '20s GET 200', 200]);
});

scenario('401-loop', (play) => {
  play('sends one 401 to a client that stops', patient, ['0s GET 429, Retry-After 3', '3s GET 401', 401]);
  const waits = clients.alsoOn401(clients.waitAsTold, 5);
  play('sends repeated 401s to a client that handles them like a 429', waits, [
    '0s GET 429, Retry-After 3',
    expect.stringMatching(/^3s(, [\d.]+s){3}: GET 401$/),
    401,
  ]);
});

scenario('revoked-mid-run', (play) => {
  const getsAnother: Act = async (on) => {
    let key = 'free-key';
    for (let call = 0; call < 5; call++, await on.sleep(750)) {
      const { status } = await on.send({ key });
      if (status !== 401) continue;
      key = 'next-key';
      await on.send({ key });
    }
    return [];
  };
  play('serves a client that gets another key', getsAnother, [
    '0s, 1s: GET 200',
    '2s GET 401',
    '2s, 3s, 4s: GET 200',
    undefined,
  ]);
  const keeps: Act = async (on) => {
    for (let call = 0; call < 5; call++, await on.sleep(750)) await on.send();
    return [];
  };
  play('refuses all further calls of a client that keeps the key', keeps, [
    '0s, 1s: GET 200',
    '2s, 2.75s, 3.5s: GET 401',
    undefined,
  ]);
});

scenario('jitter-below', (_, name) => {
  test('serves a client that adds to Retry-After, on every call', async () => {
    const adding = clients.retrying(({ headers }) => Number(headers.get('retry-after')) * 1000 + 100);
    const ends = await open(name).run(async (on) => [await adding(on), await adding(on), await adding(on)]);
    expect(ends.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(ends.map(({ headers }) => headers.has('x-ratelimit-reset'))).toEqual([false, false, false]);
  });
  test('refuses a client with negative jitter again, but does not ban it', async () => {
    const below = clients.retrying(({ headers }) => Number(headers.get('retry-after')) * 900);
    const log = await seen(name, times(2, below));
    expect(log.filter((line) => String(line).includes('429'))).toEqual([
      '0s GET 429, Retry-After 2',
      '1.8s GET 429, Retry-After 1',
    ]);
    expect(log).not.toContain('banned');
  });
});

scenario('shards', (_, name) => {
  test('serves concurrent callers with a shared pause, although others use the key', async () => {
    const stage = open(name);
    const all = await stage.run((on) => clients.sharedGate(on, 4));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(stage.log()).toEqual(['0s, 4 times: GET 429, Retry-After 5', '5s, 4 times: GET 200']);
    await stage.runUntil(7);
    // The others send ten requests in each of the seconds 5, 6 and 7.
    expect(stage.sim.keys.get('free-key').minute.remaining).toBe(60 - 4 - 30);
  });
  test('bans a client that retries every second', async () => {
    expect((await seen(name, clients.everySecond)).at(-1)).toBe('banned');
  });
});

scenario('shared-quota', (_, name) => {
  test('serves a hundred callers with a shared pause, sixty of them at once', async () => {
    const stage = open(name);
    const all = await stage.run((on) => clients.sharedGate(on, 100));
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect(stage.log()[0]).toBe('0s, 60 times: GET 200');
  });
  test('bans callers with independent backoff', async () => {
    expect((await seen(name, sideBySide(100, clients.backsOffOnly))).at(-1)).toBe('banned');
  });
});

scenario('post-answer-late', (_, name) => {
  test('stores one pet for a client that waits for the response', async () => {
    const stage = open(name);
    expect((await stage.run(posts(once))) as Seen).toMatchObject({ status: 201 });
    expect(stage.now() - Date.parse('2026-01-01T12:00:00Z')).toBe(10_000);
    expect([stage.log(), stored(stage)]).toEqual([['0s POST 201'], 1]);
  });
});

scenario('browser-cannot-see', (play, name) => {
  test('exposes no rate-limit header', () => {
    expect(open(name).sim.settings.cors).toBe('hidden');
  });
  play('serves a client that needs no headers', clients.behindCors(patient), [
    ...refusedFor(3, 0, 1),
    '3s GET 200',
    200,
  ]);
});

scenario('flaky-5xx', (_, name) => {
  const calls = async (client: clients.Client) => {
    const stage = open(name);
    const counts: Record<number, number> = {};
    await stage.run(async (on) => {
      for (let call = 0; call < 40; call++) {
        const { status } = await client(on);
        counts[status] = (counts[status] ?? 0) + 1;
      }
    });
    return { counts, log: stage.log().join('\n') };
  };
  test('serves every call of a client that retries with growing waits', async () => {
    const { counts, log } = await calls(clients.sturdy());
    expect(counts).toEqual({ 200: 40 });
    expect(log).toContain('GET 503, Retry-After 1');
    expect(log).toContain('GET 500');
  });
  test('fails about a quarter of the calls of a client that gives up on the first 5xx', async () => {
    expect((await calls(once)).counts).toEqual({ 200: 30, 500: 4, 503: 6 });
  });
});

scenario('slow', (_, name) => {
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

scenario('slow-drip', (play, name) => {
  test('is read completely by a client with a timeout per chunk', async () => {
    const stage = open(name);
    const { text } = await stage.run((on) => on.send());
    expect(JSON.parse(text)).toHaveLength(20);
    const seconds = (stage.now() - Date.parse('2026-01-01T12:00:00Z')) / 1000;
    expect(seconds).toBeGreaterThan(5);
    expect(seconds).toBeLessThan(20);
  });

  const impatient = clients.sturdy({ timeoutMs: 5_000, attempts: 3 });
  play('is not read by a client with a total timeout of five seconds', impatient, [
    '0s, 6s, 13s: GET given up',
    'gave up',
  ]);
});

scenario('hang', (play, name) => {
  const bounded = clients.sturdy({ timeoutMs: 5_000 });
  play('is abandoned by a client with a timeout, which succeeds at its second attempt', bounded, [
    '0s GET given up',
    '6s GET 200',
    200,
  ]);

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

scenario('reset-then-ok', (play) => {
  const lost = '0s GET no answer, connection lost';
  play('serves the second attempt of each call', clients.sturdy(), [lost, '1s GET 200', 200]);
  play('is given up by a client that only retries responses with a status', patient, [lost, 'Failed to fetch']);
});

scenario('truncated-json', (play, name) => {
  const broken = '0s GET 200, connection lost';
  play('serves a client that retries broken responses', clients.sturdy(), [broken, '1s GET 200', 200]);

  test('gives no pets to a client that ignores the break', async () => {
    const stage = open(name);
    const pets = await stage.run((on) =>
      on.send().then(
        ({ text }) => JSON.parse(text),
        () => [],
      ),
    );
    expect([pets, stage.log()]).toEqual([[], [broken]]);
  });
});

type Listed = { id: number; name: string; status: string }[];

scenario('empty', (_, name) => {
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

scenario('int64-ids', (_, name) => {
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

scenario('after-removal', (_, name) => {
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

scenario('large-catalogue', (_, name) => {
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

test('every shipped scenario is tested here', () => {
  expect([...tried].sort()).toEqual(fileNames);
});
