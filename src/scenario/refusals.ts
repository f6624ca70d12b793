import { isMap } from '../values/plain-data.js';
import type { Fault, refusingServices } from './fault-schema.js';

type Respond = NonNullable<Fault['then']['respond']>;
type Service = (typeof refusingServices)[number];

/** Refusal of a service by a rate limit, as an effect `respond` of a fault rule. `wait` is its wait, 5 s by default. */
interface Refusal extends Pick<Respond, 'status' | 'headers' | 'body' | 'wait'> {
  like: Service;
}

const retryAfter = { 'Retry-After': '{seconds}' };

/** Words of a service besides its refusals: headers about limits in every response, and the body of errors. */
interface OtherWords {
  limits?: Readonly<Record<string, string>>;
  error: string;
}

const rows: { readonly [Name in Service]: Omit<Refusal, 'like' | 'wait'> & OtherWords } = {
  anthropic: {
    status: 429,
    headers: {
      ...retryAfter,
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '{RFC 3339}',
    },
    body: '{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit."}}',
    error: '{"type":"error","error":{"type":"{reason}","message":"{message}"}}',
    limits: {
      'anthropic-ratelimit-requests-limit': '{limit}',
      'anthropic-ratelimit-requests-remaining': '{remaining}',
      'anthropic-ratelimit-requests-reset': '{RFC 3339}',
    },
  },
  // AWS SDKs wait at most 5 s longer than their own backoff.
  aws: {
    status: 400,
    headers: { 'x-amz-retry-after': '{milliseconds}', 'Content-Type': 'application/x-amz-json-1.0' },
    body: '{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"Rate exceeded"}',
    error: '{"__type":"com.amazon.coral.service#{reason}","message":"{message}"}',
  },
  azure: {
    status: 429,
    headers: { 'retry-after-ms': '{milliseconds}', ...retryAfter },
    body: '{"error":{"code":"429","message":"Rate limit is exceeded. Try again in {seconds} seconds."}}',
    error: '{"error":{"code":"{status}","message":"{message}"}}',
  },
  discord: {
    status: 429,
    headers: {
      ...retryAfter,
      'X-RateLimit-Limit': '5',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '{Unix seconds}',
      'X-RateLimit-Reset-After': '{seconds}',
      'X-RateLimit-Bucket': 'abcd1234',
    },
    body: '{"message":"You are being rate limited.","retry_after":{seconds},"global":false}',
    error: '{"message":"{message}","code":0}',
    limits: {
      'X-RateLimit-Limit': '{limit}',
      'X-RateLimit-Remaining': '{remaining}',
      'X-RateLimit-Reset': '{Unix seconds}',
      'X-RateLimit-Reset-After': '{seconds}',
    },
  },
  github: {
    status: 403,
    headers: {
      'X-RateLimit-Limit': '5000',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '{Unix seconds}',
      'X-RateLimit-Resource': 'core',
    },
    body: '{"message":"API rate limit exceeded for user ID 1.","documentation_url":"https://docs.github.com/rest"}',
    error: '{"message":"{message}","documentation_url":"https://docs.github.com/rest","status":"{status}"}',
    limits: {
      'X-RateLimit-Limit': '{limit}',
      'X-RateLimit-Remaining': '{remaining}',
      'X-RateLimit-Used': '{used}',
      'X-RateLimit-Reset': '{Unix seconds}',
    },
  },
  'github-secondary': {
    status: 403,
    headers: { ...retryAfter, 'X-RateLimit-Limit': '5000', 'X-RateLimit-Remaining': '4990' },
    body: '{"message":"You have exceeded a secondary rate limit.","documentation_url":"https://docs.github.com/rest"}',
    error: '{"message":"{message}","documentation_url":"https://docs.github.com/rest","status":"{status}"}',
  },
  google: {
    status: 429,
    headers: {},
    body: '{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"{duration}"}]}}',
    error: '{"error":{"code":{status},"message":"{message}","status":"{reason}"}}',
  },
  notion: {
    status: 429,
    headers: retryAfter,
    body: '{"object":"error","status":429,"code":"rate_limited","message":"You have been rate limited."}',
    error: '{"object":"error","status":{status},"code":"{reason}","message":"{message}"}',
  },
  openai: {
    status: 429,
    headers: {
      ...retryAfter,
      'retry-after-ms': '{milliseconds}',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '{duration}',
    },
    body: '{"error":{"message":"Rate limit reached. Please try again in {duration}.","type":"requests","param":null,"code":"rate_limit_exceeded"}}',
    error: '{"error":{"message":"{message}","type":"{reason}","param":null,"code":null}}',
    limits: {
      'x-ratelimit-limit-requests': '{limit}',
      'x-ratelimit-remaining-requests': '{remaining}',
      'x-ratelimit-reset-requests': '{duration}',
    },
  },
  s3: {
    status: 503,
    headers: { 'Content-Type': 'application/xml' },
    body: '<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>',
    error: '<Error><Code>{reason}</Code><Message>{message}</Message></Error>',
  },
  salesforce: {
    status: 403,
    headers: {},
    body: '[{"message":"TotalRequests Limit exceeded.","errorCode":"REQUEST_LIMIT_EXCEEDED"}]',
    error: '[{"message":"{message}","errorCode":"{reason}"}]',
  },
  shopify: {
    status: 429,
    headers: { 'Retry-After': '{seconds}.0', 'X-Shopify-Shop-Api-Call-Limit': '40/40' },
    body: '{"errors":"Exceeded 2 calls per second for api client."}',
    error: '{"errors":"{message}"}',
    limits: { 'X-Shopify-Shop-Api-Call-Limit': '{used}/{limit}' },
  },
  slack: {
    status: 429,
    headers: retryAfter,
    body: '{"ok":false,"error":"ratelimited"}',
    error: '{"ok":false,"error":"{reason}"}',
  },
  stripe: {
    status: 429,
    headers: { 'Stripe-Should-Retry': 'true' },
    body: '{"error":{"type":"invalid_request_error","code":"rate_limit","message":"Too many requests."}}',
    error: '{"error":{"type":"api_error","message":"{message}"}}',
  },
  telegram: {
    status: 429,
    headers: {},
    body: '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after {seconds}","parameters":{"retry_after":{seconds}}}',
    error: '{"ok":false,"error_code":{status},"description":"{message}"}',
  },
  x: {
    status: 429,
    headers: { 'x-rate-limit-limit': '900', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '{Unix seconds}' },
    body: '{"title":"Too Many Requests","detail":"Too Many Requests","type":"about:blank","status":429}',
    error: '{"title":"{reason}","detail":"{message}","type":"about:blank","status":{status}}',
    limits: {
      'x-rate-limit-limit': '{limit}',
      'x-rate-limit-remaining': '{remaining}',
      'x-rate-limit-reset': '{Unix seconds}',
    },
  },
};

