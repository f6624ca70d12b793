import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';

/** Invalid forms of the Retry-After header, which a 429 or a ban response can contain. */
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

/** Invalid forms of the X-RateLimit-Reset header. A fault can use them in any response, not only in a 429. */
export const hostileResetForms = ['milliseconds', 'delta', 'skewed', 'missing'] as const;

/**
 * Malformed or misleading rate-limit headers, for the scenario setting `hostileHeaders`. Real services send such
 * headers, although the documentation of this API rules them out.
 */
export interface HostileHeaders {
  retryAfter?: (typeof hostileRetryAfterForms)[number] | undefined;
  reset?: (typeof hostileResetForms)[number] | undefined;
  /** Value of X-RateLimit-Remaining in a 429 or a ban response. */
  remaining?: number | undefined;
  /** Whether a 429 or a ban response is an HTML page without rate-limit headers, as from a proxy. */
  html?: true | undefined;
}

/** Value of a huge Retry-After: 30 days. Exceeds the maximum delay of `setTimeout`, which would fire at once. */
const hugeSeconds = 30 * 86_400;
/** Number of seconds by which the header fault `skewed` makes X-RateLimit-Reset too early. */
const skewSeconds = 40;

interface CorruptionSource {
  hostile: HostileHeaders;
  isRefusal: boolean;
  nowSeconds: number;
  resetAtSeconds: number;
  httpDate: (seconds: number) => string;
}

/**
 * Corrupts the rate-limit headers of one response, as the fault rule's field `hostile` describes. Only
 * X-RateLimit-Reset changes in every response; the other headers change only in a refusal by a limit or ban.
 */
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

/** HTML page in place of a JSON body, as a proxy sends it. */
export const htmlPage = (status: number) =>
  `<!doctype html><html><head><title>${status}</title></head><body><h1>Error ${status}</h1></body></html>`;
