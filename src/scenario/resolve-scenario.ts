import type { ClockStart } from '../clock/simulated-clock.js';
import type { FaultRule } from '../faults/fault-rule.js';
import { freeFaultName } from '../faults/fault-rules.js';
import type { HostileHeaders } from '../faults/hostile-headers.js';
import type { KeyDefinition } from '../rate-limits/api-key.js';
import type { PlanLimits, WindowLengths } from '../rate-limits/plan-limits.js';
import type { CheckInSteps } from '../validation/check-in-steps.js';
import { type Issue, issueAt } from '../validation/issue.js';
import { type KeyPlace, toKeyPlace } from '../values/key-place.js';
import { copyFrozen, frozenCopy, isMap, merge } from '../values/plain-data.js';
import type { Steps } from '../values/steps.js';
import { documentedWindows } from '../values/window-fields.js';
import { withPresentNames } from './ban-schema.js';
import { checkScenario } from './check-scenario.js';
import { type Fault, toFaultRule } from './fault-schema.js';
import { type KnownOperations, knownOperations, unknownOperations } from './operations.js';
import type { StartState } from './read-start.js';
import { type Costs, resolveCosts } from './resolve-costs.js';
import { checkKeyNames, limitsOf, resolveKeys } from './resolve-keys.js';
import { resolvePlans } from './resolve-plans.js';
import { ScenarioError } from './scenario-error.js';
import type { ResolveOptions, ScenarioRules } from './scenario-rules.js';
import type { BanPresetName, CheckedScenario, Scenario } from './scenario-schema.js';
import type { ServiceContent } from './service-schema.js';
import type { SettingId, Settings } from './settings.js';
import type { Words } from './words-schema.js';

/** A scenario with all defaults filled in and all values checked, from which a simulator is built. */
export interface ResolvedScenario extends ServiceContent {
  /** The scenario merged with the default scenario, as a valid scenario file's content. */
  scenario: Scenario;
  name: string;
  seed: number;
  clock: ClockStart;
  plans: Readonly<Record<string, PlanLimits>>;
  windowSeconds: WindowLengths;
  keys: ReadonlyMap<string, KeyDefinition>;
  /** Place of the keys in requests, if not the header Authorization: Bearer. */
  keyPlace?: KeyPlace;
  /** Key of `--api-key` that only `--set` added. It can be a real one, so outputs mask it like a key of no scenario. */
  secretKey?: string;
  /** Costs of requests, if not one each. */
  costs?: Costs;
  faults: readonly FaultRule[];
  hostileHeaders: HostileHeaders | undefined;
  /** Words of a service in place of the main service's. */
  words?: Words;
  /** Request rate of other simulated clients that share a key, in requests per second, by the key's token. */
  background: ReadonlyMap<string, number>;
  settings: Settings;
  /** Exported state of another simulator, with which a new simulator starts. */
  start: StartState | undefined;
}

/**
 * Checks a scenario in steps, between which a server handles other requests, and merges it with the default scenario.
 * Maps are merged, all other values replaced.
 * @param rules schemas and defaults of the simulator's main API, the Petstore
 * @param options functions that read certain fields of a scenario, such as `readStart` for the field `state`
 * @param checkAll function that checks the scenario against its schema in steps; default: a check without pauses
 * @param operations operation names that the scenario may use; default: those of the main API
 * @throws {ScenarioError} with every issue and its path
 */
export function* resolveInSteps(
  scenario: Scenario,
  rules: ScenarioRules,
  options: ResolveOptions = {},
  checkAll?: CheckInSteps,
  operations: KnownOperations = knownOperations(Object.keys(rules.rows)),
): Steps<ResolvedScenario> {
  const complete = completed(scenario, rules.base);
  yield;
  const issues: Issue[] = [];
  const checked = yield* checkScenario(complete, rules, issues, checkAll);
  // Checks the operation names of all fault rules as written, even if they failed the schema check. An
  // unknown operation is thus reported even if the fault rule has another mistake.
  issues.push(...unknownOperations({ ...checked, faults: complete?.faults }, operations));
  const settings = resolveSettings(checked, rules.defaults, issues);
  if (checked.extends !== undefined && checked.extends !== 'default') {
    const message = `expected "default" (only scenario files can extend another), got ${JSON.stringify(checked.extends)}`;
    issues.push(issueAt(['extends'], message));
  }
  // Checks references to API keys against the keys as written, including invalid ones. An invalid key is itself
  // reported, so references to it are not reported too.
  if (!settings.acceptAnyKey && isMap(complete?.keys)) checkKeyNames(checked, complete.keys, issues);
  const windowSeconds: WindowLengths = { ...documentedWindows, ...checked.windows };
  const plans = resolvePlans(checked, rules.plans, settings, windowSeconds, issues);
  const costs = resolveCosts(checked, rules, plans, issues);
  const seed = checked.seed ?? 1;
  const { start: startMs, skew: skewMs, mode, speed } = checked.clock ?? {};
  const resolved: ResolvedScenario = {
    // The operation by its name, which clients and their judge compare.
    scenario: checked.client?.operation === undefined ? complete : { ...complete, client: checked.client },
    name: checked.name ?? 'unnamed',
    seed,
    clock: { startMs, skewMs, mode, speed },
    ...(yield* rules.resolve(checked, { seed, settings, options }, issues)),
    plans,
    windowSeconds,
    keys: yield* resolveKeys(checked, plans, issues),
    ...(checked.keyFrom && checked.keyFrom !== 'bearer' && { keyPlace: toKeyPlace(checked.keyFrom) }),
    ...(costs && { costs }),
    faults: resolveFaults(checked, complete?.faults, plans, issues),
    hostileHeaders: checked.hostileHeaders,
    ...(checked.words && { words: checked.words }),
    background: new Map(Object.entries(checked.background ?? {})),
    settings,
    start: options.readStart?.(checked, { plans, windowSeconds, settings }, issues),
  };
  const others = [
    checked.hostileHeaders && 'hostileHeaders',
    settings.rateLimitFields !== 'none' && 'rateLimitFields',
    settings.retryAfterForm === 'http-date' && 'retryAfterForm',
  ].filter(Boolean);
  if (checked.words !== undefined && others.length > 0)
    issues.push(issueAt(['words'], `expected all headers about limits in words, got ${others.join(', ')} as well`));
  if (checked.state !== undefined && options.readStart === undefined) {
    const message = 'expected a reader: pass { readStart } from "petstore-sim/control" to createSimulator';
    issues.push(issueAt(['state'], message));
  }
  if (issues.length > 0) throw new ScenarioError(issues);
  return resolved;
}

