// A second, small implementation of the service, written only from the interface document and the list of assumptions.
// It shares no code with src/, so that calibration does not merely recognize its own code.

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

export interface SecondServiceOptions {
  choices: Choices;
  /** Requests that the key may make, and has made before its first one here. */
  limits: { minute: number; day: number };
  usage: { minute: number; day: number };
  key: string;
  pets: { id: number; name: string; categoryId: number; status?: string }[];
  categories: number[];
}

export interface SecondRequest {
  method: string;
  target: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface SecondAnswer {
  status: number;
  headers: [string, string][];
  body: string;
}

interface Quota {
  size: number;
  span: number;
  /** The second of each request that counted. */
  times: number[];
  /** Fixed windows only. */
  begin: number | undefined;
  /** Buckets only: tokens left, as a fraction of 1/span, and when that was. */
  level: number;
  at: number;
}

/** A service that answers requests at the instants that it is given. */
export function secondService({ choices, limits, usage, key, pets, categories }: SecondServiceOptions) {
  const stock = pets.map((pet) => ({ ...pet }) as Record<string, unknown> & { id: number });
  const keys = new Map<string, { minute: Quota; day: Quota }>();
  /** Number of early requests after a refusal, which may cause a ban. */
  let early = 0;
  let promised = 0;
  let firstRefusedMs = 0;
  let strikes = 0;
  let bans = 0;
  /** The second at which the last ban ends. */
  let bannedUntil = 0;
  const { banAfter, banGraceMs, banToleranceMs, banSeconds, banExtend, banEscalation, banStatus } = choices.bans;
  const banLength = () =>
    banEscalation === false
      ? banSeconds
      : Math.ceil(Math.min(banSeconds * banEscalation.factor ** (bans - 1), banEscalation.maxSeconds));

  const quota = (size: number, span: number, used: number, now: number): Quota => {
    const made: Quota = { size, span, times: [], begin: undefined, level: size * span, at: now };
    if (used > 0) {
      made.begin = choices.windowStart === 'clock' ? Math.floor(now / span) * span : now;
      made.times = Array.from({ length: used }, () => now);
      made.level -= used * span;
    }
    return made;
  };

  function settle(each: Quota, now: number): void {
    if (choices.algorithm === 'fixed-window' && each.begin !== undefined && now - each.begin >= each.span) {
      each.begin = undefined;
      each.times = [];
    }
    if (choices.algorithm === 'sliding-log') each.times = each.times.filter((time) => now - time < each.span);
    if (choices.algorithm === 'token-bucket') {
      each.level = Math.min(each.size * each.span, each.level + (now - each.at) * each.size);
      each.at = now;
    }
  }

  function spend(each: Quota, now: number): void {
    if (choices.algorithm === 'token-bucket') {
      each.level -= each.span;
      return;
    }
    each.times.push(now);
    each.begin ??= choices.windowStart === 'clock' ? now - (now % each.span) : now;
  }

  function look(each: Quota, now: number): { limit: number; remaining: number; reset: number; span: number } {
    const { size, span } = each;
    const base = { limit: size, span };
    if (choices.algorithm === 'token-bucket') {
      const remaining = Math.max(0, Math.floor(each.level / span));
      return { ...base, remaining, reset: now + Math.ceil(((remaining + 1) * span - each.level) / size) };
    }
    const remaining = Math.max(0, size - each.times.length);
    if (choices.algorithm === 'sliding-log') {
      const freeing = each.times[Math.max(0, each.times.length - size)] ?? now;
      return { ...base, remaining, reset: freeing + span };
    }
    const begin = each.begin ?? (choices.windowStart === 'clock' ? now - (now % span) : now);
    return { ...base, remaining, reset: begin + span };
  }

  type Look = ReturnType<typeof look>;
  const tightest = (minute: Look, day: Look) =>
    day.remaining < minute.remaining || (day.remaining === minute.remaining && day.reset > minute.reset) ? day : minute;

  function counted(name: string | undefined): boolean {
    if (choices.limitsApply === 'all') return true;
    return choices.limitsApply !== 'none' && name !== undefined && choices.limitsApply.includes(name);
  }

  function rateHeaders(seen: Look | undefined, now: number, window: string): [string, string][] {
    if (seen === undefined) return [];
    const base: [string, string][] = [
      ['x-ratelimit-limit', `${seen.limit}`],
      ['x-ratelimit-remaining', `${seen.remaining}`],
      ['x-ratelimit-reset', `${seen.reset}`],
    ];
    const wait = Math.max(0, seen.reset - now);
    switch (choices.rateLimitFields) {
      case 'legacy':
        base.push(
          ['ratelimit-limit', `${seen.limit}`],
          ['ratelimit-remaining', `${seen.remaining}`],
          ['ratelimit-reset', `${wait}`],
        );
        break;
      case 'structured-rt':
        base.push(
          ['ratelimit', `"${window}";r=${seen.remaining};t=${wait}`],
          ['ratelimit-policy', `"${window}";q=${seen.limit};w=${seen.span}`],
        );
        break;
      case 'structured-aw':
        base.push(
          ['ratelimit', `"${window}";a=${seen.remaining};w=${wait}`],
          ['ratelimit-policy', `"${window}";q=${seen.limit};w=${seen.span}`],
        );
        break;
    }
    return base;
  }

  function answer(request: SecondRequest, nowMs: number): SecondAnswer {
    const now = Math.floor(nowMs / 1000);
    const [path = '', search = ''] = request.target.split('?');
    const common: [string, string][] = [
      ['content-type', 'application/json'],
      ['date', new Date(now * 1000).toUTCString()],
    ];
    const problem = (status: number, code: string, message: string, more: [string, string][] = []): SecondAnswer => ({
      status,
      headers: [...common, ...more],
      body: JSON.stringify({ code: choices.errorCodes[code] ?? code, message, status }),
    });

    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined || (token !== key && !choices.acceptAnyKey)) {
      const shown = { full: 60, 'remaining-zero': 0, omit: undefined }[choices.unauthorizedHeaders];
      const more =
        shown === undefined
          ? []
          : rateHeaders({ limit: 60, remaining: shown, reset: now + 60, span: 60 }, now, 'minute');
      return problem(401, 'unauthorized', 'Send a valid API key.', more);
    }
    let own = keys.get(token);
    if (own === undefined) {
      const [size, used] =
        token === key
          ? [limits, usage]
          : [
              { minute: 60, day: 1_000 },
              { minute: 0, day: 0 },
            ];
      own = { minute: quota(size.minute, 60, used.minute, now), day: quota(size.day, 86_400, used.day, now) };
      keys.set(token, own);
    }
    settle(own.minute, now);
    settle(own.day, now);

    const isList = path === '/pets';
    const petId = /^\/pets\/([^/]+)$/.exec(path)?.[1];
    const name = isList
      ? { GET: 'listPets', POST: 'createPet' }[request.method]
      : petId !== undefined && request.method === 'GET'
        ? 'getPet'
        : undefined;
    const isCounted = counted(name);
    const banned = (windows: { minute: Look; day: Look }) => {
      const used = [windows.minute, windows.day].filter(({ remaining }) => remaining === 0);
      const end = Math.max(bannedUntil, ...used.map(({ reset }) => reset));
      const wait = choices.retryAfterForm === 'seconds' ? `${end - now}` : new Date(end * 1000).toUTCString();
      const seen = { ...tightest(windows.minute, windows.day), remaining: 0, reset: end };
      const more: [string, string][] = [...rateHeaders(seen, now, 'minute'), ['retry-after', wait]];
      return problem(banStatus, 'key_banned', 'This key has to wait.', more);
    };
    if (now < bannedUntil) {
      if (banExtend) bannedUntil = Math.max(bannedUntil, now + banLength());
      return banned({ minute: look(own.minute, now), day: look(own.day, now) });
    }
    const before = { minute: look(own.minute, now), day: look(own.day, now) };
    if (isCounted && (before.minute.remaining === 0 || before.day.remaining === 0)) {
      if (choices.rejectedCounts !== 'none') {
        for (const each of ['minute', 'day'] as const) {
          if (choices.rejectedCounts === 'all' || before[each].remaining > 0) spend(own[each], now);
        }
      }
      const [minute, day] = [look(own.minute, now), look(own.day, now)];
      const seen = tightest(minute, day);
      if (promised > 0 && nowMs > firstRefusedMs + 1_000 && nowMs < promised * 1000 - 50) early++;
      if (promised > 0 && nowMs > firstRefusedMs + banGraceMs && nowMs < promised * 1000 - banToleranceMs) strikes++;
      if (promised === 0) firstRefusedMs = nowMs;
      promised = seen.reset;
      if (banAfter > 0 && strikes >= banAfter) {
        bans++;
        bannedUntil = now + banLength();
        strikes = 0;
        promised = 0;
        return banned({ minute, day });
      }
      const wait =
        choices.retryAfterForm === 'seconds' ? `${seen.reset - now}` : new Date(seen.reset * 1000).toUTCString();
      const more: [string, string][] = [
        ...rateHeaders({ ...seen, remaining: 0 }, now, seen === day ? 'day' : 'minute'),
        ['retry-after', wait],
      ];
      return problem(429, 'rate_limit_exceeded', 'Too many requests.', more);
    }
    if (isCounted) {
      spend(own.minute, now);
      spend(own.day, now);
      promised = 0;
      strikes = 0;
    }
    const [minute, day] = [look(own.minute, now), look(own.day, now)];
    const seen = { minute, day, 'least-remaining': tightest(minute, day) }[choices.reportedWindow];
    const rates = rateHeaders(seen, now, seen === day ? 'day' : 'minute');
    const good = (status: number, body: unknown, more: [string, string][] = []): SecondAnswer => ({
      status,
      headers: [...common, ...rates, ...more],
      body: JSON.stringify(body),
    });
    const bad = (status: number, code: string, message: string, more: [string, string][] = []) =>
      problem(status, code, message, [...rates, ...more]);

    if (!isList && petId === undefined) return bad(404, 'not_found', 'No such path.');
    if (name === undefined) {
      return choices.unknownMethod === 'not-found'
        ? bad(404, 'not_found', 'No such path.')
        : bad(405, 'method_not_allowed', 'No such method.', [['allow', isList ? 'GET, POST' : 'GET']]);
    }
    if (name === 'getPet') return onePet(petId as string);
    return name === 'listPets' ? listOfPets(new URLSearchParams(search)) : newPet();

    function onePet(text: string): SecondAnswer {
      if (!/^-?\d+$/.test(text) && choices.malformedPetId === 'reject')
        return bad(400, 'invalid_request', 'petId is no integer.');
      const pet = stock.find(({ id }) => String(id) === text);
      if (pet === undefined) return bad(404, 'not_found', 'No such pet.');
      const notice: [string, string][] =
        choices.deprecation === 'headers'
          ? [
              ['deprecation', '@0'],
              ['sunset', 'Thu, 05 Dec 2030 00:00:00 GMT'],
            ]
          : [];
      return good(200, pet, notice);
    }

    function listOfPets(query: URLSearchParams): SecondAnswer {
      const pager = choices.paging;
      const odd = [...query.keys()].find((each) => !['limit', 'status', pager].includes(each));
      if (odd !== undefined && choices.unknownQuery === 'reject') return bad(400, 'invalid_request', `What is ${odd}?`);
      let limit = 20;
      const wanted = query.get('limit');
      if (wanted !== null) {
        const number = /^-?\d+$/.test(wanted) ? Number(wanted) : Number.NaN;
        if (number >= 1 && number <= 100) limit = number;
        else if (choices.limitOutOfRange === 'reject') return bad(400, 'invalid_request', 'limit is from 1 to 100.');
        else if (choices.limitOutOfRange === 'clamp' && !Number.isNaN(number)) limit = number < 1 ? 1 : 100;
      }
      let matching = inOrder();
      const status = query.get('status');
      if (status !== null) {
        if (['available', 'pending', 'sold'].includes(status))
          matching = matching.filter((pet) => pet.status === status);
        else if (choices.unknownStatusFilter === 'reject') return bad(400, 'invalid_request', 'No such status.');
        else if (choices.unknownStatusFilter === 'empty') matching = [];
      }
      const place = query.get(pager);
      const skip =
        place === null
          ? 0
          : pager === 'page'
            ? (Number(place) - 1) * limit
            : pager === 'cursor'
              ? Number(place.slice(1))
              : Number(place);
      const page = matching.slice(skip, skip + limit);
      const next = skip + page.length;
      const links: [string, string][] = [];
      if (pager !== 'none' && next < matching.length) {
        query.set(pager, pager === 'page' ? String(next / limit + 1) : pager === 'cursor' ? `c${next}` : String(next));
        links.push(['link', `<https://second.example/v1/pets?${query}>; rel="next"`]);
      }
      return good(200, page, links);
    }

    function inOrder() {
      const all = [...stock];
      if (choices.listOrder === 'id-ascending') return all.sort((a, b) => a.id - b.id);
      if (choices.listOrder === 'newest-first') return all.sort((a, b) => b.id - a.id);
      // A fixed order that has nothing to do with the ids.
      return all.sort((a, b) => ((a.id * 7919) % 101) - ((b.id * 7919) % 101));
    }

    function newPet(): SecondAnswer {
      const type = request.headers['content-type'] ?? '';
      if (type !== 'application/json' && choices.contentType !== 'accept') {
        return choices.contentType === 'reject'
          ? bad(400, 'invalid_request', 'Send JSON.')
          : bad(415, 'unsupported_media_type', 'Send JSON.');
      }
      const text = request.body ?? '';
      if (text.length > 65_536) return bad(413, 'payload_too_large', 'Send less.');
      let body: Record<string, unknown>;
      try {
        body = JSON.parse(text);
      } catch {
        return bad(400, 'invalid_request', 'Send JSON.');
      }
      const { name: petName, categoryId, status, ...others } = body;
      if (typeof petName !== 'string' || typeof categoryId !== 'number')
        return bad(400, 'invalid_request', 'name, categoryId.');
      if (petName === '' && choices.emptyName === 'reject') return bad(400, 'invalid_request', 'name is empty.');
      if (!categories.includes(categoryId) && choices.unknownCategory === 'reject')
        return bad(400, 'invalid_request', 'No such category.');
      if (status !== undefined && !['available', 'pending', 'sold'].includes(String(status)))
        return bad(400, 'invalid_request', 'status.');
      if (Object.keys(others).length > 0 && choices.unknownFields === 'reject')
        return bad(400, 'invalid_request', 'Unknown field.');
      const id = Math.max(0, ...stock.map((pet) => pet.id)) + 1;
      const given = status ?? (choices.defaultStatus === 'absent' ? undefined : choices.defaultStatus);
      const pet = {
        id,
        name: petName,
        categoryId,
        ...(given !== undefined && { status: given }),
        ...(choices.unknownFields === 'echo' && others),
      };
      stock.push(pet);
      return good(201, pet);
    }
  }

  return {
    answer,
    /** Number of early requests after a refusal. */
    get early() {
      return early;
    },
  };
}
