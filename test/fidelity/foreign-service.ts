import type { Probe } from '../../src/fidelity/ask-service/questions.js';
import type { ServiceResponse, Transport } from '../../src/fidelity/ask-service/service-client.js';

// A small service, written only from the interface document and the list of assumptions. It shares no code with src/, so
// that calibration does not merely recognize its own code. It counts in milliseconds or whole seconds, and can respond
// with planted errors of one second or one request.

/** Alternatives of the choices that single responses show. Names and values are those of the table of assumptions. */
export const responseAlternatives = {
  defaultStatus: ['available', 'pending', 'sold', 'absent'],
  unknownCategory: ['accept', 'reject'],
  unknownFields: ['ignore', 'reject', 'echo'],
  emptyName: ['accept', 'reject'],
  listOrder: ['id-ascending', 'newest-first', 'shuffled'],
  paging: ['none', 'cursor', 'offset', 'page'],
  limitOutOfRange: ['reject', 'clamp', 'default'],
  unknownStatusFilter: ['reject', 'empty', 'ignore'],
  unknownQuery: ['ignore', 'reject'],
  malformedPetId: ['not-found', 'reject'],
  contentType: ['reject', 'accept', 'unsupported'],
  unknownMethod: ['method-not-allowed', 'not-found'],
} as const;

/** Alternatives of the other choices; `limitsApply` can have any list of operations. */
export const limitAlternatives = {
  acceptAnyKey: [true, false],
  unauthorizedHeaders: ['full', 'omit', 'remaining-zero'],
  limitsApply: ['all', 'none', ['listPets'], ['createPet'], ['getPet', 'listPets']] as readonly (
    | 'all'
    | 'none'
    | readonly string[]
  )[],
  algorithm: ['fixed-window', 'sliding-log', 'token-bucket'],
  windowStart: ['first-request', 'clock'],
  rejectedCounts: ['none', 'other-windows', 'all'],
  reportedWindow: ['least-remaining', 'minute', 'day'],
  retryAfterForm: ['seconds', 'http-date'],
  rateLimitFields: ['none', 'legacy', 'structured-rt', 'structured-aw'],
  deprecation: ['silent', 'headers'],
} as const;

type OneOf<Alternatives extends Record<string, readonly unknown[]>> = {
  -readonly [Name in keyof Alternatives]: Alternatives[Name][number];
};

/** Choices that single responses show. */
export type ResponseChoices = OneOf<typeof responseAlternatives>;

/** The choices of one service. */
export interface Choices extends ResponseChoices, OneOf<typeof limitAlternatives> {
  errorCodes: Record<string, string>;
  bans: BanChoices;
}

/** Rules of bans after requests that follow a 429. */
export interface BanChoices {
  /** 0: nothing. */
  banAfter: number;
  banGraceMs: number;
  banToleranceMs: number;
  banSeconds: number;
  banExtend: boolean;
  banEscalation: false | { factor: number; maxSeconds: number };
  banStatus: 429 | 403 | 401 | 418;
}

/** Errors of one, each in one place. */
export interface Faults {
  reset: number;
  remaining: number;
  limit: number;
  retryAfter: number;
  dayLimit: number;
  dropAllow: boolean;
  dropContentType: boolean;
  dropSunset: boolean;
}

export interface ServiceSettings {
  choices: Choices;
  limits: { minute: number; day: number };
  /** Requests before the first one here, and how long before, in milliseconds. */
  before: { minute: number; day: number; agoMs: number };
  /** `seconds`: times are truncated to whole seconds. Otherwise the rounding of displayed times. */
  fractions: 'seconds' | 'up' | 'down';
  faults: Faults;
  /** Milliseconds between a request and its response. */
  latencyMs: number;
  startMs: number;
  /** Milliseconds for which the key is banned at the start. */
  bannedForMs: number;
  /** What no choice of the simulator describes. */
  oddities?: Partial<Oddities>;
}

export interface Oddities {
  /** Number of instances that share the traffic in rotation, each with separate counters. */
  instances: number;
  /** The cost of a list. */
  listCost: number;
  /** Every n-th request is counted. */
  countsEvery: number;
  /** Query parameters that choose a page without a Link. */
  pages: 'none' | 'page' | 'offset' | 'both';
  /** Features of a POST that are rejected with 400, independent of its other fields. */
  refuses: readonly ('status' | 'digits' | 'unknown-category' | 'unknown-field' | 'empty-name')[];
}

