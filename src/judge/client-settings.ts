import type { FindingCode } from '../scenario/finding-codes.js';

/** Pages of docs/clients, one for each language. */
export type ClientPage = 'node' | 'python' | 'go' | 'java' | 'ruby' | 'php' | 'perl' | 'shell';

/**
 * Part of a client's retries that a setting corrects: `wait`, the waits and their end; `retry`, the calls that are sent
 * again; `noRepeat`, the calls that must not be sent again.
 */
export type SettingKind = 'wait' | 'retry' | 'noRepeat';

/** Kind of the setting that ends a finding, by the finding's code. No setting ends the other findings. */
export const settingKinds: Partial<Record<FindingCode, SettingKind>> = {
  'early-retry': 'wait',
  overslept: 'wait',
  'no-backoff-growth': 'wait',
  'no-jitter': 'wait',
  'retry-storm': 'wait',
  'ban-tripped': 'wait',
  'ban-hammered': 'wait',
  'ignored-day-window': 'wait',
  'gave-up': 'retry',
  'lost-write': 'retry',
  'duplicate-write': 'noRepeat',
  'retried-401': 'noRepeat',
};

/** HTTP client with the settings that pass, whose code is on a page of docs/clients. */
export interface ClientSettings {
  name: string;
  page: ClientPage;
  /** Pattern of the header User-Agent as the client sends it; `undefined` if it sends none. */
  userAgent: RegExp | undefined;
  /** Package without which the User-Agent does not identify this client, because other clients send the same one. */
  dependency?: string;
  /** Whether the User-Agent names only the runtime, of which this is the client without a package. */
  isBuiltIn?: boolean;
  /** Settings in Markdown. A finding without one gets no remedy. */
  settings: Partial<Record<SettingKind, string>>;
}

/** One setting that ends all findings. */
const all = (setting: string): ClientSettings['settings'] => ({ wait: setting, retry: setting, noRepeat: setting });

/** Code for a client that retries nothing by default. */
const add = (code: string): ClientSettings['settings'] => ({
  wait: `add ${code}, instead of other retries`,
  retry: `add ${code}`,
  noRepeat: `add ${code}, instead of other retries`,
});

/**
 * Settings by client and kind of finding, from which the reports take a finding's remedy and `npm run clients` writes
 * docs/clients. The names in code are those of the page. test/clients/results.json has the measured User-Agents.
 */