/**
 * Refusals in the words of well-known services, as effects of fault rules.
 * @example sim.faults.add({ when: { first: 2 }, then: { respond: { ...refusals.openai, wait: '20s' } } });
 */
export const refusals = Object.fromEntries(
  Object.entries(rows).map(([like, { limits: _, error: __, ...row }]) => [like, { like, ...row, wait: '5s' }]),
) as { readonly [Name in Service]: Refusal };

/**
 * Words of well-known services, for the field `words` of a scenario: refusals, headers about limits, and errors.
 * @example createSimulator({ scenario: { words: words.openai } });
 */
export const words = Object.fromEntries(Object.entries(rows).map(([like, row]) => [like, { like, ...row }])) as {
  readonly [Name in Service]: Omit<Refusal, 'wait'> & OtherWords;
};

/**
 * Fills in the words of the service that a fault rule names in `respond: { like }`. Written fields take precedence.
 * @param value content of a scenario, a fault rule, or the input of a control operation with either
 */
export function withRefusals(value: unknown): unknown {
  if (!isMap(value)) return value;
  const { faults, fault, scenario, then, words: inScenario } = value;
  return {
    ...value,
    ...(Array.isArray(faults) && { faults: faults.map(withRefusals) }),
    ...(inScenario !== undefined && { words: wordsOf(inScenario) }),
    ...(isMap(fault) && { fault: withRefusals(fault) }),
    ...(isMap(scenario) && { scenario: withRefusals(scenario) }),
    ...(isMap(then) && isMap(then.respond) && { then: { ...then, respond: withWords(then.respond) } }),
  };
}

/** Fills in the words of a service that a scenario names in `words`, alone or as `like`. */
function wordsOf(given: unknown): unknown {
  const own = isMap(given) ? given : { like: given };
  const row = Object.entries(words).find(([name]) => name === own.like)?.[1];
  if (row === undefined) return given;
  return { ...row, ...own, headers: isMap(own.headers) ? { ...row.headers, ...own.headers } : row.headers };
}

function withWords(respond: Readonly<Record<string, unknown>>): unknown {
  const row = Object.entries(refusals).find(([name]) => name === respond.like)?.[1];
  if (row === undefined) return respond;
  const headers = respond.headers ?? {};
  return { ...row, ...respond, headers: isMap(headers) ? { ...row.headers, ...headers } : headers };
}
