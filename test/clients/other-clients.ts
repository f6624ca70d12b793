import type { ClientRow } from './clients.js';
import type { Language } from './languages.js';

const all = (language: Language, clients: readonly Omit<ClientRow, 'language'>[]): ClientRow[] =>
  clients.map((client) => ({ ...client, language }));

/** The clients in other languages, and command-line clients. */
export const otherClients = [
  ...all('Python', [
    { id: 'requests', debian: 'python3-requests', defaults: 'no retry' },
    {
      id: 'requests_adapter',
      debian: 'python3-requests',
      option: 'with `max_retries=Retry(5, backoff_factor=1, status_forcelist=...)`',
      defaults:
        '5 retries of GET, not of POST; of a 429 with Retry-After, as a number or a date, else at once and after 2, 4, 8 and 16 s; no maximum wait',
      note: 'The adapter does not repeat a GET whose body breaks off: the session reads the body after the adapter has returned.',
    },
    { id: 'httpx', debian: 'python3-httpx', defaults: 'no retry' },
    { id: 'aiohttp', debian: 'python3-aiohttp', defaults: 'no retry' },
    {
      id: 'urllib3',
      debian: 'python3-urllib3',
      defaults: '3 retries of GET, not of POST; of a 429 only with Retry-After, as a number or a date; no maximum wait',
      isTested: true,
      note: '`status_forcelist` alone retries at once, because the first backoff is 0.',
    },
    {
      id: 'urllib',
      defaults: 'no retry; an error status is an exception',
      note: '`urlopen` raises `HTTPError` for a 429, which has the headers too. A body that breaks off raises `IncompleteRead`, which is no `OSError`.',
    },
    {
      id: 'tenacity',
      debian: 'python3-tenacity',
      option: 'with `wait_exponential`',
      defaults: 'retries of any error, after 1, 2, 4, ... s; reads no status or header',
    },
    {
      id: 'backoff',
      debian: 'python3-backoff',
      option: 'with `expo`',
      defaults: 'retries of any error, after a random part of 1, 2, 4, ... s; reads no status or header',
      note: '`jitter=None` is needed: the default shortens each wait at random, and so retries too early.',
    },
  ]),
  ...all('Go', [
    { id: 'net-http', defaults: 'no retry of a response' },
    {
      id: 'retryablehttp',
      debian: 'golang-github-hashicorp-go-retryablehttp-dev',
      defaults: '4 retries of any method; Retry-After as a number, else 1, 2, 4 and 8 s; no maximum wait',
      note: 'The library’s own retries are off: `CheckRetry` does not get the method after a broken connection.',
    },
    {
      id: 'resty',
      debian: 'golang-github-go-resty-resty-dev',
      option: 'with `SetRetryCount(3)`',
      defaults: 'retries of broken connections, of any method; not of a 429',
      note: 'resty’s own retries shorten a wait to `SetRetryMaxWaitTime`, so the transport waits instead.',
    },
  ]),
  ...all('Java', [
    { id: 'java-net', defaults: 'no retry of a response' },
    {
      id: 'apache',
      debian: 'libhttpclient5-java',
      defaults: '1 retry of 429 and 503, of any method; Retry-After as a number or a date, else 1 s; no maximum wait',
      note: 'Set a socket timeout: a response timeout also limits the wait, and ends the retries.',
    },
    {
      id: 'okhttp',
      debian: 'libokhttp-java',
      defaults: 'no retry of a 429; of a 503 only with `Retry-After: 0`',
    },
  ]),
  ...all('Ruby', [
    {
      id: 'faraday',
      debian: 'ruby-faraday',
      option: 'with the `retry` middleware',
      defaults: '2 retries of timeouts, of idempotent methods; not of a 429',
    },
    { id: 'net_http', defaults: '1 retry of GET after a broken connection; not of a 429' },
  ]),
  ...all('PHP', [
    { id: 'guzzle', debian: 'php-guzzlehttp-guzzle', defaults: 'no retry' },
    {
      id: 'symfony',
      debian: 'php-symfony-http-client',
      defaults:
        '3 retries of 429, 502 and 503, of any method; Retry-After as a number or a date, else 1, 2 and 4 s; no maximum wait',
      note: 'RetryableHttpClient is not used: before it calls a custom strategy, it accepts an invalid Retry-After such as `-5` or `1.5`.',
    },
  ]),
  ...all('Perl', [
    { id: 'lwp', debian: 'libwww-perl', defaults: 'no retry' },
    {
      id: 'lwp_determined',
      debian: 'liblwp-useragent-determined-perl',
      defaults: '3 retries of 408, 500 and 502 to 504, of any method, after 1, 3 and 15 s; not of a 429',
    },
    { id: 'http_tiny', defaults: 'no retry' },
  ]),
  ...all('Command line', [
    {
      id: 'curl',
      debian: 'curl',
      option: 'with `--retry 5`',
      defaults: '429, 5xx and 408, of any method; the longer of Retry-After and 1, 2, 4, ... s; no maximum wait',
      isTested: true,
      note: 'The script has its own loop: `--retry` cannot be limited to a 429, and does not read X-RateLimit-Reset.',
    },
    {
      id: 'wget',
      debian: 'wget',
      defaults: '19 retries of broken connections, of any method; not of a 429',
      note: '`--retry-on-http-error=429` never reads Retry-After.',
    },
  ]),
];
