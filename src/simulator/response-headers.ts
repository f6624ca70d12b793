import { corruptHeaders, type HostileHeaders } from '../faults/hostile-headers.js';
import { draftFields } from '../rate-limits/draft-fields.js';
import { retryAfterHeader } from '../rate-limits/header-names.js';
import type { WindowLengths } from '../rate-limits/plan-limits.js';
import { addRateHeaders, type RateReport } from '../rate-limits/rate-report.js';
import { statusesWithoutBody } from '../requests/outcome.js';
import type { Settings } from '../scenario/settings.js';
import { memoizeLast } from '../values/memoize-last.js';

/** Data from which the headers of one response are computed. */
export interface HeaderSource {
  /** Status of the response. Decides whether the response has a body, and so a Content-Type. */
  status: number;
  nowSeconds: number;
  rate: RateReport | undefined;
  /** Whether the request was rate-limited or its key is banned. */
  isRefusal: boolean;
  settings: Pick<Settings, 'retryAfterForm' | 'rateLimitFields'>;
  windowSeconds: WindowLengths;
  hostile: HostileHeaders | undefined;
  /** Additional headers of the response; `null` removes a header. */
  more: Readonly<Record<string, string | null>> | undefined;
}

export type HeaderWriter = (source: HeaderSource) => Record<string, string>;

/**
 * Creates the function that computes the headers of a response. Error responses have rate-limit headers too, because
 * the API's documentation states: "Every API response carries these headers." The header `Date` contains the simulated
 * time.
 */
export function createHeaderWriter(): HeaderWriter {
  // Caches the last text of the `Date` header, because consecutive responses usually fall into one second.
  const httpDate = memoizeLast((seconds: number) => new Date(seconds * 1000).toUTCString());
  return ({ status, nowSeconds, rate, isRefusal, settings, windowSeconds, hostile, more }) => {
    const headers: Record<string, string> = statusesWithoutBody.includes(status)
      ? { Date: httpDate(nowSeconds) }
      : { 'Content-Type': 'application/json', Date: httpDate(nowSeconds) };
    if (rate !== undefined) {
      addRateHeaders(headers, rate);
      if (settings.rateLimitFields !== 'none') {
        const isPage = isRefusal && hostile?.html;
        if (!isPage) Object.assign(headers, draftFields(settings.rateLimitFields, rate, nowSeconds, windowSeconds));
      }
      if (isRefusal) {
        const isDate = settings.retryAfterForm === 'http-date';
        headers[retryAfterHeader] = isDate ? httpDate(rate.resetAtSeconds) : String(rate.resetAtSeconds - nowSeconds);
        // Forbids caches to store the response. RFC 6585 section 4: "Responses with the 429 status code MUST NOT be
        // stored by a cache."
        headers['Cache-Control'] = 'no-store';
      }
    }
    if (hostile !== undefined && rate !== undefined) {
      corruptHeaders(headers, { hostile, isRefusal, nowSeconds, resetAtSeconds: rate.resetAtSeconds, httpDate });
    }
    for (const name in more) setHeader(headers, name, more[name] as string | null);
    return headers;
  };
}

/** Sets a response header, or removes the header if `value` is `null`. Ignores the case of the header name. */
function setHeader(headers: Record<string, string>, name: string, value: string | null): void {
  const lower = name.toLowerCase();
  const present = Object.keys(headers).find((each) => each.toLowerCase() === lower) ?? name;
  if (value === null) delete headers[present];
  // Uses `defineProperty`, because assigning a header named `__proto__` would not create a property.
  else Object.defineProperty(headers, present, { value, configurable: true, enumerable: true, writable: true });
}
