import type { FaultRulesState } from '../faults/fault-rules.js';
import type { KeyRegistryState } from '../rate-limits/key-registry.js';
import { type Issue, issueAt } from '../validation/issue.js';
import { checkAt, type SchemaIssue, toIssues } from '../validation/schema.js';
import { fields, list, mapOf, optional, pair, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { keyText } from './key-schema.js';
import { apiKeySchema, instantMs, keyStateSchema } from './key-state-schema.js';
import type { CheckedScenario } from './scenario-schema.js';
import { type KeyRules, toApiKey } from './to-api-key.js';

const ruleCounts = fields({ seen: count, applied: count, failed: optional(list(pair(string, count)), []) });

/** State with which a simulator starts, in order to continue from another simulator's exported state. */
export interface StartState {
  readonly keys: KeyRegistryState;
  readonly faults: Pick<FaultRulesState, 'startMs' | 'counts'>;
}

/** Reads a scenario's `state` field. Returns `undefined` if the scenario has no `state`. */
export type ReadStart = (scenario: CheckedScenario, rules: KeyRules, issues: Issue[]) => StartState | undefined;

/**
 * Schema of a scenario's `state` field: exact state that other fields cannot express. `petstore-sim state export --as
 * scenario` writes the field.
 */
export const startSchema = fields({
  /** Exported state of API keys, by token. The scenario's `keys` must define each token. */
  keys: optional(mapOf(keyText, keyStateSchema), {}),
  /** API keys that the scenario does not define and that were accepted under the assumption `acceptAnyKey`. */
  unlistedKeys: optional(list(apiKeySchema), []),
  faults: fields({
    startMs: instantMs,
    /** Numbers of matching requests and applied faults for each fault rule, by the rule's name. */
    counts: optional(mapOf(string, ruleCounts), {}),
  }),
});

export const readStart: ReadStart = ({ state: given, keys = {}, clock, faults = [] }, rules, issues) => {
  if (given === undefined) return undefined;
  const found: SchemaIssue[] = [];
  const state = checkAt('state', startSchema, given, found);
  issues.push(...toIssues(found));
  if (found.length > 0) return undefined;
  const nowMs = clock?.start ?? 0;
  const known = Object.entries(state.keys).map(([key, fields]) => {
    const steps = ['state', 'keys', key];
    const named = keys[key];
    if (named === undefined) issues.push(issueAt(steps, 'expected a key defined in `keys`', true));
    const { plan = 'free', state: use = 'active' } = named ?? {};
    return toApiKey({ key, plan, state: use, ...fields }, rules, nowMs, steps, issues);
  });
  const unlisted = state.unlistedKeys.map((key, index) =>
    toApiKey(key, rules, nowMs, ['state', 'unlistedKeys', index], issues),
  );
  const counts = Object.entries(state.faults.counts);
  for (const [name] of counts) {
    if (faults.some((fault) => fault.name === name)) continue;
    issues.push(issueAt(['state', 'faults', 'counts', name], 'expected the name of a rule in `faults`', true));
  }
  return {
    keys: { keys: known, unlisted },
    faults: {
      startMs: state.faults.startMs,
      counts: counts.map(([name, { failed, ...count }]) => [name, { ...count, failed: new Map(failed) }]),
    },
  };
};