export const clientSettings = {
  ky: {
    name: 'ky',
    page: 'node',
    userAgent: /^node$/,
    dependency: 'ky',
    settings: all('`ky.extend({ fetch: patientFetch, retry: 0, timeout: false })`'),
  },
  got: {
    name: 'got',
    page: 'node',
    userAgent: /^got /,
    settings: {
      wait: '`retry: { calculateDelay: … }`, which returns `retryDelayMs(…)`, or 0 to give up',
      retry: "`retry: { limit: 4, methods: ['GET', 'POST'], calculateDelay: … }` by `retryDelayMs`",
      noRepeat:
        '`retry: { calculateDelay: … }`, which returns 0 unless `retryDelayMs` allows the method and the status',
    },
  },
  'axios-retry': {
    name: 'axios with axios-retry',
    page: 'node',
    userAgent: /^axios\//,
    settings: {
      wait: '`retryDelay: delayOf` and `retryCondition: …`, both by `retryDelayMs`',
      retry: '`retries: 4, retryCondition: …` by `retryDelayMs`, which allows a POST after a 429',
      noRepeat: '`retryCondition: …` by `retryDelayMs`, which allows a POST only after a 429',
    },
  },
  undici: {
    name: 'undici RetryAgent',
    page: 'node',
    userAgent: undefined,
    dependency: 'undici',
    settings: all('`retry: (error, { state, opts }, callback) => …` by `retryDelayMs`'),
  },
  fetch: {
    name: 'fetch',
    page: 'node',
    userAgent: /^node$/,
    isBuiltIn: true,
    settings: add('`patientFetch(url, init)`'),
  },
  'p-retry': {
    name: 'fetch with p-retry',
    page: 'node',
    userAgent: /^node$/,
    dependency: 'p-retry',
    settings: {
      wait: '`minTimeout: 0, shouldRetry: …`, which waits for `retryDelayMs(…)`',
      retry: '`retries: 4, shouldRetry: …` by `retryDelayMs`',
      noRepeat: '`shouldRetry: …` by `retryDelayMs`, which allows a POST only after a 429',
    },
  },
  'fetch-retry': {
    name: 'node-fetch with fetch-retry',
    page: 'node',
    userAgent: /^node-fetch$/,
    dependency: 'fetch-retry',
    settings: {
      wait: '`retryDelay: …` and `retryOn: …`, both by `retryDelayMs`',
      retry: '`retryOn: …` by `retryDelayMs`',
      noRepeat: '`retryOn: …` by `retryDelayMs`, which allows a POST only after a 429',
    },
  },
  ofetch: {
    name: 'ofetch',
    page: 'node',
    userAgent: /^node$/,
    dependency: 'ofetch',
    settings: all('`ofetch.create({ retry: false }, { fetch: patientFetch })`'),
  },
  wretch: {
    name: 'wretch',
    page: 'node',
    userAgent: /^node$/,
    dependency: 'wretch',
    settings: all('`middlewares([patience])`, where `patience` returns `patientFetch`'),
  },
  gaxios: {
    name: 'gaxios',
    page: 'node',
    userAgent: /^node-fetch$/,
    dependency: 'gaxios',
    settings: {
      wait: '`retryConfig` with `shouldRetry` and `retryBackoff`, both by `retryDelayMs`',
      retry: '`retryConfig` with `shouldRetry` by `retryDelayMs`, which allows a POST after a 429',
      noRepeat: '`retryConfig` with `shouldRetry` by `retryDelayMs`, which allows a POST only after a 429',
    },
  },
  superagent: {
    name: 'superagent',
    page: 'node',
    userAgent: undefined,
    dependency: 'superagent',
    settings: all('`patiently(call, …)`, instead of its own retries'),
  },
  cockatiel: {
    name: 'fetch with cockatiel',
    page: 'node',
    userAgent: /^node$/,
    dependency: 'cockatiel',
    settings: {
      wait: '`backoff: new DelegateBackoff(…)` and `orWhenResult(…)`, both by `retryDelayMs`',
      retry: '`maxAttempts: 4` and `orWhenResult(…)` by `retryDelayMs`',
      noRepeat: "`handleWhen(() => method === 'GET')` and `orWhenResult(…)` by `retryDelayMs`",
    },
  },
  'query-core': {
    name: 'TanStack Query',
    page: 'node',
    userAgent: /^node$/,
    dependency: '@tanstack/query-core',
    settings: {
      wait: '`retry: …` and `retryDelay: …`, both by `retryDelayMs`',
      retry: '`retry: …` by `retryDelayMs`, for `queries` and `mutations`',
      noRepeat: "`mutations: patience('POST')`, which allows a retry only after a 429",
    },
  },
  octokit: {
    name: 'octokit',
    page: 'node',
    userAgent: /\boctokit-core\.js\//,
    settings: all('`new Octokit({ request: { fetch: patientFetch } })`, without plugin-retry and plugin-throttling'),
  },
  azure: {
    name: 'Azure core-rest-pipeline',
    page: 'node',
    userAgent: /\bcore-rest-pipeline\//,
    settings: all('`pipeline.addPolicy(…)` with `patiently`, instead of `defaultRetryPolicy`'),
  },
  openai: {
    name: 'openai',
    page: 'node',
    userAgent: /^OpenAI\/JS /,
    settings: all('`new OpenAI()` with `maxRetries: 0, fetch: patientFetch`'),
  },
  stripe: {
    name: 'stripe',
    page: 'node',
    userAgent: /^Stripe\/v\d NodeBindings\//,
    settings: all('`new Stripe()` with `maxNetworkRetries: 0, httpClient: Stripe.createFetchHttpClient(patientFetch)`'),
  },
  requests: {
    name: 'requests',
    page: 'python',
    userAgent: /^python-requests\//,
    settings: { retry: 'add `patiently(method, …)`' },
  },
  requests_adapter: {
    name: 'requests with HTTPAdapter',
    page: 'python',
    userAgent: /^python-requests\//,
    settings: {
      wait: '`HTTPAdapter(max_retries=retries)` with a `Retry` whose `increment` takes the wait of `retry_delay`',
      retry: '`Patience(total=4, allowed_methods={"GET", "POST"}, …)`, a `Retry` with `retry_delay`',
      noRepeat:
        '`HTTPAdapter(max_retries=retries)` with a `Retry` whose `increment` ends where `retry_delay` is `None`',
    },
  },
  httpx: {
    name: 'httpx',
    page: 'python',
    userAgent: /^python-httpx\//,
    settings: add('`httpx.Client(transport=Patience(), timeout=30)`'),
  },
  aiohttp: {
    name: 'aiohttp',
    page: 'python',
    userAgent: /\baiohttp\//,
    settings: add('`patiently(session, method, url)`'),
  },
  urllib3: {
    name: 'urllib3',
    page: 'python',
    userAgent: /^python-urllib3\//,
    settings: {
      wait: '`PoolManager(retries=retries)` with a `Retry` whose `increment` takes the wait of `retry_delay`',
      retry: '`Patience(total=4, allowed_methods={"GET", "POST"}, …)`, a `Retry` with `retry_delay`',
      noRepeat: '`PoolManager(retries=retries)` with a `Retry` whose `increment` ends where `retry_delay` is `None`',
    },
  },
  urllib: {
    name: 'urllib',
    page: 'python',
    userAgent: /^Python-urllib\//,
    settings: add('`open_patiently(request)`'),
  },
  tenacity: {
    name: 'requests with tenacity',
    page: 'python',
    userAgent: /^python-requests\//,
    dependency: 'tenacity',
    settings: {
      wait: '`tenacity.retry(retry=…, wait=delay_of)`, both by `retry_delay`',
      retry: '`tenacity.retry(retry=…)` by `retry_delay`',
      noRepeat: '`tenacity.retry(retry=…)` by `retry_delay`, which allows a POST only after a 429',
    },
  },
  backoff: {
    name: 'requests with backoff',
    page: 'python',
    userAgent: /^python-requests\//,
    dependency: 'backoff',
    settings: {
      wait: '`backoff.on_exception(delays, …, jitter=None)`, where `delays` yields `retry_delay(…)`',
      retry: '`backoff.on_exception(…, giveup=…, max_tries=5)` by `retry_delay`',
      noRepeat: '`backoff.on_exception(…, giveup=…)` by `retry_delay`, which allows a POST only after a 429',
    },
  },
  'net-http': {
    name: 'Go net/http',
    page: 'go',
    userAgent: /^Go-http-client\//,
    isBuiltIn: true,
    settings: add('`http.Client{Transport: Patience{http.DefaultTransport}}`'),
  },
  retryablehttp: {
    name: 'go-retryablehttp',
    page: 'go',
    userAgent: /^Go-http-client\//,
    dependency: 'github.com/hashicorp/go-retryablehttp',
    settings: all(
      '`client.RetryMax = 0` and `client.HTTPClient = &http.Client{Transport: Patience{http.DefaultTransport}}`',
    ),
  },
  resty: {
    name: 'resty',
    page: 'go',
    userAgent: /^go-resty\//,
    settings: all('`resty.New().SetTransport(Patience{http.DefaultTransport})`, without its own retries'),
  },
  'java-net': {
    name: 'java.net.http',
    page: 'java',
    userAgent: /^Java-http-client\//,
    isBuiltIn: true,
    settings: add('`patiently(request)`'),
  },
  apache: {
    name: 'Apache HttpClient 5',
    page: 'java',
    userAgent: /^Apache-HttpClient\/5/,
    settings: {
      wait: '`setRetryStrategy(new Patient())`, whose `getRetryInterval` is `Patience.retryDelay`',
      retry: '`setRetryStrategy(new Patient())`, whose `retryRequest` is decided by `Patience.retryDelay`',
      noRepeat:
        '`setRetryStrategy(new Patient())`, whose `retryRequest` allows a POST only after a 429, by `Patience.retryDelay`',
    },
  },
  okhttp: {
    name: 'OkHttp',
    page: 'java',
    userAgent: /^okhttp\//,
    settings: add('`addInterceptor(OkHttp::patiently)`'),
  },
  faraday: {
    name: 'Faraday',
    page: 'ruby',
    userAgent: /^Faraday v/,
    settings: add('`builder.use Patience`'),
  },
  net_http: {
    name: 'Ruby Net::HTTP',
    page: 'ruby',
    userAgent: /^Ruby$/,
    isBuiltIn: true,
    settings: add('`patiently(method) { … }`, with `http.max_retries = 0`'),
  },
  guzzle: {
    name: 'Guzzle',
    page: 'php',
    userAgent: /^GuzzleHttp\//,
    settings: add('`$stack->push(Middleware::retry(…))` by `retryDelay`'),
  },
  symfony: {
    name: 'Symfony RetryableHttpClient',
    page: 'php',
    userAgent: /^Symfony HttpClient\//,
    settings: all('`patiently($http, …)`, instead of RetryableHttpClient'),
  },
  lwp: {
    name: 'LWP::UserAgent',
    page: 'perl',
    userAgent: /\blibwww-perl\//,
    settings: add('`patiently($method, …)`'),
  },
  lwp_determined: {
    name: 'LWP::UserAgent::Determined',
    page: 'perl',
    userAgent: /\blibwww-perl\//,
    dependency: 'LWP::UserAgent::Determined',
    settings: all("`patiently($method, …)`, with `$ua->timing('')`"),
  },
  http_tiny: {
    name: 'HTTP::Tiny',
    page: 'perl',
    userAgent: /\bHTTP-Tiny\//,
    settings: add('`patiently($method, …)`'),
  },
  curl: {
    name: 'curl',
    page: 'shell',
    userAgent: /^curl\//,
    settings: all('`patiently "$method" curl …`, instead of --retry'),
  },
  wget: {
    name: 'wget',
    page: 'shell',
    userAgent: /^Wget\//,
    settings: {
      ...add('`patiently "$method" with_head wget --tries 1 …`'),
      noRepeat: '`--tries 1`, and retries by `patiently`',
    },
  },
} as const satisfies Record<string, ClientSettings>;

/** Anchor of a heading in Markdown, as GitHub writes it. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
