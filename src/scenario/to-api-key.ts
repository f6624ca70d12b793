import { type ApiKey, withWindows } from '../rate-limits/api-key.js';
import type { PlanLimits } from '../rate-limits/plan-limits.js';
import type { LimitSettings } from '../rate-limits/settings.js';
import { createWindow, type Window } from '../rate-limits/window.js';
import { type Issue, issueAt, type Step } from '../validation/issue.js';
import { latestMs } from '../values/instant.js';
import type { ExportedKey } from './key-state-schema.js';

/** Settings of a scenario that determine an API key's rate limits: plans, window lengths and algorithm. */
export interface KeyRules {
  readonly plans: Readonly<Record<string, PlanLimits>>;
  readonly windowSeconds: PlanLimits;
  readonly settings: Pick<LimitSettings, 'algorithm'>;
}

/**
 * Converts an exported API key to the key's state in a simulator. Reports each contradiction within the key or with the
 * scenario as an issue.
 * @param steps path of the key in the exported state, for the issues
 */
export function toApiKey(
  key: ExportedKey,
  { plans, windowSeconds, settings: { algorithm } }: KeyRules,
  nowMs: number,
  steps: readonly Step[],
  issues: Issue[],
): ApiKey {
  const limits = Object.hasOwn(plans, key.plan) ? plans[key.plan] : undefined;
  if (limits === undefined) {
    const expected = Object.keys(plans).join(', ');
    const message = `expected a plan of the scenario (${expected}), got ${JSON.stringify(key.plan)}`;
    issues.push(issueAt([...steps, 'plan'], message));
  }
  const window = (name: 'minute' | 'day') => {
    const preset = key.preset?.usage[name] ?? 0;
    const limit = limits?.[name] ?? Number.POSITIVE_INFINITY;
    if (preset > limit) {
      const message = `expected at most the limit of the plan (${limit}), got ${preset}`;
      issues.push(issueAt([...steps, 'preset', 'usage', name], message));
    }
    return toWindow(key[name], createWindow(limit, windowSeconds[name]), algorithm, nowMs, [...steps, name], issues);
  };
  return withWindows(key, window('minute'), window('day'));
}

function toWindow(
  { startSeconds, used, log }: ExportedKey['minute'],
  empty: Window,
  algorithm: LimitSettings['algorithm'],
  nowMs: number,
  steps: readonly Step[],
  issues: Issue[],
): Window {
  const logged = log.reduce((sum, [, requests]) => sum + requests, 0);
  if ((algorithm === 'sliding-log' || log.length > 0) && logged !== used) {
    issues.push(issueAt([...steps, 'used'], `expected the sum of the requests in log (${logged}), got ${used}`));
  }
  if (log.some(([second], index) => index > 0 && second <= (log[index - 1]?.[0] as number))) {
    issues.push(issueAt([...steps, 'log'], 'expected each second once, oldest first'));
  }
  // In a token bucket, each request adds the window's seconds to `used`, and each second subtracts `limit`. The bucket
  // is thus full after `used / limit` seconds.
  const secondsLeft = Math.floor((latestMs - nowMs) / 1000);
  if (algorithm === 'token-bucket' && used / empty.limit > secondsLeft) {
    issues.push(
      issueAt([...steps, 'used'], `expected usage that the bucket regains before the year 10000, got ${used}`),
    );
  }
  // Copies the list of request times, because all windows that an exported state omits share one default list. Without
  // the copy, a change to one window would change all of them.
  return { ...empty, startSeconds, used, log: log.map(([second, requests]) => [second, requests]) };
}
