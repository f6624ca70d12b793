import { type ApiKey, withWindows } from '../rate-limits/api-key.js';
import type { PlanLimits, WindowLengths } from '../rate-limits/plan-limits.js';
import type { LimitSettings } from '../rate-limits/settings.js';
import { createWindow, type Window } from '../rate-limits/window.js';
import { type Issue, issueAt, type Step } from '../validation/issue.js';
import { latestMs } from '../values/instant.js';
import { windowSteps, windowsOf } from '../values/window-fields.js';
import type { ExportedKey, WindowState } from './key-state-schema.js';
import { unknownWindow } from './per-window.js';
import { checkUsage, unknownLimits } from './resolve-plans.js';

/** Settings of a scenario that determine an API key's rate limits: plans, window lengths and algorithm. */
export interface KeyRules {
  readonly plans: Readonly<Record<string, PlanLimits>>;
  readonly windowSeconds: WindowLengths;
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
  const states = new Map(windowsOf(key));
  if (limits !== undefined && limits !== unknownLimits) {
    if (key.preset !== undefined) checkUsage(key.preset.usage, limits, [...steps, 'preset', 'usage'], issues);
    for (const name of states.keys()) {
      if (Object.hasOwn(limits, name)) continue;
      const message = unknownWindow(name, Object.keys(limits), 'plan');
      issues.push(issueAt([...steps, ...windowSteps(name)], message, true));
    }
  }
  const windows = Object.entries(limits ?? {}).map(([name, limit]) => {
    const empty = createWindow(name, limit, windowSeconds[name] as number);
    const state = states.get(name);
    return state === undefined
      ? empty
      : toWindow(state, empty, algorithm, nowMs, [...steps, ...windowSteps(name)], issues);
  });
  return withWindows(key, windows);
}

function toWindow(
  { startSeconds, used, log }: WindowState,
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
  // Copies the list of request times, because windows whose exported state omits it share one default list. Without the
  // copy, a change to one window would change all of them.
  return { ...empty, startSeconds, used, log: log.map(([second, requests]) => [second, requests]) };
}