/** Completes a scenario with the fields of the default scenario. The scenario's own values take precedence. */
export function completed(scenario: Scenario, base: Scenario): Scenario {
  const present = withPresentNames(scenario);
  if (!isMap(present)) return merge<Scenario>(base, present);
  const { keys, ...rest } = present;
  const { description, ...others } = merge<Scenario>(base, isMap(keys) ? rest : present);
  return {
    ...others,
    // Omits the default scenario's description if the given scenario has a name but no description. The default
    // description would be wrong for a scenario of another name.
    ...((scenario.description !== undefined || scenario.name === undefined) && { description }),
    // Puts the scenario's own API keys first, because clients use the first key by default. `Object.assign` avoids
    // another copy of the merged keys, of which there can be thousands.
    ...(isMap(keys) && { keys: Object.assign({ ...keys }, mergeEach(base.keys, keys)) }),
  };
}

/** Merges each entry of `base` with the entry of the same name in `over`. Omits entries that only `over` contains. */
const mergeEach = (base: object = {}, over: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(base).map(([name, value]) => [name, merge(value, over[name])]));

/**
 * Converts a scenario's fault rules to the form that the simulator applies, in the same order, and names the rules
 * without a name.
 */
function resolveFaults(
  { faults = [] }: CheckedScenario,
  written: Scenario['faults'] = [],
  plans: Readonly<Record<string, PlanLimits>>,
  issues: Issue[],
): FaultRule[] {
  const given = faults.map(({ name }) => name);
  const taken = new Set(given.filter((name) => name !== undefined));
  return faults.map((fault, index) => {
    // An invalid rule, which can contain itself, is reported instead of kept.
    const kept = issues.length > 0 ? fault : copyFrozen(written[index] as Fault);
    const rule = toFaultRule(fault, kept, freeFaultName(taken, index + 1));
    if (fault.name !== undefined && given.indexOf(fault.name) < index) {
      issues.push(issueAt(['faults', index, 'name'], `expected a free name, got "${rule.name}", which is taken`));
    }
    taken.add(rule.name);
    const { plan } = rule.when;
    if (plan !== undefined) limitsOf(plan, plans, ['faults', index, 'when', 'plan'], issues);
    return rule;
  });
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
 * Collects the values of a scenario's assumptions: settings for API behavior that the API's documentation leaves open.
 * Later sources override earlier ones: the ban preset, `assumptions`, then `plans`, `limits` and `ban`. Reports
 * contradictions between `assumptions` and the later fields.
 */
function resolveSettings(checked: CheckedScenario, defaults: Settings, issues: Issue[]): Settings {
  const { limits = {}, ban = {}, plans = {}, assumptions = {} } = checked;
  const preset = typeof ban === 'string' ? presets[ban] : {};
  const { appliesTo, ...otherLimits } = limits === 'off' ? { appliesTo: 'none' as const } : limits;
  const { after, for: seconds, grace, tolerance, extend, escalation, status } = typeof ban === 'string' ? {} : ban;
  const inPlace: Partial<Record<SettingId, unknown>> = {
    enterpriseLimits: plans.enterprise && {
      ...(assumptions.enterpriseLimits ?? defaults.enterpriseLimits),
      ...plans.enterprise,
    },
    limitsApply: appliesTo,
    ...otherLimits,
    banAfter: after,
    banSeconds: seconds,
    banGraceMs: grace,
    banToleranceMs: tolerance,
    banExtend: extend,
    banEscalation: escalation && { factor: escalation.factor, maxSeconds: escalation.max },
    banStatus: status,
  };
  const settings: Record<string, unknown> = { ...defaults, ...preset };
  for (const [id, value] of Object.entries(assumptions)) if (value !== undefined) settings[id] = value;
  for (const [id, value] of Object.entries(inPlace)) {
    if (value === undefined) continue;
    const other = assumptions[id as SettingId];
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(value)) {
      issues.push(
        issueAt(
          ['assumptions', id],
          `expected the same value as in plans, limits or ban (${JSON.stringify(value)}), got ${JSON.stringify(other)}`,
        ),
      );
    }
    settings[id] = value;
  }
  return frozenCopy(settings as unknown as Settings);
}
