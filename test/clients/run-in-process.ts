import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { vi } from 'vitest';
import type { Verdict } from '../../src/judge/judge-run.js';
import { clientOf } from '../../src/scenario/client.js';
import type { Client, Setting } from './clients.js';
import { scenarioOfTrial, type TrialId, trials } from './trials.js';

/** Makes one call of the application, with all retries of the client. */
type Send = (call: Record<string, unknown>) => Promise<unknown>;

/** Client of a cell, its setting and its trial. */
export type Cell = readonly [client: Client, setting: Setting, trial: TrialId];

/** Turns of the event loop without an event after which all clients are waiting for their timers. */
const quietTurns = 50;

/**
 * Runs clients in JavaScript over HTTP, each with its own simulator. Clients and servers share a virtual time, which
 * passes only while every client waits. So a slow machine lengthens no wait, and a wait of 45 s takes no time.
 */
export async function runCells(cells: readonly Cell[]): Promise<Verdict[]> {
  const restoreTime = useVirtualTime();
  const traffic = watchRequests();
  try {
    let isOver = false;
    const open = await Promise.all(cells.map(openCell));
    const runs = Promise.all(open.map((run) => run())).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      for (let quiet = 0, seen = 0; quiet < quietTurns || traffic.onTheWay > 0; quiet++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (seen !== traffic.events) quiet = 0;
        seen = traffic.events;
      }
      vi.advanceTimersToNextTimer();
    }
    return await runs;
  } finally {
    traffic.end();
    restoreTime();
  }
}

/** Installs virtual timers, also for clients that import the functions of `node:timers/promises`. */
function useVirtualTime(): () => void {
  const { setTimeout: realSleep } = timersPromises;
  vi.useFakeTimers({
    // A tenth after a whole second, because windows and bans end at whole seconds.
    now: Math.ceil(Date.now() / 1000) * 1000 + 100,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  timersPromises.setTimeout = ((ms, value, { signal } = {}) =>
    new Promise((resolve, reject) => {
      setTimeout(resolve, ms, value);
      signal?.addEventListener('abort', () => reject(signal.reason));
    })) as typeof realSleep;
  syncBuiltinESMExports();
  // A server that is loaded now takes the virtual timers for the machine's.
  vi.resetModules();
  return () => {
    vi.useRealTimers();
    timersPromises.setTimeout = realSleep;
    syncBuiltinESMExports();
    vi.resetModules();
  };
}

/**
 * Watches the HTTP traffic of this process: the number of its events, and of the requests and responses that are on
 * their way. A request that a server has received and not answered is not on its way.
 */
function watchRequests() {
  const traffic = { onTheWay: 0, events: 0, end };
  const count = (change: number) => () => {
    traffic.onTheWay += change;
    traffic.events++;
  };
  const [leave, arrive] = [count(1), count(-1)];
  const channels = {
    'http.client.request.start': ({ request }: { request: ClientRequest }) => {
      leave();
      request.once('close', arrive);
    },
    'undici:request:create': leave,
    'undici:request:trailers': arrive,
    'undici:request:error': arrive,
    'http.server.request.start': ({ response }: { response: ServerResponse }) => {
      arrive();
      response.once('close', leave);
    },
  } as Record<string, (message: unknown) => void>;
  for (const [name, listener] of Object.entries(channels)) subscribe(name, listener);
  function end() {
    for (const [name, listener] of Object.entries(channels)) unsubscribe(name, listener);
  }
  return traffic;
}

/** Opens a simulator for a client. @returns a function that makes the client's calls, and judges them. */
async function openCell([{ id }, setting, trial]: Cell): Promise<() => Promise<Verdict>> {
  const client: Record<Setting, Send> = await import(`./programs/node/${id}.mjs`);
  // @ts-expect-error plain JavaScript
  const { makeCalls } = await import('./programs/node/calls.mjs');
  const { listen } = await import('../../src/entries/node.js');
  const { createSimulator } = await import('../../src/petstore/create-simulator.js');
  const { judge } = await import('../../src/entries/verdict.js');
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
  return async () => {
    sim.reset();
    const stop = new AbortController();
    const stopped = new Promise<'stopped'>((resolve) =>
      setTimeout(() => {
        stop.abort();
        resolve('stopped');
      }, trials[trial].watchMs),
    );
    const ended = makeCalls(client[setting], environment, stop.signal).then(
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
