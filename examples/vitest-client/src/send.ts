/** Sends a request, again where that makes sense, and gives the answer. */
export type Send = (request: () => Promise<Response>) => Promise<Response>;

const mostAttempts = 5;

/** Waits as long as Retry-After says, and after each refusal a little longer than after the one before. */
export const sendPatiently: Send = async (request) => {
  for (let attempt = 1; ; attempt++) {
    const response = await request();
    if (response.status !== 429 || attempt === mostAttempts) return response;
    const askedMs = Number(response.headers.get('Retry-After')) * 1_000;
    // Half of the extra wait is chance, so that many clients do not all come back at once.
    await sleep(askedMs + 2 ** attempt * 250 * (1 + Math.random()));
  }
};

/** What is often written: whatever went wrong, try again in a second. Do not copy this. */
export const sendStubbornly: Send = async (request) => {
  for (let attempt = 1; ; attempt++) {
    const response = await request().catch(() => undefined);
    if (response !== undefined && response.status !== 429) return response;
    if (attempt === mostAttempts) throw new Error('Failed to reach the service: gave up');
    await sleep(1_000);
  }
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
