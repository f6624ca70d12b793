import type { Scenario, Simulator } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';

// A table of calls that runs wherever the simulator does: in Node, in a page, under another Node or another msw.
// So nothing here may come from Node or from the test runner.

const production = 'https://api.petstore.example/v1';
const staging = 'https://staging.petstore.example/v1';

/** Initial state of every run of the table: a frozen clock, ids across 2^53, and keys near their limits. */
export const callsScenario = {
  clock: { start: '2026-01-01T12:00:00Z', mode: 'frozen' },
  ids: { start: 9007199254740992n },
  pets: [
    { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
    { id: 2, name: 'Žofie 🐕', categoryId: 9223372036854775807n, status: 'pending' },
    { id: 3, name: 'Luna', categoryId: 3, status: 'sold' },
  ],
  keys: {
    'tight-key': { plan: 'free', usage: { minute: documentedPlans.free.minute - 1, day: 100 } },
    'banned-key': { plan: 'pro', bannedFor: '90s' },
  },
} as const satisfies Scenario;

interface Call {
  title: string;
  /** Expected status; the rest is compared between runs. */
  status: number;
  url: string;
  method?: string;
  /** Default `business-key`; `null` sends no Authorization header. */
  key?: string | null;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  /** What happens to the simulator first. */
  before?: (sim: Simulator) => void;
}

const rex = '{"name":"Rex","categoryId":1}';
const create = (body: string | Uint8Array<ArrayBuffer>): Pick<Call, 'url' | 'method' | 'body'> => ({
  url: `${production}/pets`,
  method: 'POST',
  body,
});
const advance = (duration: string) => (sim: Simulator) => sim.clock.advance(duration);
const tight = { url: `${production}/pets`, key: 'tight-key' };

export const calls: readonly Call[] = [
  { title: 'a list', status: 200, url: `${production}/pets` },
  { title: 'a list at the staging address', status: 200, url: `${staging}/pets` },
  { title: 'a filtered list', status: 200, url: `${production}/pets?status=sold&limit=2` },
  { title: 'a list with a fragment', status: 200, url: `${production}/pets?limit=1#top` },
  { title: 'the first id', status: 201, ...create(rex) },
  {
    title: 'a create with the greatest int64, past 2^53',
    status: 201,
    ...create('{"name":"Big","categoryId":9223372036854775807,"status":"sold"}'),
  },
  { title: 'the pet past 2^53', status: 200, url: `${production}/pets/9007199254740993` },
  { title: 'its neighbour', status: 200, url: `${staging}/pets/9007199254740992` },
  { title: 'an id that nobody has', status: 404, url: `${production}/pets/9007199254740994` },
  { title: 'a name in UTF-8', status: 201, ...create('{"name":"Žofie 🐕 \\ud83d\\ude00","categoryId":-1}') },
  { title: 'a body in bytes', status: 201, ...create(new TextEncoder().encode(rex)) },
  { title: 'a body that is not UTF-8', status: 400, ...create(new Uint8Array([0x22, 0xff, 0x22])) },
  { title: 'a body without a name', status: 400, ...create('{"categoryId":1}') },
  { title: 'a categoryId past int64', status: 400, ...create('{"name":"Rex","categoryId":9223372036854775808}') },
  { title: 'a body that is no JSON', status: 400, ...create('{"name":') },
  { title: 'no body', status: 400, ...create('') },
  { title: 'a body that says it is text', status: 400, ...create(rex), headers: { 'content-type': 'text/plain' } },
  { title: 'a body over 64 KiB', status: 413, ...create(`"${'x'.repeat(65_536)}"`) },
  { title: 'a limit out of range', status: 400, url: `${production}/pets?limit=0` },
  { title: 'a limit that is a lone percent sign', status: 400, url: `${production}/pets?limit=%` },
  { title: 'no key', status: 401, url: `${production}/pets`, key: null },
  { title: 'an unknown key', status: 401, url: `${production}/pets`, key: 'nobody' },
  { title: 'a key in another case', status: 401, url: `${production}/pets`, key: 'Free-Key' },
  { title: 'a revoked key', status: 401, url: `${production}/pets`, key: 'revoked-key' },
  { title: 'an unknown path', status: 404, url: `${production}/orders` },
  { title: 'the bare base address', status: 404, url: production },
  { title: 'the base address with two slashes', status: 404, url: `${production}//` },
  { title: 'a path that is no UTF-8', status: 404, url: `${production}/%ff` },
  { title: 'a petId that is no percent-encoding', status: 404, url: `${production}/pets/%zz` },
  { title: 'a slash too many', status: 404, url: `${production}/pets/` },
  { title: 'a method on the list that it does not have', status: 405, url: `${production}/pets`, method: 'DELETE' },
  { title: 'a method on a pet that it does not have', status: 405, url: `${production}/pets/1`, method: 'PUT' },
  { title: 'HEAD', status: 200, url: `${production}/pets`, method: 'HEAD' },
  { title: 'the last request of the minute', status: 200, ...tight },
  { title: 'the request past the limit', status: 429, ...tight },
  { title: 'an unknown path past the limit', status: 429, url: `${production}/orders`, key: 'tight-key' },
  { title: 'another key meanwhile', status: 200, url: `${production}/pets`, key: 'free-key' },
  { title: 'the first strike', status: 429, ...tight, before: advance('2s') },
  { title: 'the second strike', status: 429, ...tight },
  { title: 'the third strike, which bans', status: 429, ...tight },
  { title: 'a request during the ban', status: 429, ...tight, before: advance('1s') },
  { title: 'the first request after the ban', status: 200, ...tight, before: advance('120s') },
  { title: 'a key whose ban by the scenario has passed', status: 200, url: `${production}/pets`, key: 'banned-key' },
  {
    title: 'that key after a reset, banned again',
    status: 429,
    ...tight,
    key: 'banned-key',
    before: (sim) => sim.reset(),
  },
  { title: 'the tight key after the reset', status: 200, ...tight },
  { title: 'the first id again after the reset', status: 201, ...create(rex) },
];

/** Response as the caller of `fetch` sees it. */
export interface Seen {
  title: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Makes every call of the table, in order. An exception becomes a response with status 0 and the exception's text. */
export async function makeCalls(send: typeof fetch, sim: Simulator): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const { title, url, method = 'GET', key = 'business-key', body, headers, before } of calls) {
    before?.(sim);
    const sent: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    if (key !== null) sent.authorization = `Bearer ${key}`;
    try {
      const response = await send(url, {
        method,
        headers: { ...sent, ...headers },
        ...(body !== undefined && { body }),
      });
      const received = Object.fromEntries(response.headers);
      seen.push({ title, status: response.status, headers: received, body: await response.text() });
    } catch (error) {
      seen.push({ title, status: 0, headers: {}, body: String(error) });
    }
  }
  return seen;
}

