import { listen } from '../../src/node.js';
import { createSimulator } from '../../src/simulator/simulator.js';
import type { Verdict } from '../../src/verdict/judge-run.js';
import { judge } from '../../src/verdict.js';
import { type Send, sleep } from './client.js';
import type { Trial } from './trials.js';

const newcomer = '{"name":"Newcomer","categoryId":1}';
/** A client that has ended is judged when its last wait is over, if that is soon. */
const longestLookMs = 15_000;

/**
 * Opens a simulator of its own for one client. The answer lets the client make its calls over HTTP, and judges it.
 * Windows and bans end at whole seconds, so a run is the same where it starts at the same part of one.
 */
export async function openCell(send: Send, trial: Trial): Promise<(startAtMs: number) => Promise<Verdict>> {
  const sim = createSimulator({ scenario: trial.scenario });
  const server = await listen(sim, { port: 0, host: '127.0.0.1' });
  return async (startAtMs) => {
    await sleep(startAtMs - Date.now());
    sim.reset();
    const stop = new AbortController();
    const watch = setTimeout(() => stop.abort(), trial.watchMs);
    try {
      await Promise.race([callAll(send, trial, server.baseUrl, stop.signal), aborted(stop.signal)]);
      const isOver = !stop.signal.aborted;
      const promisedAtMs = sim.journal.query().at(-1)?.promisedAtMs ?? 0;
      const lookMs = promisedAtMs - Date.now() + 200;
      if (isOver && lookMs > 0 && lookMs < longestLookMs) await sleep(lookMs);
      return judge(sim, { isOver });
    } finally {
      clearTimeout(watch);
      stop.abort();
      await server.close();
    }
  };
}

async function callAll(send: Send, { calls }: Trial, baseUrl: string, signal: AbortSignal): Promise<void> {
  for (const method of calls) {
    const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };
    const body = method === 'POST' ? { body: newcomer } : {};
    await send({ method, url: `${baseUrl}/pets`, headers, ...body }, signal).catch(() => {});
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
