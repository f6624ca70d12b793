import type { Client } from './clients.js';
import type { Language } from './languages.js';

const all = (language: Language, clients: readonly Omit<Client, 'language'>[]): Client[] =>
  clients.map((client) => ({ ...client, language }));

/** The clients in other languages, and those of the command line. */
export const otherClients = [
  ...all('Python', [
    { id: 'requests', name: 'requests', debian: 'python3-requests', defaults: 'no retry' },
    { id: 'httpx', name: 'httpx', debian: 'python3-httpx', defaults: 'no retry' },
    { id: 'aiohttp', name: 'aiohttp', debian: 'python3-aiohttp', defaults: 'no retry' },
    {
      id: 'urllib3',
      name: 'urllib3',
      debian: 'python3-urllib3',
      defaults: '3 retries of GET, not of POST; of a 429 only with Retry-After, as a number or a date; no longest wait',
      isTested: true,
      note: '`status_forcelist` alone comes back at once: the first backoff is 0.',
    },
    {
      id: 'tenacity',
      name: 'requests with tenacity',
      debian: 'python3-tenacity',
      defaults: 'with `wait_exponential`: whatever throws again after 1, 2, 4, ... s; knows no HTTP',
    },
    {
      id: 'backoff',
      name: 'requests with backoff',
      debian: 'python3-backoff',
      defaults: 'with `expo`: whatever throws again after a random part of 1, 2, 4, ... s; knows no HTTP',
      note: '`jitter=None`: its default takes a random part of the wait, and so comes too early.',
    },
  ]),
  ...all('Go', [
    { id: 'net-http', name: 'Go net/http', defaults: 'no retry of an answer' },
    {
      id: 'retryablehttp',
      name: 'go-retryablehttp',
      debian: 'golang-github-hashicorp-go-retryablehttp-dev',
      defaults: '4 retries of any method; Retry-After as a number, else 1, 2, 4 and 8 s; no longest wait',
      note: 'Without its own retries: after a broken connection `CheckRetry` does not get the method.',
    },
    {
      id: 'resty',
      name: 'resty',
      debian: 'golang-github-go-resty-resty-dev',
      defaults: 'with `SetRetryCount(3)`: retries of broken connections, of any method; not of a 429',
      note: 'Its own retries cut a wait short at `SetRetryMaxWaitTime`, so the transport waits.',
    },
  ]),
  ...all('Java', [
    { id: 'java-net', name: 'java.net.http', defaults: 'no retry of an answer' },
    {
      id: 'apache',
      name: 'Apache HttpClient 5',
      debian: 'libhttpclient5-java',
      defaults: '1 retry of 429 and 503, of any method; Retry-After as a number or a date, else 1 s; no longest wait',
      note: 'A response timeout is a limit of the wait as well, and ends the retries; a socket timeout is not.',
    },
    {
      id: 'okhttp',
      name: 'OkHttp',
      debian: 'libokhttp-java',
      defaults: 'no retry of a 429; of a 503 only with `Retry-After: 0`',
    },
  ]),
  ...all('Ruby', [
    {
      id: 'faraday',
      name: 'Faraday',
      debian: 'ruby-faraday',
      defaults: 'with its `retry` middleware: 2 retries of timeouts, of GET and the like; not of a 429',
    },
    { id: 'net_http', name: 'Ruby Net::HTTP', defaults: '1 retry of GET after a broken connection; not of a 429' },
  ]),
  ...all('PHP', [
    { id: 'guzzle', name: 'Guzzle', debian: 'php-guzzlehttp-guzzle', defaults: 'no retry' },
    {
      id: 'symfony',
      name: 'Symfony RetryableHttpClient',
      debian: 'php-symfony-http-client',
      defaults:
        '3 retries of 429, 502 and 503, of any method; Retry-After as a number or a date, else 1, 2 and 4 s; no longest wait',
      note: 'Without it: it reads Retry-After, also `-5` and `1.5`, before it asks a strategy of yours for the delay.',
    },
  ]),
  ...all('Perl', [
    { id: 'lwp', name: 'LWP::UserAgent', debian: 'libwww-perl', defaults: 'no retry' },
    {
      id: 'lwp_determined',
      name: 'LWP::UserAgent::Determined',
      debian: 'liblwp-useragent-determined-perl',
      defaults: '3 retries of 408, 500 and 502 to 504, of any method, after 1, 3 and 15 s; not of a 429',
    },
    { id: 'http_tiny', name: 'HTTP::Tiny', defaults: 'no retry' },
  ]),
  ...all('Command line', [
    {
      id: 'curl',
      name: 'curl',
      debian: 'curl',
      defaults:
        'with `--retry 5`: 429, 5xx and 408, of any method; the longer of Retry-After and 1, 2, 4, ... s; no longest wait',
      isTested: true,
      note: '`--retry` cannot be kept to a 429, and reads no X-RateLimit-Reset, so the loop is the script’s.',
    },
    {
      id: 'wget',
      name: 'wget',
      debian: 'wget',
      defaults: '19 retries of broken connections, of any method; not of a 429',
      note: '`--retry-on-http-error=429` never reads Retry-After.',
    },
  ]),
];