/** URLs that belong to the API, for each base URL. */
export const addresses: readonly { baseUrl?: string | readonly string[]; ours: string[]; notOurs: string[] }[] = [
  {
    ours: [
      'https://api.petstore.example/v1',
      'http://localhost:8080/v1/pets',
      'http://[::1]:4010/v1?x',
      'http://x.test/v1//',
    ],
    notOurs: [
      'http://x.test/',
      'http://x.test/v1extra',
      'http://x.test/v10/pets',
      'http://x.test/api/v1/pets',
      'http://x.test//v1/pets',
      'http://x.test/?/v1/pets',
      'http://x.test/V1/pets',
    ],
  },
  {
    baseUrl: production,
    ours: [production, `${production}/pets`, `${production}#x`, 'https://API.petstore.example:443/v1/pets'],
    notOurs: [
      `${staging}/pets`,
      `${production}extra`,
      'http://api.petstore.example/v1/pets',
      'https://api.petstore.example:444/v1/pets',
      'https://apixpetstore.example/v1/pets',
      'https://api.petstore.example/pets',
      `http://x.test/${production}`,
    ],
  },
  {
    baseUrl: [`${production}/`, `${staging}//`],
    ours: [`${production}/pets`, `${staging}/pets`, production, staging],
    notOurs: ['https://other.petstore.example/v1/pets'],
  },
  {
    baseUrl: 'https://x.test/petstore/v1',
    ours: ['https://x.test/petstore/v1/pets', 'https://x.test/petstore/v1'],
    notOurs: ['https://x.test/v1/pets', 'https://x.test/petstore/pets', 'https://x.test/petstore/v12/pets'],
  },
  {
    baseUrl: 'https://x.test',
    ours: ['https://x.test/', 'https://x.test/pets'],
    notOurs: ['https://x.test.example/pets'],
  },
  {
    baseUrl: '/petstore.api/v1/',
    ours: ['https://x.test/petstore.api/v1/pets', 'http://localhost:8080/petstore.api/v1?x'],
    notOurs: [
      'https://x.test/v1/pets',
      'https://x.test/petstoreXapi/v1/pets',
      'https://x.test/petstore.api/v12',
      'https://x.test/a/petstore.api/v1',
    ],
  },
  {
    baseUrl: ['/v1', 'https://x.test/api'],
    ours: ['http://localhost/v1/pets', 'https://x.test/v1', 'https://x.test/api/pets'],
    notOurs: ['http://localhost/api/pets'],
  },
  {
    baseUrl: ['https://x.test/a+(b)', 'https://x.test/ü'],
    ours: ['https://x.test/a+(b)/pets', 'https://x.test/%C3%BC/pets'],
    notOurs: ['https://x.test/aab/pets'],
  },
];
