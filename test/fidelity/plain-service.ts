import type { Probe } from '../../src/fidelity/ask-service/questions.js';
import type { ServiceResponse, Transport } from '../../src/fidelity/ask-service/service-client.js';

/** The settings of one plain service, written apart from the simulator. */
export interface PlainSettings {
  readonly algorithm: 'fixed-window' | 'sliding-log' | 'token-bucket';
  /** Requests a minute. */
  readonly limit: number;
  /** `seconds`: the service counts in whole seconds; `down` and `up`: in milliseconds, with the reset rounded so. */
  readonly unit: 'seconds' | 'down' | 'up';
  /** Number of instances that share the traffic in rotation, each with separate counters. */
  readonly instances: number;
  /** The cost of a list. */
  readonly listCost: number;
  /** Every n-th request is counted. */
  readonly countsEvery: number;
  /** Query parameters that choose a page without a Link. */
  readonly pages: 'none' | 'page' | 'offset' | 'both';
  /** Features of a POST that are rejected with 400, independent of its other fields. */
  readonly refuses: readonly ('status' | 'digits' | 'unknown-category' | 'unknown-field' | 'empty-name')[];
  readonly startMs: number;
}

export const plainSettings: PlainSettings = {
  algorithm: 'fixed-window',
  limit: 60,
  unit: 'seconds',
  instances: 1,
  listCost: 1,
  countsEvery: 1,
  pages: 'none',
  refuses: [],
  startMs: Date.UTC(2026, 3, 9, 10, 11, 12, 340),
};

const minuteMs = 60_000;

interface Counter {
  startMs: number;
  used: number;
  hits: number[];
}

const json = (status: number, value: unknown, more: ServiceResponse['headers'] = []): ServiceResponse => ({
  status,
  headers: [['content-type', 'application/json'], ...more],
  body: JSON.stringify(value),
});

const problem = (status: number, code: string, more: ServiceResponse['headers'] = []) =>
  json(status, { code, message: code, status }, more);

/** One service in virtual time; an answer takes 40 ms. */
export function plainService(settings: PlainSettings): Transport {
  const { algorithm, limit, unit, instances, listCost, countsEvery } = settings;
  let nowMs = settings.startMs;
  let served = 0;
  const counters = Array.from({ length: instances }, (): Counter => ({ startMs: -1, used: 0, hits: [] }));
  const pets = Array.from({ length: 30 }, (_, index) => ({
    id: index + 1,
    name: `Pet ${(index * 17) % 30}`,
    categoryId: (index % 4) + 1,
    status: ['available', 'pending', 'sold'][index % 3],
  }));
  const round = { seconds: Math.ceil, down: Math.floor, up: Math.ceil }[unit];

  /** Counts one request. @returns whether it is refused, what remains, and the reset in milliseconds */
  function count(counter: Counter, cost: number, atMs: number) {
    if (algorithm === 'fixed-window') {
      if (counter.startMs === -1 || atMs >= counter.startMs + minuteMs)
        Object.assign(counter, { startMs: atMs, used: 0 });
      const refused = counter.used + cost > limit;
      if (!refused) counter.used += cost;
      return { refused, remaining: limit - counter.used, resetMs: counter.startMs + minuteMs };
    }
    if (algorithm === 'sliding-log') {
      counter.hits = counter.hits.filter((hit) => hit + minuteMs > atMs);
      const refused = counter.hits.length + cost > limit;
      if (!refused) for (let times = 0; times < cost; times++) counter.hits.push(atMs);
      return { refused, remaining: limit - counter.hits.length, resetMs: (counter.hits[0] ?? atMs) + minuteMs };
    }
    const filled = counter.startMs === -1 ? 0 : ((atMs - counter.startMs) * limit) / minuteMs;
    counter.used = Math.max(0, counter.used - filled);
    counter.startMs = atMs;
    const refused = counter.used + cost > limit + 1e-9;
    if (!refused) counter.used += cost;
    const remaining = Math.floor(limit - counter.used + 1e-9);
    return { refused, remaining, resetMs: atMs + ((remaining + 1 - (limit - counter.used)) * minuteMs) / limit };
  }

  function answer({ method, target, headers, body, token }: Probe): ServiceResponse {
    if (token !== 'own') return problem(401, 'unauthorized');
    const [path = '', search = ''] = target.split('?');
    const counter = counters[served % instances] as Counter;
    const isCounted = served % countsEvery === 0;
    served++;
    const atMs = unit === 'seconds' ? Math.floor(nowMs / 1000) * 1000 : nowMs;
    const isList = path === '/pets' && method === 'GET';
    const { refused, remaining, resetMs } = count(counter, isCounted ? (isList ? listCost : 1) : 0, atMs);
    const more: [string, string][] = [
      ['x-ratelimit-limit', `${limit}`],
      ['x-ratelimit-remaining', `${remaining}`],
      ['x-ratelimit-reset', `${round(resetMs / 1000)}`],
    ];
    if (refused) {
      const wait = Math.max(1, Math.ceil((resetMs - nowMs) / 1000));
      return problem(429, 'rate_limit_exceeded', [...more, ['retry-after', `${wait}`]]);
    }
    if (isList) return json(200, listOf(new URLSearchParams(search)), more);
    if (path === '/pets' && method === 'POST') {
      const reason = reasonAgainst(headers, body ?? '');
      if (reason !== undefined) return problem(reason, 'invalid_request', more);
      const pet = { id: pets.length + 1, status: 'available', ...JSON.parse(body ?? '') };
      pets.push(pet);
      return json(201, { id: pet.id, name: pet.name, categoryId: pet.categoryId, status: pet.status }, more);
    }
    if (path === '/pets') return problem(405, 'method_not_allowed', [...more, ['allow', 'GET, POST']]);
    const pet = pets.find(({ id }) => path === `/pets/${id}`);
    return pet === undefined ? problem(404, 'not_found', more) : json(200, pet, more);
  }

  function listOf(query: URLSearchParams) {
    const size = Math.min(100, Math.max(1, Number(query.get('limit') ?? 20)));
    const by = (name: 'page' | 'offset') =>
      settings.pages === name || settings.pages === 'both' ? Number(query.get(name) ?? 0) : 0;
    const skip = by('offset') || Math.max(0, by('page') - 1) * size;
    return pets.slice(skip, skip + size);
  }

  function reasonAgainst(headers: Probe['headers'], body: string): number | undefined {
    if (body.length > 65_536) return 413;
    if (headers['content-type'] !== 'application/json') return 400;
    const { name, categoryId, status, ...extra } = JSON.parse(body);
    const digits = /"categoryId":(\d+)/.exec(body)?.[1]?.length ?? 0;
    const has = {
      status: status !== undefined,
      digits: digits > 9,
      'unknown-category': categoryId > 4,
      'unknown-field': Object.keys(extra).length > 0,
      'empty-name': name === '',
    };
    return settings.refuses.some((feature) => has[feature]) ? 400 : undefined;
  }

  return {
    baseUrl: 'https://plain.example/v1',
    now: () => nowMs,
    sleep: async (ms) => {
      nowMs += Math.ceil(ms);
    },
    send: async (probe) => {
      nowMs += 20;
      const { headers, ...more } = answer(probe);
      const date: [string, string] = ['date', new Date(nowMs).toUTCString()];
      nowMs += 20;
      return { ...more, headers: [date, ...headers] };
    },
  };
}
