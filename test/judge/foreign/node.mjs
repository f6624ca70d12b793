// Makes the calls that petstore-sim asks for with one client: node node.mjs NAME
import { setTimeout as sleep } from 'node:timers/promises';
import { makeCalls } from '../../clients/programs/node/calls.mjs';

const baseUrl = process.env.PETSTORE_BASE_URL;
const key = process.env.PETSTORE_API_KEY;
const load = (name) => import(name);
const dataOf = ({ body }) => (body === undefined ? {} : { data: JSON.parse(body) });
const thrown = (response) => {
  if (response.status >= 400) throw Object.assign(new Error(`status ${response.status}`), { response });
  return response;
};
const fetchOrThrow = async ({ url, ...init }) => {
  const response = thrown(await fetch(url, init));
  await response.arrayBuffer();
  return response;
};
/** A loop of a fixed number of attempts around a client. */
const again = async (attempts, waitMs, send) => {
  for (let attempt = 1; ; attempt++) {
    const response = await send();
    if (response.status < 400 || attempt === attempts) return response;
    await sleep(waitMs(attempt, response));
  }
};

/** Functions that make one call, with all retries of the client. */
const clients = {
  async fetchRetry() {
    const retrying = (await load('fetch-retry')).default(fetch);
    return ({ url, ...init }) => retrying(url, { ...init, retryOn: [429, 500, 503], retries: 4, retryDelay: 500 });
  },
  async fetchRetryGrowing() {
    const retrying = (await load('fetch-retry')).default(fetch);
    return ({ url, ...init }) =>
      retrying(url, { ...init, retryOn: [429, 503], retries: 5, retryDelay: (attempt) => 1_000 * 2 ** attempt });
  },
  async fetchRetryAfter() {
    const retrying = (await load('fetch-retry')).default(fetch);
    const retryDelay = (_attempt, _error, response) => Number(response?.headers.get('retry-after') ?? 1) * 1_000;
    return ({ url, ...init }) => retrying(url, { ...init, retryOn: [429, 503], retries: 4, retryDelay });
  },
  async alova() {
    const [{ createAlova }, { default: adapter }, { retry }] = await Promise.all([
      load('alova'),
      load('alova/fetch'),
      load('alova/server'),
    ]);
    const alova = createAlova({ requestAdapter: adapter(), cacheFor: null, responded: thrown });
    return ({ url, method, headers, body }) => {
      const made = method === 'POST' ? alova.Post(url, body, { headers }) : alova.Get(url, { headers });
      return retry(made, { retry: 3, backoff: { delay: 1_000, multiplier: 2 } }).send();
    };
  },
  async axiosRateLimit() {
    const [{ default: axios }, { default: rateLimit }] = await Promise.all([load('axios'), load('axios-rate-limit')]);
    const limited = rateLimit(axios.create({ proxy: false }), { maxRequests: 5, perMilliseconds: 1_000 });
    return (call) => limited.request({ url: call.url, method: call.method, headers: call.headers, ...dataOf(call) });
  },
  async limiter() {
    const { RateLimiter } = await load('limiter');
    const limiter = new RateLimiter({ tokensPerInterval: 1, interval: 'second' });
    return ({ url, ...init }) =>
      again(
        8,
        () => 0,
        async () => {
          await limiter.removeTokens(1);
          return fetch(url, init);
        },
      );
  },
  async phin() {
    const { default: phin } = await load('phin');
    return ({ url, method, headers, body }) => phin({ url, method, headers, ...(body && { data: body }) });
  },
  async needle() {
    const { default: needle } = await load('needle');
    return ({ url, method, headers, body }) =>
      needle(method.toLowerCase(), url, ...(body ? [body] : []), { headers, response_timeout: 3_000 });
  },
  async needleAgain() {
    const { default: needle } = await load('needle');
    return ({ url, method, headers, body }) =>
      again(
        6,
        () => 2_000,
        async () => ({
          status: (await needle(method.toLowerCase(), url, ...(body ? [body] : []), { headers })).statusCode,
        }),
      );
  },
  async urllib() {
    const { request } = await load('urllib');
    return ({ url, method, headers, body }) =>
      request(url, { method, headers, content: body, timeout: 5_000, retry: 3, retryDelay: 1_000 });
  },
  async urllibThrottled() {
    const { request } = await load('urllib');
    const isRetry = ({ status }) => status === 429 || status >= 500;
    return ({ url, method, headers, body }) =>
      request(url, { method, headers, content: body, timeout: 5_000, retry: 4, retryDelay: 3_000, isRetry });
  },
  async notion() {
    const { Client } = await load('@notionhq/client');
    const notion = new Client({ auth: key, baseUrl: baseUrl.replace(/\/v1$/, ''), logLevel: 'error' });
    return ({ method, body }) =>
      notion.request({ path: 'pets', method: method.toLowerCase(), ...(body && { body: JSON.parse(body) }) });
  },
  async anthropic() {
    const { default: Anthropic } = await load('@anthropic-ai/sdk');
    const client = new Anthropic({ baseURL: baseUrl, authToken: key, apiKey: null, maxRetries: 3 });
    return ({ method, body }) =>
      method === 'POST' ? client.post('/pets', { body: JSON.parse(body) }) : client.get('/pets');
  },
  async smithy() {
    return smithyWith(() => undefined);
  },
  async smithyHinted() {
    return smithyWith(({ response }) => {
      const seconds = Number(response?.headers.get('retry-after') ?? Number.NaN);
      return Number.isNaN(seconds) ? undefined : new Date(Date.now() + seconds * 1_000);
    });
  },
  async makeFetchHappen() {
    const { default: makeFetchHappen } = await load('make-fetch-happen');
    return ({ url, ...init }) =>
      makeFetchHappen(url, { ...init, timeout: 4_000, retry: { retries: 3, minTimeout: 500, factor: 2 } });
  },
  async bottleneck() {
    const { default: Bottleneck } = await load('bottleneck');
    const limiter = new Bottleneck({ maxConcurrent: 5 });
    limiter.on('failed', (_error, { retryCount }) => (retryCount < 4 ? 1_000 * 2 ** retryCount : undefined));
    return (call) => limiter.schedule(() => fetchOrThrow(call));
  },
  async bottleneckAfter() {
    const { default: Bottleneck } = await load('bottleneck');
    const limiter = new Bottleneck({ maxConcurrent: 1 });
    limiter.on('failed', ({ response }, { retryCount }) =>
      response?.status === 429 && retryCount < 4
        ? Number(response.headers.get('retry-after') ?? 5) * 1_000 + 200 * Math.random()
        : undefined,
    );
    return (call) => limiter.schedule(() => fetchOrThrow(call));
  },
  async pThrottle() {
    const { default: pThrottle } = await load('p-throttle');
    const throttled = pThrottle({ limit: 2, interval: 1_000 })(({ url, ...init }) => fetch(url, init));
    return (call) =>
      again(
        5,
        () => 1_000,
        () => throttled(call),
      );
  },
  async retryAxios() {
    return retryAxiosWith({});
  },
  async retryAxiosEagerly() {
    return retryAxiosWith({ retry: 4, httpMethodsToRetry: ['GET', 'POST'], retryDelay: 250, backoffType: 'static' });
  },
  async requestRetry() {
    const { default: request } = await load('requestretry');
    return requestRetryWith(request, request.RetryStrategies.HTTPOrNetworkError, 3_000);
  },
  async requestRetryThrottled() {
    const { default: request } = await load('requestretry');
    const isRetried = (error, response) => !!error || response.statusCode === 429 || response.statusCode >= 500;
    return requestRetryWith(request, isRetried, 1_500);
  },
  async asyncRetry() {
    const { default: retry } = await load('async-retry');
    return (call) => retry(() => fetchOrThrow(call), { retries: 3 });
  },
  async exponentialBackoff() {
    const { backOff } = await load('exponential-backoff');
    return (call) => backOff(() => fetchOrThrow(call), { jitter: 'full', startingDelay: 500, numOfAttempts: 8 });
  },
  async exponentialBackoffAfter() {
    const { backOff } = await load('exponential-backoff');
    const retry = async ({ response }) => {
      const seconds = Number(response?.headers.get('retry-after') ?? Number.NaN);
      if (Number.isNaN(seconds) || seconds > 60) return false;
      await sleep(seconds * 1_000);
      return true;
    };
    return (call) => backOff(() => fetchOrThrow(call), { startingDelay: 100, numOfAttempts: 6, retry });
  },
  async rateLimiterFlexible() {
    const { default: flexible } = await load('rate-limiter-flexible');
    const queue = new flexible.RateLimiterQueue(new flexible.RateLimiterMemory({ points: 2, duration: 1 }));
    return ({ url, ...init }) =>
      again(
        6,
        (attempt) => 500 * 2 ** attempt,
        async () => {
          await queue.removeTokens(1);
          return fetch(url, init);
        },
      );
  },
  async undiciRetry() {
    const { fetch: undiciFetch, Agent, interceptors } = await load('undici');
    const dispatcher = new Agent().compose(
      interceptors.retry({ maxRetries: 4, minTimeout: 200, maxTimeout: 2_000, methods: ['GET', 'POST'] }),
    );
    return ({ url, ...init }) => undiciFetch(url, { ...init, dispatcher });
  },
  /** Always ends with success. */
  async silent() {
    return async ({ url, ...init }) => {
      try {
        const response = await fetch(url, { ...init, signal: AbortSignal.timeout(2_000) });
        await response.arrayBuffer();
      } catch {}
    };
  },
};

