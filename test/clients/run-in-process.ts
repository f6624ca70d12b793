import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '../../src/judge/judge-run.js';
import { listen } from '../../src/node.js';
import { createSimulator } from '../../src/petstore/create-simulator.js';
import { clientOf } from '../../src/scenario/client.js';
import { judge } from '../../src/verdict.js';
import type { Client, Setting } from './clients.js';
import { scenarioOfTrial, type TrialId, trials } from './trials.js';

/** Makes one call of the application, with all retries of the client. */
type Send = (call: Record<string, unknown>) => Promise<unknown>;

/**
 * Opens a simulator for a client in JavaScript. @returns a function that makes the client's calls over HTTP from this
 * process, and judges them. Windows and bans end at whole seconds, so equal start offsets within a second give equal
 * runs.
 */
export async function openCell({ id }: Client, setting: Setting, trial: TrialId) {
  const client: Record<Setting, Send> = await import(`./programs/node/${id}.mjs`);
  // @ts-expect-error plain JavaScript
  const { makeCalls } = await import('./programs/node/calls.mjs');
  const scenario = await scenarioOfTrial(trial);
  const sim = createSimulator({ scenario });
  const server = await listen(sim, { port: 0, host: '127.0.0.1', holdRefusals: true });
  const { key, operation, calls } = clientOf(scenario);
  const environment = {
    PETSTORE_BASE_URL: server.baseUrl,
    PETSTORE_API_KEY: key,
    PETSTORE_OPERATION: operation,
    PETSTORE_CALLS: calls,
  };
  return async (startAtMs: number): Promise<Verdict> => {
    await sleep(startAtMs - Date.now());
    sim.reset();
    const stop = AbortSignal.timeout(trials[trial].watchMs);
    const stopped = new Promise<'stopped'>((resolve) => stop.addEventListener('abort', () => resolve('stopped')));
    const ended = makeCalls(client[setting], environment, stop).then(
      () => 'ok',
      () => 'error',
    );
    try {
      const end = await Promise.race([ended, stopped]);
      const isInterrupted = end === 'stopped';
      const outcome = { isInterrupted, ...(!isInterrupted && { hasFailed: end === 'error' }) };
      return judge(sim, { isOver: true, end: outcome });
    } finally {
      await server.close();
    }
  };
}
