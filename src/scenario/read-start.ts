import type { FaultRulesState } from '../faults/fault-rules.js';
import type { KeyRegistryState } from '../rate-limits/key-registry.js';
import { type Issue, issueAt } from '../validation/issue.js';
import { checkAt, type SchemaIssue } from '../validation/schema.js';
import { fields, list, mapOf, optional, pair, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { keyText } from './key-schema.js';
import { apiKeySchema, instantMs, keyStateSchema } from './key-state-schema.js';
import type { CheckedScenario } from './scenario-schema.js';
import { type KeyRules, toApiKey } from './to-api-key.js';

const ruleCounts = fields({ seen: count, applied: count, failed: optional(list(pair(string, count)), []) });

/** What a scenario starts with where it goes on from the state of another simulator. */
export interface StartState {
  readonly keys: KeyRegistryState;
  readonly faults: Pick<FaultRulesState, 'startMs' | 'counts'>;
}

/** Reads the `state` of a scenario; `undefined` where it has none. */
export type ReadStart = (scenario: CheckedScenario, rules: KeyRules, issues: Issue[]) => StartState | undefined;

/** What the other fields of a scenario cannot say exactly. `petstore-sim state export --as scenario` writes it. */
export const startSchema = fields({
  /** All keys that there are; each is one of `keys`, and goes on from here. */
  keys: optional(mapOf(keyText, keyStateSchema), {}),
  /** Keys that requests made up under `acceptAnyKey`. */
  unlistedKeys: optional(list(apiKeySchema), []),
  faults: fields({
    startMs: instantMs,
    /** How often each rule of `faults` was met and has applied. */
    counts: optional(mapOf(string, ruleCounts), {}),
  }),
});

export const readStart: ReadStart = ({ state: given, keys = {}, clock, faults = [] }, rules, issues) => {
  if (given === undefined) return undefined;
  const found: SchemaIssue[] = [];
  const state = checkAt('state', startSchema, given, found);
  issues.push(...found.map(({ steps, message, onName }) => issueAt(steps, message, onName)));
  if (found.length > 0) return undefined;
  const nowMs = clock?.start ?? 0;
  const known = Object.entries(state.keys).map(([key, fields]) => {
    const steps = ['state', 'keys', key];
    const named = keys[key];
    if (named === undefined) issues.push(issueAt(steps, 'expected a key that `keys` has', true));
    const { plan = 'free', state: use = 'active' } = named ?? {};
    return toApiKey({ key, plan, state: use, ...fields }, rules, nowMs, steps, issues);
  });
  const unlisted = state.unlistedKeys.map((key, index) =>
    toApiKey(key, rules, nowMs, ['state', 'unlistedKeys', index], issues),
  );
  const counts = Object.entries(state.faults.counts);
  for (const [name] of counts) {
    if (faults.some((fault) => fault.name === name)) continue;
    issues.push(issueAt(['state', 'faults', 'counts', name], 'expected the name of a rule of `faults`', true));
  }
  return {
    keys: { keys: known, unlisted },
    faults: {
      startMs: state.faults.startMs,
      counts: counts.map(([name, { failed, ...count }]) => [name, { ...count, failed: new Map(failed) }]),
    },
  };
};
