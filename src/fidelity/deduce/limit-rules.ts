import { operationTable } from '../../petstore/operations.js';
import { defaultSettings, type Settings, settingValues } from '../../petstore/settings.js';

/**
 * Names of the settings for rate-limit behavior that the API's documentation leaves open. Each response depends on
 * several of these settings, so their values are deduced in combination.
 */
export const limitAssumptions = [
  'limitsApply',
  'algorithm',
  'windowStart',
  'rejectedCounts',
  'reportedWindow',
] as const satisfies readonly (keyof Settings)[];
export type LimitAssumption = (typeof limitAssumptions)[number];

/** Time units of a service: whole seconds, or milliseconds with reset times rounded down or up. */
export const roundings = ['seconds', 'down', 'up'] as const;

/** Possible rate-limit rules of a real API: settings, and the rounding of reset times. */
export interface LimitRules {
  readonly settings: Settings;
  readonly rounding: (typeof roundings)[number];
}

const { operations } = operationTable;

/** All subsets of the Petstore's operations, to which rate limits may apply. */
const sets = Array.from({ length: 2 ** operations.length }, (_, bits) =>
  operations.filter((_, index) => Math.floor(bits / 2 ** index) % 2 === 1),
);

/**
 * Creates all combinations of rate-limit settings that an API may have. All are without bans (`banAfter: 0`), because
 * responses reveal bans directly.
 * @param units time units of the API (`roundings`) to combine with the settings
 */
export function allLimitRules(units: readonly LimitRules['rounding'][] = roundings): LimitRules[] {
  const choices = <Value>({ default: first, others }: { default: Value; others: readonly Value[] }) => [
    first,
    ...others,
  ];
  const rules: LimitRules[] = [];
  for (const algorithm of choices(settingValues.algorithm)) {
    const starts = algorithm === 'fixed-window' ? choices(settingValues.windowStart) : [defaultSettings.windowStart];
    for (const windowStart of starts) {
      for (const rejectedCounts of choices(settingValues.rejectedCounts)) {
        for (const reportedWindow of choices(settingValues.reportedWindow)) {
          for (const limitsApply of ['all', 'none', ...sets.filter(({ length }) => length > 0)] as const) {
            const chosen = { algorithm, windowStart, rejectedCounts, reportedWindow, limitsApply };
            const settings = { ...defaultSettings, ...chosen, banAfter: 0 };
            for (const rounding of units) rules.push({ settings, rounding });
          }
        }
      }
    }
  }
  return rules;
}
