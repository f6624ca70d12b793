import type { WindowName } from '../requests/request-record.js';
import type { RateReport } from './rate-report.js';
import type { LimitSettings } from './settings.js';

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers, as the assumption `rateLimitFields` says: three of numbers up to
 * draft 06; from 08 on a structured one of what remains and the seconds until it resets (`r`, `t`); or, as proposed in
 * ietf-wg-httpapi/ratelimit-headers#164, of what is available and the seconds that it is for (`a`, `w`).
 */
export function draftFields(
  shape: Exclude<LimitSettings['rateLimitFields'], 'none'>,
  { limit, remaining, resetAtSeconds, window }: RateReport,
  nowSeconds: number,
  windowSeconds: Readonly<Record<WindowName, number>>,
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
