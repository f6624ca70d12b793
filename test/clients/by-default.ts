import axios from 'axios';
import axiosRetry from 'axios-retry';
import got from 'got';
import ky from 'ky';
import pRetry from 'p-retry';
import { RetryAgent, request, Agent as UndiciAgent } from 'undici';
import type { Send } from './client.js';

// Every library as its README first shows it, with no setting that it does not ask for.

export const kyDefault: Send = ({ url, method, headers, body }, signal) =>
  ky(url, { method, headers, signal, ...(body && { body }) });

export const gotDefault: Send = ({ url, method, headers, body }, signal) =>
  got(url, { method, headers, signal, ...(body && { body }) });

const retryingAxios = axios.create({ proxy: false });
axiosRetry(retryingAxios);
export const axiosRetryDefault: Send = ({ url, method, headers, body }, signal) =>
  retryingAxios.request({ url, method, headers, signal, ...(body && { data: body }) });

const retryAgent = new RetryAgent(new UndiciAgent());
export const retryAgentDefault: Send = async ({ url, method, headers, body }, signal) => {
  const response = await request(url, { method, headers, signal, dispatcher: retryAgent, ...(body && { body }) });
  await response.body.dump();
};

/** It tries again what throws, so the one thing that a caller must add is to throw. */
export const pRetryDefault: Send = (sent, signal) =>
  pRetry(
    async () => {
      const response = await fetch(sent.url, { ...sent, signal });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`Status ${response.status}`);
    },
    { signal },
  );