async function smithyWith(hintOf) {
  const { StandardRetryStrategy } = await load('@smithy/util-retry');
  const strategy = new StandardRetryStrategy(5);
  return async (call) => {
    let token = await strategy.acquireInitialRetryToken('petstore');
    for (;;) {
      try {
        return await fetchOrThrow(call);
      } catch (error) {
        const errorType = error.response?.status === 429 ? 'THROTTLING' : 'TRANSIENT';
        if (error.response !== undefined && error.response.status < 429) throw error;
        token = await strategy.refreshRetryTokenForRetry(token, { errorType, retryAfterHint: hintOf(error) });
        await sleep(token.getRetryDelay());
      }
    }
  };
}

async function retryAxiosWith(raxConfig) {
  const [{ default: axios }, rax] = await Promise.all([load('axios'), load('retry-axios')]);
  const instance = axios.create({ proxy: false, timeout: 8_000 });
  rax.attach(instance);
  return (call) =>
    instance.request({ url: call.url, method: call.method, headers: call.headers, ...dataOf(call), raxConfig });
}

const requestRetryWith =
  (request, retryStrategy, retryDelay) =>
  ({ url, method, headers, body }) =>
    request({ url, method, headers, body, maxAttempts: 5, retryDelay, retryStrategy });

try {
  await makeCalls(await clients[process.argv[2]](), process.env);
  process.exit(0);
} catch (error) {
  console.error(error);
  process.exit(1);
}
