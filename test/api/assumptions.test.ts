import { describe, expect, test } from 'vitest';
import {
  type AssumptionId,
  assumptions,
  createSimulator,
  type Scenario,
  ScenarioError,
  type Settings,
} from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import {
  type AdapterAnswer,
  describeOverHttp,
  errorOf,
  expectAnswer,
  firstRate,
  invalid,
  noonSeconds,
  rate,
  type Service,
  threePets,
} from '../support/adapters.js';

const { minute: perMinute } = documentedPlans.free;

/** Effect of one value of an assumption on the API, in a service that otherwise has the defaults. */
type Behaviour<Value> = [value: Value, does: string, check: (service: Service) => Promise<void>];

const of = <const Value>(...row: Behaviour<Value>): Behaviour<Value> => row;

/** All values of one assumption. */
interface Point<Value> {
  /** Part of the response that shows the assumption. */
  scenario?: Scenario;
  behaviours: Behaviour<Value>[];
}

/** cors only affects the HTTP adapter; test/adapters/cors.test.ts tests each of its values. */
const testedElsewhere = ['cors'] as const;
type TestedHere = Exclude<AssumptionId, (typeof testedElsewhere)[number]>;

const rex = { name: 'Rex', categoryId: 1 };
const created = { id: 4, ...rex, status: 'available' };
const ids = ({ json }: AdapterAnswer): number[] => json.map(({ id }: { id: number }) => id);
const retryAfter = ({ headers }: AdapterAnswer) => Number(headers.get('retry-after'));
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `Pet ${index + 1}`, categoryId: 1 }));
const twoAMinute = { plans: { free: { minute: 2, day: 100 } } };

/** Pages of two of the pets 1 to 5. */
const pages = [[1, 2], [3, 4], [5]];

/** Calls until the first refusal. */
async function untilRefused({ get }: Service): Promise<AdapterAnswer> {
  for (;;) {
    const answer = await get('/pets');
    if (answer.status !== 200) return answer;
  }
}

/** The fields of the IETF draft in the first response. */
async function draftFields({ get }: Service): Promise<[string, string][]> {
  const { headers } = await get('/pets');
  return [...headers].filter(([name]) => name.startsWith('ratelimit')).sort();
}

/** The codes of refused requests, sent every two seconds. */
async function insist({ get, sim }: Service, times: number): Promise<string[]> {
  const codes = [];
  for (let count = 0; count < times; count++) {
    sim.clock.advance('2s');
    codes.push((await get('/pets')).json.code);
  }
  return codes;
}

/** Exhausted at noon, banned at 12:00:06 under the default rule. */
async function untilBanned(service: Service): Promise<AdapterAnswer> {
  await untilRefused(service);
  for (;;) {
    service.sim.clock.advance('2s');
    const answer = await service.get('/pets');
    if (answer.json.code === 'key_banned') return answer;
  }
}

/**
 * Follows `rel="next"` from the first page to the last, and returns the ids of each page and the query of each link.
 */
async function walk({ get, baseUrl }: Service, path: string): Promise<{ pages: number[][]; queries: string[] }> {
  const pages = [];
  const queries = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: AdapterAnswer = await get(next);
    expect(answer.status).toBe(200);
    pages.push(ids(answer));
    const link = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    if (link !== undefined) expect(link.startsWith(`${baseUrl}/pets?`)).toBe(true);
    next = link?.slice(baseUrl.length);
    if (next !== undefined) queries.push(next.slice('/pets?'.length));
  }
  return { pages, queries };
}

const givesStatus =
  (status: string) =>
  async ({ post, get }: Service) => {
    const answer = await post(rex);
    expectAnswer(answer, 201, { id: 4, ...rex, status });
    expectAnswer(await get('/pets/4'), 200, answer.json);
  };

/** Lists as many pets as the table says for each text of the limit. */
const limitsTo =
  (counts: Record<string, number>) =>
  async ({ get }: Service) => {
    for (const [text, count] of Object.entries(counts))
      expectAnswer(await get(`/pets?limit=${text}`), 200, (await get(`/pets?limit=100`)).json.slice(0, count));
  };

const answersToText = (status: number, body: unknown) => async (service: Service) =>
  expectAnswer(await sendText(service), status, body);

/** Bans at the last of so many early requests. */
const bansAt = (strikes: number) => async (service: Service) => {
  await untilRefused(service);
  expect(await insist(service, strikes)).toEqual([...Array(strikes - 1).fill('rate_limit_exceeded'), 'key_banned']);
};

