/** A refusal of a service, in the form that the service documents. */
export interface ServiceForm {
  readonly name: string;
  readonly status: number;
  /** Kind of wait: one that binds, one that may be meant, or none. */
  readonly told: 'promise' | 'hint' | 'none';
  /** Status for the flag `--refused`. */
  readonly refused?: number;
  /** Wait of a patient client, if the form is coarser than a second. */
  readonly patientMs?: number;
  readonly method?: string;
  readonly requestBody?: string;
  headers?(untilMs: number, nowMs: number): Record<string, string>;
  body?(untilMs: number, nowMs: number): unknown;
}

const seconds = (untilMs: number, nowMs: number) => Math.ceil((untilMs - nowMs) / 1_000);
const unix = (untilMs: number) => Math.ceil(untilMs / 1_000);
const iso = (ms: number) => new Date(Math.ceil(ms / 1_000) * 1_000).toISOString();
const retryAfter = (untilMs: number, nowMs: number) => ({ 'retry-after': String(seconds(untilMs, nowMs)) });

/** Refusals of the 15 largest services and of standards. */
export const serviceForms: readonly ServiceForm[] = [
  { name: 'GitHub, secondary limit', status: 403, told: 'promise', headers: retryAfter },
  {
    name: 'GitHub, primary limit',
    status: 403,
    told: 'promise',
    refused: 403,
    headers: (untilMs) => ({
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-used': '5000',
      'x-ratelimit-resource': 'core',
      'x-ratelimit-reset': String(unix(untilMs)),
    }),
    body: () => ({
      message: 'API rate limit exceeded for user ID 1.',
      documentation_url: 'https://docs.github.com/rest',
    }),
  },
  {
    name: 'GitHub GraphQL',
    status: 200,
    told: 'promise',
    refused: 200,
    method: 'POST',
    requestBody: '{"query":"{viewer{login}}"}',
    headers: (untilMs) => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(unix(untilMs)) }),
    body: () => ({ errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] }),
  },
  { name: 'Stripe', status: 429, told: 'none', headers: () => ({ 'stripe-should-retry': 'true' }) },
  {
    name: 'Shopify',
    status: 429,
    told: 'promise',
    headers: (untilMs, nowMs) => ({
      'retry-after': ((untilMs - nowMs) / 1_000).toFixed(1),
      'x-shopify-shop-api-call-limit': '40/40',
    }),
  },
  {
    name: 'Slack',
    status: 429,
    told: 'promise',
    headers: retryAfter,
    body: () => ({ ok: false, error: 'ratelimited' }),
  },
  {
    name: 'Discord',
    status: 429,
    told: 'promise',
    headers: (untilMs, nowMs) => ({
      ...retryAfter(untilMs, nowMs),
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': (untilMs / 1_000).toFixed(3),
      'x-ratelimit-reset-after': ((untilMs - nowMs) / 1_000).toFixed(2),
      'x-ratelimit-bucket': 'abcd1234',
    }),
    body: (untilMs, nowMs) => ({
      message: 'You are being rate limited.',
      retry_after: (untilMs - nowMs) / 1_000,
      global: false,
    }),
  },
  {
    name: 'Discord, reset after',
    status: 429,
    told: 'promise',
    headers: (untilMs, nowMs) => ({
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset-after': ((untilMs - nowMs) / 1_000).toFixed(2),
    }),
  },
  {
    name: 'OpenAI',
    status: 429,
    told: 'promise',
    headers: (untilMs, nowMs) => ({
      'retry-after-ms': String(untilMs - nowMs),
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-requests': '6m0s',
      'x-ratelimit-reset-tokens': '6ms',
    }),
    body: () => ({ error: { type: 'requests', code: 'rate_limit_exceeded', message: 'Please try again in 30s.' } }),
  },
  {
    name: 'OpenAI, resets only',
    status: 429,
    told: 'hint',
    headers: (untilMs, nowMs) => ({
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': `${seconds(untilMs, nowMs)}s`,
      'x-ratelimit-reset-tokens': '12ms',
    }),
  },
  {
    name: 'Anthropic',
    status: 429,
    told: 'promise',
    headers: (untilMs, nowMs) => ({
      ...retryAfter(untilMs, nowMs),
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': iso(untilMs + 300_000),
    }),
  },
  {
    name: 'Anthropic, resets only',
    status: 429,
    told: 'hint',
    headers: (untilMs) => ({
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': iso(untilMs),
    }),
  },
  { name: 'Anthropic, overloaded', status: 529, told: 'promise', headers: retryAfter },
  {
    name: 'Google',
    status: 429,
    told: 'promise',
    body: (untilMs, nowMs) => ({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [] },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${(untilMs - nowMs) / 1_000}s` },
        ],
      },
    }),
  },
  {
    name: 'Google, quota',
    status: 403,
    told: 'none',
    refused: 403,
    body: () => ({ error: { code: 403, errors: [{ domain: 'usageLimits', reason: 'userRateLimitExceeded' }] } }),
  },
  {
    name: 'AWS',
    status: 503,
    told: 'hint',
    refused: 503,
    headers: (untilMs, nowMs) => ({ 'x-amz-retry-after': String(untilMs - nowMs) }),
    body: () => ({ __type: 'SlowDown' }),
  },
  {
    name: 'AWS, throttling',
    status: 400,
    told: 'none',
    refused: 400,
    headers: () => ({ 'x-amzn-errortype': 'ThrottlingException' }),
    body: () => ({ __type: 'ThrottlingException', message: 'Rate exceeded' }),
  },
  {
    name: 'Azure OpenAI',
    status: 429,
    told: 'promise',
    headers: (untilMs, nowMs) => ({ 'retry-after-ms': String(untilMs - nowMs) }),
  },
  {
    name: 'Azure Cosmos DB',
    status: 429,
    told: 'promise',
    headers: (untilMs, nowMs) => ({ 'x-ms-retry-after-ms': String(untilMs - nowMs) }),
  },
  {
    name: 'X',
    status: 429,
    told: 'promise',
    headers: (untilMs) => ({
      'x-rate-limit-limit': '900',
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': String(unix(untilMs)),
    }),
  },
  {
    name: 'Reddit',
    status: 429,
    told: 'promise',
    headers: (untilMs, nowMs) => ({
      'x-ratelimit-remaining': '0.0',
      'x-ratelimit-used': '600',
      'x-ratelimit-reset': String(seconds(untilMs, nowMs)),
    }),
  },
  { name: 'Notion', status: 529, told: 'promise', headers: retryAfter, body: () => ({ code: 'service_overload' }) },
  {
    name: 'HubSpot',
    status: 429,
    told: 'none',
    body: () => ({ status: 'error', errorType: 'RATE_LIMIT', policyName: 'SECONDLY' }),
  },
  {
    name: 'Salesforce',
    status: 403,
    told: 'none',
    refused: 403,
    headers: () => ({ 'sforce-limit-info': 'api-usage=5000/5000' }),
    body: () => [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'TotalRequests Limit exceeded.' }],
  },
  {
    name: 'Telegram',
    status: 429,
    told: 'promise',
    body: (untilMs, nowMs) => ({ ok: false, error_code: 429, parameters: { retry_after: seconds(untilMs, nowMs) } }),
  },
  {
    name: 'Jira',
    patientMs: 59_000,
    status: 429,
    told: 'promise',
    headers: (untilMs) => ({
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': `${new Date(Math.ceil(untilMs / 60_000) * 60_000).toISOString().slice(0, 16)}Z`,
    }),
  },
  {
    name: 'Linear',
    status: 400,
    told: 'hint',
    refused: 400,
    headers: (untilMs) => ({ 'x-ratelimit-requests-remaining': '0', 'x-ratelimit-requests-reset': String(untilMs) }),
    body: () => ({ errors: [{ extensions: { code: 'RATELIMITED' } }] }),
  },
  {
    name: 'OpenRouter',
    status: 429,
    told: 'promise',
    headers: (untilMs) => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(untilMs) }),
  },
  {
    name: 'lemlist',
    status: 429,
    told: 'promise',
    headers: (untilMs) => ({
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': `${new Date(untilMs + 3_600_000)
        .toUTCString()
        .replace(/^(...), (..) (...)/, '$1 $3 $2')
        .replace('GMT', 'GMT+0100 (Central European Standard Time)')}`,
    }),
  },
  {
    name: 'IETF draft',
    status: 429,
    told: 'promise',
    headers: (untilMs, nowMs) => ({ ratelimit: `"burst";r=0;t=1, "minute";r=0;t=${seconds(untilMs, nowMs)}` }),
  },
  {
    name: 'IETF draft, next names',
    status: 429,
    told: 'promise',
    headers: (untilMs, nowMs) => ({ ratelimit: `"default";a=0;w=${seconds(untilMs, nowMs)}` }),
  },
  ...[402, 408, 420, 500, 502, 504, 520].map(
    (status): ServiceForm => ({ name: `status ${status}`, status, told: 'promise', headers: retryAfter }),
  ),
];

/** Wait that a service tells, from the first refusal. */
export const toldMs = 30_000;

/** A request of a client, with the response of the service. Times are milliseconds since the start. */
export interface Played {
  readonly atMs: number;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Waits of a client that retries three times during the wait, about as fast each time. */
const hastyMs = [1_300, 1_200, 1_250];
/** Wait of a client that waits as told, rounded up. */
const patientMs = 31_300;
/** Waits of a right client that is told none. */
const growing = [1_000, 2_100, 4_300, 8_900];

export const startMs = Date.parse('2026-01-01T12:00:00Z');
export const durationMs = 80;

/** Plays a client that is refused from its second request on, until a wait has passed. */
export function playService(form: ServiceForm, pace: 'hasty' | 'patient'): Played[] {
  const isUntold = pace === 'patient' && form.told === 'none';
  const waits = isUntold ? growing : pace === 'patient' ? [form.patientMs ?? patientMs] : hastyMs;
  const times = [2_000];
  for (const waitMs of waits) times.push((times.at(-1) as number) + durationMs + waitMs);
  const untilMs = startMs + 2_000 + durationMs + toldMs;
  const refuse = (atMs: number): Played => {
    const nowMs = startMs + atMs + durationMs;
    return {
      atMs,
      status: form.status,
      headers: { 'content-type': 'application/json', ...form.headers?.(untilMs, nowMs) },
      body: JSON.stringify(form.body?.(untilMs, nowMs) ?? {}),
    };
  };
  const serve = (atMs: number): Played => ({
    atMs,
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"id":7}',
  });
  const lastMs = (times.at(-1) as number) + (form.told === 'none' ? 1_300 : 70_000);
  const refused = pace === 'patient' ? times.slice(0, -1) : times;
  return [
    serve(3),
    ...refused.map(refuse),
    ...(pace === 'patient' ? [serve(times.at(-1) as number)] : []),
    serve(lastMs),
  ];
}
