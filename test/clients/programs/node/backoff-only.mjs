import { setTimeout as sleep } from 'node:timers/promises';

/** 1, 2, 4, 8 and 16 seconds after a 429, a 5xx or a broken connection. */
export async function byDefault({ url, ...init }) {
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(url, init).catch(() => undefined);
    await response?.arrayBuffer();
    if (response !== undefined && response.status !== 429 && response.status < 500)
      return response;
    if (attempt === 5) throw new Error('six attempts failed');
    await sleep(1000 * 2 ** attempt, undefined, init);
  }
}
