import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';

/** How Retry-After of a refusal may be wrong. */
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

/** How X-RateLimit-Reset of any answer may be wrong. */
export const hostileResetForms = ['milliseconds', 'delta', 'skewed', 'missing'] as const;

/** Headers that the document does not allow but real services send: `hostileHeaders` of a scenario. */
export interface HostileHeaders {
  retryAfter?: (typeof hostileRetryAfterForms)[number] | undefined;
  reset?: (typeof hostileResetForms)[number] | undefined;
  /** X-RateLimit-Remaining of a refusal. */
  remaining?: number | undefined;
  /** A refusal is an HTML page without any rate-limit header, as a proxy in front of a service sends it. */
  html?: true | undefined;
}

/** Thirty days: `setTimeout` cannot wait for it and fires at once. */
const hugeSeconds = 30 * 86_400;
/** By how much a skewed Reset is too early. */
const skewSeconds = 40;

/** What the corrupted headers of one answer depend on. */
interface CorruptionSource {
  hostile: HostileHeaders;
  isRefusal: boolean;
  nowSeconds: number;
  resetAtSeconds: number;
  httpDate: (seconds: number) => string;
}

/** Corrupts the rate-limit headers of one answer in place. Retry-After, Remaining and `html` are for refusals alone. */
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

/** The HTML page that a proxy sends instead of a JSON answer. */
export const htmlPage = (status: number) =>
  `<!doctype html><html><head><title>${status}</title></head><body><h1>Error ${status}</h1></body></html>`;
