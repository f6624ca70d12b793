import { operationNames } from '../../petstore/document.js';
import { defaultSettings, type Settings, settingValues } from '../../petstore/settings.js';
import { type Algorithm, windowAlgorithm } from '../../rate-limits/window.js';

/** The assumptions that only a joint hypothesis explains. */
export const limitAssumptions = [
  'limitsApply',
  'algorithm',
  'windowStart',
  'rejectedCounts',
  'reportedWindow',
] as const satisfies readonly (keyof Settings)[];
export type LimitAssumption = (typeof limitAssumptions)[number];

/** One joint hypothesis about limits: settings of the simulator, and the algorithm that they name. */
export interface LimitRules {
  readonly settings: Settings;
  readonly algorithm: Algorithm;
}

/** Every set of operations. */
const sets = Array.from({ length: 2 ** operationNames.length }, (_, bits) =>
  operationNames.filter((_, index) => Math.floor(bits / 2 ** index) % 2 === 1),
);

/** Every combination: some hundreds. Bans are left out (`banAfter: 0`), because a ban shows itself. */
export function allLimitRules(): LimitRules[] {
  const choices = <Value>({ default: first, others }: { default: Value; others: readonly Value[] }) => [
    first,
    ...others,
  ];
  const rules: LimitRules[] = [];
  for (const algorithm of choices(settingValues.algorithm)) {
    const starts = algorithm === 'fixed-window' ? choices(settingValues.windowStart) : [defaultSettings.windowStart];
    for (const windowStart of starts) {
      const counting = windowAlgorithm({ algorithm, windowStart });
      for (const rejectedCounts of choices(settingValues.rejectedCounts)) {
        for (const reportedWindow of choices(settingValues.reportedWindow)) {
          for (const limitsApply of ['all', 'none', ...sets.filter(({ length }) => length > 0)] as const) {
            const settings = {
              ...defaultSettings,
              algorithm,
              windowStart,
              rejectedCounts,
              reportedWindow,
              limitsApply,
            };
            rules.push({ settings: { ...settings, banAfter: 0 }, algorithm: counting });
          }
        }
      }
    }
  }
  return rules;
}

/** Whether a request is counted: one without an operation only where the limits apply to all. */
export const isCounted = ({ limitsApply }: Settings, operation: string | undefined): boolean =>
  typeof limitsApply === 'string' ? limitsApply === 'all' : operation !== undefined && limitsApply.includes(operation);
