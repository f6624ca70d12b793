import axios from 'axios';
import axiosRetry from 'axios-retry';
import got from 'got';
import ky, { isHTTPError } from 'ky';
import pRetry from 'p-retry';
import { RetryAgent, request, Agent as UndiciAgent } from 'undici';
import { type Send, sleep } from './client.js';

// What docs/clients.md shows stands between `doc:` and `end`, and is what runs.

// doc: askedWaitMs
/** What an answer asks to wait: Retry-After in seconds or as a date, else X-RateLimit-Reset, else a minute. */
export function askedWaitMs(headers: Record<string, unknown>): number {
  const retryAfter = String(headers['retry-after'] ?? '');
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const instants = [Date.parse(retryAfter), Number(headers['x-ratelimit-reset']) * 1000];
  const untilMs = instants.find((instant) => !Number.isNaN(instant));
  // The service's clock, not ours.
  const nowMs = Date.parse(String(headers.date)) || Date.now();
  return untilMs === undefined ? 60_000 : Math.max(1000, untilMs - nowMs);
}

/** What a caller may be kept waiting; the rest of a day is longer. */
export const longestWaitMs = 60_000;
// end

// doc: ky
const patientKy = ky.extend({
  retry: {
    limit: 5,
    methods: ['get', 'post'],
    // `true` would skip Retry-After: only `undefined` goes on to read it.
    shouldRetry: ({ error }) =>
      isHTTPError(error) &&
      error.response.status === 429 &&
      askedWaitMs(Object.fromEntries(error.response.headers)) <= longestWaitMs
        ? undefined
        : false,
  },
});
// end
export const kyRight: Send = ({ url, method, headers, body }, signal) =>
  patientKy(url, { method, headers, signal, ...(body && { body }) });

// doc: got
const patientGot = got.extend({
  retry: {
    limit: 5,
    methods: ['GET', 'POST'],
    statusCodes: [429],
    enforceRetryRules: true,
    calculateDelay: ({ error: { response } }) => {
      const waitMs = response?.statusCode === 429 ? askedWaitMs(response.headers) : 0;
      return waitMs > longestWaitMs ? 0 : waitMs;
    },
  },
});
// end
export const gotRight: Send = ({ url, method, headers, body }, signal) =>
  patientGot(url, { method, headers, signal, ...(body && { body }) });

const patientAxios = axios.create({ proxy: false });
// doc: axios-retry
axiosRetry(patientAxios, {
  retries: 5,
  retryCondition: ({ response }) => response?.status === 429 && askedWaitMs(response.headers) <= longestWaitMs,
  retryDelay: (_count, { response }) => askedWaitMs(response?.headers ?? {}),
});
// end
export const axiosRetryRight: Send = ({ url, method, headers, body }, signal) =>
  patientAxios.request({ url, method, headers, signal, ...(body && { data: body }) });

// doc: undici
const patientAgent = new RetryAgent(new UndiciAgent(), {
  retry: (error, { state }, callback) => {
    const { statusCode, headers = {} } = error as Error & { statusCode?: number; headers?: Record<string, unknown> };
    const waitMs = askedWaitMs(headers);
    if (statusCode !== 429 || waitMs > longestWaitMs || state.counter > 5) callback(error);
    else setTimeout(() => callback(null), waitMs);
  },
});
// end
export const retryAgentRight: Send = async ({ url, method, headers, body }, signal) => {
  const response = await request(url, { method, headers, signal, dispatcher: patientAgent, ...(body && { body }) });
  await response.body.dump();
};

// doc: p-retry
class TooManyRequests extends Error {
  constructor(readonly waitMs: number) {
    super(`Refused for ${waitMs} ms`);
  }
}

const patiently = (url: string, init: RequestInit) =>
  pRetry(
    async () => {
      const response = await fetch(url, init);
      if (response.status === 429) throw new TooManyRequests(askedWaitMs(Object.fromEntries(response.headers)));
      return response;
    },
    {
      retries: 5,
      minTimeout: 100,
      randomize: true,
      shouldRetry: async ({ error }) => {
        if (!(error instanceof TooManyRequests) || error.waitMs > longestWaitMs) return false;
        await sleep(error.waitMs);
        return true;
      },
    },
  );
// end
export const pRetryRight: Send = (sent, signal) => patiently(sent.url, { ...sent, signal });
