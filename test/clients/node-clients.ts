import type { ClientRow } from './clients.js';

const node = (clients: readonly Omit<ClientRow, 'language'>[]): ClientRow[] =>
  clients.map((client) => ({ ...client, language: 'Node' }));

/** The clients in JavaScript, and retry loops without a library. */
export const nodeClients = node([
  {
    id: 'ky',
    npm: 'ky',
    defaults:
      '2 retries of GET, not of POST; Retry-After as a number or a date, else X-RateLimit-Reset; no maximum wait',
    isTested: true,
    note: 'ky’s own retries are off, for three reasons: an invalid Retry-After makes them wait 24 days, `maxRetryAfter` shortens a wait instead of giving up, and `shouldRetry` does not get the method after a broken connection.',
  },
  {
    id: 'got',
    npm: 'got',
    defaults: '2 retries of GET, not of POST; Retry-After as a number or a date, else 1 and 2 s; no maximum wait',
    isTested: true,
  },
  {
    id: 'axios-retry',
    npm: 'axios-retry',
    defaults:
      '3 retries of GET, and of any method after a broken connection; Retry-After as a number or a date, else no wait',
    isTested: true,
  },
  {
    id: 'undici',
    npm: 'undici',
    defaults: '5 retries of GET, not of POST; Retry-After as a number or a date, but 30 s at most',
    isTested: true,
    note: 'Use it with `request`: with undici’s `fetch`, a repeated POST fails because its body stream is already consumed. After a truncated response, undici requests the rest with `Range`, which this API does not support.',
  },
  {
    id: 'fetch',
    defaults: 'no retry',
    isTested: true,
  },
  {
    id: 'p-retry',
    npm: 'p-retry',
    defaults: '10 retries of any error, after 1, 2, 4, ... s; reads no status or header',
    isTested: true,
    note: 'The wait belongs in `shouldRetry`: `onFailedAttempt` also runs before giving up.',
  },
  {
    id: 'fetch-retry',
    npm: 'fetch-retry',
    option: 'as in its README',
    defaults: '3 retries of 429, 503 and broken connections, of any method, one second apart',
  },
  {
    id: 'ofetch',
    npm: 'ofetch',
    defaults: '1 retry of GET at once, not of POST; never reads Retry-After',
  },
  {
    id: 'wretch',
    npm: 'wretch',
    option: 'with the `retry` middleware',
    defaults: '10 retries of any failure, of any method, after 0.5, 1, 1.5, ... s',
  },
  {
    id: 'gaxios',
    npm: 'gaxios',
    option: 'with `retry: true`',
    defaults: '3 retries of GET after 0.1, 0.5 and 1.5 s; never reads Retry-After',
  },
  {
    id: 'superagent',
    npm: 'superagent',
    option: 'with `.retry(2)`',
    defaults: '2 retries at once, of any method; no wait can be set',
  },
  {
    id: 'cockatiel',
    npm: 'cockatiel',
    defaults: '3 retries of any error, after a random, growing part of a second; reads no status or header',
  },
  {
    id: 'query-core',
    npm: '@tanstack/query-core',
    defaults: 'queries: 3 retries of any error, after 1, 2 and 4 s; mutations: none; reads no status or header',
    note: 'Query functions must throw errors with a `response`, and need a time limit like that of `fetchWhole`.',
  },
  {
    id: 'octokit',
    npm: '@octokit/plugin-throttling',
    option: 'with plugin-retry and plugin-throttling',
    defaults: 'both plugins act on a 429; one waits for X-RateLimit-Reset, the other 1, 4, 9 s',
    note: 'Both plugins are off: plugin-retry has no setting that disables only its retries of a 429.',
  },
  {
    id: 'azure',
    npm: '@azure/core-rest-pipeline',
    defaults:
      '3 retries of any method; of a 429 only with Retry-After, as a number or a date; of 5xx after 1, 2 and 4 s; no maximum wait',
    note: 'The custom policy replaces `retryPolicy`, which stops at a request timeout.',
  },
  {
    id: 'openai',
    npm: 'openai',
    defaults:
      '2 retries of any method; Retry-After as a number or a date, else half a second, growing; no maximum wait',
    note: 'openai’s own retries are off because they do not distinguish a 429 from a 503. Its `fetch` waits instead.',
  },
  {
    id: 'stripe',
    npm: 'stripe',
    defaults: '2 retries of 409, 5xx and broken connections, of any method with an idempotency key; not of a 429',
    note: 'Even with `maxNetworkRetries: 0`, stripe repeats a call once after a broken connection, unless its HTTP client is `fetch`.',
  },
  {
    id: 'every-second',
    name: 'loop, 1 s',
    defaults: 'twelve attempts, one second apart, after any failure',
    isTested: true,
    isLoop: true,
  },
  {
    id: 'backoff-only',
    name: 'loop, 1-2-4-8-16 s',
    defaults: 'five retries after 429, 5xx and broken connections; never reads Retry-After',
    isTested: true,
    isLoop: true,
  },
  {
    id: 'number-only',
    name: 'loop, Number(Retry-After)',
    defaults: 'five attempts, `Number(Retry-After)` seconds after each 429, and at once if it is missing or a date',
    isTested: true,
    isLoop: true,
  },
]);
