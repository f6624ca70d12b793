import { setTimeout as sleep } from 'node:timers/promises';

/** Up to twelve attempts, one second apart, until one succeeds. */
export async function byDefault({ url, ...init }) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, init).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return response;
    if (attempt === 12) throw new Error('twelve attempts failed');
    await sleep(1000, undefined, init);
  }
}
