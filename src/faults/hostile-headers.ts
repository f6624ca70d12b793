import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';

/** Invalid forms of Retry-After in a 429 or a ban. */
export const hostileRetryAfterForms = [
  'past-date',
  'negative',
  'fractional',
  'zero',
  'missing',
  'huge',
  'epoch',
  'milliseconds',
  'garbage',
] as const;

/** Invalid forms of X-RateLimit-Reset in any response. */
export const hostileResetForms = ['milliseconds', 'delta', 'skewed', 'missing'] as const;

/** Headers that violate the document but occur in real services: `hostileHeaders` of a scenario. */
export interface HostileHeaders {
  retryAfter?: (typeof hostileRetryAfterForms)[number] | undefined;
  reset?: (typeof hostileResetForms)[number] | undefined;
  /** X-RateLimit-Remaining of a refusal (429 or ban). */
  remaining?: number | undefined;
  /** Whether refusals are HTML pages without rate-limit headers, as from a proxy. */
  html?: true | undefined;
}

/** Thirty days in seconds. Longer than the maximum delay of `setTimeout`, which then fires at once. */
const hugeSeconds = 30 * 86_400;
/** Error of a skewed Reset, in seconds too early. */
const skewSeconds = 40;

/** Inputs for the corrupted headers of one response. */
interface CorruptionSource {
  hostile: HostileHeaders;
  isRefusal: boolean;
  nowSeconds: number;
  resetAtSeconds: number;
  httpDate: (seconds: number) => string;
}

/** Corrupts the rate-limit headers of one response in place. Retry-After, Remaining and `html` affect refusals only. */
export function corruptHeaders(
  headers: Record<string, string>,
  { hostile, isRefusal, nowSeconds, resetAtSeconds, httpDate }: CorruptionSource,
): void {
  if (hostile.reset === 'missing') delete headers[rateLimitHeaders.reset];
  else if (hostile.reset !== undefined) {
    const forms = {
      milliseconds: resetAtSeconds * 1000,
      delta: resetAtSeconds - nowSeconds,
      skewed: resetAtSeconds - skewSeconds,
    };
    headers[rateLimitHeaders.reset] = String(forms[hostile.reset]);
  }
  if (!isRefusal) return;
  if (hostile.remaining !== undefined) headers[rateLimitHeaders.remaining] = String(hostile.remaining);
  if (hostile.retryAfter === 'missing') delete headers[retryAfterHeader];
  else if (hostile.retryAfter !== undefined) {
    const seconds = resetAtSeconds - nowSeconds;
    const forms = {
      'past-date': httpDate(nowSeconds - 1),
      negative: '-5',
      fractional: (seconds - 0.5).toFixed(1),
      zero: '0',
      huge: String(hugeSeconds),
      epoch: String(resetAtSeconds),
      milliseconds: String(seconds * 1000),
      garbage: 'soon',
    };
    headers[retryAfterHeader] = forms[hostile.retryAfter];
  }
  if (hostile.html) {
    for (const name of [...Object.values(rateLimitHeaders), retryAfterHeader]) delete headers[name];
    headers['Content-Type'] = 'text/html';
  }
}

/** HTML page that a proxy sends instead of a JSON response. */
export const htmlPage = (status: number) =>
  `<!doctype html><html><head><title>${status}</title></head><body><h1>Error ${status}</h1></body></html>`;