const noOddities: Oddities = { instances: 1, listCost: 1, countsEvery: 1, pages: 'none', refuses: [] };

export const noFaults: Faults = {
  reset: 0,
  remaining: 0,
  limit: 0,
  retryAfter: 0,
  dayLimit: 0,
  dropAllow: false,
  dropContentType: false,
  dropSunset: false,
};

export const key = 'secret-key-of-a-team';
export const categories = [1, 2, 3, 4];
const statuses = ['available', 'pending', 'sold'] as const;
export const petsOf = (count: number, firstId: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: index + firstId,
    name: `Pet ${(index * 17) % count}`,
    categoryId: (index % categories.length) + 1,
    status: statuses[index % 3] as (typeof statuses)[number],
  }));
export const pets = petsOf(40, 3);
const baseUrl = 'https://foreign.example/v1';

export interface ServiceRequest {
  method: string;
  target: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

type Pairs = [string, string][];

function operationOf({ method, target }: ServiceRequest): 'listPets' | 'createPet' | 'getPet' | undefined {
  const path = target.split('?')[0] ?? '';
  if (path === '/pets') return ({ GET: 'listPets', POST: 'createPet' } as const)[method];
  return method === 'GET' && /^\/pets\/[^/]+$/.test(path) ? 'getPet' : undefined;
}

/** The operations of the service, without authentication and limits. */
export function createOperations(
  choices: ResponseChoices & Partial<Pick<Choices, 'errorCodes' | 'deprecation'>>,
  initial = pets,
  { pages, refuses }: Pick<Oddities, 'pages' | 'refuses'> = noOddities,
) {
  const stock = initial.map((pet) => ({ ...pet }) as Record<string, unknown> & { id: number });
  const good = (status: number, body: unknown, more: Pairs = []): ServiceResponse => ({
    status,
    headers: [['content-type', 'application/json'], ...more],
    body: JSON.stringify(body),
  });
  const bad = (status: number, code: string, message: string, more: Pairs = []) =>
    good(status, { code: choices.errorCodes?.[code] ?? code, message, status }, more);
  const invalid = (message: string) => bad(400, 'invalid_request', message);

  function respond(request: ServiceRequest): ServiceResponse {
    const [path = '', search = ''] = request.target.split('?');
    const isList = path === '/pets';
    const petId = /^\/pets\/([^/]+)$/.exec(path)?.[1];
    if (!isList && petId === undefined) return bad(404, 'not_found', 'No such path.');
    switch (operationOf(request)) {
      case 'listPets':
        return listOfPets(new URLSearchParams(search));
      case 'createPet':
        return newPet(request);
      case 'getPet':
        return onePet(petId as string);
    }
    return choices.unknownMethod === 'not-found'
      ? bad(404, 'not_found', 'No such path.')
      : bad(405, 'method_not_allowed', 'No such method.', [['allow', isList ? 'GET, POST' : 'GET']]);
  }

  function onePet(text: string): ServiceResponse {
    if (!/^-?\d+$/.test(text) && choices.malformedPetId === 'reject') return invalid('petId is no integer.');
    const pet = stock.find(({ id }) => String(id) === text);
    if (pet === undefined) return bad(404, 'not_found', 'No such pet.');
    const sunset = 'Thu, 05 Dec 2030 00:00:00 GMT';
    const deprecated: Pairs = [
      ['deprecation', '@0'],
      ['sunset', sunset],
    ];
    return good(200, pet, choices.deprecation === 'headers' ? deprecated : []);
  }

  function listOfPets(query: URLSearchParams): ServiceResponse {
    const pager = choices.paging;
    const odd = [...query.keys()].find((each) => !['limit', 'status', pager].includes(each));
    if (odd !== undefined && choices.unknownQuery === 'reject') return invalid(`What is ${odd}?`);
    let limit = 20;
    const wanted = query.get('limit');
    if (wanted !== null) {
      const number = /^-?\d+$/.test(wanted) ? Number(wanted) : Number.NaN;
      if (number >= 1 && number <= 100) limit = number;
      else if (choices.limitOutOfRange === 'reject') return invalid('limit is from 1 to 100.');
      else if (choices.limitOutOfRange === 'clamp' && !Number.isNaN(number)) limit = number < 1 ? 1 : 100;
    }
    let matching = inOrder();
    const status = query.get('status');
    if (status !== null) {
      if (statuses.some((each) => each === status)) matching = matching.filter((pet) => pet.status === status);
      else if (choices.unknownStatusFilter === 'reject') return invalid('No such status.');
      else if (choices.unknownStatusFilter === 'empty') matching = [];
    }
    const silent = (name: 'page' | 'offset') => (pages === name || pages === 'both' ? Number(query.get(name) ?? 0) : 0);
    const place = query.get(pager) ?? (pager === 'page' ? '1' : pager === 'cursor' ? 'c0' : '0');
    const skips = {
      none: silent('offset') || Math.max(0, silent('page') - 1) * limit,
      page: (Number(place) - 1) * limit,
      cursor: Number(place.slice(1)),
      offset: Number(place),
    };
    const page = matching.slice(skips[pager], skips[pager] + limit);
    const next = skips[pager] + page.length;
    if (pager === 'none' || next >= matching.length) return good(200, page);
    query.set(pager, { page: String(next / limit + 1), cursor: `c${next}`, offset: String(next) }[pager]);
    return good(200, page, [['link', `<${baseUrl}/pets?${query}>; rel="next"`]]);
  }

  function inOrder() {
    // A fixed order that has nothing to do with the ids.
    const shuffled = (id: number) => (id * 7919) % 101;
    const orders = {
      'id-ascending': (a: number, b: number) => a - b,
      'newest-first': (a: number, b: number) => b - a,
      shuffled: (a: number, b: number) => shuffled(a) - shuffled(b),
    };
    return [...stock].sort((a, b) => orders[choices.listOrder](a.id, b.id));
  }

  function newPet({ headers, body: text = '' }: ServiceRequest): ServiceResponse {
    if (headers['content-type'] !== 'application/json' && choices.contentType !== 'accept')
      return choices.contentType === 'reject'
        ? invalid('Send JSON.')
        : bad(415, 'unsupported_media_type', 'Send JSON.');
    if (text.length > 65_536) return bad(413, 'payload_too_large', 'Send less.');
    let body: Record<string, unknown>;
    try {
      body = JSON.parse(text);
    } catch {
      return invalid('Send JSON.');
    }
    const { name, categoryId, status, ...others } = body;
    if (typeof name !== 'string' || typeof categoryId !== 'number') return invalid('name, categoryId.');
    if (status !== undefined && !statuses.some((each) => each === status)) return invalid('status.');
    const has = {
      status: status !== undefined,
      digits: (/"categoryId":(\d+)/.exec(text)?.[1]?.length ?? 0) > 9,
      'unknown-category': !categories.includes(categoryId),
      'unknown-field': Object.keys(others).length > 0,
      'empty-name': name === '',
    };
    if (has['empty-name'] && choices.emptyName === 'reject') return invalid('name is empty.');
    if (has['unknown-category'] && choices.unknownCategory === 'reject') return invalid('No such category.');
    if (has['unknown-field'] && choices.unknownFields === 'reject') return invalid('Unknown field.');
    if (refuses.some((feature) => has[feature])) return invalid('Refused.');
    const given = status ?? (choices.defaultStatus === 'absent' ? undefined : choices.defaultStatus);
    const pet = {
      id: Math.max(0, ...stock.map((each) => each.id)) + 1,
      name,
      categoryId,
      ...(given !== undefined && { status: given }),
      ...(choices.unknownFields === 'echo' && others),
    };
    stock.push(pet);
    return good(201, pet);
  }

  return { respond, bad };
}

const spans = { minute: 60_000, day: 86_400_000 };
type Name = keyof typeof spans;
const names = ['minute', 'day'] as const;

interface View {
  name: Name;
  limit: number;
  remaining: number;
  resetMs: number;
}

/** Counts of one key, in milliseconds. */
function createMeter({ choices, limits, before, startMs, fractions }: ServiceSettings) {
  const { algorithm, windowStart, rejectedCounts } = choices;
  const cut = (ms: number) => (fractions === 'seconds' ? ms - (ms % 1000) : ms);
  const hits: Record<Name, number[]> = { minute: [], day: [] };
  const opened: Record<Name, number> = { minute: Number.NaN, day: Number.NaN };
  /** Tokens that a bucket lacks, and when that was. */
  const lack: Record<Name, [tokens: number, atMs: number]> = { minute: [0, startMs], day: [0, startMs] };

  const drain = (name: Name, ms: number) => {
    const [tokens, atMs] = lack[name];
    lack[name] = [Math.max(0, tokens - ((ms - atMs) * limits[name]) / spans[name]), ms];
  };
  function clean(ms: number): void {
    for (const name of names) {
      if (algorithm === 'sliding-log') hits[name] = hits[name].filter((hit) => hit + spans[name] > ms);
      if (algorithm === 'token-bucket') drain(name, ms);
      if (algorithm === 'fixed-window' && opened[name] + spans[name] <= ms) {
        hits[name] = [];
        opened[name] = Number.NaN;
      }
    }
  }
  const openAt = (name: Name, ms: number) => (windowStart === 'clock' ? ms - (ms % spans[name]) : ms);
  function count(name: Name, ms: number): void {
    if (Number.isNaN(opened[name])) opened[name] = openAt(name, ms);
    hits[name].push(ms);
    lack[name][0] += 1;
  }
  function view(name: Name, ms: number): View {
    const limit = limits[name];
    if (algorithm === 'token-bucket') {
      const level = limit - lack[name][0];
      const remaining = Math.max(0, Math.floor(level + 1e-9));
      const perToken = spans[name] / limit;
      // The next whole token; of a full bucket the one after.
      return { name, limit, remaining, resetMs: ms + (remaining + 1 - level) * perToken };
    }
    const remaining = Math.max(0, limit - hits[name].length);
    if (algorithm === 'sliding-log') {
      const oldest = hits[name][Math.max(0, hits[name].length - limit)] ?? ms;
      return { name, limit, remaining, resetMs: oldest + spans[name] };
    }
    const start = Number.isNaN(opened[name]) ? openAt(name, ms) : opened[name];
    return { name, limit, remaining, resetMs: start + spans[name] };
  }
  const tightest = (a: View, b: View) =>
    b.remaining < a.remaining || (b.remaining === a.remaining && b.resetMs > a.resetMs) ? b : a;

  const earlier = cut(startMs - before.agoMs);
  clean(earlier);
  for (const name of names) for (let n = 0; n < before[name]; n++) count(name, earlier);
  return {
    cut,
    /** Admits a request, which costs nothing if it is not counted. */
    take(nowMs: number, cost: number): { isRefused: boolean; seen: View } {
      const ms = cut(nowMs);
      clean(ms);
      const used = names.filter((name) => view(name, ms).remaining < cost);
      const isRefused = used.length > 0;
      const charged = { none: [], 'other-windows': names.filter((name) => !used.includes(name)), all: names };
      for (const name of isRefused ? charged[rejectedCounts] : names)
        for (let times = 0; times < cost; times++) count(name, ms);
      const [minute, day] = [view('minute', ms), view('day', ms)];
      const shown = isRefused ? 'least-remaining' : choices.reportedWindow;
      return { isRefused, seen: { minute, day, 'least-remaining': tightest(minute, day) }[shown] };
    },
  };
}

/** A transport to the service, in virtual time. */
export function foreignService(settings: ServiceSettings): Transport & { readonly early: number } {
  const { choices, fractions, faults, latencyMs, startMs, bannedForMs } = settings;
  const { bans, limitsApply } = choices;
  const limits = { minute: settings.limits.minute + faults.limit, day: settings.limits.day + faults.dayLimit };
  const { instances, listCost, countsEvery, ...oddities } = { ...noOddities, ...settings.oddities };
  const operations = createOperations(choices, pets, oddities);
  const meters = Array.from({ length: instances }, () => createMeter({ ...settings, limits }));
  const others = new Map<string, ReturnType<typeof createMeter>>();
  const cut = (ms: number) => (fractions === 'seconds' ? ms - (ms % 1000) : ms);
  const inSeconds = (ms: number) => (fractions === 'down' ? Math.floor(ms / 1000) : Math.ceil(ms / 1000));
  let nowMs = startMs;
  let bannedUntilMs = bannedForMs > 0 ? cut(startMs) + bannedForMs : 0;
  let [requests, promisedMs, firstRefusedMs, strikes, bansSoFar, early] = [0, 0, 0, 0, 0, 0];

  function rateHeaders({ name, limit, remaining, resetMs }: View, planted: Faults): Pairs {
    const left = remaining <= 0 ? 0 : Math.max(0, remaining + planted.remaining);
    const wait = Math.max(0, inSeconds(resetMs - cut(nowMs)));
    const numbers = [limit, left];
    const pair = ([limit, remaining]: number[], reset: number, prefix: string): Pairs => [
      [`${prefix}-limit`, `${limit}`],
      [`${prefix}-remaining`, `${remaining}`],
      [`${prefix}-reset`, `${reset}`],
    ];
    const policy: [string, string] = ['ratelimit-policy', `"${name}";q=${limit};w=${spans[name] / 1000}`];
    const fields: Record<Choices['rateLimitFields'], Pairs> = {
      none: [],
      legacy: pair(numbers, wait, 'ratelimit'),
      'structured-rt': [['ratelimit', `"${name}";r=${left};t=${wait}`], policy],
      'structured-aw': [['ratelimit', `"${name}";a=${left};w=${wait}`], policy],
    };
    return [...pair(numbers, inSeconds(resetMs) + planted.reset, 'x-ratelimit'), ...fields[choices.rateLimitFields]];
  }

  const withHeaders = ({ headers, ...answer }: ServiceResponse, more: Pairs): ServiceResponse => ({
    ...answer,
    headers: [...headers, ['date', new Date(nowMs).toUTCString()], ...more],
  });

  function refuse(code: string, status: number, seen: View): ServiceResponse {
    const seconds = inSeconds(seen.resetMs - cut(nowMs)) + faults.retryAfter;
    const wait =
      choices.retryAfterForm === 'seconds'
        ? `${Math.max(0, seconds)}`
        : new Date((inSeconds(seen.resetMs) + faults.retryAfter) * 1000).toUTCString();
    return withHeaders(operations.bad(status, code, 'Wait.'), [
      ...rateHeaders({ ...seen, remaining: 0 }, faults),
      ['retry-after', wait],
      ...(status === 401 ? ([['www-authenticate', 'Bearer']] as Pairs) : []),
    ]);
  }

  function unauthorized(): ServiceResponse {
    const remaining = { full: 60, 'remaining-zero': 0, omit: undefined }[choices.unauthorizedHeaders];
    const unused = { name: 'minute', limit: 60, resetMs: cut(nowMs) + spans.minute } as const;
    const more = remaining === undefined ? [] : rateHeaders({ ...unused, remaining }, noFaults);
    const challenge: Pairs = [['www-authenticate', 'Bearer']];
    return withHeaders(operations.bad(401, 'unauthorized', 'Send a valid API key.'), [...more, ...challenge]);
  }

  function costOf(request: ServiceRequest): number {
    const operation = operationOf(request);
    const isCounted = limitsApply === 'all' || (operation !== undefined && limitsApply.includes(operation));
    return isCounted ? (operation === 'listPets' ? listCost : 1) : 0;
  }

  function respond(request: ServiceRequest): ServiceResponse {
    const token = request.headers.authorization?.replace('Bearer ', '');
    if (token === undefined || (token !== key && !choices.acceptAnyKey)) return unauthorized();
    if (token !== key) {
      const free = { limits: { minute: 60, day: 1_000 }, before: { minute: 0, day: 0, agoMs: 0 } };
      const meter = others.get(token) ?? createMeter({ ...settings, ...free, startMs: nowMs });
      others.set(token, meter);
      const { seen } = meter.take(nowMs, costOf(request));
      return withHeaders(operations.respond(request), rateHeaders(seen, noFaults));
    }
    if (cut(nowMs) < bannedUntilMs) {
      if (bans.banExtend) bannedUntilMs = Math.max(bannedUntilMs, cut(nowMs) + banLengthMs());
      const name = limits.day < limits.minute ? 'day' : 'minute';
      return refuse('key_banned', bans.banStatus, { name, limit: limits[name], remaining: 0, resetMs: bannedUntilMs });
    }
    const cost = requests % countsEvery === 0 ? costOf(request) : 0;
    const meter = meters[requests++ % instances] as ReturnType<typeof createMeter>;
    const { isRefused, seen } = meter.take(nowMs, cost);
    if (isRefused) {
      const isStrike = (graceMs: number, toleranceMs: number) =>
        promisedMs > 0 && nowMs > firstRefusedMs + graceMs && nowMs < promisedMs - toleranceMs;
      if (isStrike(1_000, 50)) early++;
      if (isStrike(bans.banGraceMs, bans.banToleranceMs)) strikes++;
      if (promisedMs === 0) firstRefusedMs = nowMs;
      promisedMs = seen.resetMs;
      if (bans.banAfter === 0 || strikes < bans.banAfter) return refuse('rate_limit_exceeded', 429, seen);
      bansSoFar++;
      strikes = 0;
      promisedMs = 0;
      bannedUntilMs = cut(nowMs) + banLengthMs();
      return refuse('key_banned', bans.banStatus, { ...seen, resetMs: Math.max(bannedUntilMs, seen.resetMs) });
    }
    if (cost > 0) {
      promisedMs = 0;
      strikes = 0;
    }
    return withHeaders(operations.respond(request), rateHeaders(seen, faults));
  }

  function banLengthMs(): number {
    const { banSeconds, banEscalation } = bans;
    if (banEscalation === false) return banSeconds * 1000;
    const { factor, maxSeconds } = banEscalation;
    return Math.ceil(Math.min(banSeconds * factor ** Math.max(0, bansSoFar - 1), maxSeconds)) * 1000;
  }

  return {
    baseUrl,
    now: () => nowMs,
    sleep: async (ms) => {
      nowMs += Math.ceil(ms);
    },
    async send({ token, headers, ...request }) {
      nowMs += latencyMs;
      const answer = respond({ ...request, headers: { ...headers, ...authorizationOf(token) } });
      nowMs += latencyMs;
      const { dropAllow: allow, dropSunset: sunset, dropContentType } = faults;
      const dropped: Record<string, boolean> = { allow, sunset, 'content-type': dropContentType };
      return { ...answer, headers: answer.headers.filter(([name]) => !dropped[name]) };
    },
    /** Number of early requests after a refusal. */
    get early() {
      return early;
    },
  };
}

export const authorizationOf = (token: Probe['token']): Record<string, string> =>
  token === 'none' ? {} : { authorization: `Bearer ${token === 'own' ? key : token}` };

/** The most frequent choices. */
export const plainChoices: Choices = {
  defaultStatus: 'available',
  unknownCategory: 'accept',
  unknownFields: 'ignore',
  emptyName: 'accept',
  listOrder: 'id-ascending',
  paging: 'none',
  limitOutOfRange: 'clamp',
  unknownStatusFilter: 'ignore',
  unknownQuery: 'ignore',
  malformedPetId: 'not-found',
  contentType: 'reject',
  unknownMethod: 'method-not-allowed',
  acceptAnyKey: false,
  unauthorizedHeaders: 'omit',
  limitsApply: 'all',
  algorithm: 'fixed-window',
  windowStart: 'first-request',
  rejectedCounts: 'none',
  reportedWindow: 'minute',
  retryAfterForm: 'seconds',
  rateLimitFields: 'none',
  deprecation: 'silent',
  errorCodes: { payload_too_large: 'invalid_request' },
  bans: {
    banAfter: 0,
    banGraceMs: 0,
    banToleranceMs: 0,
    banSeconds: 0,
    banExtend: false,
    banEscalation: false,
    banStatus: 429,
  },
};

/** Settings of a service with one window of a minute and `plainChoices`. */
export interface PlainSettings extends Oddities {
  readonly algorithm: Choices['algorithm'];
  /** Requests a minute. */
  readonly limit: number;
  readonly fractions: ServiceSettings['fractions'];
  readonly startMs: number;
}

export const plainSettings: PlainSettings = {
  ...noOddities,
  algorithm: 'fixed-window',
  limit: 60,
  fractions: 'seconds',
  startMs: Date.UTC(2026, 3, 9, 10, 11, 12, 340),
};

export const plainService = ({ algorithm, limit, fractions, startMs, ...oddities }: PlainSettings) =>
  foreignService({
    choices: { ...plainChoices, algorithm },
    limits: { minute: limit, day: 1e9 },
    before: { minute: 0, day: 0, agoMs: 0 },
    faults: noFaults,
    latencyMs: 20,
    bannedForMs: 0,
    fractions,
    startMs,
    oddities,
  });
