import { setTimeout as sleep } from 'node:timers/promises';

/** The loop that is written first: `Number(Retry-After)` seconds after a 429, five attempts. */
export async function byDefault({ url, ...init }) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, init);
    await response.arrayBuffer();
    if (response.status !== 429 || attempt === 5) return response;
    await sleep(Number(response.headers.get('retry-after')) * 1000, undefined, init);
  }
}