/** Counts strikes from a millisecond after so many milliseconds on. */
const spares = (graceMs: number) => async (service: Service) => {
  await untilRefused(service);
  for (const [advanceMs, strikes] of [
    [graceMs, 0],
    [1, 1],
  ] as const) {
    service.sim.clock.advance(advanceMs);
    await service.get('/pets');
    expect(service.sim.keys.get('free-key').strikes).toBe(strikes);
  }
};

/** Counts so many strikes for a request at that time after the refusal, whose reset comes after 60 s. */
const strikesAt = (afterMs: number, strikes: number) => async (service: Service) => {
  await untilRefused(service);
  service.sim.clock.advance(afterMs);
  expect((await service.get('/pets')).status).toBe(429);
  expect(service.sim.keys.get('free-key').strikes).toBe(strikes);
};

const banAnswers =
  (status: number, challenge: string | null) =>
  async (service: Service): Promise<void> => {
    const answer = await untilBanned(service);
    expectAnswer(answer, status, errorOf(status, 'key_banned', expect.stringMatching(/retry in 120 seconds\.$/)));
    expect(rate(answer)).toEqual([2, 0, noonSeconds + 126]);
    expect(retryAfter(answer)).toBe(120);
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
  };

const afterRemoval =
  (status: number, body: unknown) =>
  async ({ get, sim }: Service): Promise<void> => {
    sim.clock.set('2030-12-04T23:59:59.999Z');
    expectAnswer(await get('/pets/1'), 200, threePets[0]);
    sim.clock.advance('1ms');
    expectAnswer(await get('/pets/1'), status, body, [perMinute, perMinute - 2, Date.UTC(2030, 11, 5) / 1000 + 59]);
    expectAnswer(await get('/pets?limit=1'), 200, [threePets[0]]);
  };

const removed = 'getPet was removed on 5 December 2030; use GET /pets with the status filter.';
const limitMessage = (text: string) => invalid(`limit is "${text}"; it must be a whole number from 1 to 100.`);
const contentTypeMessage = 'Content-Type is "text/plain"; it must be application/json.';
const sendText = ({ post }: Service) => post(rex, { headers: { 'Content-Type': 'text/plain' } });

