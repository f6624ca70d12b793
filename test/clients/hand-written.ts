import { type Send, sleep } from './client.js';
import { askedWaitMs, longestWaitMs } from './set-right.js';

// doc: right
/** Waits as asked, gives up when that is too long, and looks before it repeats a write whose answer was lost. */
export const patientFetch: Send = async (sent, signal) => {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(sent.url, { ...sent, signal }).catch(() => undefined);
    if (response === undefined || response.status >= 500) {
      if (sent.method === 'POST' && (await isStored(sent.url, sent.headers, sent.body ?? '', signal))) return response;
    } else if (response.status !== 429) return response;
    const waitMs = response?.status === 429 ? askedWaitMs(Object.fromEntries(response.headers)) : 0;
    if (attempt === 5 || waitMs > longestWaitMs) return response;
    await response?.arrayBuffer();
    await sleep(waitMs + Math.random() * 100 * 2 ** attempt, signal);
  }
};

async function isStored(url: string, headers: Record<string, string>, body: string, signal: AbortSignal) {
  const response = await fetch(`${url}?limit=100`, { headers, signal });
  const pets = (await response.json()) as { name: string }[];
  return pets.some(({ name }) => name === JSON.parse(body).name);
}

// end

export const none: Send = (sent, signal) => fetch(sent.url, { ...sent, signal });

/** Anything but success is tried again after a second, twelve attempts. */
export const everySecond: Send = async (sent, signal) => {
  for (let attempt = 1; attempt <= 12; attempt++) {
    if (attempt > 1) await sleep(1000, signal);
    const response = await fetch(sent.url, { ...sent, signal }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return;
  }
};

/** 1, 2, 4, 8 and 16 seconds after a 429, a 5xx or a broken connection. */
export const backoffOnly: Send = async (sent, signal) => {
  for (let attempt = 0; attempt <= 5; attempt++) {
    if (attempt > 0) await sleep(500 * 2 ** attempt, signal);
    const response = await fetch(sent.url, { ...sent, signal }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response !== undefined && response.status !== 429 && response.status < 500) return;
  }
};

/** The loop that is written first: `Number(Retry-After)` seconds after a 429, five attempts. */
export const numberOnly: Send = async (sent, signal) => {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const response = await fetch(sent.url, { ...sent, signal });
    await response.arrayBuffer();
    if (response.status !== 429 || attempt === 5) return;
    await sleep(Number(response.headers.get('retry-after')) * 1000, signal);
  }
};
