import { setTimeout as sleep } from 'node:timers/promises';

/** A common loop: up to five attempts, `Number(Retry-After)` seconds after a 429. */
export async function byDefault({ url, ...init }) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, init);
    await response.arrayBuffer();
    if (response.status !== 429 || attempt === 5) return response;
    await sleep(Number(response.headers.get('retry-after')) * 1000, undefined, init);
  }
}
