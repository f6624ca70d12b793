import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { vi } from 'vitest';
import type { ServiceResponse, Transport } from '../../src/fidelity/ask-service/service-client.js';
import { authorizationOf, createOperations, key, petsOf, type ResponseChoices } from './foreign-service.js';
import { createDraw } from './hidden-worlds.js';

// A Petstore on Express with express-rate-limit, over HTTP. Only `Date` is virtual, because the limiter reads nothing
// more.

export interface ExpressSettings {
  /** Requests a minute. */
  readonly limit: number;
  /** Number of instances behind a balancer, each with separate counters. */
  readonly instances: number;
  readonly balancer: 'in turn' | 'random';
  /** Refunds a request whose response is an error. */
  readonly skipFailedRequests: boolean;
  readonly standardHeaders: false | 'draft-6';
  /** Requests with the key before the first one here, and the time since, in milliseconds. */
  readonly before: { readonly count: number; readonly agoMs: number };
  readonly choices: ResponseChoices;
  /** Milliseconds from a request to the service, and back. */
  readonly latencyMs: number;
  /** Lead of the service's clock. */
  readonly skewMs: number;
  readonly startMs: number;
  readonly seed: number;
}

export function drawExpressSettings(seed: number, instances: number): ExpressSettings {
  const { below, pick, chance } = createDraw(seed);
  const limit = pick([5, 9, 20, 60, 60, 100, 300]);
  return {
    limit,
    instances,
    balancer: pick(['in turn', 'random']),
    skipFailedRequests: chance(0.15),
    standardHeaders: pick([false, 'draft-6']),
    before: { count: chance(0.4) ? below(Math.min(limit, 50)) : 0, agoMs: below(50_000) },
    choices: {
      listOrder: pick(['id-ascending', 'newest-first']),
      limitOutOfRange: pick(['reject', 'clamp', 'default']),
      unknownStatusFilter: pick(['reject', 'empty', 'ignore']),
      malformedPetId: pick(['not-found', 'reject']),
      unknownFields: pick(['ignore', 'reject', 'echo']),
      unknownCategory: pick(['accept', 'reject']),
      emptyName: pick(['accept', 'reject']),
      defaultStatus: pick(['available', 'pending', 'sold', 'absent']),
      contentType: pick(['reject', 'unsupported']),
      unknownMethod: pick(['method-not-allowed', 'not-found']),
      paging: 'none',
      unknownQuery: 'ignore',
    },
    latencyMs: pick([1, 10, 45, 250]),
    skewMs: pick([0, 0, 120_000, -7_300]),
    startMs: Date.UTC(2026, 6, 1 + below(20), below(23), below(60), below(60)) + below(1_000),
    seed,
  };
}

/** Starts the service. Time is virtual from here to `close`. */
export async function expressService(settings: ExpressSettings): Promise<Transport & { close(): Promise<void> }> {
  const { below } = createDraw(settings.seed + 1);
  let nowMs = settings.startMs;
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
  const server = appOf(settings, below).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });

  const exchange = async (method: string, target: string, headers: Record<string, string>, body?: string) => {
    nowMs += settings.latencyMs;
    vi.setSystemTime(nowMs + settings.skewMs);
    const answer = await sendTo({ host: '127.0.0.1', port, agent, method, path: `/v1${target}`, headers }, body);
    nowMs += settings.latencyMs;
    return answer;
  };
  const { count, agoMs } = settings.before;
  nowMs -= agoMs;
  for (let sent = 0; sent < count; sent++) await exchange('GET', '/pets?limit=1', { authorization: `Bearer ${key}` });
  nowMs = Math.max(nowMs, settings.startMs);
  return {
    baseUrl: 'https://express.example/v1',
    now: () => nowMs,
    sleep: async (ms) => {
      nowMs += Math.ceil(ms);
    },
    send: ({ method, target, headers, body, token }) =>
      exchange(method, target, { ...headers, ...authorizationOf(token) }, body),
    close: async () => {
      vi.useRealTimers();
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function sendTo(options: RequestOptions, body: string | undefined): Promise<ServiceResponse> {
  const [response] = (await once(request(options).end(body), 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    headers: Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    body: await text(response),
  };
}

function appOf(settings: ExpressSettings, below: (count: number) => number) {
  const { respond, bad } = createOperations(settings.choices, petsOf(25, 101));
  const app = express();
  app.disable('x-powered-by');
  const answer = (response: express.Response, { status, headers, body }: ServiceResponse) =>
    response.status(status).setHeaders(new Map(headers)).end(body);

  app.use((incoming, response, next) => {
    response.setHeader('Date', new Date().toUTCString());
    if (incoming.headers.authorization === `Bearer ${key}`) next();
    else answer(response.setHeader('WWW-Authenticate', 'Bearer'), bad(401, 'unauthorized', 'Failed.'));
  });
  const limiters = Array.from({ length: settings.instances }, () =>
    rateLimit({
      windowMs: 60_000,
      limit: settings.limit,
      legacyHeaders: true,
      standardHeaders: settings.standardHeaders,
      skipFailedRequests: settings.skipFailedRequests,
      keyGenerator: ({ headers }) => headers.authorization ?? '',
      handler: (_, response) => {
        answer(response, bad(429, 'rate_limit_exceeded', 'Failed.'));
      },
    }),
  );
  let turn = 0;
  app.use((incoming, response, next) => {
    const instance = settings.balancer === 'random' ? below(limiters.length) : turn++ % limiters.length;
    limiters[instance]?.(incoming, response, next);
  });

  app.use(express.text({ type: () => true, limit: '1mb' }), ({ method, url, headers, body }, response) => {
    const known = headers as Record<string, string>;
    answer(response, respond({ method, target: url.replace('/v1', ''), headers: known, body: body || '' }));
  });
  return app;
}
