import type { KeyDefinition } from '../rate-limits/api-key.js';
import type { PlanLimits } from '../rate-limits/plan-limits.js';
import { type Issue, issueAt, type Step } from '../validation/issue.js';
import { hintFor } from '../validation/nearest.js';
import { type Input, maximumIssues, type Output } from '../validation/schema.js';
import { fields } from '../validation/schemas.js';
import type { Steps } from '../values/steps.js';
import { checkWith } from './check-scenario.js';
import { keyFields, keyText } from './key-schema.js';
import { checkUsage } from './resolve-plans.js';
import { ScenarioError } from './scenario-error.js';
import type { CheckedScenario } from './scenario-schema.js';

type Plans = Readonly<Record<string, PlanLimits>>;

const keySchema = fields(keyFields);
const namedKeySchema = fields({ key: keyText, ...keyFields });

/** Fields of an API key, as written in a scenario. */
export interface KeyInput extends Input<typeof keySchema> {}

/**
 * Checks and converts the API keys of a scenario. Returns the definition of each key (plan, state, usage and ban) by
 * the key's text.
 */
export function* resolveKeys(
  { keys = {} }: CheckedScenario,
  plans: Plans,
  issues: Issue[],
): Steps<Map<string, KeyDefinition>> {
  const definitions = new Map<string, KeyDefinition>();
  for (const text of Object.keys(keys)) {
    definitions.set(text, toDefinition(keys[text] as Output<typeof keySchema>, plans, ['keys', text], issues));
    yield;
  }
  return definitions;
}

/**
 * Checks and converts an API key that `sim.keys.add` adds to a simulator.
 * @throws {ScenarioError} with every issue and its path
 */
export function checkKey(text: string, input: KeyInput, plans: Plans): KeyDefinition {
  const { key: _, ...checked } = checkWith(namedKeySchema, { ...input, key: text }, 'API key');
  const issues: Issue[] = [];
  const definition = toDefinition(checked, plans, [], issues);
  if (issues.length > 0) throw new ScenarioError(issues, 'API key');
  return definition;
}

/**
 * Maximum number of "did you mean" hints for unknown keys. Each hint searches all keys of a scenario, possibly
 * thousands.
 */
const maximumHints = 10;

/** Reports references to unknown API keys in a scenario's `client`, `background` and `faults`. */
export function checkKeyNames(
  { client, background = {}, faults = [] }: CheckedScenario,
  keys: Readonly<Record<string, unknown>>,
  issues: Issue[],
): void {
  const check = (key: string, steps: Step[], onName = false) => {
    if (Object.hasOwn(keys, key) || issues.length >= maximumIssues) return;
    const hint = issues.length < maximumHints ? hintFor(key, Object.keys(keys)) : '';
    issues.push(issueAt(steps, `expected an API key of the scenario, got ${JSON.stringify(key)}${hint}`, onName));
  };
  if (client?.key !== undefined) check(client.key, ['client', 'key']);
  for (const key of Object.keys(background)) check(key, ['background', key], true);
  for (const [index, { when }] of faults.entries()) {
    for (const key of when.key ?? []) check(key, ['faults', index, 'when', 'key']);
  }
}

/**
 * Returns the limits of a plan. For an unknown plan, returns `undefined` and adds a message to `issues`.
 * @param steps path of the scenario field that contains the plan's name, for the message
 */
export function limitsOf(plan: string, plans: Plans, steps: readonly Step[], issues: Issue[]): PlanLimits | undefined {
  if (Object.hasOwn(plans, plan)) return plans[plan];
  const names = Object.keys(plans);
  const hint = hintFor(plan, names);
  issues.push(issueAt(steps, `expected a plan (${names.join(', ')}), got ${JSON.stringify(plan)}${hint}`));
  return undefined;
}

function toDefinition(
  { plan = 'free', state = 'active', usage = {}, bannedFor = 0, expiresAt, expiresIn }: Output<typeof keySchema>,
  plans: Plans,
  steps: readonly Step[],
  issues: Issue[],
): KeyDefinition {
  const limits = limitsOf(plan, plans, [...steps, 'plan'], issues);
  const used = Object.fromEntries(
    Object.entries(usage).map(([window, value]) => [window, countUsed(value, limits?.[window])]),
  );
  if (limits !== undefined) checkUsage(used, limits, [...steps, 'usage'], issues);
  const ofWindows = Object.fromEntries(Object.keys(limits ?? {}).map((window) => [window, used[window] ?? 0]));
  return { plan, state, expiresAtMs: expiresAt, expiresInMs: expiresIn, usage: ofWindows, bannedForMs: bannedFor };
}

/** Number of used requests of a window with a limit. */
const countUsed = (used: number | string, limit = 0): number =>
  typeof used === 'number' ? used : Math.max(0, limit - Number(used.slice('all but '.length)));
