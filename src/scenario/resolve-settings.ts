import { type Issue, issueAt } from '../validation/issue.js';
import { deepFreeze } from '../values/plain-data.js';
import type { BanPresetName, CheckedScenario } from './scenario-schema.js';
import type { SettingId, Settings } from './settings.js';

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
export function resolveSettings(checked: CheckedScenario, defaults: Settings, issues: Issue[]): Settings {
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
  return deepFreeze(settings as unknown as Settings);
}
