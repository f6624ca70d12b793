import type { WindowLengths } from './plan-limits.js';
import type { RateReport } from './rate-report.js';
import type { LimitSettings } from './settings.js';

/**
 * Creates the headers of draft-ietf-httpapi-ratelimit-headers, in the form that the setting `rateLimitFields` selects.
 * Up to draft 06: three numeric headers. From draft 08: `r` and `t`. In proposal ietf-wg-httpapi/ratelimit-headers#164:
 * `a` and `w`.
 */
export function draftFields(
  shape: Exclude<LimitSettings['rateLimitFields'], 'none'>,
  { limit, remaining, resetAtSeconds, window }: RateReport,
  nowSeconds: number,
  windowSeconds: WindowLengths,
): Record<string, string> {
  const seconds = Math.max(0, resetAtSeconds - nowSeconds);
  if (shape === 'legacy') {
    return {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(seconds),
    };
  }
  const [quota, time] = shape === 'structured-rt' ? ['r', 't'] : ['a', 'w'];
  return {
    RateLimit: `"${window}";${quota}=${remaining};${time}=${seconds}`,
    'RateLimit-Policy': `"${window}";q=${limit};w=${windowSeconds[window]}`,
  };
}