const points: { [Id in TestedHere]: Point<(typeof assumptions)[Id]['default']> } = {
  defaultStatus: {
    behaviours: [
      ['available', 'makes a new pet available', givesStatus('available')],
      ['pending', 'makes a new pet pending', givesStatus('pending')],
      ['sold', 'makes a new pet sold', givesStatus('sold')],
      of('absent', 'leaves the field out', async ({ post, get }) => {
        expectAnswer(await post(rex), 201, { id: 4, ...rex });
        expectAnswer(await get('/pets/4'), 200, { id: 4, ...rex });
        expect(ids(await get('/pets'))).toEqual([1, 2, 3, 4]);
        expect(ids(await get('/pets?status=available'))).toEqual([1]);
        expectAnswer(await post({ ...rex, status: 'sold' }), 201, { id: 5, ...rex, status: 'sold' });
      }),
    ],
  },
  unknownCategory: {
    scenario: { categories: [1, 9223372036854775807n] },
    behaviours: [
      of('accept', 'takes any categoryId', async ({ post }) => {
        expectAnswer(await post({ ...rex, categoryId: 77 }), 201, { ...created, categoryId: 77 });
      }),
      of('reject', 'takes only a categoryId that the scenario lists', async ({ post, sim }) => {
        expectAnswer(await post({ ...rex, categoryId: 77 }), 400, invalid('categoryId 77 is not a known category.'));
        expect((await post(rex)).status).toBe(201);
        expect((await post('{"name":"Rex","categoryId":9223372036854775807}')).status).toBe(201);
        expect((await post('{"name":"Rex","categoryId":9223372036854775806}')).status).toBe(400);
        expect(sim.pets.size).toBe(5);
      }),
    ],
  },
  unknownFields: {
    behaviours: [
      of('ignore', 'forgets them', async ({ post, get }) => {
        expectAnswer(await post({ ...rex, color: 'red' }), 201, created);
        expectAnswer(await get('/pets/4'), 200, created);
      }),
      of('reject', 'answers 400 and names the field', async ({ post, sim }) => {
        expectAnswer(await post({ ...rex, color: 'red' }), 400, invalid('"color" is not a field of NewPet.'));
        expectAnswer(await post({ ...rex, id: 9 }), 400, invalid('"id" is not a field of NewPet.'));
        expect((await post(rex)).status).toBe(201);
        expect(sim.pets.size).toBe(4);
      }),
      of('echo', 'gives them back exactly, but never takes an id', async ({ post, get }) => {
        const answer = await post(
          '{"id":9,"name":"Rex","color":{"a":[9007199254740993,null]},"categoryId":1,"__proto__":true}',
        );
        expect(answer.status).toBe(201);
        const text =
          '{"id":4,"name":"Rex","categoryId":1,"status":"available","color":{"a":[9007199254740993,null]},"__proto__":true}';
        expect(answer.bodyText).toBe(text);
        expect((await get('/pets/4')).bodyText).toBe(text);
      }),
    ],
  },
  emptyName: {
    behaviours: [
      of('accept', 'takes it', async ({ post }) => {
        expectAnswer(await post({ ...rex, name: '' }), 201, { ...created, name: '' });
      }),
      of('reject', 'answers 400', async ({ post }) => {
        expectAnswer(await post({ ...rex, name: '' }), 400, invalid('name is empty.'));
        expect((await post({ ...rex, name: ' ' })).status).toBe(201);
      }),
    ],
  },
  listOrder: {
    scenario: { pets: numbered(12) },
    behaviours: [
      of('id-ascending', 'lists the lowest id first', async ({ get, post }) => {
        await post(rex);
        expect(ids(await get('/pets'))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
      }),
      of('newest-first', 'lists the highest id first', async ({ get, post }) => {
        await post(rex);
        expect(ids(await get('/pets?limit=4'))).toEqual([13, 12, 11, 10]);
      }),
      of('shuffled', 'lists in an order that the seed alone decides', async (service) => {
        const order = ids(await service.get('/pets'));
        expect(order).not.toEqual([...order].sort((a, b) => a - b));
        expect([...order].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        expect(ids(await service.get('/pets?limit=5'))).toEqual(order.slice(0, 5));
        const scenario = { pets: numbered(12), assumptions: { listOrder: 'shuffled' } } as const;
        const orderOf = (seed: number) =>
          createSimulator({ scenario: { ...scenario, seed } })
            .pets.list()
            .map(({ id }) => id);
        expect(orderOf(1)).toEqual(order);
        expect(orderOf(2)).not.toEqual(order);
      }),
    ],
  },
  paging: {
    scenario: { pets: numbered(5) },
    behaviours: [
      of('none', 'shows no way to the next page', async (service) => {
        expect(await walk(service, '/pets?limit=2')).toEqual({ pages: [[1, 2]], queries: [] });
      }),
      of('cursor', 'links to the pets after the last one shown', async (service) => {
        expect(await walk(service, '/pets?limit=2&status=available')).toEqual({
          pages,
          queries: ['limit=2&status=available&cursor=after-2', 'limit=2&status=available&cursor=after-4'],
        });
        expectAnswer(await service.get('/pets?cursor=2'), 400, invalid('cursor is not one that a Link header gave.'));
        expect(ids(await service.get('/pets?cursor=after-99'))).toEqual([]);
        service.sim.pets.remove(2);
        expect(ids(await service.get('/pets?limit=2&cursor=after-2'))).toEqual([3, 4]);
      }),
      of('offset', 'links to how many pets to leave out', async (service) => {
        expect(await walk(service, '/pets?limit=2')).toEqual({
          pages,
          queries: ['limit=2&offset=2', 'limit=2&offset=4'],
        });
        const message = 'offset is "-1"; it must be a whole number from 0.';
        expectAnswer(await service.get('/pets?offset=-1'), 400, invalid(message));
        expect(ids(await service.get('/pets?offset=3&limit=1'))).toEqual([4]);
      }),
      of('page', 'links to the number of the next page', async (service) => {
        expect(await walk(service, '/pets?limit=2')).toEqual({
          pages,
          queries: ['limit=2&page=2', 'limit=2&page=3'],
        });
        expectAnswer(await service.get('/pets?page=0'), 400, invalid('page is "0"; it must be a whole number from 1.'));
        expect(ids(await service.get('/pets?page=9'))).toEqual([]);
      }),
    ],
  },
  limitOutOfRange: {
    scenario: { pets: numbered(120) },
    behaviours: [
      of('reject', 'answers 400', async ({ get }) => {
        for (const text of ['0', '101', '-5', 'ten']) {
          expectAnswer(await get(`/pets?limit=${text}`), 400, limitMessage(text));
        }
      }),
      ['clamp', 'takes the nearest limit there is', limitsTo({ 0: 1, 101: 100, '-5': 1, 1e15: 100, ten: 20, 7: 7 })],
      ['default', 'takes 20', limitsTo({ 0: 20, 101: 20, '-5': 20, ten: 20, 7: 7 })],
    ],
  },
  unknownStatusFilter: {
    behaviours: [
      of('reject', 'answers 400', async ({ get }) => {
        const message = 'status is "lost"; it must be one of available, pending, sold.';
        expectAnswer(await get('/pets?status=lost'), 400, invalid(message));
      }),
      of('empty', 'lists nothing', async ({ get }) => {
        expectAnswer(await get('/pets?status=lost'), 200, []);
        expectAnswer(await get('/pets?status=sold'), 200, [threePets[2]]);
      }),
      of('ignore', 'lists everything', async ({ get }) => {
        expectAnswer(await get('/pets?status=lost'), 200, threePets);
        expectAnswer(await get('/pets?status=sold'), 200, [threePets[2]]);
      }),
    ],
  },
  unknownQuery: {
    behaviours: [
      of('ignore', 'answers as if they were not there, for each operation', async ({ call, get }) => {
        const list = await get('/pets?page=2&offset=20&cursor=x&limit=3');
        expectAnswer(list, 200, threePets);
        expect(list.headers.has('link')).toBe(false);
        expectAnswer(await get('/pets/1?limit=0&status=lost'), 200, threePets[0]);
        const options = { key: 'free-key', body: JSON.stringify(rex) };
        expectAnswer(await call('POST', '/pets?limit=0&status=lost', options), 201, created);
      }),
      of('reject', 'answers 400 and names the parameter', async ({ get }) => {
        expectAnswer(await get('/pets?page=2'), 400, invalid('"page" is not a query parameter of listPets.'));
        expectAnswer(await get('/pets?limit=1&status=sold'), 200, [threePets[2]]);
      }),
    ],
  },
  malformedPetId: {
    behaviours: [
      of('not-found', 'answers 404', async ({ get }) => {
        expectAnswer(await get('/pets/rex'), 404, errorOf(404, 'not_found', expect.any(String)));
      }),
      of('reject', 'answers 400', async ({ get }) => {
        for (const text of ['rex', '01', '9223372036854775808']) {
          expectAnswer(await get(`/pets/${text}`), 400, invalid('petId is not a whole number from -2^63 to 2^63-1.'));
        }
        expectAnswer(await get('/pets/999'), 404, errorOf(404, 'not_found', expect.any(String)));
      }),
    ],
  },
  contentType: {
    behaviours: [
      ['reject', 'answers 400', answersToText(400, invalid(contentTypeMessage))],
      of('accept', 'reads the body as JSON anyway', async (service) => {
        expectAnswer(await sendText(service), 201, created);
        expect((await service.post('no JSON', { headers: { 'Content-Type': '' } })).status).toBe(400);
      }),
      of('unsupported', 'answers 415', async (service) => {
        expectAnswer(await sendText(service), 415, errorOf(415, 'unsupported_media_type', contentTypeMessage));
        expect((await service.post(rex)).status).toBe(201);
      }),
    ],
  },
  bodyTooLarge: {
    behaviours: [
      of('payload-too-large', 'answers 413', async ({ post }) => {
        const tooLarge = errorOf(413, 'payload_too_large', 'The body is larger than 65536 bytes.');
        expectAnswer(await post(`{"name":"${'x'.repeat(65_536)}","categoryId":1}`), 413, tooLarge);
      }),
    ],
  },
  unknownRoute: {
    behaviours: [
      of('not-found', 'answers 404', async ({ get }) => {
        expectAnswer(await get('/orders'), 404, errorOf(404, 'not_found', expect.stringContaining('no such path')));
      }),
    ],
  },
  unknownMethod: {
    behaviours: [
      of('method-not-allowed', 'answers 405 with Allow', async ({ call }) => {
        const answer = await call('PROPFIND', '/pets/1', { key: 'free-key' });
        expectAnswer(answer, 405, errorOf(405, 'method_not_allowed', expect.stringContaining('PROPFIND')));
        expect(answer.headers.get('allow')).toMatch(/^GET\b/);
      }),
      of('not-found', 'answers 404 without Allow', async ({ call }) => {
        const answer = await call('PROPFIND', '/pets/1', { key: 'free-key' });
        expectAnswer(answer, 404, errorOf(404, 'not_found', expect.stringContaining('no such path')));
        expect(answer.headers.has('allow')).toBe(false);
      }),
    ],
  },
  errorCodes: {
    scenario: { keys: { spent: { usage: { minute: 'all' } } } },
    behaviours: [
      of({}, 'renames the codes', async ({ get }) => {
        expect((await get('/pets/999')).json.code).toBe('not_found');
        expect((await get('/pets', { key: 'spent' })).json.code).toBe('rate_limit_exceeded');
      }),
      of(
        { rate_limit_exceeded: 'RATE_LIMITED', not_found: 'PET_NOT_FOUND' },
        'uses the codes of the map, and our own for the rest',
        async ({ get, post }) => {
          expectAnswer(await get('/pets/999'), 404, errorOf(404, 'PET_NOT_FOUND', expect.any(String)));
          expectAnswer(await get('/pets', { key: 'spent' }), 429, errorOf(429, 'RATE_LIMITED', expect.any(String)));
          expect((await post({})).json.code).toBe('invalid_request');
        },
      ),
    ],
  },
  acceptAnyKey: {
    behaviours: [
      of(false, 'answers 401 to an unknown key', async ({ get }) => {
        const unknown = errorOf(401, 'unauthorized', 'The API key is unknown.');
        expectAnswer(await get('/pets', { key: 'anyone' }), 401, unknown);
      }),
      of(true, 'gives every unknown key the free plan and a separate count', async ({ get }) => {
        for (const key of ['anyone', 'someone']) {
          expectAnswer(await get('/pets', { key }), 200, threePets, firstRate);
        }
        expect(rate(await get('/pets', { key: 'anyone' }))).toEqual([perMinute, perMinute - 2, noonSeconds + 60]);
        expect((await get('/pets', { key: 'revoked-key' })).status).toBe(401);
      }),
    ],
  },
  unauthorizedHeaders: {
    behaviours: [
      of('full', 'shows an unused minute of the free plan', async ({ call }) => {
        const answer = await call('GET', '/pets');
        expect(answer.status).toBe(401);
        expect(rate(answer)).toEqual([perMinute, perMinute, noonSeconds + 60]);
      }),
      of('omit', 'leaves them out of a 401 only', async ({ call, get }) => {
        const answer = await call('GET', '/pets');
        expectAnswer(answer, 401, errorOf(401, 'unauthorized', expect.any(String)));
        expect([...answer.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="petstore"');
        expect(rate(await get('/pets'))).toEqual(firstRate);
      }),
      of('remaining-zero', 'has Remaining 0', async ({ call }) => {
        const answer = await call('GET', '/pets');
        expect(answer.status).toBe(401);
        expect(rate(answer)).toEqual([perMinute, 0, noonSeconds + 60]);
        expect(answer.headers.has('retry-after')).toBe(false);
      }),
    ],
  },
  limitsApply: {
    scenario: { ...twoAMinute, ban: 'off' },
    behaviours: [
      of('all', 'counts every operation and every path', async ({ get, post }) => {
        expect([(await get('/pets')).status, (await get('/nowhere')).status]).toEqual([200, 404]);
        expect((await post(rex)).status).toBe(429);
      }),
      of('none', 'counts nothing and shows an unused window', async ({ get, post }) => {
        for (let count = 0; count < 3; count++) {
          expect((await post(rex)).status).toBe(201);
          expect(rate(await get('/pets'))).toEqual([2, 2, noonSeconds + 60]);
        }
      }),
      of(['createPet'], 'counts what the list names', async ({ get, post }) => {
        for (const status of [201, 201, 429]) {
          expect((await get('/pets')).status).toBe(200);
          expect((await get('/nowhere')).status).toBe(404);
          expect((await post(rex)).status).toBe(status);
        }
      }),
    ],
  },
  enterpriseLimits: {
    scenario: { keys: { 'enterprise-key': { plan: 'enterprise', usage: { minute: 5 } } } },
    behaviours: [
      of({ minute: 5_000, day: 1_000_000 }, 'gives 5,000 a minute', async ({ get }) => {
        expect(rate(await get('/pets', { key: 'enterprise-key' }))).toEqual([5_000, 4_994, noonSeconds + 60]);
      }),
      of({ minute: 10, day: 50 }, 'gives the configured limits', async ({ get, sim }) => {
        expect(rate(await get('/pets', { key: 'enterprise-key' }))).toEqual([10, 4, noonSeconds + 60]);
        expect(sim.keys.get('enterprise-key').day).toMatchObject({ limit: 50, remaining: 49 });
      }),
    ],
  },
  algorithm: {
    scenario: { plans: { free: { minute: 6, day: 1_000 } }, ban: 'off' },
    behaviours: [
      of('fixed-window', 'gives everything back at once at the reset', async (service) => {
        await service.get('/pets');
        service.sim.clock.advance('59s');
        expect(retryAfter(await untilRefused(service))).toBe(1);
        service.sim.clock.advance('1s');
        expect(rate(await service.get('/pets'))).toEqual([6, 5, noonSeconds + 120]);
      }),
      of('sliding-log', 'gives each request back a minute after it', async (service) => {
        await service.get('/pets');
        service.sim.clock.advance('59s');
        expect(retryAfter(await untilRefused(service))).toBe(1);
        service.sim.clock.advance('1s');
        const answer = await service.get('/pets');
        expect(answer.status).toBe(200);
        expect(rate(answer)).toEqual([6, 0, noonSeconds + 119]);
        expect(retryAfter(await service.get('/pets'))).toBe(59);
      }),
      of('token-bucket', 'gives one request back every ten seconds', async (service) => {
        const refused = await untilRefused(service);
        expect(refused.status).toBe(429);
        expect(rate(refused)).toEqual([6, 0, noonSeconds + 10]);
        expect(retryAfter(refused)).toBe(10);
        service.sim.clock.advance('10s');
        expect(rate(await service.get('/pets'))).toEqual([6, 0, noonSeconds + 20]);
        expect(retryAfter(await service.get('/pets'))).toBe(10);
      }),
    ],
  },
  windowStart: {
    scenario: { clock: { start: '2026-01-01T12:00:30Z' }, keys: { worn: { usage: { day: 999 } } } },
    behaviours: [
      of('first-request', 'starts it at the first request', async ({ get }) => {
        expect(rate(await get('/pets'))).toEqual([perMinute, perMinute - 1, noonSeconds + 90]);
        expect(rate(await get('/pets', { key: 'worn' }))).toEqual([1_000, 0, noonSeconds + 30 + 86_400]);
      }),
      of('clock', 'starts it at the full minute and at midnight UTC', async ({ get }) => {
        expect(rate(await get('/pets'))).toEqual(firstRate);
        expect(rate(await get('/pets', { key: 'worn' }))).toEqual([1_000, 0, noonSeconds + 43_200]);
      }),
    ],
  },
  rejectedCounts: {
    // Only a log shows requests counted in the window that refuses.
    scenario: { plans: { free: { minute: 2, day: 10 } }, ban: 'off', limits: { algorithm: 'sliding-log' } },
    behaviours: [
      of('none', 'counts a refused request nowhere', async (service) => {
        await untilRefused(service);
        expect(service.sim.keys.get('free-key').day.remaining).toBe(8);
        service.sim.clock.advance('60s');
        expect(rate(await service.get('/pets'))).toEqual([2, 1, noonSeconds + 120]);
      }),
      of('other-windows', 'counts it in the window that had some left', async (service) => {
        service.sim.clock.advance('1s');
        await untilRefused(service);
        expect(service.sim.keys.get('free-key').day.remaining).toBe(7);
        service.sim.clock.advance('60s');
        expect(rate(await service.get('/pets'))).toEqual([2, 1, noonSeconds + 121]);
      }),
      of('all', 'counts it in both, so that it uses up later requests', async (service) => {
        await untilRefused(service);
        expect(service.sim.keys.get('free-key').day.remaining).toBe(7);
        service.sim.clock.advance('30s');
        expect((await service.get('/pets')).status).toBe(429);
        service.sim.clock.advance('30s');
        expect(rate(await service.get('/pets'))).toEqual([2, 0, noonSeconds + 90]);
      }),
    ],
  },
  reportedWindow: {
    scenario: {
      keys: {
        'low-day': { usage: { minute: 10, day: 995 } },
        'low-minute': { usage: { minute: 10, day: 10 } },
        'no-day': { usage: { minute: 10, day: 1_000 } },
      },
    },
    behaviours: [
      of('least-remaining', 'shows the window that runs out first', async ({ get }) => {
        expect(rate(await get('/pets', { key: 'low-day' }))).toEqual([1_000, 4, noonSeconds + 86_400]);
        expect(rate(await get('/pets', { key: 'low-minute' }))).toEqual([perMinute, perMinute - 11, noonSeconds + 60]);
      }),
      of('minute', 'shows the minute, until the day refuses', async ({ get }) => {
        expect(rate(await get('/pets', { key: 'low-day' }))).toEqual([perMinute, perMinute - 11, noonSeconds + 60]);
        expect(rate(await get('/pets', { key: 'low-minute' }))).toEqual([perMinute, perMinute - 11, noonSeconds + 60]);
        const refused = await get('/pets', { key: 'no-day' });
        expect(refused.status).toBe(429);
        expect(rate(refused)).toEqual([1_000, 0, noonSeconds + 86_400]);
      }),
      of('day', 'shows the day', async ({ get }) => {
        expect(rate(await get('/pets', { key: 'low-day' }))).toEqual([1_000, 4, noonSeconds + 86_400]);
        expect(rate(await get('/pets', { key: 'low-minute' }))).toEqual([1_000, 989, noonSeconds + 86_400]);
      }),
    ],
  },
  rateLimitFields: {
    scenario: twoAMinute,
    behaviours: [
      ['none', 'sends no such field', async (service) => expect(await draftFields(service)).toEqual([])],
      of('legacy', 'sends three fields of numbers, the last one the seconds until the reset', async (service) => {
        expect(await draftFields(service)).toEqual([
          ['ratelimit-limit', '2'],
          ['ratelimit-remaining', '1'],
          ['ratelimit-reset', '60'],
        ]);
        const refused = await untilRefused(service);
        expect(refused.headers.get('ratelimit-remaining')).toBe('0');
      }),
      of('structured-rt', 'names what remains and the seconds until the reset', async (service) =>
        expect(await draftFields(service)).toEqual([
          ['ratelimit', '"minute";r=1;t=60'],
          ['ratelimit-policy', '"minute";q=2;w=60'],
        ]),
      ),
      of('structured-aw', 'names what is available and the seconds that it is for', async (service) =>
        expect(await draftFields(service)).toEqual([
          ['ratelimit', '"minute";a=1;w=60'],
          ['ratelimit-policy', '"minute";q=2;w=60'],
        ]),
      ),
    ],
  },
  retryAfterForm: {
    scenario: twoAMinute,
    behaviours: [
      of('seconds', 'writes whole seconds', async (service) => {
        const answer = await untilRefused(service);
        expect(answer.status).toBe(429);
        expect(answer.headers.get('retry-after')).toBe('60');
      }),
      of('http-date', 'writes the instant of the reset, on limits and on bans', async (service) => {
        const answer = await untilRefused(service);
        expect([answer.status, ...rate(answer)]).toEqual([429, 2, 0, noonSeconds + 60]);
        expect(answer.headers.get('retry-after')).toBe('Thu, 01 Jan 2026 12:01:00 GMT');
        const banned = await untilBanned(service);
        expect(banned.headers.get('retry-after')).toBe('Thu, 01 Jan 2026 12:02:06 GMT');
      }),
    ],
  },
  banAfter: {
    scenario: twoAMinute,
    behaviours: [
      [3, 'bans at the third strike', bansAt(3)],
      [1, 'bans at the first strike', bansAt(1)],
      of(0, 'never bans', async (service) => {
        await untilRefused(service);
        expect(await insist(service, 12)).toEqual(Array(12).fill('rate_limit_exceeded'));
      }),
    ],
  },
  banGraceMs: {
    scenario: { ...twoAMinute },
    behaviours: [
      [1_000, 'spares a burst of one second', spares(1_000)],
      [0, 'spares only the instant of the first refusal', spares(0)],
    ],
  },
  banToleranceMs: {
    scenario: twoAMinute,
    behaviours: [
      [50, 'spares a request 50 ms too early', strikesAt(59_950, 0)],
      [0, 'spares none', strikesAt(59_999, 1)],
    ],
  },
  banSeconds: {
    scenario: { ...twoAMinute, windows: { minute: '10s' } },
    behaviours: [
      [120, 'bans for two minutes', async (service) => expect(retryAfter(await untilBanned(service))).toBe(120)],
      [5, 'bans for five seconds', async (service) => expect(retryAfter(await untilBanned(service))).toBe(5)],
    ],
  },
  banExtend: {
    scenario: twoAMinute,
    behaviours: [
      of(false, 'leaves the end of the ban where it is', async (service) => {
        await untilBanned(service);
        service.sim.clock.advance('100s');
        expect(retryAfter(await service.get('/pets'))).toBe(20);
      }),
      of(true, 'starts the ban again', async (service) => {
        await untilBanned(service);
        service.sim.clock.advance('100s');
        const answer = await service.get('/pets');
        expect(answer.json.code).toBe('key_banned');
        expect(retryAfter(answer)).toBe(120);
      }),
    ],
  },
  banEscalation: {
    scenario: { ...twoAMinute, windows: { minute: '10s' } },
    behaviours: [
      of(false, 'bans for as long each time', async (service) => {
        for (let count = 0; count < 3; count++) {
          expect(retryAfter(await untilBanned(service))).toBe(120);
          service.sim.clock.advance('120s');
        }
      }),
      of({ factor: 2, maxSeconds: 259_200 }, 'doubles it each time, up to three days', async (service) => {
        const seconds = [];
        for (let count = 0; count < 14; count++) {
          const wait = retryAfter(await untilBanned(service));
          seconds.push(wait);
          service.sim.clock.advance(wait * 1_000);
        }
        expect(seconds.slice(0, 4)).toEqual([120, 240, 480, 960]);
        expect(seconds.slice(-2)).toEqual([259_200, 259_200]);
      }),
    ],
  },
  banStatus: {
    scenario: twoAMinute,
    behaviours: [
      [429, 'answers 429', banAnswers(429, null)],
      [403, 'answers 403', banAnswers(403, null)],
      [401, 'answers 401, with its challenge', banAnswers(401, 'Bearer realm="petstore", error="invalid_token"')],
      [418, 'answers 418', banAnswers(418, null)],
    ],
  },
  deprecation: {
    behaviours: [
      of('silent', 'sends no header', async ({ get }) => {
        const answer = await get('/pets/1');
        expect(answer.status).toBe(200);
        for (const name of ['deprecation', 'sunset', 'link']) expect(answer.headers.has(name)).toBe(false);
      }),
      of(
        'headers',
        'sends Deprecation, Sunset and Link with every answer of getPet, and of no other operation',
        async ({ get, baseUrl }) => {
          for (const [path, status] of [
            ['/pets/1', 200],
            ['/pets/999', 404],
          ] as const) {
            const { headers, ...answer } = await get(path);
            expect(answer.status).toBe(status);
            expect(headers.get('deprecation')).toMatch(/^@[0-9]+$/);
            expect(headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
            expect(headers.get('link')).toBe(`<${baseUrl}/pets>; rel="successor-version"`);
          }
          const list = await get('/pets');
          for (const name of ['deprecation', 'sunset', 'link']) expect(list.headers.has(name)).toBe(false);
        },
      ),
    ],
  },
  afterRemoval: {
    behaviours: [
      ['not-found', 'answers 404', afterRemoval(404, errorOf(404, 'not_found', removed))],
      ['gone', 'answers 410', afterRemoval(410, errorOf(410, 'gone', removed))],
      ['keep', 'answers as before', afterRemoval(200, threePets[0])],
    ],
  },
};

/** Assumptions with one value, which are no settings. */
const fixed = ['bodyTooLarge', 'unknownRoute'];

const label = (id: string, value: unknown) => `${id}: ${JSON.stringify(value)}`;
const rows = Object.entries(points as unknown as Record<string, Point<never>>).flatMap(
  ([id, { scenario, behaviours }]) =>
    behaviours.map(([value, does, check]) => ({ title: `${label(id, value)} ${does}`, id, value, scenario, check })),
);

describeOverHttp('assumptions', (open) => {
  test.each(rows.map((row) => [row.title, row] as const))('%s', async (_, { id, value, scenario, check }) => {
    await check(await open({ ...scenario, ...(!fixed.includes(id) && { assumptions: { [id]: value } }) }));
  });
});

describe('the table of assumptions', () => {
  const declared = Object.entries<{ default: unknown; alternatives: readonly unknown[]; alsoAt?: string }>(assumptions);

  test('has a test for every value it names, and no other test', () => {
    const named = declared
      .filter(([id]) => !testedElsewhere.includes(id as 'cors'))
      .flatMap(([id, assumption]) => [assumption.default, ...assumption.alternatives].map((value) => label(id, value)));
    expect(rows.map(({ id, value }) => label(id, value)).sort()).toEqual(named.sort());
  });

  test('starts from its defaults', () => {
    const { settings } = createSimulator();
    const settable = declared.filter(([id]) => !fixed.includes(id));
    expect(settings).toEqual(Object.fromEntries(settable.map(([id, assumption]) => [id, assumption.default])));
  });

  test('has settings but for an assumption with one value, which a scenario cannot set', () => {
    const single = declared.filter(([, { alternatives, ...more }]) => alternatives.length === 0 && !('form' in more));
    expect(single.map(([id]) => id)).toEqual(fixed);
    const open = () => createSimulator({ scenario: { assumptions: { unknownRoute: 'not-found' } } as Scenario });
    expect(open).toThrow(ScenarioError);
    expect(open).toThrow(/assumptions\.unknownRoute: expected a known field/);
  });

  test('asks a question with words of the document for each', () => {
    for (const [, { question, documentQuote }] of Object.entries(assumptions)) {
      expect(question).toMatch(/\?( \(.+\))?$/);
      expect(documentQuote.length).toBeGreaterThan(10);
    }
  });

  const alsoAt = declared.flatMap(([id, { alternatives, alsoAt }]) =>
    alsoAt === undefined ? [] : alternatives.map((value) => [id, alsoAt.split(', ')[0] as string, value] as const),
  );
  /** Formats a value as its field in `ban`: a duration if the assumption is a number in a unit. */
  const written: Record<string, (value: unknown) => unknown> = {
    banGraceMs: (value) => `${value}ms`,
    banToleranceMs: (value) => `${value}ms`,
    banSeconds: (value) => `${value}s`,
    banEscalation: (value) => {
      const { factor, maxSeconds } = value as { factor: number; maxSeconds: number };
      return { factor, max: `${maxSeconds}s` };
    },
  };
  test.each(alsoAt)('%s can be set at %s to %j', (id, place, value) => {
    const [section = '', name = ''] = place.split('.');
    const scenario = { [section]: { [name]: written[id]?.(value) ?? value } };
    const { settings } = createSimulator({ scenario });
    expect(settings[id as keyof Settings]).toEqual(value);
  });
});
