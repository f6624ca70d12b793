import { documentedPlans, type PetStatus, type PlanLimits, windowSeconds } from '../contract/document.js';
import { type AssumptionId, defaultSettings, type Settings } from '../contract/settings.js';
import { type FaultRule, freeFaultName } from '../faults/faults.js';
import type { HostileHeaders } from '../faults/hostile-headers.js';
import type { KeyDefinition } from '../limits/keys.js';
import { type Issue, issueAt, type Step } from '../schema/issue.js';
import type { ClockStart } from '../state/clock.js';
import { type Pet, type StoredPet, toStored } from '../state/pets.js';
import { type Int64, nextInt64, normalizeInteger } from '../values/int64.js';
import { isMap, merge } from '../values/plain-data.js';
import { checkScenario } from './check-scenario.js';
import { defaultScenario } from './default-scenario.js';
import { toFaultRule } from './fault-schema.js';
import { ScenarioError } from './scenario-error.js';
import type { BanPresetName, CheckedScenario, Scenario } from './scenario-schema.js';

/** Makes pets: how many of each status, with ids from `firstId` up, decided by `seed` alone. */
export type GeneratePets = (
  counts: Readonly<Partial<Record<PetStatus, number | undefined>>>,
  options: {
    seed: number;
    firstId: Int64;
    categories: readonly Int64[];
    /** Told now and then how many are made, and at the end. */
    onProgress?: (made: number, total: number) => void;
  },
) => Pet[];

/** Whether a scenario has `pets.generate`, and needs a generator to be resolved. */
export const generatesPets = ({ pets }: Scenario): boolean => isMap(pets) && 'generate' in pets;

/** A scenario with every default filled in: what a simulator is built from. */
export interface ResolvedScenario {
  /** The scenario with what it leaves out from the default scenario, as `resolveScenario` takes it again. */
  scenario: Scenario;
  name: string;
  seed: number;
  clock: ClockStart;
  idStart: Int64 | undefined;
  categories: ReadonlySet<Int64>;
  pets: readonly StoredPet[];
  plans: Readonly<Record<string, PlanLimits>>;
  windowSeconds: PlanLimits;
  keys: ReadonlyMap<string, KeyDefinition>;
  faults: readonly FaultRule[];
  hostileHeaders: HostileHeaders | undefined;
  /** Requests a second that someone else makes with a key. */
  background: ReadonlyMap<string, number>;
  settings: Settings;
}

const presets: Record<BanPresetName, Partial<Settings>> = {
  default: {},
  strict: { banAfter: 1 },
  binance: { windowStart: 'clock', banStatus: 418, banEscalation: { factor: 2, maxSeconds: 259_200 } },
  strava: { rejectedCounts: 'other-windows' },
  penalty: { banExtend: true },
  off: { banAfter: 0 },
};

/**
 * Checks a scenario and fills in what it leaves out from the default scenario: maps merge, everything else replaces.
 * @throws {ScenarioError} naming every mistake with its path
 */
export function resolveScenario(scenario: Scenario, generatePets?: GeneratePets): ResolvedScenario {
  const complete = merge<Scenario>(defaultScenario, scenario);
  const issues: Issue[] = [];
  const checked = checkScenario(complete, issues);
  const settings = resolveSettings(checked, issues);
  if (checked.extends !== undefined && checked.extends !== 'default') {
    const message = `expected "default" (only a file may name another), got ${JSON.stringify(checked.extends)}`;
    issues.push(issueAt(['extends'], message));
  }
  const plans = { ...documentedPlans, enterprise: settings.enterpriseLimits, ...checked.plans };
  const seed = checked.seed ?? 1;
  const { start: startMs, skew: skewMs, mode, speed } = checked.clock ?? {};
  const idStart = checked.ids?.start;
  const categories = (checked.categories ?? []).map(normalizeInteger);
  const resolved: ResolvedScenario = {
    scenario: complete,
    name: checked.name ?? 'unnamed',
    seed,
    clock: { startMs, skewMs, mode, speed },
    idStart: idStart === undefined ? undefined : normalizeInteger(idStart),
    categories: new Set(categories),
    pets: resolvePets(checked, { seed, categories, settings, generatePets }, issues).map(toStored),
    plans,
    windowSeconds: {
      minute: checked.windows?.minute ?? windowSeconds.minute,
      day: checked.windows?.day ?? windowSeconds.day,
    },
    keys: resolveKeys(checked, plans, issues),
    faults: resolveFaults(checked, plans, issues),
    hostileHeaders: checked.hostileHeaders,
    background: new Map(Object.entries(checked.background ?? {})),
    settings,
  };
  if (issues.length > 0) throw new ScenarioError(issues);
  return resolved;
}

