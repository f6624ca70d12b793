import axios from 'axios';
import axiosRetry, { retryAfter } from 'axios-retry';
import got from 'got';
import ky from 'ky';
import { RetryAgent, Agent as UndiciAgent, fetch as undiciFetch } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listen, type RunningServer } from '../../src/node/index.js';
import { createSimulator, type Simulator } from '../../src/simulator.js';

let sim: Simulator;
let server: RunningServer;
let answers: { status: number; atMs: number }[];

beforeEach(async () => {
  answers = [];
  sim = createSimulator({
    scenario: { plans: { free: { minute: 3, day: 1000 } }, windows: { minute: '2s' }, keys: { 'free-key': {} } },
  });
  server = await listen(sim, {
    port: 0,
    onAnswer: (_request, { status }) => answers.push({ status, atMs: Date.now() }),
  });
});
afterEach(() => server.close());

const authorization = 'Bearer free-key';

/** What a right client does: waits as long as Retry-After says, then tries again. */
async function fetchWithRetry(url: string): Promise<Response> {
  for (;;) {
    const response = await fetch(url, { headers: { authorization } });
    if (response.status !== 429) return response;
    await response.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after')) * 1000));
  }
}

const retryAgent = () => new RetryAgent(new UndiciAgent(), { statusCodes: [429], retryAfter: true });

const retryingAxios = () => {
  const client = axios.create({ headers: { authorization } });
  axiosRetry(client, {
    retryCondition: ({ response }) => response?.status === 429,
    retryDelay: (_count, error) => retryAfter(error),
  });
  return client;
};

const clients: [name: string, get: (url: string) => Promise<{ status: number }>][] = [
  ['plain fetch with a correct loop', fetchWithRetry],
  ['ky', (url) => ky(url, { headers: { authorization } })],
  ['got', async (url) => ({ status: (await got(url, { headers: { authorization } })).statusCode })],
  ['axios with axios-retry', (url) => retryingAxios().get(url)],
  ['undici with RetryAgent', (url) => undiciFetch(url, { headers: { authorization }, dispatcher: retryAgent() })],
];

test.each(clients)('%s gets five animals lists through a limit of three in two seconds', async (_name, get) => {
  for (let n = 1; n <= 5; n++) expect((await get(`${server.baseUrl}/pets`)).status).toBe(200);
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 200, 429, 200, 200]);
  expect(sim.keys.get('free-key')).toMatchObject({ state: 'active', strikes: 0 });
});
