import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import type { Transport } from '../../src/fidelity/ask-service/service-client.js';
import type { Subject } from '../../src/fidelity/deduce/observation.js';
import { createRandom } from '../support/random.js';
import {
  authorizationOf,
  type BanChoices,
  type Choices,
  categories,
  foreignService,
  key,
  limitAlternatives,
  noFaults,
  pets,
  type ResponseChoices,
  responseAlternatives,
  type ServiceSettings,
} from './foreign-service.js';

/** Permissions and bounds of most questionings; nothing is stored and no window is used up. */
export const asking = { budget: 40, allowsWrite: false, allowsExhaust: false, allowsBan: false, patienceMs: 150_000 };

/** A service whose choices the one who asks does not know. */
export interface HiddenWorld {
  choices: Choices;
  /** Whether the one who asks may store pets and use up windows. */
  allowsWrite: boolean;
  allowsExhaust: boolean;
  limits: { minute: number; day: number };
  usage: { minute: number; day: number };
  transport: Transport;
  /** Early requests after a refusal, bans, and the judge's outcome. */
  behaviour(): { early: number; bans: number; outcome: string };
}

/** A random draw that is the same for the same seed; those of adjacent seeds have nothing in common. */
export const createDraw = (seed: number) => createRandom(seed * 2_654_435_761);

type Draw = ReturnType<typeof createDraw>;

/** Draws the choices that single responses show. */
export const drawResponses = ({ pick }: Pick<Draw, 'pick'>) =>
  Object.fromEntries(
    Object.entries(responseAlternatives).map(([name, values]) => [name, pick<unknown>(values)]),
  ) as ResponseChoices;

function drawChoices({ pick, chance }: Draw): Choices {
  return {
    ...drawResponses({ pick }),
    errorCodes: chance(0.3)
      ? { not_found: 'NO_SUCH_THING', rate_limit_exceeded: 'SLOW_DOWN', invalid_request: 'BAD' }
      : {},
    acceptAnyKey: chance(0.2),
    unauthorizedHeaders: pick(limitAlternatives.unauthorizedHeaders),
    limitsApply: chance(0.6)
      ? 'all'
      : pick(['none', ['listPets'], ['createPet'], ['listPets', 'createPet'], ['getPet', 'listPets']]),
    algorithm: pick(['fixed-window', 'fixed-window', 'sliding-log', 'token-bucket']),
    windowStart: pick(limitAlternatives.windowStart),
    rejectedCounts: pick(limitAlternatives.rejectedCounts),
    reportedWindow: pick(['least-remaining', 'least-remaining', 'minute', 'day']),
    retryAfterForm: pick(limitAlternatives.retryAfterForm),
    rateLimitFields: pick(limitAlternatives.rateLimitFields),
    deprecation: pick(limitAlternatives.deprecation),
    bans: usualBans,
  };
}

export const usualBans: BanChoices = {
  banAfter: 3,
  banGraceMs: 1_000,
  banToleranceMs: 50,
  banSeconds: 120,
  banExtend: false,
  banEscalation: false,
  banStatus: 429,
};

function drawBans({ pick, chance, below }: Draw): BanChoices {
  return {
    banAfter: chance(0.1) ? 0 : 1 + below(6),
    banGraceMs: pick([0, 200, 1_000, 1_000, 2_000, 5_000, 10_000]),
    banToleranceMs: pick([0, 50, 50, 500, 1_000, 2_000, 5_000]),
    banSeconds: pick([3, 20, 45, 120, 120, 300]),
    banExtend: chance(0.5),
    banEscalation: chance(0.5)
      ? false
      : pick([
          { factor: 2, maxSeconds: 259_200 },
          { factor: 1.5, maxSeconds: 300 },
          { factor: 3, maxSeconds: 3_600 },
        ]),
    banStatus: pick([429, 429, 403, 401, 418]),
  };
}

/** A service whose key gets banned, small enough that its window can be used up several times. */
export function banningWorld(seed: number, kind: 'ours' | 'second'): HiddenWorld {
  const draw = createDraw(seed);
  const drawn = drawChoices(draw);
  const choices: Choices = {
    ...drawn,
    algorithm: 'fixed-window',
    limitsApply: 'all',
    reportedWindow: 'least-remaining',
    bans: drawBans(draw),
  };
  const limits = { minute: draw.pick([7, 12, 25]), day: 3_000 };
  const startMs = Date.UTC(2026, 4, 1, draw.below(22), draw.below(60), draw.below(60)) + draw.below(1_000);
  const more = { choices, limits, usage: { minute: 0, day: 0 }, allowsWrite: false, allowsExhaust: true };
  const world = { plan: 'enterprise', startMs, ...more };
  return { ...more, ...(kind === 'ours' ? serveOurs(world) : serveSecond(world)) };
}

const plans: Record<string, { minute: number; day: number }> = {
  free: { minute: 60, day: 1_000 },
  pro: { minute: 300, day: 10_000 },
  business: { minute: 1_000, day: 100_000 },
};

/** @param kind who serves it: our simulator, or the second implementation */
export function hiddenWorld(seed: number, kind: 'ours' | 'second'): HiddenWorld {
  const draw = createDraw(seed);
  const choices = drawChoices(draw);
  const plan = draw.pick(['free', 'free', 'pro', 'business', 'enterprise']);
  const limits = plans[plan] ?? { minute: draw.pick([7, 12, 25]), day: draw.pick([45, 200, 3_000]) };
  const usage = {
    minute: draw.chance(0.4) ? draw.below(Math.min(limits.minute, 58)) : 0,
    day: draw.chance(0.3) ? draw.below(Math.floor(limits.day / 3)) : 0,
  };
  usage.day = Math.max(usage.day, usage.minute);
  const startMs =
    Date.UTC(2026, 4, 1 + draw.below(20), draw.below(24), draw.below(60), draw.below(60)) + draw.below(1_000);
  const more = { choices, limits, usage, allowsWrite: draw.chance(0.6), allowsExhaust: draw.chance(0.5) };
  const world = { plan, startMs, ...more };
  return { ...more, ...(kind === 'ours' ? serveOurs(world) : serveSecond(world)) };
}