/** Every assumption: the preset, then `assumptions`, then `plans`, `limits` and `ban`; the same one set twice must agree. */
function resolveSettings(checked: CheckedScenario, issues: Issue[]): Settings {
  const { limits = {}, ban = {}, plans = {}, assumptions = {} } = checked;
  const preset = typeof ban === 'string' ? presets[ban] : {};
  const { appliesTo, ...otherLimits } = limits === 'off' ? { appliesTo: 'none' as const } : limits;
  const banValues = typeof ban === 'string' ? {} : ban;
  const inPlace: Partial<Record<AssumptionId, unknown>> = {
    enterpriseLimits: plans.enterprise,
    limitsApply: appliesTo,
    ...otherLimits,
    ...Object.fromEntries(
      Object.entries(banValues).map(([name, value]) => [`ban${name[0]?.toUpperCase()}${name.slice(1)}`, value]),
    ),
  };
  const settings: Record<string, unknown> = { ...defaultSettings, ...preset };
  for (const [id, value] of Object.entries(assumptions)) if (value !== undefined) settings[id] = value;
  for (const [id, value] of Object.entries(inPlace)) {
    if (value === undefined) continue;
    const other = assumptions[id as AssumptionId];
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(value)) {
      issues.push(
        issueAt(
          ['assumptions', id],
          `expected the value that plans, limits or ban sets (${JSON.stringify(value)}), got ${JSON.stringify(other)}`,
        ),
      );
    }
    settings[id] = value;
  }
  return settings as unknown as Settings;
}

function resolvePets(
  { pets = [], ids }: CheckedScenario,
  context: {
    seed: number;
    categories: readonly Int64[];
    settings: Settings;
    generatePets: GeneratePets | undefined;
  },
  issues: Issue[],
): Pet[] {
  const { seed, categories, settings, generatePets } = context;
  const firstId = normalizeInteger(ids?.start ?? 1);
  if ('file' in pets) {
    issues.push(issueAt(['pets', 'file'], 'expected a list of pets (only a scenario that is a file may name one)'));
    return [];
  }
  if (!Array.isArray(pets)) {
    if (generatePets !== undefined) return generatePets(pets.generate, { seed, firstId, categories });
    issues.push(
      issueAt(
        ['pets', 'generate'],
        'expected a generator: pass { generatePets } from "petstore-sim/seed" to createSimulator',
      ),
    );
    return [];
  }
  const status = settings.defaultStatus === 'absent' ? undefined : settings.defaultStatus;
  const taken = new Set<Int64>();
  for (const [index, { id }] of pets.entries()) {
    if (id === undefined) continue;
    if (taken.has(normalizeInteger(id))) {
      issues.push(issueAt(['pets', index, 'id'], `expected an id of its own, got ${id}, which is taken`));
    }
    taken.add(normalizeInteger(id));
  }
  let nextId = firstId;
  return pets.map((pet) => {
    if (pet.id === undefined) while (taken.has(nextId)) nextId = nextInt64(nextId);
    const id = normalizeInteger(pet.id ?? nextId);
    taken.add(id);
    return { id, name: pet.name, categoryId: normalizeInteger(pet.categoryId), status: pet.status ?? status };
  });
}

function resolveKeys(
  { keys = {} }: CheckedScenario,
  plans: Record<string, PlanLimits>,
  issues: Issue[],
): Map<string, KeyDefinition> {
  const definitions = new Map<string, KeyDefinition>();
  for (const [text, { plan = 'free', state = 'active', usage, bannedFor = 0, ...expiry }] of Object.entries(keys)) {
    const limits = limitsOf(plan, plans, ['keys', text, 'plan'], issues);
    const used = { minute: usage?.minute ?? 0, day: usage?.day ?? 0 };
    for (const window of ['minute', 'day'] as const) {
      if (limits === undefined || used[window] <= limits[window]) continue;
      issues.push(
        issueAt(
          ['keys', text, 'usage', window],
          `expected at most the limit of the plan (${limits[window]}), got ${used[window]}`,
        ),
      );
    }
    definitions.set(text, {
      plan,
      state,
      expiresAtMs: expiry.expiresAt,
      expiresInMs: expiry.expiresIn,
      usage: used,
      bannedForMs: bannedFor,
    });
  }
  return definitions;
}

function limitsOf(
  plan: string,
  plans: Readonly<Record<string, PlanLimits>>,
  steps: readonly Step[],
  issues: Issue[],
): PlanLimits | undefined {
  if (Object.hasOwn(plans, plan)) return plans[plan];
  const expected = Object.keys(plans).join(', ');
  issues.push(issueAt(steps, `expected a plan (${expected}), got ${JSON.stringify(plan)}`));
  return undefined;
}

/** The rules in order, each under its own name or its number. */
function resolveFaults(
  { faults = [] }: CheckedScenario,
  plans: Readonly<Record<string, PlanLimits>>,
  issues: Issue[],
): FaultRule[] {
  const given = faults.map(({ name }) => name);
  const taken = new Set(given.filter((name) => name !== undefined));
  return faults.map((fault, index) => {
    const rule = toFaultRule(fault, freeFaultName(taken, index + 1));
    if (fault.name !== undefined && given.indexOf(fault.name) < index) {
      issues.push(issueAt(['faults', index, 'name'], `expected a name of its own, got "${rule.name}", which is taken`));
    }
    taken.add(rule.name);
    const { plan } = rule.when;
    if (plan !== undefined) limitsOf(plan, plans, ['faults', index, 'when', 'plan'], issues);
    return rule;
  });
}
