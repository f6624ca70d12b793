import { operationNames } from '../../petstore/document.js';
import { defaultSettings, type Settings, settingValues } from '../../petstore/settings.js';

/** Assumptions that only a joint hypothesis explains. */
export const limitAssumptions = [
  'limitsApply',
  'algorithm',
  'windowStart',
  'rejectedCounts',
  'reportedWindow',
] as const satisfies readonly (keyof Settings)[];
export type LimitAssumption = (typeof limitAssumptions)[number];

/** Unit of a service's instants: whole seconds, as in the simulator, or milliseconds with the reset rounded down or up. */
export const roundings = ['seconds', 'down', 'up'] as const;

/** One joint hypothesis about limits: settings of the simulator, and the unit of instants. */
export interface LimitRules {
  readonly settings: Settings;
  readonly rounding: (typeof roundings)[number];
}

/** Every set of operations. */
const sets = Array.from({ length: 2 ** operationNames.length }, (_, bits) =>
  operationNames.filter((_, index) => Math.floor(bits / 2 ** index) % 2 === 1),
);

/** Every combination of settings, in each of the given units. Bans are left out (`banAfter: 0`), because a ban shows itself. */
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

/** Whether the limits apply to a request; to one without an operation, only if they apply to all. */
export const isCounted = ({ limitsApply }: Settings, operation: string | undefined): boolean =>
  typeof limitsApply === 'string' ? limitsApply === 'all' : operation !== undefined && limitsApply.includes(operation);
