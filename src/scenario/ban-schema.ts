import { check, refine, type SchemaIssue } from '../validation/schema.js';
import { either, fields, number, oneOf, optional } from '../validation/schemas.js';
import { count, duration, whole, wholeSeconds } from '../validation/value-schemas.js';
import { isMap } from '../values/plain-data.js';

/** Maximum length of durations in a scenario: ten years. */
const tenYearsSeconds = 3_650 * 86_400;

const seconds = whole(1, tenYearsSeconds);
const milliseconds = whole(0, tenYearsSeconds * 1000);
const factor = refine(number, (value) => Number.isFinite(value) && value >= 1, 'a number from 1', { minimum: 1 });

/** Schemas of the scenario's ban settings whose values are no fixed list, such as durations and counts. */
export const banValues = {
  banAfter: count,
  banGraceMs: milliseconds,
  banToleranceMs: milliseconds,
  banSeconds: seconds,
  banEscalation: either(oneOf(false), fields({ factor, maxSeconds: seconds })),
};

/** Deprecated names of duration fields in a scenario's `ban`, with the unit of their numbers and the current names. */
const earlierNames: Record<string, { name: string; unit: string; value: typeof seconds }> = {
  graceMs: { name: 'grace', unit: 'ms', value: milliseconds },
  toleranceMs: { name: 'tolerance', unit: 'ms', value: milliseconds },
  seconds: { name: 'for', unit: 's', value: seconds },
  maxSeconds: { name: 'max', unit: 's', value: seconds },
};

/**
 * Creates the schema of a deprecated field in a scenario's `ban`, which rejects every value. Valid values were moved to
 * the present field before the check, unless the scenario has both fields.
 */
function deprecatedField(name: string, value: typeof seconds) {
  const labels = [`a number, or a duration under the name "${name}"`];
  const json = { ...value.json, deprecated: true };
  return optional({ ...refine(value, () => false, `only one of this field and "${name}"`), labels, json });
}

/**
 * Schemas of the fields of a scenario's `ban` map, except `extend` and `status`. The scenario schema adds these two
 * with the schemas of the settings `banExtend` and `banStatus`.
 */
export const banFields = {
  after: optional(count),
  for: optional(wholeSeconds),
  grace: optional(duration),
  tolerance: optional(duration),
  escalation: optional(
    either(
      oneOf(false),
      refine(
        fields({ factor, max: optional(wholeSeconds), maxSeconds: deprecatedField('max', seconds) }),
        ({ max }, isRight) => !isRight || max !== undefined,
        'max, the longest ban, such as "1h"',
        { anyOf: [{ required: ['max'] }, { required: ['maxSeconds'] }] },
      ),
    ),
  ),
  seconds: deprecatedField('for', seconds),
  graceMs: deprecatedField('grace', milliseconds),
  toleranceMs: deprecatedField('tolerance', milliseconds),
};

/**
 * Replaces deprecated field names of durations in a scenario's `ban`, so that two files with different names can be
 * merged. An invalid value retains its deprecated name, where the check reports the error.
 */
export function withPresentNames<Value>(scenario: Value): Value {
  if (!isMap(scenario) || !isMap(scenario.ban)) return scenario;
  const ban = renamed(scenario.ban);
  return { ...scenario, ban: isMap(ban.escalation) ? { ...ban, escalation: renamed(ban.escalation) } : ban };
}

function renamed(map: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(map).filter(([, value]) => value !== undefined);
  const entries = given.map(([before, value]) => {
    const now = Object.hasOwn(earlierNames, before) ? earlierNames[before] : undefined;
    if (now === undefined || map[now.name] !== undefined) return [before, value];
    const issues: SchemaIssue[] = [];
    check(now.value, value, issues);
    return issues.length > 0 ? [before, value] : [now.name, `${value}${now.unit}`];
  });
  return Object.fromEntries(entries);
}