type Served = Pick<HiddenWorld, 'transport' | 'behaviour'>;
type Inside = Omit<HiddenWorld, 'transport' | 'behaviour'> & { plan: string; startMs: number };

function serveOurs({ choices, limits, usage, plan, startMs }: Inside): Served {
  const scenario: Scenario = {
    clock: { start: startMs, mode: 'frozen' },
    pets,
    categories,
    keys: { [key]: { plan, usage } },
    ...(plan === 'enterprise' && { plans: { enterprise: limits } }),
    assumptions: assumptionsOf(choices),
  };
  const sim = createSimulator({ scenario });
  const transport: Transport = {
    baseUrl: 'https://hidden.example/v1',
    now: () => sim.clock.now(),
    sleep: async (ms) => sim.clock.advance(Math.ceil(ms)),
    async send({ method, target, headers, body, token }) {
      const sent = { ...headers, ...authorizationOf(token) };
      const response = await sim.fetch(`https://hidden.example/v1${target}`, {
        method,
        headers: sent,
        ...(body !== undefined && { body: new TextEncoder().encode(body) }),
      });
      return { status: response.status, headers: [...response.headers], body: await response.text() };
    },
  };
  return {
    transport,
    behaviour: () => {
      const entries = sim.journal.query();
      return {
        early: entries.filter(({ isStrike }) => isStrike).length,
        bans: entries.filter(({ refusal }) => refusal === 'ban').length,
        outcome: judge(sim, { isOver: true }).outcome,
      };
    },
  };
}

function serveSecond({ choices, limits, usage, startMs }: Inside): Served {
  const before = { ...usage, agoMs: 0 };
  // A response takes time, so request and response may be in different seconds.
  const more = { fractions: 'seconds', latencyMs: 20, faults: noFaults, bannedForMs: 0 } as const;
  const transport = foreignService({ choices, limits, before, startMs, ...more });
  return { transport, behaviour: () => ({ early: transport.early, bans: 0, outcome: 'pass' }) };
}

/** Choices that requests for pets show. */
export const shownByReads: readonly Subject[] = [
  'listOrder',
  'paging',
  'limitOutOfRange',
  'unknownStatusFilter',
  'unknownQuery',
  'malformedPetId',
  'deprecation',
  'unknownMethod',
  'unauthorizedHeaders',
  'acceptAnyKey',
  'rateLimitFields',
  'errorCodes.unauthorized',
  'errorCodes.not_found',
];
/** Choices that only requests that store a pet show. */
export const shownByWrites: readonly Subject[] = [
  'defaultStatus',
  'unknownFields',
  'emptyName',
  'unknownCategory',
  'contentType',
];

/** Choices of such a service that any procedure can learn within these permissions. */
export function learnable({ choices, allowsWrite, allowsExhaust, limits, usage }: HiddenWorld): Subject[] {
  const { limitsApply, algorithm, reportedWindow } = choices;
  const isListCounted = limitsApply === 'all' || (limitsApply !== 'none' && limitsApply.includes('listPets'));
  const isMinuteShown = reportedWindow !== 'day' && limits.day - usage.day > limits.minute + 40;
  const joint: Subject[] = [];
  if (limitsApply === 'all' || allowsWrite) joint.push('limitsApply');
  if (isListCounted && isMinuteShown) {
    joint.push('algorithm');
    if (algorithm === 'fixed-window') joint.push('windowStart');
  }
  if (reportedWindow === 'day' && isListCounted && limits.day - usage.day > limits.minute + 40)
    joint.push('reportedWindow');
  const isUsedUp =
    allowsExhaust && isListCounted && limits.minute <= 12 && algorithm !== 'token-bucket' && isMinuteShown;
  const refused: Subject[] = isUsedUp ? ['retryAfterForm', 'errorCodes.rate_limit_exceeded'] : [];
  return [...shownByReads, ...(allowsWrite ? shownByWrites : []), ...joint, ...refused];
}

/** Text of a value, in which a list is a set. */
export const setText = (value: unknown) => JSON.stringify(Array.isArray(value) ? [...value].sort() : value);

/** Choices as a scenario states them. */
export const assumptionsOf = ({ bans, ...others }: Choices) =>
  ({ ...others, ...bans }) as NonNullable<Scenario['assumptions']>;

/** The value that a service has. */
export function truth({ choices }: HiddenWorld, subject: Subject): unknown {
  const code = /^errorCodes\.(.*)$/.exec(subject)?.[1];
  if (code !== undefined) return choices.errorCodes[code] ?? code;
  return subject in choices.bans ? choices.bans[subject as keyof BanChoices] : choices[subject as keyof Choices];
}

export interface Setting extends ServiceSettings {
  allowsWrite: boolean;
  allowsExhaust: boolean;
  allowsBan: boolean;
  budget: number;
  plan: string;
}

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
  const earlier = chance(0.5) ? 1 + below(Math.min(limits.minute, 50)) : 0;
  return {
    choices,
    limits,
    plan,
    before: { minute: earlier, day: earlier, agoMs: below(40_000) },
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
