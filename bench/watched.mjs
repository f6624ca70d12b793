import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { twinUnit } from './field.mjs';
import { ratioOf } from './ratio.mjs';
import { pin, start } from './server-process.mjs';
import { takeTogether } from './slice.mjs';
import { requestsOf } from './works.mjs';

const ports = [4610, 4630];

/** Programs that watch a server during a load, with the control API path that each requests. */
const watchers = {
  'a test that waits for a request': '/journal/wait?status=418&timeout=30s',
  'a page that is open': '/updates',
  'a reader of every entry': '/events',
};

/**
 * Measures the throughput that remains while a program watches the server, by processor time. Loads two servers at the
 * same time, one of them watched, then exchanges their roles. In sequence, changes of the machine's speed would exceed
 * the effect.
 * @param {import('./peers.mjs').Peer} ours installed petstore-sim
 * @param {{ rounds: number, seconds: number, say: (text: string) => void }} options
 */
export async function measureWatched(ours, { rounds, seconds, say }) {
  const servers = [];
  /** Returns the unwatched server's processor time per request, divided by that of the watched server. */
  const shareOf = async (path, watched, alone) => {
    const stop = path && (await watch(`${watched.url}/__sim${path}`));
    const runs = [watched, alone].map((server) => ({ server, requests: requestsOf(ours, 'list') }));
    const [of, to] = await takeTogether(runs, { seconds }).finally(stop);
    return to.cpuUs / of.cpuUs;
  };
  /**
   * Measures with both servers in each role, because one process can be a fifth faster than another for its whole life.
   */
  const shares = async (path, count) => {
    const [one, another] = servers;
    const taken = [];
    for (let time = 0; time <= count; time++)
      taken.push(Math.sqrt((await shareOf(path, one, another)) * (await shareOf(path, another, one))));
    // Ignores the first result, which includes loading and compiling the code for the watching program.
    return taken.slice(1);
  };
  try {
    for (const port of ports) servers.push(await start(ours, { port, core: 0 }));
    const found = {};
    for (const [name, path] of Object.entries(watchers)) {
      found[name] = { cpu: ratioOf(await shares(path, 2 * rounds)) };
      say(`watched: ${name}: ${found[name].cpu.median.toFixed(2)}`);
    }
    return { found, yardstick: await shares(undefined, 2 * rounds), unit: twinUnit };
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Starts a program that watches a server. Waits until it has a response or has sent its request. */
async function watch(url) {
  const [command, args] = pin(1, process.execPath, [join(import.meta.dirname, 'watcher.mjs'), url]);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  return async () => {
    child.kill();
    await once(child, 'exit');
  };
}
