/** Sends a request and returns its response, with retries if these can succeed. */
export type Send = (request: () => Promise<Response>) => Promise<Response>;

const mostAttempts = 5;

/** Sends a request. After a 429, waits for Retry-After plus an extra time that grows with each 429. */
export const sendPatiently: Send = async (request) => {
  for (let attempt = 1; ; attempt++) {
    const response = await request();
    if (response.status !== 429 || attempt === mostAttempts) return response;
    const askedMs = Number(response.headers.get('Retry-After')) * 1_000;
    // Adds random time, so that many clients do not retry at the same moment.
    await sleep(askedMs + 2 ** attempt * 250 * (1 + Math.random()));
  }
};

/** Wrong on purpose, as a common mistake: retries after one second, regardless of the error. Do not copy this. */
export const sendStubbornly: Send = async (request) => {
  for (let attempt = 1; ; attempt++) {
    const response = await request().catch(() => undefined);
    if (response !== undefined && response.status !== 429) return response;
    if (attempt === mostAttempts) throw new Error('Failed to reach the service: gave up');
    await sleep(1_000);
  }
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
