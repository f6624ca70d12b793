import type { Client } from './clients.js';

const node = (clients: readonly Omit<Client, 'language'>[]): Client[] =>
  clients.map((client) => ({ ...client, language: 'Node' }));

/** The clients in JavaScript, and the loops that people write instead. */
export const nodeClients = node([
  {
    id: 'ky',
    name: 'ky',
    npm: 'ky',
    defaults:
      '2 retries of GET, not of POST; Retry-After as a number or a date, else X-RateLimit-Reset; no longest wait',
    isTested: true,
    note: 'Without its own retries: they wait for 24 days where Retry-After is no time, `maxRetryAfter` cuts a wait short instead of giving up, and after a broken connection `shouldRetry` does not get the method.',
  },
  {
    id: 'got',
    name: 'got',
    npm: 'got',
    defaults: '2 retries of GET, not of POST; Retry-After as a number or a date, else 1 and 2 s; no longest wait',
    isTested: true,
  },
  {
    id: 'axios-retry',
    name: 'axios with axios-retry',
    npm: 'axios-retry',
    defaults:
      '3 retries of GET, and of anything after a broken connection; Retry-After as a number or a date, else no wait',
    isTested: true,
  },
  {
    id: 'undici',
    name: 'undici RetryAgent',
    npm: 'undici',
    defaults: '5 retries of GET, not of POST; Retry-After as a number or a date, but 30 s at most',
    isTested: true,
    note: 'Use it with `request`. With undici’s `fetch` a repeated POST fails: its body is a stream by then, and spent. After a response that breaks off it asks for the rest with `Range`, which this service does not know.',
  },
  {
    id: 'fetch',
    name: 'fetch',
    defaults: 'no retry',
    isTested: true,
  },
  {
    id: 'p-retry',
    name: 'fetch with p-retry',
    npm: 'p-retry',
    defaults: '10 retries of whatever throws, after 1, 2, 4, ... s; knows no HTTP',
    isTested: true,
    note: 'The wait belongs in `shouldRetry`: `onFailedAttempt` runs even where there is no retry.',
  },
  {
    id: 'fetch-retry',
    name: 'node-fetch with fetch-retry',
    npm: 'fetch-retry',
    defaults: '3 retries a second apart of 429 and 503, as its README sets it, and of broken connections; any method',
  },
  {
    id: 'ofetch',
    name: 'ofetch',
    npm: 'ofetch',
    defaults: '1 retry of GET at once, not of POST; never reads Retry-After',
  },
  {
    id: 'wretch',
    name: 'wretch',
    npm: 'wretch',
    defaults: 'with its `retry` middleware: 10 retries of anything but success, after 0.5, 1, 1.5, ... s; any method',
  },
  {
    id: 'gaxios',
    name: 'gaxios',
    npm: 'gaxios',
    defaults: 'with `retry: true`: 3 retries of GET after 0.1, 0.5 and 1.5 s; never reads Retry-After',
  },
  {
    id: 'superagent',
    name: 'superagent',
    npm: 'superagent',
    defaults: 'with `.retry(2)`: 2 retries at once, of any method; has no wait',
  },
  {
    id: 'cockatiel',
    name: 'fetch with cockatiel',
    npm: 'cockatiel',
    defaults: '3 retries of whatever throws, after a random part of a second, growing; knows no HTTP',
  },
  {
    id: 'query-core',
    name: 'TanStack Query',
    npm: '@tanstack/query-core',
    defaults: 'queries: 3 retries of whatever throws, after 1, 2 and 4 s; mutations: none; knows no HTTP',
    note: 'The queries must throw errors that carry their `response`, and have a time limit, as `fetchWhole` has.',
  },
  {
    id: 'octokit',
    name: 'octokit',
    npm: '@octokit/plugin-throttling',
    defaults:
      'with plugin-retry and plugin-throttling: both act on a 429; one waits for X-RateLimit-Reset, the other 1, 4, 9 s',
    note: 'Without the two plugins: nothing turns off what plugin-retry does on a 429 and keeps what is right.',
  },
  {
    id: 'azure',
    name: 'Azure core-rest-pipeline',
    npm: '@azure/core-rest-pipeline',
    defaults:
      '3 retries of any method; of a 429 only with Retry-After, as a number or a date; of 5xx after 1, 2 and 4 s; no longest wait',
    note: 'A policy of its own: `retryPolicy` ends at a timeout of the request.',
  },
  {
    id: 'openai',
    name: 'openai',
    npm: 'openai',
    defaults:
      '2 retries of any method; Retry-After as a number or a date, else half a second, growing; no longest wait',
    note: 'Its own retries cannot tell a 429 from a 503; so it has none, and a `fetch` that waits.',
  },
  {
    id: 'stripe',
    name: 'stripe',
    npm: 'stripe',
    defaults: '2 retries of 409, 5xx and broken connections, of any method with an idempotency key; not of a 429',
    note: 'It repeats one call after a broken connection even with `maxNetworkRetries: 0`, unless the HTTP client is that of `fetch`.',
  },
  {
    id: 'every-second',
    name: 'loop, 1 s',
    defaults: 'twelve attempts, a second apart, after anything but success',
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
    defaults: 'five attempts, `Number(Retry-After)` seconds after each 429: 0 where it is missing or a date',
    isTested: true,
    isLoop: true,
  },
]);
