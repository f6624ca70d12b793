import { Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { vi } from 'vitest';
import type { ServiceResponse, Transport } from '../../src/fidelity/ask-service/service-client.js';
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
  readonly listOrder: 'id-ascending' | 'newest-first';
  readonly limitOutOfRange: 'reject' | 'clamp' | 'default';
  readonly unknownStatusFilter: 'reject' | 'empty' | 'ignore';
  readonly malformedPetId: 'not-found' | 'reject';
  readonly unknownFields: 'ignore' | 'reject' | 'echo';
  readonly unknownCategory: 'accept' | 'reject';
  readonly emptyName: 'accept' | 'reject';
  readonly defaultStatus: 'available' | 'pending' | 'sold' | 'absent';
  readonly contentType: 'reject' | 'unsupported';
  readonly unknownMethod: 'method-not-allowed' | 'not-found';
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
    latencyMs: pick([1, 10, 45, 250]),
    skewMs: pick([0, 0, 120_000, -7_300]),
    startMs: Date.UTC(2026, 6, 1 + below(20), below(23), below(60), below(60)) + below(1_000),
    seed,
  };
}

interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status?: string;
}

const key = 'secret-key-of-a-team';
const statuses = ['available', 'pending', 'sold'];

/** Starts the service. Time is virtual from here to `close`. */
export async function expressService(settings: ExpressSettings): Promise<Transport & { close(): Promise<void> }> {
  const { below } = createDraw(settings.seed + 1);
  let nowMs = settings.startMs;
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
  const server = appOf(settings, below).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });

  const exchange = async (method: string, target: string, headers: Record<string, string>, body?: string) => {
    nowMs += settings.latencyMs;
    vi.setSystemTime(nowMs + settings.skewMs);
    const answer = await sendTo(port, agent, method, `/v1${target}`, headers, body);
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
    send: ({ method, target, headers, body, token }) => {
      const authorization = token === 'none' ? {} : { authorization: `Bearer ${token === 'own' ? key : token}` };
      return exchange(method, target, { ...headers, ...authorization } as Record<string, string>, body);
    },
    close: async () => {
      vi.useRealTimers();
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function sendTo(
  port: number,
  agent: Agent,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<ServiceResponse> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent, method, path, headers }, (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => {
        text += piece;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
          body: text,
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function appOf(settings: ExpressSettings, below: (count: number) => number) {
  const pets: Pet[] = Array.from({ length: 25 }, (_, index) => ({
    id: 101 + index,
    name: `Pet ${(index * 11) % 25}`,
    categoryId: 1 + (index % 5),
    status: statuses[index % 3] as string,
  }));
  const app = express();
  app.disable('x-powered-by');
  const fail = (response: express.Response, status: number, code: string) =>
    response.status(status).json({ code, message: `Failed: ${code}.`, status });

  app.use((incoming, response, next) => {
    response.setHeader('Date', new Date().toUTCString());
    if (incoming.headers.authorization === `Bearer ${key}`) next();
    else fail(response.setHeader('WWW-Authenticate', 'Bearer'), 401, 'unauthorized');
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
        fail(response, 429, 'rate_limit_exceeded');
      },
    }),
  );
  let turn = 0;
  app.use((incoming, response, next) => {
    const instance = settings.balancer === 'random' ? below(limiters.length) : turn++ % limiters.length;
    limiters[instance]?.(incoming, response, next);
  });

  app.get('/v1/pets', ({ query }, response) => {
    let limit = query.limit === undefined ? 20 : Number(query.limit);
    if (limit < 1 || limit > 100) {
      if (settings.limitOutOfRange === 'reject') return fail(response, 400, 'invalid_request');
      limit = settings.limitOutOfRange === 'clamp' ? Math.min(100, Math.max(1, limit)) : 20;
    }
    let found = settings.listOrder === 'newest-first' ? [...pets].reverse() : pets;
    if (query.status !== undefined) {
      const isKnown = statuses.includes(String(query.status));
      if (!isKnown && settings.unknownStatusFilter === 'reject') return fail(response, 400, 'invalid_request');
      if (isKnown || settings.unknownStatusFilter === 'empty')
        found = found.filter(({ status }) => status === query.status);
    }
    return response.json(found.slice(0, limit));
  });
  app.get('/v1/pets/:petId', ({ params }, response) => {
    if (!/^\d+$/.test(params.petId) && settings.malformedPetId === 'reject')
      return fail(response, 400, 'invalid_request');
    const pet = pets.find(({ id }) => String(id) === params.petId);
    return pet === undefined ? fail(response, 404, 'not_found') : response.json(pet);
  });
  app.post('/v1/pets', express.text({ type: () => true, limit: '1mb' }), (incoming, response) => {
    if (incoming.body.length > 65_536) return fail(response, 413, 'payload_too_large');
    if (!incoming.is('application/json'))
      return settings.contentType === 'reject'
        ? fail(response, 400, 'invalid_request')
        : fail(response, 415, 'unsupported_media_type');
    const { name, categoryId, status, ...extra } = JSON.parse(incoming.body);
    const isOdd =
      (name === '' && settings.emptyName === 'reject') ||
      (categoryId > 5 && settings.unknownCategory === 'reject') ||
      (Object.keys(extra).length > 0 && settings.unknownFields === 'reject');
    if (isOdd) return fail(response, 400, 'invalid_request');
    const stored = status ?? (settings.defaultStatus === 'absent' ? undefined : settings.defaultStatus);
    const pet = { id: 101 + pets.length, name, categoryId, ...(stored !== undefined && { status: stored }) };
    pets.push(pet);
    return response.status(201).json({ ...pet, ...(settings.unknownFields === 'echo' && extra) });
  });
  app.all('/v1/pets', (_, response) =>
    settings.unknownMethod === 'not-found'
      ? fail(response, 404, 'not_found')
      : fail(response.setHeader('Allow', 'GET, POST'), 405, 'method_not_allowed'),
  );
  app.use((_, response) => fail(response, 404, 'not_found'));
  return app;
}
