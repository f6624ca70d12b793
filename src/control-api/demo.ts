import type { Scenario } from '../scenario/scenario-schema.js';

const key = { plan: 'free', usage: { minute: 'all but 1' } };

/** API keys of the demo's clients, which are also the clients' names. */
export const demoKeys = { wrong: 'wrong-client', right: 'right-client' } as const;

/** Scenario of the demo: the minutes of two clients are used up after their first requests. */
export const demoScenario = {
  name: 'demo',
  description: `Each client has one request left in its minute, which takes ten seconds here. ${demoKeys.wrong} always waits 1.5 seconds; ${demoKeys.right} obeys Retry-After.`,
  windows: { minute: '10s' },
  keys: { [demoKeys.wrong]: key, [demoKeys.right]: key },
} satisfies Scenario;

/** Time and chance of the machine that runs the demo's clients. */
interface Machine {
  /** Waits for a time in milliseconds, or until `over` is aborted. */
  sleep(ms: number, over: AbortSignal): Promise<unknown>;
  /** Returns a random number from 0 to 1. */
  random(): number;
}

/**
 * Runs the demo's wrong and right client concurrently until `over` is aborted. Works in Node and in browsers.
 * @param baseUrl URL of an API with the demo's scenario
 */
export async function runDemoClients(baseUrl: string, over: AbortSignal, { sleep, random }: Machine): Promise<void> {
  /** Lists pets repeatedly. Waits after each rejected request. */
  const runClient = async (key: string, waitMs: (toldMs: number) => number) => {
    while (!over.aborted) {
      const response = await fetch(`${baseUrl}/pets?limit=3`, { headers: { authorization: `Bearer ${key}` } });
      await response.text();
      const toldMs = Number(response.headers.get('Retry-After')) * 1_000;
      await sleep(response.status === 429 ? waitMs(toldMs) : 1_000, over);
    }
  };
  await Promise.all([
    runClient(demoKeys.wrong, () => 1_500),
    runClient(demoKeys.right, (toldMs) => toldMs * (1 + 0.05 * random())),
  ]);
}
