import type { Transport } from '../../src/fidelity/ask-service/service-client.js';
import { createDraw, drawResponses } from './hidden-worlds.js';
import {
  type BanChoices,
  type Choices,
  limitAlternatives,
  type SecondAnswer,
  secondService,
} from './second-service.js';

// A service that counts in milliseconds or whole seconds, with a separate limiter that shares no code with src/ or the
// second service, which only runs its operations. It can respond with planted errors of one second or one request.

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

export interface Metered {
  choices: Choices;
  limits: { minute: number; day: number };
  /** Requests before the first one here, and how long before, in milliseconds. */
  before: { count: number; agoMs: number };
  /** `seconds`: times are truncated to whole seconds. Otherwise the rounding of displayed times. */
  fractions: 'seconds' | 'up' | 'down';
  faults: Faults;
  /** Milliseconds between a request and its response. */
  latencyMs: number;
  startMs: number;
  /** Milliseconds for which the key is banned at the start. */
  bannedForMs: number;
}

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

const key = 'secret-key-of-a-team';
const spans = { minute: 60_000, day: 86_400_000 };
type Name = keyof typeof spans;

interface View {
  name: Name;
  limit: number;
  remaining: number;
  resetMs: number;
}

/** Counts of one key, in milliseconds. */
function createMeter({ choices, limits, before, startMs, fractions }: Metered) {
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
    for (const name of ['minute', 'day'] as const) {
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
  for (let n = 0; n < before.count; n++) {
    count('minute', earlier);
    count('day', earlier);
  }
  return {
    cut,
    /** Admits a request. */
    take(nowMs: number, isCounted: boolean): { isRefused: boolean; seen: View } {
      const ms = cut(nowMs);
      clean(ms);
      const used = (['minute', 'day'] as const).filter((name) => view(name, ms).remaining === 0);
      const isRefused = isCounted && used.length > 0;
      if (isCounted && !isRefused) for (const name of ['minute', 'day'] as const) count(name, ms);
      if (isRefused && rejectedCounts !== 'none') {
        for (const name of ['minute', 'day'] as const) {
          if (rejectedCounts === 'all' || !used.includes(name)) count(name, ms);
        }
      }
      const [minute, day] = [view('minute', ms), view('day', ms)];
      const shown = isRefused ? 'least-remaining' : choices.reportedWindow;
      return { isRefused, seen: { minute, day, 'least-remaining': tightest(minute, day) }[shown] };
    },
  };
}

const bucketUnit = 1000;

/** A transport to the service, in virtual time. */
export function meteredTransport(metered: Metered): Transport {
  const { choices, fractions, faults, latencyMs, startMs, bannedForMs } = metered;
  const limits = { minute: metered.limits.minute + faults.limit, day: metered.limits.day + faults.dayLimit };
  const meter = createMeter({ ...metered, limits });
  const huge = { minute: 1e9, day: 1e9 };
  const operations = secondService({
    choices: { ...choices, limitsApply: 'none' },
    limits: huge,
    usage: { minute: 0, day: 0 },
    key,
    pets,
    categories: [1, 2, 3, 4],
  });
  const { bans } = choices;
  let nowMs = startMs;
  let bannedUntilMs = bannedForMs > 0 ? meter.cut(startMs) + bannedForMs : 0;
  let promisedMs = 0;
  let firstRefusedMs = 0;
  let strikes = 0;
  let bansSoFar = 0;

  const inSeconds = (ms: number) => (fractions === 'down' ? Math.floor(ms / bucketUnit) : Math.ceil(ms / bucketUnit));

  function numbers({ name, limit, remaining, resetMs }: View, atMs: number): [string, string][] {
    const reset = inSeconds(resetMs) + faults.reset;
    const left = Math.max(0, remaining + faults.remaining);
    const wait = Math.max(0, inSeconds(resetMs - atMs));
    const base: [string, string][] = [
      ['x-ratelimit-limit', `${limit}`],
      ['x-ratelimit-remaining', `${left}`],
      ['x-ratelimit-reset', `${reset}`],
    ];
    const span = spans[name] / 1000;
    if (choices.rateLimitFields === 'legacy')
      base.push(['ratelimit-limit', `${limit}`], ['ratelimit-remaining', `${left}`], ['ratelimit-reset', `${wait}`]);
    if (choices.rateLimitFields === 'structured-rt')
      base.push(['ratelimit', `"${name}";r=${left};t=${wait}`], ['ratelimit-policy', `"${name}";q=${limit};w=${span}`]);
    if (choices.rateLimitFields === 'structured-aw')
      base.push(['ratelimit', `"${name}";a=${left};w=${wait}`], ['ratelimit-policy', `"${name}";q=${limit};w=${span}`]);
    return base;
  }

  function refuse(code: string, status: number, seen: View, atMs: number): SecondAnswer {
    const seconds = inSeconds(seen.resetMs - meter.cut(atMs)) + faults.retryAfter;
    const wait =
      choices.retryAfterForm === 'seconds'
        ? `${Math.max(0, seconds)}`
        : new Date((inSeconds(seen.resetMs) + faults.retryAfter) * 1000).toUTCString();
    return {
      status,
      headers: [
        ['content-type', 'application/json'],
        ['date', new Date(atMs).toUTCString()],
        ...numbers({ ...seen, remaining: 0 }, meter.cut(atMs)).map(([name, value]): [string, string] =>
          name === 'x-ratelimit-remaining' ? [name, '0'] : [name, value],
        ),
        ['retry-after', wait],
        ...(status === 401 ? ([['www-authenticate', 'Bearer']] as [string, string][]) : []),
      ],
      body: JSON.stringify({ code: choices.errorCodes[code] ?? code, message: 'Wait.', status }),
    };
  }

  function respond(
    method: string,
    target: string,
    headers: Record<string, string>,
    body: string | undefined,
  ): SecondAnswer {
    const request = { method, target, headers, body };
    const token = headers.authorization?.replace('Bearer ', '');
    if (token !== key) {
      const answer = operations.answer(request, nowMs);
      const challenge: [string, string][] = answer.status === 401 ? [['www-authenticate', 'Bearer']] : [];
      return { ...answer, headers: [...answer.headers, ...challenge] };
    }
    const path = target.split('?')[0] ?? '';
    const operation =
      path === '/pets'
        ? { GET: 'listPets', POST: 'createPet' }[method]
        : method === 'GET' && path.startsWith('/pets/')
          ? 'getPet'
          : undefined;
    const { limitsApply } = choices;
    const isCounted =
      limitsApply === 'all' || (limitsApply !== 'none' && operation !== undefined && limitsApply.includes(operation));
    if (meter.cut(nowMs) < bannedUntilMs) {
      if (bans.banExtend) bannedUntilMs = Math.max(bannedUntilMs, meter.cut(nowMs) + banLengthMs());
      const [minute, day] = [limits.minute, limits.day];
      const name = day < minute ? 'day' : 'minute';
      const end = { name, limit: Math.min(minute, day), remaining: 0, resetMs: bannedUntilMs } as const;
      return refuse('key_banned', bans.banStatus, end, nowMs);
    }
    const { isRefused, seen } = meter.take(nowMs, isCounted);
    if (isRefused) {
      if (promisedMs === 0) firstRefusedMs = nowMs;
      else if (nowMs > firstRefusedMs + bans.banGraceMs && nowMs < promisedMs - bans.banToleranceMs) strikes++;
      promisedMs = seen.resetMs;
      if (bans.banAfter > 0 && strikes >= bans.banAfter) {
        bansSoFar++;
        strikes = 0;
        promisedMs = 0;
        const endMs = meter.cut(nowMs) + banLengthMs();
        bannedUntilMs = endMs;
        return refuse('key_banned', bans.banStatus, { ...seen, resetMs: Math.max(endMs, seen.resetMs) }, nowMs);
      }
      return refuse('rate_limit_exceeded', 429, seen, nowMs);
    }
    if (isCounted) {
      promisedMs = 0;
      strikes = 0;
    }
    const answer = operations.answer(request, nowMs);
    const kept = answer.headers.filter(([name]) => !/^(?:x-)?ratelimit/.test(name));
    return { ...answer, headers: [...kept, ...numbers(seen, meter.cut(nowMs))] };
  }
  const banLengthMs = () => lengthOf(bans, bansSoFar) * 1000;

  return {
    baseUrl: 'https://metered.example/v1',
    now: () => nowMs,
    sleep: async (ms) => {
      nowMs += Math.ceil(ms);
    },
    async send({ method, target, headers, body, token }) {
      const authorization: Record<string, string> =
        token === 'none' ? {} : { authorization: `Bearer ${token === 'own' ? key : token}` };
      nowMs += latencyMs;
      const answer = respond(method, target, { ...headers, ...authorization }, body);
      nowMs += latencyMs;
      const dropped = [
        ...(faults.dropAllow ? ['allow'] : []),
        ...(faults.dropSunset ? ['sunset'] : []),
        ...(faults.dropContentType ? ['content-type'] : []),
      ];
      return { ...answer, headers: answer.headers.filter(([name]) => !dropped.includes(name)) };
    },
  };
}

const lengthOf = ({ banSeconds, banEscalation }: BanChoices, nth: number): number =>
  banEscalation === false
    ? banSeconds
    : Math.ceil(Math.min(banSeconds * banEscalation.factor ** Math.max(0, nth - 1), banEscalation.maxSeconds));

const pets = Array.from({ length: 40 }, (_, index) => ({
  id: index + 3,
  name: `Pet ${(index * 17) % 40}`,
  categoryId: (index % 4) + 1,
  status: (['available', 'pending', 'sold'] as const)[index % 3] ?? 'sold',
}));

export interface Setting extends Metered {
  allowsWrite: boolean;
  allowsExhaust: boolean;
  allowsBan: boolean;
  budget: number;
  plan: string;
}

const plans: Record<string, { minute: number; day: number }> = {
  free: { minute: 60, day: 1_000 },
  pro: { minute: 300, day: 10_000 },
  business: { minute: 1_000, day: 100_000 },
};

/** Creates a random service, the history of its key and the permissions. */
export function drawSetting(seed: number): Setting {
  const { below, chance, pick } = createDraw(seed);
  const allowsBan = chance(0.25);
  const plan = allowsBan ? 'enterprise' : pick(['free', 'free', 'pro', 'business', 'enterprise']);
  const limits = plans[plan] ?? { minute: pick([7, 12, 25]), day: pick([200, 3_000]) };
  const bans: BanChoices = {
    banAfter: 1 + below(4),
    banGraceMs: pick([0, 1_000, 1_000, 2_000]),
    banToleranceMs: pick([50, 50, 500]),
    banSeconds: pick([90, 120, 300]),
    banExtend: chance(0.5),
    banEscalation: chance(0.6) ? false : { factor: 2, maxSeconds: 259_200 },
    banStatus: pick([429, 429, 403, 401, 418]),
  };
  const choices: Choices = {
    ...drawResponses({ pick }),
    errorCodes: chance(0.3) ? { not_found: 'NO_SUCH_THING', rate_limit_exceeded: 'SLOW_DOWN' } : {},
    acceptAnyKey: chance(0.2),
    unauthorizedHeaders: pick(limitAlternatives.unauthorizedHeaders),
    limitsApply: allowsBan || chance(0.6) ? 'all' : pick(['none', ['listPets'], ['createPet'], ['getPet', 'listPets']]),
    algorithm: allowsBan ? 'fixed-window' : pick(['fixed-window', 'fixed-window', 'sliding-log', 'token-bucket']),
    windowStart: pick(limitAlternatives.windowStart),
    rejectedCounts: pick(limitAlternatives.rejectedCounts),
    reportedWindow: allowsBan ? 'least-remaining' : pick(['least-remaining', 'least-remaining', 'minute', 'day']),
    retryAfterForm: pick(['seconds', 'seconds', 'http-date']),
    rateLimitFields: pick(limitAlternatives.rateLimitFields),
    deprecation: pick(limitAlternatives.deprecation),
    bans,
  };
  return {
    choices,
    limits,
    plan,
    before: { count: chance(0.5) ? 1 + below(Math.min(limits.minute, 50)) : 0, agoMs: below(40_000) },
    fractions: pick(['seconds', 'seconds', 'up', 'down']),
    faults: noFaults,
    latencyMs: pick([0, 5, 60, 300]),
    startMs: Date.UTC(2026, 4, 1 + below(20), below(22), below(60), below(60)) + below(1_000),
    bannedForMs: chance(0.08) ? 1_000 * (5 + below(100)) : 0,
    allowsWrite: chance(0.5),
    allowsExhaust: allowsBan || chance(0.4),
    allowsBan,
    budget: allowsBan ? 300 : 40,
  };
}
